"""Who wrote what from where, as the journal has it; and what model hosts keep of a conversation when it is erased."""

from __future__ import annotations

from pathlib import Path

from gateway.models.client import Request
from memory.model import Author, Origin
from tests.fakes.guesthouse import OneHost, guesthouse
from tests.fakes.scripted_model import Turn
from tests.scenarios.props import CHAT


def script(request: Request) -> Turn | str:
    said = request.messages[-1]
    if said.role == "user" and said.content.endswith("Keep that."):
        return Turn(calls=[("memory", {"target": "user", "action": "add", "content": "Likes tea."})])
    return "Well."


async def test_the_journal_names_the_session_and_the_place_in_it(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, script, with_memory=True) as house:
        await house.adapter.reply_to("/remember The door sticks.")
        await house.adapter.reply_to("Keep that.")
        await house.adapter.reply_to("/forget door")
        (session,) = [each.session.id for each in await house.store.sessions.recent(9)]
        assert house.house.stores is not None
        assert [each.author for each in house.house.stores.history()] == [
            Author(Origin.COMMAND, session, "inbox:3", "inprocess:ada", chat=CHAT.key),
            Author(Origin.FOREGROUND, session, "turn:1", chat=CHAT.key),
            Author(Origin.COMMAND, None, "inbox:1", "inprocess:ada", chat=CHAT.key),
        ]


async def test_hosts_forget_the_sessions_in_which_an_erased_text_stood(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, script, with_memory=True) as house:
        for text in ("My code is 7391.", "/new", "Hello."):
            await house.adapter.reply_to(text)
        first = (await house.store.sessions.recent(9))[-1].session.id
        hosts = house.house.hosts
        assert isinstance(hosts, OneHost)
        asked = await house.adapter.reply_to("/forget --everywhere 7391")
        assert "1 message in the archive" in asked
        assert hosts.forgotten == []
        await house.adapter.press("c1", "Erase it")
        await house.adapter.until_text("🗑 Erased: 1 message in the archive. This cannot be undone.")
        assert hosts.forgotten == [first]
