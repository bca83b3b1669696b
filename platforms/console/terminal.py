"""`innkeeper chat` on a terminal: a line editor below, the conversation scrolling above it.

Owns keys, the prompt with its live tail and status, and the order of printing. What is printed when is `scroll`'s,
how it looks `render`'s. prompt_toolkit is imported when a terminal is opened.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from platforms.console import protocol
from platforms.console.attach import ATTACH, HELP, NoFile, given
from platforms.console.client import Back, Event, Lost, NoGateway, Window
from platforms.console.exchange import LEAVING, converse_piped
from platforms.console.render import Painter, wrapped
from platforms.console.scroll import Scroll

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.formatted_text import StyleAndTextTuples
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

_QUIET = 0.4  # seconds without an edit after which a message outside a turn counts as whole
_TAIL_LINES = 8


async def converse(
    window: Window,
    *,
    stdin: TextIO,
    stdout: TextIO,
    stderr: TextIO,
    commands: Mapping[str, str],
    history: Path | None = None,
    colour: bool = True,
    greeting: str = "",
) -> int:
    """Talk until the person leaves; returns the exit code.

    `commands` are offered after a slash: name without slash, and its help. `history` is the file of typed lines.
    When either stream is no terminal, lines are said one by one and answers printed plain (`converse_piped`).
    """
    if not (stdin.isatty() and stdout.isatty()):
        return await converse_piped(window, stdin, stdout, stderr)
    terminal = Terminal(window, commands=commands, history=history, colour=colour)
    return await terminal.run(greeting)


class Terminal:
    """One interactive window. Uses the terminal of prompt_toolkit's current session."""

    def __init__(
        self, window: Window, *, commands: Mapping[str, str], history: Path | None = None, colour: bool = True
    ) -> None:
        self._window = window
        self._session = self._open(commands, history, colour)
        self._painter = Painter(lambda: self._session.output.get_size().columns, colour)
        self._scroll = Scroll(self._painter)
        self._awaited: set[str] = set()
        self._status = ""
        self._away = False
        self._settling: asyncio.Task[None] | None = None
        self._tasks: set[asyncio.Task[object]] = set()

    async def run(self, greeting: str = "") -> int:
        """Until Ctrl-D, `/quit`, or the gateway stays away; 0 or, for the last, 1."""
        if greeting:
            self._print(self._painter.dim(greeting))
        showing = asyncio.create_task(self._show_events())
        try:
            while True:
                asking = asyncio.create_task(self._session.prompt_async())
                await asyncio.wait({asking, showing}, return_when=asyncio.FIRST_COMPLETED)
                if not asking.done():
                    asking.cancel()
                    await asyncio.gather(asking, return_exceptions=True)
                    return self._gone(showing)
                try:
                    line = asking.result()
                except (EOFError, KeyboardInterrupt):
                    return self._leave()
                if line.strip() in LEAVING:
                    return self._leave()
                if line.strip():
                    await self._said(line)
        finally:
            rest = [showing, *self._tasks, *([self._settling] if self._settling else [])]
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)

    async def _said(self, line: str) -> None:
        choice = self._scroll.chosen(line)
        self._scroll.said()
        if choice is not None:
            self._print(self._painter.dim(f"-> {choice.button.label}"))
            self._awaited.add(await self._window.press(choice.button.action, choice.message_id))
            return
        try:
            file = given(line, Path.cwd())
        except NoFile as error:
            self._print(self._painter.dim(str(error)))
            return
        if file is None:
            self._awaited.add(await self._window.say(line.strip()))
        else:
            self._print(self._painter.dim(f"-> {file.path}"))
            self._awaited.add(await self._window.say(file.words, (file.path,)))

    async def _show_events(self) -> None:
        async for event in self._window.events():
            self._print(self._apply(event))
            self._settle_later()
            self._session.app.invalidate()

    def _apply(self, event: Event) -> str:
        """Take one event in; returns what is to be printed."""
        match event:
            case protocol.Message(message_id, text, buttons):
                self._status = ""
                return self._scroll.message(message_id, text, buttons)
            case protocol.Edit(message_id, text, buttons):
                self._status = ""
                return self._scroll.edit(message_id, text, buttons)
            case protocol.Delete(message_id):
                return self._scroll.delete(message_id)
            case protocol.Progress(text):
                self._status = text
            case protocol.Done():
                self._awaited -= set(event.event_ids)
                self._status = ""
                return self._scroll.finish()
            case protocol.Error(text, event_id):
                self._awaited.discard(event_id or "")
                return self._painter.dim(text)
            case Lost() | Back():
                self._away = isinstance(event, Lost)
            case _:
                pass  # typing shows as waiting already; a stored event needs no word
        return ""

    def _settle_later(self) -> None:
        """Outside a turn nobody announces an end: a message that rests for a moment is whole."""
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        if not self._awaited and self._scroll.tail:
            self._settling = asyncio.create_task(self._settle())

    async def _settle(self) -> None:
        await asyncio.sleep(_QUIET)
        self._settling = None
        self._print(self._scroll.finish())
        self._session.app.invalidate()

    def _leave(self) -> int:
        self._print(self._scroll.finish())
        if self._away and self._window.unstored:
            self._print(self._painter.dim("The gateway is away; what was said last did not reach it."))
        return 0

    def _gone(self, showing: asyncio.Task[None]) -> int:
        self._print(self._scroll.finish())
        try:
            showing.result()
        except NoGateway as error:
            self._print(self._painter.dim(str(error)))
        return 1

    def _print(self, text: str) -> None:
        """Print above the prompt, or plainly when there is none at the moment.

        The prompt is wiped and drawn again below, all in raw mode: prompt_toolkit's own `run_in_terminal` goes
        through cooked mode, in which the kernel swallows a Ctrl-D or Ctrl-C that is typed at that moment.
        """
        if not text:
            return
        app = self._session.app
        if app.is_running:
            app.renderer.erase()
        self._session.output.write_raw(text.replace("\n", "\r\n"))
        self._session.output.flush()
        if app.is_running:
            app.renderer.request_absolute_cursor_position()
            app.invalidate()

    # The line editor.

    def _open(self, commands: Mapping[str, str], history: Path | None, colour: bool) -> PromptSession[str]:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory, InMemoryHistory
        from prompt_toolkit.output import ColorDepth

        if history is not None:
            history.parent.mkdir(parents=True, exist_ok=True)
            history.touch(mode=0o600)
        return PromptSession(
            self._prompt,
            multiline=True,
            history=FileHistory(str(history)) if history is not None else InMemoryHistory(),
            completer=_completer(commands),
            complete_while_typing=True,
            key_bindings=self._keys(),
            color_depth=None if colour else ColorDepth.DEPTH_1_BIT,
            reserve_space_for_menu=4,
        )

    def _prompt(self) -> StyleAndTextTuples:
        """The unprinted tail, the status, and the sign; a line that was sent leaves only the sign behind."""
        sign: StyleAndTextTuples = [("bold", "> ")]
        if self._session.app.is_done:
            return sign
        size = self._session.output.get_size()
        width, rows = max(size.columns - 1, 10), max(min(_TAIL_LINES, size.rows // 3), 1)
        above: StyleAndTextTuples = []
        tail = self._scroll.tail.strip("\n")
        if tail:
            above.append(("", "\n".join(wrapped(tail, width, rows)) + "\n"))
        status = self._status_line()
        if status:
            above.append(("fg:ansibrightblack", wrapped(status, width, 1)[0] + "\n"))
        return [*above, *sign]

    def _status_line(self) -> str:
        if self._away:
            return "The gateway is away; trying again ..."
        if not self._awaited:
            return self._status
        return f"{self._status or 'Waiting for the answer'} (Ctrl-C stops it)"

    def _keys(self) -> KeyBindings:
        from prompt_toolkit.key_binding import KeyBindings

        keys = KeyBindings()

        @keys.add("enter")
        def _send(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add("escape", "enter")
        def _new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        @keys.add("c-c")
        def _stop_or_clear(event: KeyPressEvent) -> None:
            if self._awaited:
                stopping: asyncio.Task[object] = asyncio.create_task(self._window.say("/stop"))
                self._tasks.add(stopping)
                stopping.add_done_callback(self._tasks.discard)
            else:
                event.current_buffer.reset()

        return keys


def _completer(commands: Mapping[str, str]) -> Completer:
    from prompt_toolkit.completion import WordCompleter

    words = {f"/{name}": help_text for name, help_text in sorted({**commands, "quit": "leave", ATTACH: HELP}.items())}
    return WordCompleter(list(words), meta_dict=words, sentence=True)
