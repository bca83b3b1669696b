"""A model gives the person a file: it arrives once, with its bytes, behind the answer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.config.sections import Gateway
from gateway.tools.send_file import Outlet, plain_name, send_file_tool
from gateway.tools.tool import Tool
from platforms.errors import NotSent
from platforms.in_process import Seen
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Script, Turn

POEM = "An inn at night,\na lamp, a key."
GIVES = Turn(calls=[("send_file", {"name": "poem.txt", "content": POEM})])


def tool(folder: Path, *, roots: tuple[Path, ...] = (), limit: int = 1000, trusted: bool = True) -> Tool:
    return send_file_tool(Outlet(folder / "out", lambda chat: limit, lambda: roots, lambda who: trusted))


async def after(folder: Path, script: Script, given: Tool) -> list[Seen]:
    """What the chat holds after one message."""
    async with guesthouse(folder, script, tools=[given]) as inn:
        await inn.adapter.reply_to("a poem, please")
        return inn.adapter.transcript()


async def test_a_file_that_the_model_wrote_stands_behind_the_answer(tmp_path: Path) -> None:
    answer, file = await after(tmp_path, [GIVES, "Here it is."], tool(tmp_path))
    assert (answer.text, answer.file) == ("Here it is.", None)
    assert file.file is not None
    assert (file.file.name, file.file.media_type, file.bytes) == ("poem.txt", "text/plain", POEM.encode())


async def test_a_long_answer_a_file_and_a_preview_do_not_mix(tmp_path: Path) -> None:
    """More was streamed before the tool ran than the answer has in the end."""
    streamed = Turn([" ".join(f"word{number}" for number in range(1500)), asyncio.Event()], calls=[])
    wait = streamed.text[1]
    assert isinstance(wait, asyncio.Event)
    async with guesthouse(tmp_path, [GIVES, streamed], tools=[tool(tmp_path)]) as inn:
        await inn.adapter.say("a poem, please")
        await inn.adapter.until(lambda: len(inn.adapter.texts()) == 2)
        await inn.adapter.say("/stop")
        await inn.adapter.until(lambda: any(seen.file for seen in inn.adapter.transcript()))
        shown = [seen for seen in inn.adapter.transcript() if seen.text.startswith("word")]
        assert "".join(seen.text for seen in shown).count("word") == 1500
        (file,) = [seen for seen in inn.adapter.transcript() if seen.file is not None]
        assert file.bytes == POEM.encode()


async def test_a_network_that_fails_costs_no_file_and_doubles_none(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [GIVES, "Here it is."], tools=[tool(tmp_path)]) as inn:
        inn.adapter.fail_next(send=NotSent("refused"))
        await inn.adapter.say("a poem, please")
        await inn.adapter.until(lambda: any(seen.file for seen in inn.adapter.transcript()))
        assert [seen.text for seen in inn.adapter.transcript()] == ["Here it is.", ""]


async def test_a_file_that_cannot_be_sent_any_more_is_missed_aloud(tmp_path: Path) -> None:
    """Its bytes were cleaned away while it waited, or the platform wants none of it."""
    async with guesthouse(tmp_path, [GIVES, "Here it is."], tools=[tool(tmp_path)]) as inn:
        inn.adapter.fail_next(send=NotSent("away"))
        await inn.adapter.say("a poem, please")
        await inn.adapter.until(lambda: bool(list((tmp_path / "out").rglob("poem.txt"))))
        for file in (tmp_path / "out").rglob("poem.txt"):
            file.unlink()
        await inn.adapter.until(lambda: len(inn.adapter.texts()) == 2)
        answer, line = inn.adapter.texts()
        assert answer == "Here it is."
        assert "poem.txt could not be sent" in line


async def test_a_house_that_dies_after_the_tool_ran_sends_the_file_in_its_next_life(tmp_path: Path) -> None:
    never = Turn([asyncio.Event()])
    hasty = settings(gateway=Gateway(drain_seconds=0))
    async with guesthouse(tmp_path, [GIVES, never], tools=[tool(tmp_path)], with_settings=hasty) as inn:
        await inn.adapter.say("a poem, please")
        await inn.adapter.until(lambda: inn.adapter.typed() > 0 and len(inn.model.requests) == 2)
    async with guesthouse(tmp_path, ["Here it is."], tools=[tool(tmp_path)]) as inn:
        await inn.adapter.until(lambda: any(seen.file for seen in inn.adapter.transcript()))
        assert [(seen.text, seen.bytes) for seen in inn.adapter.transcript()] == [
            ("Here it is.", b""),
            ("", POEM.encode()),
        ]


async def test_retry_sends_the_file_again(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [GIVES, "Here it is."], tools=[tool(tmp_path)]) as inn:
        await inn.adapter.reply_to("a poem, please")
        await inn.adapter.reply_to("/retry")
        assert [seen.bytes for seen in inn.adapter.transcript() if seen.file] == [POEM.encode()] * 2


async def test_where_no_file_can_be_sent_the_model_is_told(tmp_path: Path) -> None:
    (answer,) = await after(tmp_path, [GIVES, "Then as text."], tool(tmp_path, limit=0))
    assert answer.text == "Then as text."


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"name": "a"}, "either content or path"),
        ({"name": "a", "content": ""}, "is empty"),
        ({"name": "a", "content": "x" * 2000}, "at most 1,000"),
        ({"name": "a", "path": "../secret"}, "no file"),
        ({"name": "a", "path": "/etc/passwd"}, "no file"),
        ({"name": "a", "path": "way-out"}, "no file"),
    ],
)
async def test_what_cannot_be_sent_is_refused_with_a_reason(
    tmp_path: Path, arguments: dict[str, str], why: str
) -> None:
    root = tmp_path / "open"
    root.mkdir()
    (tmp_path / "secret").write_text("no")
    (root / "way-out").symlink_to(tmp_path / "secret")
    async with guesthouse(
        tmp_path, [Turn(calls=[("send_file", arguments)]), "No."], tools=[tool(tmp_path, roots=(root,))]
    ) as inn:
        await inn.adapter.reply_to("a file, please")
        assert why in inn.model.requests[1].messages[-1].content
        assert [seen.text for seen in inn.adapter.transcript()] == ["No."]


async def test_files_of_the_machine_are_for_owners(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "plan.txt").write_text("the plan")
    asks = Turn(calls=[("send_file", {"name": "", "path": "plan.txt"})])
    roots = (tmp_path / "open",)
    for trusted, count in ((False, 0), (True, 1)):
        folder = tmp_path / str(trusted)
        folder.mkdir()
        given = tool(tmp_path, roots=roots, trusted=trusted)
        assert [seen.bytes for seen in await after(folder, [asks, "Done."], given) if seen.file] == [
            b"the plan"
        ] * count


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        ("a/b/../c.txt", "c.txt"),
        ("..", "file.txt"),
        ("", "file.txt"),
        ("計画.md", "計画.md"),
        ("a\0b\n.txt", "a_b_.txt"),
    ],
)
def test_a_name_is_no_path(asked: str, kept: str) -> None:
    assert plain_name(asked) == kept
