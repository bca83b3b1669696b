"""Earlier conversations in a chat: pages, pins, titles, taking one away, and who may see which."""

from __future__ import annotations

from pathlib import Path

import pytest

from gateway.config.schema import Access, Settings
from gateway.models.client import Request
from platforms.messages import ChatKind
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.past import Talk, had
from tests.scenarios.places import ADA_IN_GROUP, ALONE, BOTH, GROUP_OF_ADA, GROUP_OF_BOTH, Door, inn, rules, said


def echo(request: Request) -> str:
    return f"You said {request.messages[-1].content.split(']' + chr(10))[-1]}."


async def talked(house: Guesthouse, *words: str) -> list[str]:
    """One session for each word; their ids, the newest first."""
    for word in words:
        await house.adapter.reply_to(word)
        await house.adapter.reply_to("/new")
    return [each.session.id for each in await house.store.sessions.recent(100)]


async def test_older_ones_are_a_tap_away(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await had(house.store, *(Talk(f"old{number:02}", 30 - number) for number in range(15)))
        first = await house.adapter.reply_to("/sessions")
        assert first.count("\n") == 9
        assert house.adapter.transcript()[-1].labels == ("Older",)
        await house.adapter.press("c1", "Older")
        second = await house.adapter.until_text("`old04`")
        assert "`old00`" in second.text
        assert second.labels == ()
        assert "from 1 on" in await house.adapter.reply_to("/sessions list none")


async def test_resuming_offers_page_after_page(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await had(
            house.store, *(Talk(f"old{number:02}", 30 - number, title=f"talk {number}") for number in range(12))
        )
        await house.adapter.reply_to("hello")
        await house.adapter.reply_to("/resume")
        labels = house.adapter.transcript()[-1].labels
        assert labels == (*(f"talk {number}" for number in (11, 10, 9, 8, 7)), "Older")
        await house.adapter.press("c1", "Older")
        await house.adapter.until_text("«talk 6»")
        await house.adapter.press("c1", "Older")
        last = await house.adapter.until_text("«talk 0»")
        assert last.labels == ("talk 1", "talk 0")
        await house.adapter.press("c1", "talk 0")
        await house.adapter.until_text("Back in «talk 0»")
        assert "no earlier session" in await house.adapter.reply_to("/resume page 9")


async def test_a_long_transcript_is_shown_from_its_end(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await had(house.store, Talk("old1", 3, turns=25), Talk("long", 2, say="x" * 5000))
        shown = await house.adapter.reply_to("/sessions show old1")
        assert "answer 24 in old1" in shown
        assert "said 14 in old1" not in shown
        await house.adapter.press("c1", "Earlier")
        assert "said 14 in old1" in (await house.adapter.until_text("said 5 in old1")).text
        assert "… (4,000 more)" in await house.adapter.reply_to("/sessions show long")


async def test_this_session_and_others_are_pinned(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        assert "not begun yet" in await house.adapter.reply_to("/sessions pin")
        await had(house.store, Talk("old1", 3, title="Garden"))
        await house.adapter.reply_to("hello")
        assert "stays, whatever its age" in await house.adapter.reply_to("/sessions pin")
        assert "«Garden»" in await house.adapter.reply_to("/sessions pin old1")
        assert (await house.adapter.reply_to("/sessions")).count("📌") == 2
        assert "may leave" in await house.adapter.reply_to("/sessions unpin old1")
        assert (await house.adapter.reply_to("/sessions")).count("📌") == 1
        assert "«The house»" in await house.adapter.reply_to("/sessions title old1 The   house")
        assert "«The house»" in await house.adapter.reply_to("/sessions")


async def test_a_transcript_comes_as_a_file(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo, with_memory=True) as house:
        await had(house.store, Talk("old1", 3, tool=True), Talk("big", 2, turns=3, say="y" * 400_000))
        await house.adapter.reply_to("/sessions export old1")
        (sent,) = [each.file for each in house.adapter.transcript() if each.file is not None]
        assert sent.name == "old1.md"
        assert "said 0 in old1" in Path(sent.path).read_text()
        assert "too long for a chat" in await house.adapter.reply_to("/sessions export big")


async def test_pruning_from_a_chat_is_for_the_owner(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await had(house.store, Talk("old1", 300))
        assert "owner" in await house.adapter.reply_to("/sessions prune", chat="c2", sender="bob")
        assert "Say how old" in await house.adapter.reply_to("/sessions prune")
        kept = house.settings.sessions.model_copy(update={"retention_days": 90})
        house.change(house.settings.model_copy(update={"sessions": kept}))
        assert "These would go: 1 session" in await house.adapter.reply_to("/sessions prune --dry-run")
        assert "old1" in await house.adapter.reply_to("/sessions")
        assert "Gone: 1 session" in await house.adapter.reply_to("/sessions prune")
        assert "old1" not in await house.adapter.reply_to("/sessions")


SECRET = "my door code is 4711"


@pytest.mark.parametrize("order", ["/sessions", "/sessions show {id}", "/sessions export {id}", "/resume {id}"])
async def test_in_a_group_of_owners_an_owner_sees_everything(tmp_path: Path, order: str) -> None:
    async with inn(tmp_path, echo, rules(door=ALONE)) as house:
        (own,) = await talked(house, SECRET)
        assert "4711" in await said(house, order.format(id=own), GROUP_OF_ADA) or "export" in order
        if "export" in order:
            assert any(each.file is not None for each in house.adapter.transcript("g1"))


@pytest.mark.parametrize(
    "order",
    ["/sessions", "/sessions show {id}", "/sessions export {id}", "/resume {id}", "/sessions pin {id}",
     "/sessions title {id} Mine"],
)  # fmt: skip
async def test_where_others_are_heard_a_chat_sees_itself(tmp_path: Path, order: str) -> None:
    async with inn(tmp_path, echo, rules(door=BOTH)) as house:
        (own,) = await talked(house, SECRET)
        for spot in (GROUP_OF_BOTH, ADA_IN_GROUP):
            answer = await said(house, order.format(id=own), spot)
            assert "4711" not in answer
            assert own not in answer or "no session" in answer
        assert all(each.file is None for each in house.adapter.transcript("g2"))
        line = await house.store.sessions.line(own)
        assert line is not None
        assert (line.session.pinned, line.session.title) == (False, None)


async def test_pruning_names_nothing_where_others_read_along(tmp_path: Path) -> None:
    async with inn(tmp_path, echo, rules(door=BOTH, sessions={"retention_days": 1})) as house:
        await had(house.store, Talk("old1", 300, title=SECRET))
        assert "others would read along" in await said(house, "/sessions prune", ADA_IN_GROUP)
        assert await house.store.sessions.get("old1") is not None
        assert SECRET in await house.adapter.reply_to("/sessions prune")


async def test_who_comes_to_be_heard_ends_the_view(tmp_path: Path) -> None:
    """The rules of the moment count."""
    both: Settings = settings(
        platforms={"inprocess": Door(allowed_users=("ada", "bob"))}, access=Access(owners=("inprocess:ada",))
    )
    async with inn(tmp_path, echo, rules(door=ALONE)) as house:
        await talked(house, SECRET)
        assert "4711" in await said(house, "/sessions", GROUP_OF_ADA)
        house.change(both)
        assert "4711" not in await said(house, "/sessions", GROUP_OF_ADA)
        event = await house.adapter.say("/sessions", chat="c1", sender="ada", kind=ChatKind.DIRECT)
        await house.adapter.until(lambda: any(event.event_id in s.event_ids for s in house.adapter.summaries("c1")))
        assert "4711" in house.adapter.transcript("c1")[-1].text


@pytest.mark.parametrize("order", ["/title {}", "/new {}", "/sessions title old1 {}"])
async def test_a_title_is_one_short_line_that_can_be_seen(tmp_path: Path, order: str) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await had(house.store, Talk("old1", 3))
        await house.adapter.reply_to("hello")
        await house.adapter.reply_to(order.format("Red \x1b[2J\u202etide\n## assistant" + "x" * 3000))
        await house.adapter.reply_to("again")
        titles = [each.session.title or "" for each in await house.store.sessions.recent(9)]
        (title,) = [each for each in titles if each]
        assert title.startswith("Red [2Jtide ## assistantxxx")
        assert len(title) == 200
        assert await house.adapter.reply_to(order.format("\u200b \u202e")) != ""
        assert [each.session.title for each in await house.store.sessions.recent(9)].count(title) == 1
