"""The socket between gateway and windows: who gets in, what survives a restart, and what is never said twice."""

from __future__ import annotations

import asyncio
import socket
import stat
import threading
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from platforms.console import protocol
from platforms.console.client import Back, Lost, NoGateway, Window
from platforms.console.place import DETOUR, NAME, Place, locate, take
from platforms.contract import eventually
from platforms.errors import NotSent, PlatformDown, Refused
from platforms.messages import Button, ChatRef, Outbound, TurnSummary
from tests.platforms.console.house import House, open_house

DESK = ChatRef("console", "desk")


async def next_of(window: Window, kind: type[object]) -> object:
    async with asyncio.timeout(30):
        async for event in window.events():
            if isinstance(event, kind):
                return event
    raise AssertionError("the window was closed")


async def attached(house: House, count: int = 1) -> None:
    await eventually(lambda: len(house.attached) >= count)


async def test_only_the_owner_of_the_files_gets_in(tmp_path: Path) -> None:
    async with open_house(tmp_path):
        mode = (tmp_path / NAME).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
    assert not (tmp_path / NAME).exists()


async def test_the_socket_of_a_dead_process_is_replaced_and_that_of_a_live_one_is_not(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / NAME))
    async with open_house(tmp_path):
        with pytest.raises(PlatformDown, match="another process serves"):
            async with open_house(tmp_path):
                pass
        async with Window(tmp_path, "desk") as window:
            await window.say("still here?")
            assert isinstance(await next_of(window, protocol.Message), protocol.Message)


@pytest.mark.parametrize("ends", [1, 3])
async def test_an_end_while_the_socket_is_being_bound_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: int
) -> None:
    bound, go_on, taken = threading.Event(), threading.Event(), []

    def slowly(folder: Path) -> Place:
        taken.append(take(folder))
        bound.set()
        go_on.wait(10)
        return taken[0]

    monkeypatch.setattr("platforms.console.adapter.take", slowly)
    house = House(tmp_path)
    running = asyncio.create_task(house.adapter.run(house.hear))
    await asyncio.to_thread(bound.wait, 10)
    for _ in range(ends):
        running.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert taken[0].socket.fileno() == -1
    assert not (tmp_path / NAME).exists()


async def test_a_file_in_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("precious")
    with pytest.raises(PlatformDown, match="in the way"):
        async with open_house(tmp_path):
            pass
    assert (tmp_path / NAME).read_text() == "precious"


async def test_a_path_too_long_for_a_socket_takes_a_detour(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30)
    async with open_house(folder):
        place = locate(folder)
        assert place.parent != folder
        assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE((folder / DETOUR).stat().st_mode) == 0o600
        async with Window(folder, "desk") as window:
            await window.say("hello")
            assert await next_of(window, protocol.Message) is not None
    assert not place.parent.exists()
    assert not (folder / DETOUR).exists()


async def test_what_a_dead_process_left_of_a_detour_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / ("deep" * 30)
    folder.mkdir()
    old = tmp_path / "innkeeper-old"
    old.mkdir()
    (folder / DETOUR).write_text(str(old / NAME))
    async with open_house(folder), Window(folder, "desk") as window:
        await window.say("hello")
        assert await next_of(window, protocol.Message) is not None
    assert not old.exists()


async def test_without_a_gateway_a_window_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoGateway, match="no gateway serves"):
        await Window(tmp_path, "desk").__aenter__()


async def test_a_say_is_acknowledged_only_after_the_sink_and_said_again_when_it_failed(tmp_path: Path) -> None:
    async with open_house(tmp_path, fail_first=1) as house, Window(tmp_path, "desk") as window:
        event_id = await window.say("hello")
        assert window.unstored == 1
        assert await next_of(window, protocol.Stored) == protocol.Stored(event_id)
        assert window.unstored == 0
        assert [event.event_id for event in house.heard] == [event_id]


async def test_what_was_said_while_the_gateway_restarts_arrives_once_with_its_id(tmp_path: Path) -> None:
    async with open_house(tmp_path):
        window = await Window(tmp_path, "desk").__aenter__()
        await window.say("before")
        await next_of(window, protocol.Done)
    await next_of(window, Lost)
    event_id = await window.say("meanwhile")
    async with open_house(tmp_path) as second:
        await next_of(window, Back)
        await next_of(window, protocol.Done)
        assert [(event.event_id, event.text) for event in second.heard] == [(event_id, "meanwhile")]
        await window.__aexit__(None, None, None)


