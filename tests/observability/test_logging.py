"""The log files of a profile: what stands in which, how large they grow, and that no secret is in any of them."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from gateway.observability.logging import CHATTY, LONGEST_TEXT, Logs, digest, set_up
from gateway.observability.redact import MASK, Redactor
from tests.observability.test_redact import CONFIGURED, DISCORD, OPENAI, TELEGRAM

BEARER = "abcdef0123456789ABCDEF"
SECRETS = (TELEGRAM, DISCORD, OPENAI, BEARER, CONFIGURED)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def logs(home: Path) -> Iterator[Logs]:
    with set_up(home / "logs", "DEBUG", Redactor([CONFIGURED])) as opened:
        yield opened


def lines(home: Path, name: str) -> list[dict[str, Any]]:
    path = home / "logs" / name
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def leaky_error() -> Exception:
    """An error as the client libraries raise them: the secret stands in the text, and in the cause's text."""
    try:
        try:
            raise ConnectionError(f"POST https://telegram.test/bot{TELEGRAM}/sendMessage failed")
        except ConnectionError as cause:
            raise RuntimeError(
                f"401 for key {OPENAI}, headers {{'Authorization': 'Bearer {BEARER}'}}, {DISCORD}, {CONFIGURED}"
            ) from cause
    except RuntimeError as error:
        return error


def test_no_secret_reaches_any_file_under_the_home(home: Path, logs: Logs) -> None:
    error = leaky_error()
    for name in (
        "gateway.engine.turns.turn",
        "gateway.agent.loop",
        "platforms.telegram.adapter",
        "somebody.else",
        *CHATTY,
    ):
        logger = logging.getLogger(name)
        for level in (logging.DEBUG, logging.WARNING, logging.CRITICAL):
            logger.log(level, "sending to bot%s with %s", TELEGRAM, error)
            logger.log(level, "failed", exc_info=error)
            logger.log(level, "failed", extra={"error": error, "headers": {"Authorization": f"Bearer {BEARER}"}})
            logger.log(level, "trace", extra={"trace": traceback.format_exception(error), DISCORD: CONFIGURED})
    structlog.get_logger("a.plugin").error("failed", key=OPENAI, exc_info=error)
    logs.close()

    files = [path for path in home.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"gateway.log", "agent.log"}
    for path in files:
        text = path.read_text("utf-8")
        assert MASK in text
        assert [secret for secret in SECRETS if secret in text] == []
    assert any("ConnectionError" in line.get("exception", "") for line in lines(home, "agent.log"))
    assert lines(home, "gateway.log")[-1]["logger"] == "a.plugin"


def test_the_agent_has_a_file_of_its_own_and_trouble_is_in_both(home: Path, logs: Logs) -> None:
    logging.getLogger("gateway.app").info("ready")
    logging.getLogger("gateway.reviews.worker").info("Background review complete: thread=bg-review calls=%d", 2)
    logging.getLogger("gateway.agent").warning("a model misfired", extra={"host": "local"})
    logging.getLogger("gateway.agentless").info("no agent")

    assert [line["event"] for line in lines(home, "gateway.log")] == ["ready", "a model misfired", "no agent"]
    agent = lines(home, "agent.log")
    assert [line["event"] for line in agent] == [
        "Background review complete: thread=bg-review calls=2",
        "a model misfired",
    ]
    assert agent[1]["host"] == "local"
    assert list(agent[1])[:3] == ["timestamp", "level", "logger"]


def test_libraries_are_quiet_below_warning_even_when_they_raise_their_own_level(home: Path, logs: Logs) -> None:
    logging.getLogger("httpx").setLevel(logging.DEBUG)
    logging.getLogger("httpx").info("HTTP Request: GET https://somewhere.test")
    logging.getLogger("telegram.ext.Updater").debug("polling")
    logging.getLogger("httpxtra").info("not the library")
    logging.getLogger("discord.gateway").warning("heartbeat late")

    assert [line["logger"] for line in lines(home, "gateway.log")] == ["httpxtra", "discord.gateway"]


def test_closing_gives_everything_back(home: Path) -> None:
    root, httpx = logging.getLogger(), logging.getLogger("httpx")
    before = (list(root.handlers), root.level, httpx.level)
    opened = set_up(home / "logs", logging.DEBUG, Redactor(), console=True)
    assert len(root.handlers) == len(before[0]) + 3
    opened.close()
    opened.close()
    assert (list(root.handlers), root.level, httpx.level) == before
    assert not structlog.is_configured()


def test_the_terminal_shows_the_same_line_without_its_secret(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with set_up(home / "logs", "INFO", Redactor(), console=True):
        logging.getLogger("gateway.app").error("key %s refused", OPENAI, exc_info=leaky_error())
    shown = capsys.readouterr().err
    assert f"key {MASK} refused" in shown
    assert "ConnectionError" in shown
    assert [secret for secret in (TELEGRAM, OPENAI, BEARER, DISCORD) if secret in shown] == []


def test_files_rotate_and_stay_bounded(home: Path) -> None:
    with set_up(home / "logs", "INFO", Redactor(), file_bytes=2_000):
        for number in range(100):
            logging.getLogger("gateway.app").info("line %d %s", number, "x" * 100)
    files = sorted(path.name for path in (home / "logs").iterdir())
    assert files == ["gateway.log", "gateway.log.1", "gateway.log.2", "gateway.log.3"]
    assert all(path.stat().st_size <= 2_000 for path in (home / "logs").iterdir())
    assert lines(home, "gateway.log")[-1]["event"].startswith("line 99 ")


def test_a_huge_text_is_cut_and_the_cut_shows_no_half_secret() -> None:
    text = "word " * 1_000 + (OPENAI + " ") * 10_000
    cut = Redactor().tree(text, LONGEST_TEXT)
    assert isinstance(cut, str)
    assert cut.startswith("word word ")
    assert cut.endswith(f" … ({len(text):,} characters in all)")
    assert len(cut) < LONGEST_TEXT + 100
    assert "sk-" not in cut


class Unspeakable:
    def __str__(self) -> str:
        raise TypeError(f"no text, but {OPENAI}")


def test_odd_values_are_written_and_broken_ones_reported_without_their_text(
    home: Path, logs: Logs, capsys: pytest.CaptureFixture[str]
) -> None:
    logger = logging.getLogger("gateway.app")
    logger.info("lone \ud83d surrogate, 記憶", extra={"path": Path("a"), "ids": {1}, "raw": b"\xff"})
    logger.info("broken %s", OPENAI, extra={"value": Unspeakable()})
    logs.close()

    (line,) = lines(home, "gateway.log")
    assert line["event"] == "lone \ud83d surrogate, 記憶"
    assert (line["path"], line["ids"], line["raw"]) == ("a", [1], "\\xff")
    lost = capsys.readouterr().err
    assert lost.startswith("a log line of gateway.app:")
    assert OPENAI not in lost


def test_a_digest_names_a_message_without_its_words() -> None:
    assert digest("my door code is 4711, keep it safe!!!") == digest("my door code is 4711, keep it safe!!!")
    assert digest("a") != digest("b")
    assert digest("\ud83d")
    said = digest("my door code is 4711, keep it safe!!!")
    assert said.startswith("37 chars sha1:")
    assert "4711" not in said
