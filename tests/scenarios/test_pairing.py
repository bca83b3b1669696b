"""Somebody whom nobody knows: a code, a yes, a place at the table, and out again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Settings
from gateway.engine.arrival.strangers import shown
from gateway.engine.notices import CODE_IS_OPEN, LET_IN
from gateway.state.store import SqliteStore
from platforms.errors import Refused, Uncertain
from platforms.in_process import InProcess
from platforms.messages import ChatKind, ChatRef, Sender
from platforms.settings import Section
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.scenarios.props import until

CODE = re.compile(r"\bapprove ([A-HJKMNP-Z]{8})\b")
LOCKED = "Too many wrong codes: letting people in is locked for another 60 min."
ADA = "inprocess:ada"


class Door(Section):
    """Settings of the in-process platform, with nobody in them."""

    allowed_users: tuple[str, ...] = ()
    allowed_chats: tuple[str, ...] = ()
    require_mention: bool = False


class FrontDesk(Section):
    """A second platform, where Ada may talk."""

    allowed_users: tuple[str, ...] = ("ada",)


def closed(**access: tuple[str, ...]) -> Settings:
    return settings(platforms={"inprocess": Door(), "desk": FrontDesk()}, access=access)


@pytest.fixture
def desk() -> InProcess:
    """Where Ada, the owner, sits."""
    return InProcess("desk", first_event=1000)


async def rings(house: Guesthouse, person: str = "mallory", text: str = "Let me in!", times: int = 1) -> None:
    """A stranger writes in their own chat, and what follows is over."""
    before = len(asked(house))
    for _ in range(times):
        await house.adapter.say(text, chat=person, sender=person)
    await until(lambda: len(asked(house)) == before + times)


def asked(house: Guesthouse) -> list[object]:
    """What strangers' messages came to, one after the other."""
    return [each["came_to"] for each in house.notes.named("pairing.asked")]


def code_for(house: Guesthouse, person: str = "mallory") -> str:
    (code,) = CODE.findall("\n".join(house.adapter.texts(person)))
    return str(code)


async def test_a_stranger_gets_a_code_is_let_in_and_put_out(tmp_path: Path, desk: InProcess) -> None:
    async with guesthouse(tmp_path, ["Welcome."], more=[desk], with_settings=closed()) as house:
        await rings(house)
        code = code_for(house)
        assert house.adapter.texts("mallory") == [
            f"I do not know you yet. Give this code to the owner of this bot: {code} (valid for one hour). "
            f"They let you in with `innkeeper pairing approve {code}`."
        ]
        assert house.model.requests == []
        listed = await desk.reply_to("/pairing")
        assert "`inprocess:mallory` «Mallory», asked" in listed
        assert code not in listed
        assert "may talk to me now, in direct chats" in await desk.reply_to(f"/pairing approve {code.lower()}")
        await house.adapter.until_text(LET_IN, "mallory")
        assert await house.adapter.reply_to("Hello", chat="mallory", sender="mallory") == "Welcome."
        assert "by desk:ada" in await desk.reply_to("/pairing list")
        assert "may not talk to me any more" in await desk.reply_to("/pairing revoke mallory")
        before = house.adapter.texts("mallory")
        await rings(house, text="Hello?")
        (anew,) = house.adapter.texts("mallory")[len(before) :]
        assert CODE.findall(anew)[0] != code
        assert len(house.model.requests) == 1
        assert "`inprocess:mallory` «Mallory», asked" in await desk.reply_to("/pairing")


async def test_what_a_stranger_writes_and_gets_is_not_kept(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, with_settings=closed()) as house:
        await rings(house, text="Open sesame, I say!")
        code = code_for(house)
    kept = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    assert b"mallory" in kept
    assert b"sesame" not in kept
    assert code.encode() not in kept
    assert code not in str(house.notes.lines)


