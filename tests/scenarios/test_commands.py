"""What people can order about a conversation, and what they are told when they mistype it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from gateway.models.client import Request
from gateway.models.errors import HostDown
from platforms.messages import ChatKind, Sender
from tests.fakes.guesthouse import Guesthouse, OpenDoor, guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn


def echo(request: Request) -> str:
    return f"You said {request.messages[-1].content.split(']' + chr(10))[-1]}."


async def ids(house: Guesthouse) -> list[str]:
    """Session ids, newest first."""
    return [each.session.id for each in await house.store.sessions.recent(20)]


async def test_help_lists_what_there_is(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        said = await house.adapter.reply_to("/help")
        for name in ("/new", "/stop", "/retry", "/sessions", "/resume", "/title", "/model", "/usage", "/status"):
            assert f"{name}:" in said
        assert "/backlog" not in said
        assert "/new [name]" in (await house.adapter.reply_to("/help new")).lower()
        assert "/reset" in await house.adapter.reply_to("/help /new")
        assert "Did you mean /resume?" in await house.adapter.reply_to("/help resum")


async def test_an_unknown_command_is_not_sent_to_the_model(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        assert "Did you mean /status?" in await house.adapter.reply_to("/staus")
        assert "/help lists them all" in await house.adapter.reply_to("/xyzzy plugh")
        assert house.model.requests == []


@pytest.mark.parametrize("text", ["/etc/hosts is broken", "/ what", "//", "/123", "see /help", "/home/ada/x.txt"])
async def test_a_path_is_text(tmp_path: Path, text: str) -> None:
    async with guesthouse(tmp_path, echo) as house:
        assert await house.adapter.reply_to(text) == f"You said {text}."


async def test_wrong_arguments_show_the_right_ones(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        assert "days is a number" in await house.adapter.reply_to("/usage many")
        assert "one of answer, drop" in await house.adapter.reply_to("/backlog maybe")
        assert "/sessions show ID" in await house.adapter.reply_to("/sessions show")


async def test_titles(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        assert "not begun yet" in await house.adapter.reply_to("/title Garden")
        await house.adapter.reply_to("hello")
        assert "«hello»" in await house.adapter.reply_to("/title")
        assert "«Garden work»" in await house.adapter.reply_to("/title Garden work")
        assert "«Garden work»" in await house.adapter.reply_to("/title")
        assert "«Garden work»" in await house.adapter.reply_to("/sessions")


async def test_sessions_and_resume(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        assert await house.adapter.reply_to("/sessions") == "No sessions yet."
        assert "no earlier session" in await house.adapter.reply_to("/resume")
        for word in ("apples", "pears", "plums"):
            await house.adapter.reply_to(word)
            await house.adapter.reply_to("/new")
        listed = await house.adapter.reply_to("/sessions")
        assert all(f"«{word}»" in listed for word in ("apples", "pears", "plums"))
        await house.adapter.reply_to("/resume")
        assert house.adapter.transcript()[-1].labels == ("plums", "pears", "apples")
        await house.adapter.press("c1", "pears")
        await house.adapter.until_text("Back in «pears»")
        await house.adapter.reply_to("more")
        said = [each.content for each in house.model.requests[-1].messages if each.role == "user"]
        assert said[0].endswith("pears")
        assert said[-1].endswith("\nmore")
        show = await house.adapter.reply_to(f"/sessions show {(await ids(house))[0]}")
        assert "**user**: pears" in show


async def test_resume_by_prefix(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await house.adapter.reply_to("apples")
        await house.adapter.reply_to("/new")
        await house.adapter.reply_to("pears")
        newest, oldest = await ids(house)
        common = oldest[:9]
        assert newest.startswith(common)
        assert "fits several" in await house.adapter.reply_to(f"/resume {common}")
        assert "no session 'zzz'" in await house.adapter.reply_to("/resume zzz")
        unique = next(oldest[:size] for size in range(10, 18) if not newest.startswith(oldest[:size]))
        assert "Back in «apples»" in await house.adapter.reply_to(f"/resume {unique}")
        assert (await house.store.sessions.get(newest)).ended_at is not None  # type: ignore[union-attr]


async def test_others_see_only_their_own_chat(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, echo) as house:
        await house.adapter.reply_to("secret plans")
        (own,) = await ids(house)
        await house.adapter.reply_to("hello", chat="c2", sender="bob")
        assert "secret" not in await house.adapter.reply_to("/sessions", chat="c2", sender="bob")
        said = await house.adapter.reply_to(f"/resume {own}", chat="c2", sender="bob")
        assert "no session" in said
        said = await house.adapter.reply_to(f"/sessions show {own}", chat="c2", sender="bob")
        assert "secret" not in said
        assert "secret" in await house.adapter.reply_to("/sessions", chat="c3", sender="ada")
        event = await house.adapter.say("/sessions", chat="g1", sender="ada", kind=ChatKind.GROUP)
        await house.adapter.until(lambda: any(event.event_id in s.event_ids for s in house.adapter.summaries("g1")))
        assert "secret" not in "".join(house.adapter.texts("g1"))


async def test_resuming_what_runs_in_another_chat(tmp_path: Path) -> None:
    """The owner takes a session over; the chat that was in the middle of it hears how its answer ended."""
    gate = asyncio.Event()
    script: Script = [Turn(["Once upon", gate]), "Here it goes on.", "A new one."]
    async with guesthouse(tmp_path, script) as house:
        asked = await house.adapter.say("a story", chat="c2", sender="bob")
        await house.adapter.until_text("Once upon", "c2")
        (running,) = await ids(house)
        assert "Back in" in await house.adapter.reply_to(f"/resume {running}", chat="c1")
        await house.adapter.until(lambda: any(asked.event_id in s.event_ids for s in house.adapter.summaries("c2")))
        assert await house.adapter.reply_to("go on", chat="c1") == "Here it goes on."
        assert await house.adapter.reply_to("hello", chat="c2", sender="bob") == "A new one."
        assert await house.store.turns.running() == []


async def test_retry_sends_a_stored_reply_again(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One."]) as house:
        await house.adapter.reply_to("1")
        assert await house.adapter.reply_to("/retry") == "One."
        assert await house.adapter.reply_to("/retry") == "One."
        assert len(house.model.requests) == 1


async def test_retry_without_anything(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["One."]) as house:
        assert "nothing to try again" in await house.adapter.reply_to("/retry")
        await house.adapter.reply_to("1")
        await house.adapter.reply_to("/new")
        assert "nothing to try again" in await house.adapter.reply_to("/retry")


async def test_retry_after_a_failure_and_after_a_stop(tmp_path: Path) -> None:
    gate = asyncio.Event()
    script: Script = [HostDown("down"), "One.", Turn(["Tw", gate]), "Two."]
    async with guesthouse(tmp_path, script) as house:
        await house.adapter.reply_to("1")
        assert await house.adapter.reply_to("/retry") == "One."
        await house.adapter.say("2")
        await house.adapter.until_text("Tw")
        await house.adapter.reply_to("/stop")
        assert await house.adapter.reply_to("/retry") == "Two."
        assert house.model.requests[-1].messages[-1].content == "2"
    async with guesthouse(tmp_path, []) as house:
        assert await house.adapter.reply_to("/retry") == "Two."


async def test_retry_in_a_group_keeps_the_speaker(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [HostDown("down"), "One."]) as house:
        await house.adapter.say("hello", chat="g1", sender="ada", kind=ChatKind.GROUP)
        await house.adapter.until_text("down", "g1")
        await house.adapter.say("/retry", chat="g1", sender="bob", kind=ChatKind.GROUP)
        await house.adapter.until_text("One.", "g1")
        assert house.model.requests[1].messages[-1].content == "Ada: hello"


async def test_retry_waits_for_the_running_answer(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with guesthouse(tmp_path, [Turn(["One", gate, "."])]) as house:
        await house.adapter.say("1")
        await house.adapter.until_text("One")
        await house.adapter.say("/retry")
        await house.adapter.until_text("1 waiting")
        gate.set()
        await house.adapter.until(lambda: house.adapter.texts().count("One.") == 2)


async def test_a_model_for_this_chat(tmp_path: Path) -> None:
    main, big = ScriptedModel(["Main."] * 3, host="main"), ScriptedModel(["Big."], host="big")
    async with guesthouse(tmp_path, main, hosts=[main, big]) as house:
        assert "`main/script` answers here (the main model" in await house.adapter.reply_to("/model")
        assert "`big/script` answers here (picked" in await house.adapter.reply_to("/model big/script")
        assert await house.adapter.reply_to("hi") == "Big."
        assert await house.adapter.reply_to("hi", chat="c2", sender="bob") == "Main."
        assert "no host huge/script" in await house.adapter.reply_to("/model huge/script")
        assert "big/script" in await house.adapter.reply_to("/model")
        assert "main/script" in await house.adapter.reply_to("/model auto")
        assert await house.adapter.reply_to("hi") == "Main."
    gone = ScriptedModel(["Main."], host="main")
    async with guesthouse(tmp_path, gone, hosts=[gone, big]) as house:
        await house.adapter.reply_to("/model big/script")
    async with guesthouse(tmp_path, gone, hosts=[gone]) as house:
        said = await house.adapter.reply_to("hi")
        assert "/model picks another" in said
        await house.adapter.reply_to("/model auto")
        assert await house.adapter.reply_to("hi") == "Main."


async def test_strangers_and_bots_are_not_heard(tmp_path: Path) -> None:
    closed = settings(platforms={"inprocess": OpenDoor(allowed_users=("ada",))})
    async with guesthouse(tmp_path, ["Hello Ada."], with_settings=closed) as house:
        await house.adapter.say("hello", chat="c2", sender="mallory")
        await house.adapter.say("/sessions", chat="c2", sender="mallory")
        await house.adapter.say("hello", sender=Sender("ada", "Ada", is_bot=True))
        assert await house.adapter.reply_to("hi") == "Hello Ada."
        assert house.adapter.texts("c2") == []
        assert len(house.model.requests) == 1


async def test_an_unknown_slash_word_in_a_room_is_another_bots(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        room = {"chat": "g1", "kind": ChatKind.GROUP}
        await house.adapter.say("/weather Berlin", addressed=False, **room)  # type: ignore[arg-type]
        await house.adapter.say("/status", addressed=False, **room)  # type: ignore[arg-type]
        await house.adapter.until_text("fine", "g1")
        assert len(house.adapter.texts("g1")) == 1
        await house.adapter.say("/weather Berlin", **room)  # type: ignore[arg-type]
        await house.adapter.until_text("There is no command /weather.", "g1")
