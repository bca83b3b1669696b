"""What an operator's phone sees of writes that wait: one card, each in full, decided with a tap or a command."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import yaml

from tests.cli.shell import Shell
from tests.fakes.openai_server import Step
from tests.fakes.telegram.faults import Fault
from tests.scenarios.gate import (
    BIKE,
    CARD,
    GATED,
    HOME,
    ONE,
    SOON,
    TEA,
    TOGETHER,
    adds,
    carded,
    cards,
    pressed,
    waiting,
    wishes,
)
from tests.scenarios.telegram_inn import PATIENCE, keeps, patches, telegram_inn

COFFEE = "Ada drinks coffee at ten."


async def test_two_writes_come_on_one_card_and_are_decided_one_by_one(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(TOGETHER):
        inn.write("USER.md", "Ada is called Ada.")
        await wishes(inn, "I like tea and bicycles.", adds(TEA, BIKE))
        card = await carded(inn, inn.ada.chat)
        tea, bike = (each["id"] for each in waiting(tmp_path))
        assert CARD in card.text
        assert card.formatted("pre") == [TEA, BIKE], "to the letter"
        assert all(name in card.text for name in (tea, bike))
        assert card.buttons == (("✅ 1", "❌ 1", "✏️ 1"), ("✅ 2", "❌ 2", "✏️ 2"), ("🕓 Later",))
        raw = inn.ada.chat.state.messages[card.message_id].raw["reply_markup"]["inline_keyboard"]
        payloads = [button["callback_data"] for row in raw for button in row]
        assert all(len(each.encode()) <= 64 for each in payloads)
        assert not any("Ada" in each for each in payloads)
        assert inn.file("USER.md") == "Ada is called Ada."

        approved = await pressed(inn, inn.ada.chat, card, "✅ 1")
        assert f"{tea} approved" in approved
        assert TEA in approved
        assert inn.file("USER.md") == f"Ada is called Ada.\n§\n{TEA}"
        how = await pressed(inn, inn.ada.chat, card, "✏️ 2")
        assert f"/memory edit {bike} {BIKE}" in how
        edited = await inn.says(f"/memory edit {bike} Ada rides a\nred bicycle.")
        (waits,) = waiting(tmp_path)
        assert waits["id"] in edited
        assert waits["id"] != bike
        assert "Ada rides a\nred bicycle." in edited
        assert f"{tea} was approved already, by telegram:111" in await pressed(inn, inn.ada.chat, card, "✅ 1")
        for label in ("✅ 2", "✏️ 2", "❌ 2"):
            told = await pressed(inn, inn.ada.chat, card, label)
            assert f"{bike} was edited already, by telegram:111; it waits as {waits['id']} now." in told
        inn.ada.presses("✅ Approve")
        await inn.server.until(lambda: any(f"{waits['id']} approved" in text for text in inn.ada.texts()), PATIENCE)
        assert inn.file("USER.md") == f"Ada is called Ada.\n§\n{TEA}\n§\nAda rides a\nred bicycle."
        assert waiting(tmp_path) == []
        queries = inn.server.world.queries.values()
        await inn.server.until(lambda: all(query.answered for query in queries), PATIENCE)


async def test_one_card_and_no_second_one(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(SOON):
        await wishes(inn, "I like tea.", adds(TEA))
        card = await carded(inn, inn.ada.chat)
        assert ONE in card.text
        await asyncio.sleep(4 * SOON)
        assert len(cards(inn.ada.chat)) == 1
        await wishes(inn, "I like tea, I said.", adds(TEA))
        await asyncio.sleep(2 * SOON)
        assert len(cards(inn.ada.chat)) == 1, "the same wish does not wait twice"
        assert len(waiting(tmp_path)) == 1
        later = await pressed(inn, inn.ada.chat, card, "🕓 Later")
        assert "It waits." in later
        assert "rejected" in await pressed(inn, inn.ada.chat, card, "❌ Reject")
        assert "rejected already, by telegram:111" in await pressed(inn, inn.ada.chat, card, "🕓 Later")
        assert inn.file("USER.md") == ""


async def test_a_card_shows_the_whole_entry_before_and_after_whatever_stands_in_it(tmp_path: Path) -> None:
    odd = "Ada says:\n```\n**no** `code` [auto] _ends_ <b>here</b>\n```\n" + "a very long word " * 60
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(SOON):
        inn.write("MEMORY.md", odd.strip())
        await wishes(inn, "It is yes.", patches("memory", "**no**", "**yes**"))
        card = await carded(inn, inn.ada.chat)
        assert card.formatted("pre") == [odd.strip(), odd.strip().replace("**no**", "**yes**")]
        (waits,) = waiting(tmp_path)
        assert "patch of:" in await inn.says("/memory pending")
        assert inn.ada.seen()[-1].formatted("pre") == [odd.strip()]
        shown = await inn.says(f"/memory show {waits['id'][:3]}")
        assert "Before:" in shown
        await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert inn.ada.seen()[-1].formatted("pre")[0] == odd.strip(), "what was overwritten, in full"
        assert inn.file("MEMORY.md") == odd.strip().replace("**no**", "**yes**")


async def test_an_old_card_works_after_a_restart_and_tells_what_the_shell_decided(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn:
        async with inn.open(TOGETHER):
            await wishes(inn, "I like tea and bicycles.", adds(TEA, BIKE))
            card = await carded(inn, inn.ada.chat)
            tea, bike = (each["id"] for each in waiting(tmp_path))
        async with inn.open(SOON):
            assert f"{tea} approved" in await pressed(inn, inn.ada.chat, card, "✅ 1")
            decided = await asyncio.to_thread(shell.json, "memory", "approve", bike)
            assert (decided["id"], decided["result"]) == (bike, "approved")
            assert f"{bike} was approved already, by shell" in await pressed(inn, inn.ada.chat, card, "❌ 2")
            assert len(cards(inn.ada.chat)) == 1, "a restart repeats no card"
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"


async def test_the_chat_and_the_rule_are_set_from_the_phone_and_kept_in_the_file(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 333]}
        access = {"owners": ["telegram:111"], "operators": ["telegram:333"]}
        inn.settle(platforms={"telegram": telegram}, access=access, memory={"write_approval": False})
        settings = tmp_path / "config.yaml"
        settings.write_text("# the inn's own file\n" + settings.read_text())
        eve = inn.server.user(333, "Eve")
        async with inn.open(SOON):
            await wishes(inn, "I like tea.", adds(TEA))
            assert inn.file("USER.md") == TEA
            for order in ("/memory approval auto", "/sethome"):
                assert "owner" in await inn.says(order, by=eve), order
            assert "off" in await inn.says("/memory approval", by=eve)
            assert "(auto)" in await inn.says("/memory approval auto")
            await wishes(inn, "I like bicycles.", adds(BIKE))
            assert [each["gist"] for each in waiting(tmp_path)] == [f"add «{BIKE}»"]
            assert "Home" in await inn.says("/sethome")
            await wishes(inn, "And coffee.", adds(COFFEE))
            await inn.server.until(lambda: any(COFFEE in card.text for card in cards(inn.ada.chat)), PATIENCE)
            assert "one of on, off, auto" in await inn.says("/memory approval maybe")
        kept = settings.read_text()
        assert kept.startswith("# the inn's own file\n")
        read = yaml.safe_load(kept)
        assert read["memory"]["write_approval"] == "auto"
        assert read["access"]["home_chats"] == ["telegram:111"]
        async with inn.open(SOON):
            assert "(auto)" in await inn.says("/memory approval")
            await inn.says("/sethome off")
        assert yaml.safe_load(settings.read_text())["access"]["home_chats"] == []


async def test_patch_whose_entry_changed_by_hand_is_refused_and_waits_on(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(SOON):
        inn.write("MEMORY.md", "ssh listens on port 22.")
        await wishes(inn, "It is 2222 now.", patches("memory", "port 22", "port 2222"))
        card = await carded(inn, inn.ada.chat)
        by_hand = b"ssh listens on port 22022.\n"
        inn.write("MEMORY.md", by_hand)
        told = await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert "waits on: The entry changed since" in told
        assert "ssh listens on port 22." in told
        assert (tmp_path / "memories" / "MEMORY.md").read_bytes() == by_hand
        assert len(waiting(tmp_path)) == 1
        inn.write("MEMORY.md", "ssh listens on port 22.")
        assert "approved" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert inn.file("MEMORY.md") == "ssh listens on port 2222."


async def test_a_store_that_filled_up_meanwhile_says_how_much_to_free(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(SOON):
        await wishes(inn, "I like tea.", adds(TEA))
        card = await carded(inn, inn.ada.chat)
        inn.write("USER.md", "x" * 1370)
        told = await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert f"{1370 + 3 + len(TEA) - 1375} characters" in told
        assert len(waiting(tmp_path)) == 1
        assert inn.file("USER.md") == "x" * 1370
        inn.write("USER.md", "x" * 1000)
        assert "approved" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert inn.file("USER.md").endswith(TEA)


async def test_all_of_them_the_oldest_first_each_on_its_own(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open():
        inn.write("MEMORY.md", "\n§\n".join(f"Room {number} is blue." for number in range(10)))
        for number in range(10):
            await wishes(inn, "Paint it.", patches("memory", f"Room {number} is blue.", f"Room {number} is red."))
        names = [each["id"] for each in waiting(tmp_path)]
        by_hand = [f"Room {number} is {'green' if number in (2, 5, 9) else 'blue'}." for number in range(10)]
        inn.write("MEMORY.md", "\n§\n".join(by_hand))
        told = await inn.says("/memory approve all")
        await inn.server.until(lambda: "waits on:" in inn.ada.texts()[-1], PATIENCE)
        whole = "\n".join(inn.ada.texts()[inn.ada.texts().index(told) :])
        assert whole.startswith("7 of 10 done.")
        assert [whole.index(name) for name in names] == sorted(whole.index(name) for name in names)
        assert whole.count("approved;") == 7
        assert whole.count("waits on:") == 3
        assert [each["id"] for each in waiting(tmp_path)] == [names[2], names[5], names[9]]
        assert inn.file("MEMORY.md").count("is red.") == 7
        assert "3 done" not in whole
        assert "0 of 3 done." in await inn.says("/memory approve all")
        assert "3 of 3 done." in await inn.says("/memory reject all")
        assert await inn.says("/memory reject all") == "Nothing waits."


async def test_while_an_answer_is_being_written_cards_are_decided_and_other_chats_answered(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(SOON):
        await wishes(inn, "I like tea.", adds(TEA))
        card = await carded(inn, inn.ada.chat)
        inn.host.script.append(Step(text="Once upon a time.", gate=gate))
        inn.ada.says("A story!")
        await inn.server.until_confirmed()
        assert "approved" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert inn.file("USER.md") == TEA
        assert await inn.says("@inn_bot hello", "Hello.", chat=inn.server.group(-100777)) == "Hello."
        assert "Once upon a time." not in inn.ada.texts()
        gate.set()
        await inn.server.until(lambda: "Once upon a time." in inn.ada.texts(), PATIENCE)


async def test_a_card_whose_arrival_was_never_confirmed_works_all_the_same(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(3 * SOON):
        await wishes(inn, "I like tea.", adds(TEA))
        inn.server.misbehave("sendMessage", Fault.ACCEPT_AND_BAD_GATEWAY)
        card = await carded(inn, inn.ada.chat)
        await inn.server.until(lambda: any("may not have arrived" in text for text in inn.ada.texts()), PATIENCE)
        assert "approved" in await pressed(inn, inn.ada.chat, card, "✅ Approve")
        assert inn.file("USER.md") == TEA


async def test_all_at_once_and_a_tap_meanwhile(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open(TOGETHER):
        await wishes(inn, "I like tea and bicycles.", adds(TEA, BIKE, COFFEE))
        card = await carded(inn, inn.ada.chat)
        names = [each["id"] for each in waiting(tmp_path)]
        inn.ada.says("/memory approve all")
        for label in ("✅ 2", "❌ 2", "✅ 3"):
            inn.server.press(111, card.message_id, label)

        def told() -> list[str]:
            return [text for text in inn.ada.texts() if any(name in text for name in names) and "🔏" not in text]

        await inn.server.until(lambda: len(told()) == 4, PATIENCE)
        assert waiting(tmp_path) == []
        kept = inn.file("USER.md").split("\n§\n")
        assert len(kept) == len(set(kept))
        assert set(kept) | {BIKE} == {TEA, BIKE, COFFEE}
        assert sum(text.count("approved;") + text.count("rejected. ") for text in told()) == 3
        assert sum(text.count("already, by telegram:111") for text in told()) == 3


@pytest.mark.parametrize("text", ["/memory approve all", "/memory approve", "`/memory approve all`"])
async def test_what_a_model_says_is_no_order(tmp_path: Path, text: str) -> None:
    async with telegram_inn(tmp_path, **GATED, access=HOME) as inn, inn.open():
        await inn.says("I like tea.", keeps("user", TEA), text)
        before = len(inn.ada.texts())
        inn.ada.says("And?")
        await inn.server.until(lambda: len(inn.ada.texts()) > before, PATIENCE)
        assert len(waiting(tmp_path)) == 1
        assert inn.file("USER.md") == ""
        assert not any("approved" in each for each in inn.ada.texts())
