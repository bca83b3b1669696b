"""What a person has erased everywhere is gone from files beside the archive, too; what nobody can erase is named."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.backup.making import create
from gateway.config.paths import Profile
from gateway.config.sections import Memory
from gateway.engine.care.remains import Remains
from gateway.models.client import HostInfo, Request, ToolSchema
from gateway.providers.holographic import HolographicSettings
from gateway.state.fact_book import FactBook
from gateway.tools.tool import Tool, ToolContext, ToolResult
from memory.model import Author, Origin
from memory.pending.call_store import DecidedCalls
from memory.providers.registry import Register
from memory.skills.model import SkillStaged
from memory.spellings import Sought
from tests.fakes.files import given, png
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.parrot import ParrotSettings, register
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.memory.pending.test_calls import call
from tests.memory.skills.pending_desk import create as skill
from tests.scenarios.far_tools import calls, far_inn, opened, server, waiting
from tests.scenarios.places import keeps
from tests.scenarios.test_skill_gate import house as skilled

SECRET = "quagga 7391"
GATED = settings(memory=Memory(write_approval=True))
NOTHING = "I find it nowhere but in this order."


def fine(request: Request) -> str:
    return "Fine."


def holding(folder: Path) -> list[str]:
    """The names of files in which the secret stands."""
    return sorted(each.name for each in folder.rglob("*") if each.is_file() and SECRET.encode() in each.read_bytes())


async def asked(house: Guesthouse, text: str = SECRET) -> str:
    return await house.adapter.reply_to(f"/forget --everywhere {text}")


async def erased(house: Guesthouse) -> str:
    def receipts() -> list[str]:
        return [each for each in house.adapter.texts() if each.startswith("🗑 Erased")]

    before = len(receipts())
    await house.adapter.press("c1", "Erase it")
    await house.adapter.until(lambda: len(receipts()) > before)
    return receipts()[-1]


async def sent(house: Guesthouse, name: str, data: bytes, kind: str = "document") -> None:
    ends = len(house.adapter.summaries())
    await house.adapter.say("Look at this.", attachments=(given(house.adapter, name, data, kind),))
    await house.adapter.until(lambda: len(house.adapter.summaries()) > ends)


async def test_large_outputs_of_tools_go_with_it(tmp_path: Path) -> None:
    said = iter([f"{'word ' * 4_000}The code is\n«{SECRET}».", "other " * 4_000])

    async def run(arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        return ToolResult(next(said))

    tool = Tool(ToolSchema("dump", "dumps", {"type": "object", "properties": {}}), run)
    script: Script = [Turn(calls=[("dump", {})]), "Much.", Turn(calls=[("dump", {})]), "More.", "Still here."]
    async with guesthouse(tmp_path, script, with_memory=True, tools=[tool]) as house:
        await house.adapter.reply_to("Dump it.")
        await house.adapter.reply_to("Dump more.")
        question = await asked(house)
        assert "It takes 1 message in the archive, 1 large text." in question
        assert len(list((tmp_path / "cache/spill").iterdir())) == 2, "nothing is gone before the answer"
        assert await erased(house) == ("🗑 Erased: 1 message in the archive, 1 large text. This cannot be undone.")
        (left,) = (tmp_path / "cache/spill").iterdir()
        assert left.read_text() == "other " * 4_000
        assert await house.adapter.reply_to("Still there?") == "Still here."
    assert holding(tmp_path) == []


async def test_files_that_were_sent_go_with_it_and_their_rows_stay(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine, with_memory=True) as house:
        await sent(house, "codes.txt", f"The code is\r\n{SECRET}.".encode())
        await sent(house, "codes.json", b'{"who": "Gr\\u00fc\\u00dfe", "where": "a\\nb"}')
        await sent(house, "other.txt", b"Nothing of that kind.")
        await sent(house, "holiday.png", png(), "picture")
        question = await asked(house)
        assert "1 file of a conversation" in question
        assert "1 file of a conversation" in await erased(house)
        assert holding(tmp_path / "cache") == []
        assert "1 file of a conversation" in await asked(house, "Grüße"), "as the archive is looked through"
        await erased(house)
        assert len([each for each in (tmp_path / "cache/attachments").rglob("*") if each.is_file()]) == 2
        await house.adapter.reply_to("Still there?")
        told = "\n".join(each.content for each in house.model.requests[-1].messages if each.role == "user")
        assert "[document: codes.txt, 25 bytes]" in told
        assert SECRET not in told


async def test_a_file_of_many_pieces_is_read_to_its_end(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine, with_memory=True) as house:
        folder = tmp_path / "cache" / "attachments" / "ab"
        folder.mkdir(parents=True)
        for number, before in enumerate((2**20 - 2, 2**21 + 5)):
            (folder / f"{number}.bin").write_bytes(b"\0" * before + SECRET.encode())
        assert "2 files of conversations" in await asked(house)
        await erased(house)
        assert list(folder.iterdir()) == []


async def test_files_that_cannot_be_read_are_named_and_stop_nothing(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine, with_memory=True) as house:
        await sent(house, "codes.txt", f"The code is {SECRET}.".encode())
        odd = tmp_path / "cache" / "attachments" / "ab" / "odd.bin"
        odd.parent.mkdir(parents=True, exist_ok=True)
        odd.symlink_to(tmp_path / "nowhere")
        left = tmp_path / "pending" / "calls" / "approved" / "0a1b2c3d.done"
        left.parent.mkdir(parents=True)
        left.write_text("{")
        assert f"⚠️ Could not be read: {odd}, {left}" in await asked(house)
        told = await erased(house)
        assert f"⚠️ Could not be read or removed: {odd}, {left}" in told
        assert "1 file of a conversation" in told
        assert holding(tmp_path / "cache") == []


async def test_changes_of_skills_that_wait_are_rejected(tmp_path: Path) -> None:
    async with skilled(tmp_path) as house:
        skills, by = house.house.skills, Author(Origin.FOREGROUND, message="turn:1", chat="inprocess:c1")
        assert skills is not None
        for wish in (skill("locker", f"Its code is {SECRET}.\n"), skill("deploy")):
            assert isinstance(await asyncio.to_thread(skills.store.apply, [wish], by), SkillStaged)
        assert "1 change of skills that waits for a yes" in await asked(house)
        assert "1 change of skills that waited for a yes" in await erased(house)
        assert [each.draft.names for each in skills.pendings.waiting()] == [("deploy",)]
    assert holding(tmp_path) == []


async def test_writes_that_wait_are_counted_before(tmp_path: Path) -> None:
    script: Script = [keeps("user", f"The locker has the code {SECRET}."), "It waits."]
    async with guesthouse(tmp_path, script, with_settings=GATED, with_memory=True) as house:
        await house.adapter.reply_to("The locker?")
        assert "1 write to memory that waits for a yes" in await asked(house)
        assert "1 write to memory that waited for a yes" in await erased(house)
        assert await house.adapter.reply_to("/memory pending") == "Nothing waits."


async def test_calls_go_with_it_whether_they_wait_or_were_decided(tmp_path: Path) -> None:
    async with far_inn(tmp_path, {"fake": server(tmp_path)}) as inn:
        async with opened(inn, batch=600.0):  # no card comes between question and answer
            for word in (f"code {SECRET}", "inn", f"{SECRET} and more"):
                await inn.says("Write.", calls("mcp_fake_write", word=word), f"I asked: {word}.")
            first, other, _ = waiting(tmp_path)
            await inn.says(f"/tools reject {first['id']}")
            await inn.says(f"/tools reject {other['id']}")
            question = await inn.says(f"/forget --everywhere {SECRET}")
            assert "1 call that was decided, 1 call that waits for a yes" in question
            told = await inn.presses("Erase it")
            assert "1 call that was decided, 1 call that waited for a yes" in told
            assert waiting(tmp_path) == []
            folder = tmp_path / "pending" / "calls"
            assert [each.stem for each in (folder / "rejected").iterdir()] == [other["id"]]
        assert holding(folder) == []


async def test_an_outside_memory_keeps_what_it_was_told_and_is_named(tmp_path: Path) -> None:
    kept = settings(memory=Memory(provider="parrot", providers={"parrot": ParrotSettings()}))
    async with guesthouse(tmp_path, fine, with_memory=True, with_settings=kept, providers=register()) as house:
        line = "The outside memory parrot keeps what it was told; delete it there."
        assert line in await asked(house)
        assert line in await erased(house)


async def test_facts_of_holographic_are_erased(tmp_path: Path) -> None:
    kept = settings(memory=Memory(provider="holographic", providers={"holographic": HolographicSettings()}))
    model = ScriptedModel(fine, info=HostInfo(window=None))
    book = FactBook(tmp_path / "providers" / "holographic" / "facts.db")
    async with guesthouse(tmp_path, model, with_memory=True, with_settings=kept, providers=Register()) as house:
        await house.adapter.reply_to(f"/remember Annika's locker has the code {SECRET}.")
        await house.adapter.reply_to(f"My bicycle's lock opens with {SECRET}, too. Annika lives in Lund.")
        async with asyncio.timeout(20):
            while book.holding([SECRET]) != 2:
                await asyncio.sleep(0.005)
        question = await asked(house)
        assert "2 facts of the outside memory holographic" in question
        assert "keeps what it was told" not in question
        assert "2 facts of the outside memory holographic" in await erased(house)
        assert holding(tmp_path / "providers") == []
        assert [each.text for each in book.find("owner", ["annika"], 0.0, 9)] == ["Annika lives in Lund."]
        book.close()


async def test_backups_are_named_with_how_they_go(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine, with_memory=True) as house:
        assert "backup" not in await asked(house)
        for day in range(2):
            await asyncio.to_thread(create, Profile("default", tmp_path, tmp_path), 1_800_000_000.0 + day, {})
        line = "2 backups may hold it until newer ones replace them: innkeeper backup list"
        assert line in await asked(house)
        assert line in await erased(house)


async def test_what_is_nowhere_is_said_to_be_nowhere(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine, with_memory=True) as house:
        assert await asked(house) == f"Erase {SECRET!r} for good? {NOTHING}"
        assert await erased(house) == "🗑 Erased: this order, for there was nothing else. This cannot be undone."


async def test_a_call_that_begins_or_ends_while_it_is_looked_for_is_not_counted_as_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = Profile("default", tmp_path, tmp_path)
    holds, decided = DecidedCalls.holds, DecidedCalls(profile.pending / "calls")
    for before, state in ((False, "json"), (True, "json"), (False, "running"), (True, "running")):
        decided.approve(call("0a1b2c3d", f"code {SECRET}"), "ada")
        if state == "running":
            decided.take("0a1b2c3d")

        def meanwhile(own: DecidedCalls, path: Path, sought: Sought) -> bool:
            """Its name changes right before, or right after, the look into it."""
            found = False if before else holds(own, path, sought)  # noqa: B023 - used within the round
            if path.suffix == f".{state}":  # noqa: B023
                if state == "json":  # noqa: B023
                    decided.take(path.stem)
                else:
                    decided.end(path.stem, "Done.", ok=True)
            return holds(own, path, sought) if before else found  # noqa: B023

        monkeypatch.setattr(DecidedCalls, "holds", meanwhile)
        traces = Remains(profile, settings).erased([SECRET])
        assert (traces.calls, traces.unread) == (1, ())
        assert holding(tmp_path) == []
        assert not decided.known("0a1b2c3d")
        monkeypatch.undo()
