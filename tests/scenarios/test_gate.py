"""Writes that wait: put aside, shown, decided by a tap, a command or the shell, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.config.sections import Memory
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Turn

GATED = settings(memory=Memory(write_approval=True))
TEA = "Ada drinks green tea."


def keeps(text: str) -> Turn:
    return Turn(calls=[("memory", {"target": "user", "action": "add", "content": text})])


def file(folder: Path) -> str:
    path = folder / "memories" / "USER.md"
    return path.read_text() if path.exists() else ""


async def test_a_write_waits_and_is_approved_by_a_command(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [keeps(TEA), "It waits."], with_settings=GATED, with_memory=True) as inn:
        said = await inn.adapter.reply_to("I drink green tea.")
        assert "It waits." in said
        assert file(tmp_path) == ""
        listed = await inn.adapter.reply_to("/memory pending")
        assert TEA in listed
        approved = await inn.adapter.reply_to("/memory approve")
        assert "approved" in approved
        assert file(tmp_path) == TEA


async def test_what_is_to_be_gone_everywhere_does_not_wait_either(tmp_path: Path) -> None:
    secret = "The locker has the code 7391."
    async with guesthouse(tmp_path, [keeps(secret), "It waits."], with_settings=GATED, with_memory=True) as inn:
        await inn.adapter.reply_to("The locker?")
        assert "Erase" in await inn.adapter.reply_to("/forget --everywhere code 7391")
        await inn.adapter.press("c1", "Erase it")
        await inn.adapter.until_text("1 write to memory that waited for a yes")
        assert not list((tmp_path / "pending" / "memory").glob("*.json"))


@pytest.mark.parametrize(("order", "answer"), [("later", "🕓 It waits."), ("revise", "Send it back")])
async def test_the_beginning_of_an_id_is_enough_to_put_off_and_to_edit(
    tmp_path: Path, order: str, answer: str
) -> None:
    async with guesthouse(tmp_path, [keeps(TEA), "It waits."], with_settings=GATED, with_memory=True) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        [path] = (tmp_path / "pending" / "memory").glob("*.json")
        assert answer in await inn.adapter.reply_to(f"/memory {order} {path.stem[:6].upper()}")


async def test_the_doctor_says_that_a_write_waits_until_it_is_decided(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [keeps(TEA), "It waits."], with_settings=GATED, with_memory=True) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        assert "1 waits for a yes: /memory pending" in await inn.adapter.reply_to("/memory doctor")
        await inn.adapter.reply_to("/memory approve")
        assert "for a yes" not in await inn.adapter.reply_to("/memory doctor")


async def test_who_said_it_is_shown_to_those_who_decide(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [keeps(TEA), "It waits."], with_settings=GATED, with_memory=True) as inn:
        await inn.adapter.reply_to("I drink green tea.")
        assert "by inprocess:ada" in await inn.adapter.reply_to("/memory pending")
