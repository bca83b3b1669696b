"""Changes of skills that wait: listed, shown as a diff, decided by a tap or a command, once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from commands.skill_pending import ACTIONS
from commands.skill_pending_words import ROOM
from commands.spec import CommandSpec
from gateway.config.schema import Access
from gateway.config.sections import Gateway, Memory, Skills
from memory.model import Author, Origin
from memory.skills.diff import unified
from memory.skills.model import SkillApplied, SkillOperation, SkillRefused, SkillStaged
from platforms.adapter import Capabilities
from platforms.in_process import InProcess, Seen
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.memory.skills.pending_desk import create, delete, patch, text, write
from tests.scenarios.test_gate_hours import HOME, MINUTE, MORNING, Inn

SKILLS = CommandSpec("skills", "skills", actions=ACTIONS, when="anytime")


@asynccontextmanager
async def house(folder: Path, *, adapter: InProcess | None = None, **changes: Any) -> AsyncIterator[Guesthouse]:
    gated = settings(**{"skills": Skills(write_approval=True), **changes})
    async with guesthouse(
        folder, adapter=adapter, with_settings=gated, with_memory=True, full_status=True, commands=(SKILLS,)
    ) as guests:
        yield guests


async def staged(
    guests: Guesthouse, *wishes: SkillOperation, origin: Origin = Origin.FOREGROUND, chat: str = "inprocess:c1"
) -> str:
    """A model wants to change skills; the id under which that waits."""
    skills = guests.house.skills
    assert skills is not None
    outcome = await asyncio.to_thread(skills.store.apply, wishes, Author(origin, message="turn:1", chat=chat))
    assert isinstance(outcome, SkillStaged), outcome
    return outcome.pending_id


def put(folder: Path, name: str, body: str) -> Path:
    """A skill that is there already."""
    path = folder / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text(name, body))
    return path


async def test_a_change_is_listed_shown_and_approved_by_commands(tmp_path: Path) -> None:
    path = put(tmp_path, "deploy", "Run the build.\nThen copy it.\n")
    async with house(tmp_path) as inn:
        name = await staged(inn, patch("deploy", "copy it", "ship it"), origin=Origin.REVIEW)
        listed = await inn.adapter.reply_to("/skills pending")
        assert f"`{name}` [auto]" in listed
        assert "patch 'deploy' SKILL.md (+1/-1)" in listed
        assert "- deploy/SKILL.md changes" in listed
        for order in (f"/skills show {name[:5]}", "/skills diff"):
            shown = await inn.adapter.reply_to(order)
            assert "-Then copy it.\n+Then ship it." in shown
        assert "copy it" in path.read_text()
        approved = await inn.adapter.reply_to(f"/skills approve {name[:5]}")
        assert f"✅ `{name}` approved: patch 'deploy' SKILL.md (+1/-1)" in approved
        assert "+Then ship it." in approved
        assert path.read_text().endswith("Then ship it.\n")
        assert "Nothing waits." in await inn.adapter.reply_to("/skills pending")
        assert f"`{name}` was approved already, by inprocess:ada" in await inn.adapter.reply_to(
            f"/skills reject {name}"
        )


async def test_a_rejected_change_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = put(tmp_path, "deploy", "Run it.\n")
    async with house(tmp_path) as inn:
        await staged(inn, delete("deploy"))
        assert "- deploy/ is put away, with one file" in await inn.adapter.reply_to("/skills show")
        assert "rejected. Nothing was changed." in await inn.adapter.reply_to("/skills reject")
        assert path.exists()


async def test_what_was_deleted_is_said_to_lie_in_the_archive(tmp_path: Path) -> None:
    put(tmp_path, "deploy", "Run it.\n")
    async with house(tmp_path) as inn:
        await staged(inn, delete("deploy"))
        assert "It lies in skills/.archive/deploy@" in await inn.adapter.reply_to("/skills approve")


async def test_approve_all_goes_one_by_one_and_says_what_became_of_each(tmp_path: Path) -> None:
    put(tmp_path, "deploy", "Run the build.\n")
    async with house(tmp_path) as inn:
        await staged(inn, patch("deploy", "Run", "Start"))
        late = await staged(inn, patch("deploy", "build", "test"))
        await staged(inn, create("tidy"))
        told = await inn.adapter.reply_to("/skills approve all")
        assert told.startswith("2 of 3 done.")
        assert f"⚠️ `{late}` waits on: " in told


async def test_a_change_that_no_longer_fits_says_why_and_waits_on(tmp_path: Path) -> None:
    path = put(tmp_path, "deploy", "Run it.\n")
    async with house(tmp_path) as inn:
        name = await staged(inn, patch("deploy", "Run", "Start"))
        path.write_text(text("deploy", "Otherwise.\n"))
        assert f"⚠️ `{name}` waits on: " in await inn.adapter.reply_to("/skills approve")
        assert name in await inn.adapter.reply_to("/skills pending")
        assert path.read_text().endswith("Otherwise.\n")


# Diffs too long for a message

LONG = "".join(f"Step {number}: look twice.\n" for number in range(ROOM // 20))


async def test_a_diff_that_does_not_fit_comes_as_a_file(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        name = await staged(inn, create("deploy", LONG))
        assert f"The diff is long: /skills diff {name}" in await inn.adapter.reply_to("/skills show")
        said = await inn.adapter.reply_to("/skills diff")
        assert "The whole diff is in the file." in said
        await inn.adapter.until(lambda: any(each.file for each in inn.adapter.transcript()))
        [sent] = [each for each in inn.adapter.transcript() if each.file is not None]
        assert sent.file is not None
        assert sent.file.name == f"{name}.diff"
        skills = inn.house.skills
        assert skills is not None
        assert sent.bytes.decode() == unified(skills.pendings.waiting()[0].draft)
        assert sent.bytes.decode().count("look twice") == ROOM // 20
        await inn.adapter.reply_to("/skills approve")
        await inn.adapter.until(lambda: sum(each.file is not None for each in inn.adapter.transcript()) == 2)
        assert [each.bytes for each in inn.adapter.transcript() if each.file is not None] == [sent.bytes] * 2


async def test_where_no_file_can_be_sent_a_long_diff_comes_as_text(tmp_path: Path) -> None:
    mute = InProcess(capabilities=Capabilities(limit=4096, unit="utf16", edit_seconds=0.0, sends_files=0))
    async with house(tmp_path, adapter=mute) as inn:
        await staged(inn, create("deploy", LONG))
        await inn.adapter.reply_to("/skills diff")
        await inn.adapter.until_text(f"Step {ROOM // 20 - 1}: look twice.")
        assert not any(each.file for each in inn.adapter.transcript())


# Cards


@asynccontextmanager
async def timed(folder: Path, **changes: Any) -> AsyncIterator[Inn]:
    """The same with a home chat and a clock that stands still."""
    gated = settings(
        memory=Memory(write_approval=True),
        skills=Skills(write_approval=True),
        access=Access(home_chats=(HOME,)),
        gateway=Gateway(timezone="UTC", drain_seconds=0),
        **changes,
    )
    clock = FakeClock(MORNING)
    async with guesthouse(
        folder, clock=clock, with_settings=gated, with_memory=True, full_status=True, commands=(SKILLS,)
    ) as guests:
        yield Inn(guests, clock)


def card_of(inn: Inn) -> Seen:
    return next(each for each in inn.guests.adapter.transcript("home") if each.text.startswith("🔏"))


async def test_a_card_comes_to_the_home_chat_and_is_decided_there(tmp_path: Path) -> None:
    path = put(tmp_path, "deploy", "Run the build.\n")
    async with timed(tmp_path) as at:
        name = await staged(at.guests, patch("deploy", "Run", "Start"), write("deploy", "references/a.md", "a\n"))
        await at.later(2 * MINUTE)
        (card,) = await at.told(1)
        assert card.startswith("🔏 A change of skills waits for you:")
        assert f"`{name}`" in card
        assert "- deploy/references/a.md is new (2 bytes)" in card
        assert "-Run the build.\n+Start the build." in card
        seen = card_of(at)
        assert [button.action for row in seen.buttons for button in row] == [
            f"/skills {order} {name}" for order in ("approve", "reject", "diff", "later")
        ]
        await at.guests.adapter.press("home", "✅ Approve")
        await at.guests.adapter.until_text("approved", "home")
        assert path.read_text().endswith("Start the build.\n")
        await at.guests.adapter.press_action("home", f"/skills reject {name}", seen.message_id)
        await at.guests.adapter.until_text("was approved already, by inprocess:ada", "home")


async def test_cards_of_both_kinds_and_a_digest_of_all(tmp_path: Path) -> None:
    async with timed(tmp_path) as at:
        kept = await at.stage("Ada sings.")
        first, second = await staged(at.guests, create("deploy", LONG)), await staged(at.guests, create("tidy"))
        await at.later(2 * MINUTE)
        cards = await at.told(2)
        assert len([card for card in cards if "🔏 A write to memory waits for you:" in card]) == 1
        [card] = [card for card in cards if "🔏 2 changes of skills wait for you:" in card]
        assert f"The diff is long: /skills diff {first}" in card
        assert "+Then copy it." in card
        status = await at.guests.adapter.reply_to("/status")
        assert "1 write: /memory pending; 2 changes of skills: /skills pending" in status
        await at.digest()
        digest = (await at.told(3))[-1]
        assert "🔏 1 write to memory still waits:" in digest
        assert "🔏 2 changes of skills still wait:" in digest
        assert all(f"`{name}`" in digest for name in (kept, first, second))
        shown = at.guests.adapter.transcript("home")[-1]
        assert [button.action for row in shown.buttons for button in row] == ["/memory pending", "/skills pending"]


async def test_no_button_is_longer_than_platforms_carry(tmp_path: Path) -> None:
    async with timed(tmp_path) as at:
        for number in range(6):
            await staged(at.guests, create(f"skill-{number}"))
        await at.later(2 * MINUTE)
        await at.told(2)
        buttons = [each for seen in at.guests.adapter.transcript("home") for row in seen.buttons for each in row]
        assert len(buttons) == 5 * 3 + 1 + 4
        assert all(len(each.action.encode()) <= 64 for each in buttons)


# Who decides


@pytest.mark.parametrize("order", ["pending", "show", "diff", "approve", "reject", "later", "approval"])
async def test_only_an_operator_decides(tmp_path: Path, order: str) -> None:
    async with house(tmp_path) as inn:
        name = await staged(inn, create("deploy"))
        said = await inn.adapter.reply_to(f"/skills {order}", sender="bob", chat="c2")
        assert name not in said
        assert "approved" not in said
        assert not (tmp_path / "skills" / "deploy").exists()
        assert name in await inn.adapter.reply_to("/skills pending")


async def test_a_button_of_another_chat_decides_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        name = await staged(inn, create("deploy"))
        await inn.adapter.press_action("c1", f"/skills approve {name}", "m99")
        await inn.adapter.until_text("This button is from another chat, or too old.")
        assert not (tmp_path / "skills" / "deploy").exists()


async def test_the_guard_refuses_what_is_dangerous_and_asks_about_what_is_doubtful(tmp_path: Path) -> None:
    async with house(tmp_path, skills=Skills(guard_agent_created=True)) as inn:
        skills = inn.house.skills
        assert skills is not None

        async def made(body: str) -> object:
            return await asyncio.to_thread(skills.store.apply, [create("deploy", body)], Author(Origin.FOREGROUND))

        assert isinstance(await made("Run `rm -rf / ` first.\n"), SkillRefused)
        assert isinstance(await made(f"<!-- {'seen by nobody ' * 4} -->\n"), SkillStaged)
        assert "the scan of skills is not sure about it: " in await inn.adapter.reply_to("/skills show")
        assert isinstance(await made("Run the build.\n"), SkillApplied)


async def test_the_rule_is_told_and_set(tmp_path: Path) -> None:
    async with house(tmp_path) as inn:
        assert "(on)" in await inn.adapter.reply_to("/skills approval")
        assert "Set. " in await inn.adapter.reply_to("/skills approval off")
        skills = inn.house.skills
        assert skills is not None
        outcome = await asyncio.to_thread(skills.store.apply, [create("deploy")], Author(Origin.FOREGROUND))
        assert not isinstance(outcome, SkillStaged)
        assert (tmp_path / "skills" / "deploy" / "SKILL.md").exists()
        assert "(off)" in await inn.adapter.reply_to("/skills approval")
        assert inn.house.settings().memory.write_approval is False