async def test_anothers_code_from_a_stranger_changes_nothing(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ["What?"], with_settings=closed()) as house:
        await rings(house)
        code = code_for(house)
        for words in (code, f"/pairing approve {code}", f"/start {code}"):
            await rings(house, "trudy", words)
        assert code_for(house, "trudy") != code
        assert await house.store.pairing.guests() == []
        assert [each.person for each in await house.store.pairing.asking(house.house.clock.now())] == [
            "mallory",
            "trudy",
        ]
        assert house.model.requests == []


async def test_who_asks_again_is_told_once_in_ten_minutes(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, clock=clock, with_settings=closed()) as house:
        await rings(house, times=50)
        first = code_for(house)
        assert len(house.adapter.texts("mallory")) == 1
        for _ in range(3):
            await clock.advance(600)
            await rings(house, times=5)
        assert house.adapter.texts("mallory")[1:] == [CODE_IS_OPEN] * 3
        await clock.advance(1800)
        await rings(house)
        codes = CODE.findall("\n".join(house.adapter.texts("mallory")))
        assert len(codes) == 2
        assert codes[0] == first != codes[1]


async def test_a_code_that_did_not_arrive_is_given_anew(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, with_settings=closed()) as house:
        house.adapter.fail_next(send=Refused("blocked"))
        await rings(house)
        assert house.adapter.texts("mallory") == []
        await rings(house)
        assert code_for(house)
        house.adapter.fail_next(send=Uncertain("the answer was lost"))
        await rings(house, "trudy", times=2)
        assert house.adapter.texts("trudy") == []  # it may have arrived


async def test_a_house_full_of_strangers_stays_quiet(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, with_settings=closed()) as house:
        for number in range(101):
            await house.adapter.say("Hello", chat=f"p{number}", sender=f"p{number}")
        await until(lambda: len(asked(house)) == 101)
        given = [number for number in range(101) if house.adapter.texts(f"p{number}")]
        assert len(given) == 100
        assert asked(house).count("full") == 1


@pytest.mark.parametrize(
    "change",
    [
        {"door": Door(allowed_users=("ada",))},
        {"door": Door(allowed_users=("*ada",))},
        {"door": Door(allowed_chats=("room",))},
        {"access": {"owners": (ADA,)}},
        {"access": {"operators": (ADA,)}},
    ],
)
async def test_with_a_list_strangers_hear_nothing(tmp_path: Path, change: dict[str, Any]) -> None:
    door, access = change.get("door", Door()), change.get("access", {})
    chosen = settings(platforms={"inprocess": door}, access=access)
    async with guesthouse(tmp_path, with_settings=chosen) as house:
        await house.adapter.say("Let me in!", chat="mallory", sender="mallory")
        assert house.adapter.texts("mallory") == asked(house) == []
        assert house.notes.named("event.refused") == [{"chat": "inprocess:mallory", "sender": "mallory"}]


async def test_no_code_in_a_room_for_a_bot_or_for_nobody(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, with_settings=closed()) as house:
        await house.adapter.say("Hello", chat="room", sender="mallory", kind=ChatKind.GROUP)
        for sender in (Sender("b1", "Robot", True), Sender("", "Channel")):
            await house.adapter.say("Hello", chat="direct", sender=sender)
        assert house.adapter.texts("room") == house.adapter.texts("direct") == asked(house) == []
        assert len(house.notes.named("event.refused")) == 3


async def test_a_guest_is_a_user_and_talks_in_direct_chats_only(tmp_path: Path, desk: InProcess) -> None:
    async with guesthouse(tmp_path, ["Hello."], more=[desk], with_settings=closed()) as house:
        await rings(house)
        await desk.reply_to(f"/pairing approve {code_for(house)}")

        async def says(text: str) -> str:
            return await house.adapter.reply_to(text, chat="mallory", sender="mallory")

        assert await says("Hello") == "Hello."
        for order in ("/pairing", "/pairing revoke ada", "/model", "/usage"):
            assert await says(order) == f"{order.removesuffix(' ada')} is for an operator of this bot."
        assert "is for an owner" in await says("/sethome")
        assert "state" in await says("/status")
        await house.adapter.say("Hello?", chat="room", sender="mallory", kind=ChatKind.GROUP)
        assert house.adapter.texts("room") == []
        assert len(house.model.requests) == 1


