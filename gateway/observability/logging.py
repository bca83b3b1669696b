"""Where log lines go: JSON lines in `gateway.log` and `agent.log`, and on request to the terminal, never a secret.

Modules log with `logging.getLogger(__name__)` and put fields into `extra=`; this file alone knows structlog.
What people write is never logged, at any level: a line that has to point at a message uses `digest` instead.
Only the process that owns the profile opens the files; two processes cannot rotate the same ones.
"""

from __future__ import annotations

import hashlib
import logging
import logging.handlers
import sys
from collections.abc import MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gateway.observability.redact import Redactor

if TYPE_CHECKING:
    from types import TracebackType

    from structlog.typing import Processor

AGENT = ("gateway.agent", "gateway.reviews")
"""Loggers under these names write to `agent.log`; from WARNING upwards they are in `gateway.log` as well."""

CHATTY = (
    "anthropic",
    "apscheduler",
    "asyncio",
    "discord",
    "httpcore",
    "httpcore2",
    "httpx",
    "httpx2",
    "markdown_it",
    "mcp",
    "openai",
    "telegram",
)
"""Libraries that are heard from WARNING upwards only. Below that they print addresses with tokens, and bodies."""

FILE_BYTES = 5 * 1024 * 1024
KEPT_FILES = 3
LONGEST_TEXT = 16_000
"""Characters of one field. Together with the two above: at most about 40 MB of logs a profile."""

_Event = MutableMapping[str, Any]


class Logs:
    """What `set_up` opened. `close` takes every handler away again and restores the levels; safe to call twice."""

    __slots__ = ("_handlers", "_levels")

    def __init__(self, handlers: list[logging.Handler], levels: dict[str, int]) -> None:
        self._handlers = handlers
        self._levels = levels

    def close(self) -> None:
        if not self._levels:
            return
        import structlog

        root = logging.getLogger()
        for handler in self._handlers:
            root.removeHandler(handler)
            handler.close()
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)
        self._handlers, self._levels = [], {}
        structlog.reset_defaults()

    def __enter__(self) -> Logs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def set_up(
    folder: Path, level: int | str, redactor: Redactor, console: bool = False, file_bytes: int = FILE_BYTES
) -> Logs:
    """Log to `folder` (made when missing), from `level` upwards, and with `console` to the standard error too.

    A file that would outgrow `file_bytes` is put aside as `NAME.1`; `KEPT_FILES` of those are kept.
    Raises OSError when the folder cannot be written, ValueError for an unknown level name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in ("", *CHATTY)}
    handlers: list[logging.Handler] = [
        _file(folder / "gateway.log", redactor, file_bytes, agent=False),
        _file(folder / "agent.log", redactor, file_bytes, agent=True),
    ]
    if console:
        terminal = _Terminal(sys.stderr)
        terminal.setFormatter(_formatter(redactor, console=True))
        terminal.addFilter(_not_chatter)
        handlers.append(terminal)
    root.setLevel(level)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)
    for handler in handlers:
        root.addHandler(handler)
    _route_structlog()
    return Logs(handlers, levels)


def digest(text: str) -> str:
    """What a log may say of a message: `37 chars sha1:abcd0123`. Equal texts give equal digests."""
    mark = hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:8]
    return f"{len(text)} chars sha1:{mark}"


class _LostLine:
    """Mixed into handlers: a line that cannot be written is reported by its origin alone.

    The standard library would print the message and its arguments, unmasked.
    """

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's own name
        kind = sys.exc_info()[0]
        reason = kind.__name__ if kind else "unknown"
        if sys.stderr is not None:
            sys.stderr.write(f"a log line of {record.name}:{record.lineno} was lost ({reason})\n")


class _File(_LostLine, logging.handlers.RotatingFileHandler):
    pass


class _Terminal(_LostLine, logging.StreamHandler):  # type: ignore[type-arg]  # generic in the stubs alone
    pass


def _file(path: Path, redactor: Redactor, file_bytes: int, *, agent: bool) -> logging.Handler:
    # Lone surrogates become \udXXX, which is also how JSON writes them.
    handler = _File(
        path, maxBytes=file_bytes, backupCount=KEPT_FILES, encoding="utf-8", errors="backslashreplace", delay=True
    )
    handler.setFormatter(_formatter(redactor, console=False))
    # A library may raise its own level again when it is imported, so levels alone do not keep it quiet.
    handler.addFilter(_not_chatter)
    handler.addFilter(_of_agent if agent else _of_gateway)
    return handler


def _under(name: str, roots: tuple[str, ...]) -> bool:
    return any(name == root or name.startswith(root + ".") for root in roots)


def _not_chatter(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or not _under(record.name, CHATTY)


def _of_agent(record: logging.LogRecord) -> bool:
    return _under(record.name, AGENT)


def _of_gateway(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING or not _under(record.name, AGENT)


def _formatter(redactor: Redactor, *, console: bool) -> logging.Formatter:
    """Turns a record into one line: fields together, exception as text, everything masked, then rendered."""
    import structlog

    def masked(_logger: object, _method: str, event: _Event) -> _Event:
        tree = redactor.tree(event, LONGEST_TEXT)
        assert isinstance(tree, dict)
        return tree

    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
        if console
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    return structlog.stdlib.ProcessorFormatter(
        processors=[
            _head,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info,
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            masked,
            renderer,
        ],
        foreign_pre_chain=[structlog.stdlib.ExtraAdder()],
        # Several handlers format one record; each needs the exception for itself.
        keep_exc_info=False,
        keep_stack_info=False,
    )


def _head(_logger: object, _method: str, event: _Event) -> _Event:
    """Time, level and logger first, so that a line reads from the left."""
    record: logging.LogRecord = event["_record"]
    moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    head = {"timestamp": moment, "level": record.levelname.lower(), "logger": record.name}
    return {**head, **event, **head}


def _route_structlog() -> None:
    """Send what plugins log through structlog into the same handlers; by default it would print, unmasked."""
    import structlog

    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
