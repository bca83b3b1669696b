"""Who may decide what waits: operators, on the card that was sent, in its own chat. Everybody else is told no."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.app import App
from tests.cli.shell import Shell
from tests.fakes.telegram import Person, Room
from tests.fakes.telegram.world import Seen
from tests.scenarios.gate import BIKE, GATED, SOON, TEA, adds, answered, carded, pressed, waiting, wishes
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn

ROOM = -100777


class Desk:
    """A group where writes are decided: Ada (111) owns the bot, Eve (333) is an operator, Bob (222) only a member."""

    def __init__(self, inn: Inn, app: App, room: Room, card: Seen) -> None:
        self.inn = inn
        self.app = app
        self.room = room
        self.card = card

    async def press(self, who: int, label: str = "✅ Approve") -> str:
        return await pressed(self.inn, self.room, self.card, label, who)


def settled(inn: Inn, **access: Any) -> None:
    lists = {"owners": ["telegram:111"], "operators": ["telegram:333"], "home_chats": [f"telegram:{ROOM}"]}
    telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111]}
    inn.settle(platforms={"telegram": telegram}, access=lists | access, **GATED)


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    """One write waits, and its card is in the group."""
    async with telegram_inn(folder) as inn:
        settled(inn)
        inn.server.user(222, "Bob")
        inn.server.user(333, "Eve")
        room = inn.server.group(ROOM)
        async with inn.open(SOON) as app:
            await wishes(inn, "I like tea.", adds(TEA))
            yield Desk(inn, app, room, await carded(inn, room))


async def test_a_member_is_refused_and_an_operator_decides(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        told = await at.press(222)
        assert "may not use this bot's buttons" in told
        assert len(waiting(tmp_path)) == 1
        (name,) = (each["id"] for each in waiting(tmp_path))
        assert f"{name} approved" in await at.press(333)
        assert at.inn.file("USER.md") == TEA
        assert "approved already, by telegram:333" in await at.press(111)
        history = await at.inn.says("/memory history")
        assert "by telegram:333" in history
        changes = await asyncio.to_thread(Shell(tmp_path).json, "memory", "history")
        assert [each["who"] for each in changes] == ["telegram:333"]


async def test_a_member_who_may_talk_is_told_that_it_takes_an_operator(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        telegram = {"token": at.inn.server.token, "base_url": at.inn.server.root, "allowed_users": [111, 222]}
        access = {"owners": ["telegram:111"], "operators": ["telegram:333"], "home_chats": [f"telegram:{ROOM}"]}
        at.inn.settle(platforms={"telegram": telegram}, access=access, **GATED)
        await asyncio.to_thread(at.app.watcher.check, True)
        (name,) = (each["id"] for each in waiting(tmp_path))
        for label in ("✅ Approve", "❌ Reject", "✏️ Edit", "🕓 Later"):
            assert "is for an operator of this bot" in await at.press(222, label), label
        bob = Person(at.inn.server, 222)
        for order in (
            "approve all",
            f"approve {name}",
            f"reject {name}",
            f"edit {name} x",
            "pending",
            f"show {name}",
        ):
            for chat in (at.room, bob.chat):
                told = await at.inn.says(f"/memory {order}", by=bob, chat=chat)
                assert "for an operator of this bot" in told, (order, chat.number)
                assert TEA not in told
        assert len(waiting(tmp_path)) == 1
        assert at.inn.file("USER.md") == ""


async def test_an_operator_reads_what_waits_at_the_desk_and_nothing_else_of_memory(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        at.inn.write("MEMORY.md", "The safe is behind the clock.")
        eve = Person(at.inn.server, 333)
        for chat in (at.room, eve.chat):
            for order in ("/memory pending", "/memory show", f"/memory show {waiting(tmp_path)[0]['id'][:4]}"):
                told = await at.inn.says(order, by=eve, chat=chat)
                assert "clock" not in told, order
                assert (TEA in told) is (order != "/memory show"), (order, told)
        elsewhere = at.inn.server.group(-100888)
        told = await at.inn.says("/memory pending", by=eve, chat=elsewhere)
        assert "Others may read along" in told
        assert "approved" in await at.inn.says("/memory approve", by=eve, chat=at.room)


async def test_a_press_that_is_not_on_the_card_decides_nothing(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        server, ada = at.inn.server, at.inn.ada
        card = at.room.state.messages[at.card.message_id].raw
        for chat, user in ((ada.chat, 111), (Person(server, 222).chat, 222), (Person(server, 333).chat, 333)):
            copy = server.world.write(chat.state, {"text": card["text"], "reply_markup": card["reply_markup"]})
            before = len(chat.seen())
            query = server.press(chat.number, int(copy.raw["message_id"]), "✅ Approve", user)
            await server.until(lambda query=query: answered(at.inn, query), PATIENCE)  # type: ignore[misc]
            if user != 222:
                await server.until(lambda chat=chat, before=before: len(chat.seen()) > before, PATIENCE)  # type: ignore[misc]
                assert "from another chat" in chat.texts()[-1]
        other = server.world.write(at.room.state, {"text": "x", "reply_markup": card["reply_markup"]}, by_bot=True)
        told = await pressed(at.inn, at.room, at.room.seen()[-1], "✅ Approve", 333)
        assert "from another chat, or too old" in told, other.raw["message_id"]
        assert len(waiting(tmp_path)) == 1
        assert at.inn.file("USER.md") == ""
        assert "approved" in await at.press(333)


async def test_somebody_who_was_taken_off_the_lists_is_refused_at_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        telegram = {"token": at.inn.server.token, "base_url": at.inn.server.root, "allowed_users": [333]}
        access = {"owners": ["telegram:333"], "operators": [], "home_chats": [f"telegram:{ROOM}"]}
        at.inn.settle(platforms={"telegram": telegram}, access=access, **GATED)
        await asyncio.to_thread(at.app.watcher.check)
        assert "may not use this bot's buttons" in await at.press(111)
        assert len(waiting(tmp_path)) == 1
        before = len(at.inn.ada.texts())
        at.inn.ada.says("/memory approve all")
        await at.inn.server.until_confirmed()
        assert "approved" in await at.press(333)
        assert at.inn.ada.texts()[before:] == []


async def test_a_bot_presses_in_vain(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        before = len(at.room.seen())
        card = at.room.state.messages[at.card.message_id].raw
        data = card["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
        who = {"id": 333, "is_bot": True, "first_name": "Robot", "username": "robot_bot"}
        query = at.inn.server.world.ask()
        fields = {"id": query, "from": who, "message": card, "chat_instance": "1", "data": data}
        at.inn.server.world.queue("callback_query", fields)
        await at.inn.server.until(lambda: answered(at.inn, query), PATIENCE)
        await asyncio.sleep(0.1)
        assert len(at.room.seen()) == before
        assert len(waiting(tmp_path)) == 1


async def test_a_name_that_is_no_id_leads_nowhere(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        outside = tmp_path / "x.json"
        outside.write_text((tmp_path / "pending" / "memory" / f"{waiting(tmp_path)[0]['id']}.json").read_text())
        kept = sorted(path.name for path in tmp_path.iterdir())
        for name in ("../../x", "..", "/etc/passwd", "0" * 300, "é", "%2e%2e", "\u202e", "all!"):
            for order in ("approve", "reject", "show", "revise", "later", "edit"):
                told = await at.inn.says(f"/memory {order} {name}{' text' if order == 'edit' else ''}")
                assert "Nothing waits as" in told, (order, name)
        assert sorted(path.name for path in tmp_path.iterdir()) == kept
        assert len(waiting(tmp_path)) == 1


async def test_nothing_of_what_waits_is_taken_as_an_order_when_it_is_forwarded(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        before = len(at.inn.ada.texts())
        at.inn.ada.forwards("/memory approve all", origin="Bob")
        await at.inn.server.until(lambda: len(at.inn.ada.texts()) > before, PATIENCE)
        assert len(waiting(tmp_path)) == 1
        await wishes(at.inn, "And bicycles.", adds(BIKE))
        assert len(waiting(tmp_path)) == 2