async def test_put_out_by_another_process_is_put_out_at_once(tmp_path: Path, desk: InProcess) -> None:
    async with guesthouse(tmp_path, ["Hello."], more=[desk], with_settings=closed()) as house:
        await rings(house)
        await desk.reply_to(f"/pairing approve {code_for(house)}")
        assert await house.adapter.reply_to("Hello", chat="mallory", sender="mallory") == "Hello."
        beside = await SqliteStore.open(tmp_path / "state.db")
        assert await beside.pairing.revoke("inprocess", "mallory")
        await beside.close()
        await rings(house, text="And now?")
        assert (asked(house), len(house.model.requests)) == (["new", "new"], 1)


async def test_wrong_codes_lock_the_door(tmp_path: Path, desk: InProcess) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, more=[desk], with_settings=closed(), clock=clock) as house:
        await rings(house)
        code = code_for(house)
        said = [await desk.reply_to(f"/pairing approve WRONG{number:03}") for number in range(20)]
        assert said[0].endswith("(9 more wrong codes lock this for an hour.)")
        assert said[8].endswith("(1 more wrong code locks this for an hour.)")
        assert said[9:] == [LOCKED] * 11
        assert await desk.reply_to(f"/pairing approve {code}") == LOCKED
        assert await house.store.pairing.guests() == []
        await clock.advance(3600)
        await rings(house)
        codes = CODE.findall("\n".join(house.adapter.texts("mallory")))
        assert "may talk" in await desk.reply_to(f"/pairing approve {codes[-1]}")


async def test_names_that_fit_several_put_out_nobody(tmp_path: Path, desk: InProcess) -> None:
    async with guesthouse(tmp_path, more=[desk], with_settings=closed()) as house:
        for person in ("ann", "anna", "anton"):
            await rings(house, person)
            await desk.reply_to(f"/pairing approve {code_for(house, person)}")
        for said in ("an", "inprocess:", "INPROCESS:an"):
            assert "fits several" in await desk.reply_to(f"/pairing revoke {said}")
        assert "Nobody was let in" in await desk.reply_to("/pairing revoke bob")
        assert "`inprocess:ann` «Ann» may not talk" in await desk.reply_to("/pairing revoke Ann")
        assert "`inprocess:anton`" in await desk.reply_to("/pairing revoke inprocess:ant")
        assert [each.person for each in await house.store.pairing.guests()] == ["anna"]


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("Mallory", "Mallory"),
        ("  two\nlines\t", "two lines"),
        ("**[owner](http://x)** `rm`", "owner(http://x) rm"),
        ("\u202egnirts", "gnirts"),
        ("x" * 100, "x" * 40),
        ("", ""),
    ],
)
def test_a_strangers_name_is_only_a_name(name: str, seen: str) -> None:
    assert shown(name) == seen


async def test_a_guest_with_an_odd_id(tmp_path: Path, desk: InProcess) -> None:
    async with guesthouse(tmp_path, ["Hello."], more=[desk], with_settings=closed()) as house:
        chat = ChatRef("inprocess", "@m:a.example")
        await house.adapter.say("Hi", chat=chat, sender="@m:a.example")
        await until(lambda: asked(house) == ["new"])
        (code,) = CODE.findall(house.adapter.texts(chat)[0])
        await desk.reply_to(f"/pairing approve {code}")
        assert await house.adapter.reply_to("Hi", chat=chat, sender="@m:a.example") == "Hello."
        assert "may not talk" in await desk.reply_to("/pairing revoke inprocess:@m:a.example")
        assert await house.store.pairing.guests() == []