async def test_a_chat_without_a_window_takes_nothing_until_one_attaches(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        with pytest.raises(NotSent):
            await house.adapter.send(Outbound(DESK, "waiting"))
        await house.adapter.finished(DESK, TurnSummary(("e1",), "s1", "the reply"))
        async with Window(tmp_path, "desk") as window:
            done = await next_of(window, protocol.Done)
            assert isinstance(done, protocol.Done)
            assert (done.event_ids, done.reply) == (("e1",), "the reply")
            assert house.attached == [DESK]
            await house.adapter.send(Outbound(DESK, "now"))
            assert isinstance(await next_of(window, protocol.Message), protocol.Message)
        await eventually(lambda: not house.adapter.attended(DESK))
        with pytest.raises(NotSent):
            await house.adapter.send(Outbound(DESK, "gone again"))


async def test_several_windows_on_a_chat_see_the_same_and_other_chats_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, Window(tmp_path, "desk") as one, Window(tmp_path, "desk") as two:
        async with Window(tmp_path, "attic") as other:
            await attached(house, 3)
            await one.say("hello")
            for window in (one, two):
                message = await next_of(window, protocol.Message)
                assert isinstance(message, protocol.Message)
                assert message.text == "echo: hello"
            await other.say("anyone?")
            message = await next_of(other, protocol.Message)
            assert isinstance(message, protocol.Message)
            assert message.text == "echo: anyone?"


async def test_a_message_of_an_earlier_life_can_be_edited_and_a_withdrawn_one_cannot(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, Window(tmp_path, "desk") as window:
        await attached(house)
        await house.adapter.edit("before-7", Outbound(DESK, "the whole answer"))
        assert await next_of(window, protocol.Edit) == protocol.Edit("before-7", "the whole answer")
        message_id = await house.adapter.send(Outbound(DESK, "oops"))
        await house.adapter.delete(DESK, message_id)
        with pytest.raises(Refused):
            await house.adapter.edit(message_id, Outbound(DESK, "again"))


@pytest.mark.parametrize(
    ("first", "complaint"),
    [
        (protocol.Say("e1", "hello"), "hello first"),
        (protocol.Hello("desk", version=99), "version 99"),
        (protocol.Hello("a:b"), "chat's name"),
        (protocol.Hello(""), "chat's name"),
    ],
)
async def test_a_stranger_to_the_protocol_is_told_why_and_let_go(
    tmp_path: Path, first: protocol.FromClient, complaint: str
) -> None:
    async with open_house(tmp_path) as house:
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / NAME))
        writer.write(protocol.encode(first))
        error = protocol.from_server(await reader.readline())
        assert isinstance(error, protocol.Error)
        assert complaint in error.text
        assert error.fatal
        assert await reader.read() == b""
        writer.close()
        assert house.heard == []


async def test_a_refused_window_does_not_try_for_ever(tmp_path: Path) -> None:
    async with open_house(tmp_path), Window(tmp_path, "not a name") as window:
        with pytest.raises(NoGateway, match="chat's name"):
            await next_of(window, protocol.Message)


async def test_a_window_that_stops_reading_never_holds_the_others_up(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, Window(tmp_path, "desk") as window:
        reader, writer = await asyncio.open_unix_connection(str(tmp_path / NAME))
        writer.write(protocol.encode(protocol.Hello("desk")))
        await attached(house, 2)
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        message_id = await house.adapter.send(Outbound(DESK, "start"))
        for _ in range(30):
            await house.adapter.edit(message_id, Outbound(DESK, "漢" * 100_000))
            await next_of(window, protocol.Edit)
        await house.adapter.edit(message_id, Outbound(DESK, "end"))
        assert await next_of(window, protocol.Edit) == protocol.Edit(message_id, "end")
        writer.close()


texts = st.text() | st.just("\ud83d\n\u2028")
buttons = st.lists(st.lists(st.builds(Button, texts, texts), min_size=1).map(tuple), max_size=3).map(tuple)
numbers = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.builds(protocol.Message, texts, texts, buttons)
    | st.builds(protocol.Edit, texts, texts, buttons)
    | st.builds(protocol.Delete, texts)
    | st.builds(protocol.Typing)
    | st.builds(protocol.Progress, texts)
    | st.builds(protocol.Stored, texts)
    | st.builds(protocol.Error, texts, st.none() | st.text(min_size=1), st.booleans())
    | st.builds(
        protocol.Done,
        st.lists(texts).map(tuple),
        texts,
        texts,
        st.dictionaries(texts, numbers),
        st.lists(texts).map(tuple),
        st.text(min_size=1),
    )
)
def test_what_the_gateway_says_arrives_as_it_was_said(message: protocol.FromServer) -> None:
    line = protocol.encode(message)
    assert line.count(b"\n") == 1
    assert protocol.from_server(line) == message


@given(
    st.builds(protocol.Hello, texts, st.sampled_from(["chat", "ask"]), st.integers())
    | st.builds(protocol.Say, texts, texts)
    | st.builds(protocol.Press, texts, texts, texts)
    | st.builds(protocol.Bye)
)
def test_what_a_window_says_arrives_as_it_was_said(message: protocol.FromClient) -> None:
    assert protocol.from_client(protocol.encode(message)) == message


@given(st.binary(max_size=60))
@example(b"[]\n")
@example(b'{"type":"message","id":"m1","text":"x","buttons":[3]}\n')
@example(b'{"type":"message","id":"m1","text":"x","buttons":7}\n')
@example(b'{"type":"done","session_id":"s","reply":"r","usage":3}\n')
def test_noise_is_a_protocol_error_and_nothing_else(line: bytes) -> None:
    with pytest.raises(protocol.ProtocolError):
        protocol.from_client(line)
    with pytest.raises(protocol.ProtocolError):
        protocol.from_server(line)
