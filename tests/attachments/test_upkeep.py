"""The cache of files stays small, and takes nothing away that a conversation still shows."""

from __future__ import annotations

import os
from pathlib import Path

from gateway.attachments.cache import FileCache, Swept
from gateway.attachments.upkeep import DAY, Room, Upkeep
from gateway.config.schema import Settings
from gateway.state.records import PartDraft
from gateway.tools.send_file import Outlet
from platforms.messages import ChatRef
from tests.fakes.clock import FakeClock
from tests.fakes.files import given, png
from tests.fakes.guesthouse import guesthouse

CHAT = ChatRef("inprocess", "c1")


def aged(path: str, seconds: float) -> str:
    os.utime(path, (seconds, seconds))
    return path


def test_the_same_bytes_lie_there_once_and_get_young_again(tmp_path: Path) -> None:
    cache = FileCache(tmp_path)
    first = aged(cache.keep(b"one", "text/plain"), 1000)
    assert cache.keep(b"one", "text/plain") == first
    assert Path(first).stat().st_mtime > 1000
    assert cache.keep(b"one", "image/png") != first


def test_a_torn_file_is_written_anew(tmp_path: Path) -> None:
    cache = FileCache(tmp_path)
    path = cache.keep(b"whole", "image/png")
    Path(path).write_bytes(b"wh")
    assert Path(cache.keep(b"whole", "image/png")).read_bytes() == b"whole"


def test_old_files_go_then_the_oldest_until_the_rest_fits(tmp_path: Path) -> None:
    cache = FileCache(tmp_path)
    files = [aged(cache.keep(bytes([n]) * 10, "image/png"), 1000.0 + n) for n in range(6)]
    swept = cache.sweep({files[0]}, oldest=1002, room=35)
    assert (swept.files, swept.bytes) == (3, 30)
    assert [Path(file).exists() for file in files] == [True, False, False, False, True, True]
    assert cache.sweep(set(), 0, 100).files == 0


def test_a_draft_that_a_crash_left_goes_too(tmp_path: Path) -> None:
    cache = FileCache(tmp_path)
    path = Path(cache.keep(b"one", "image/png"))
    draft = path.with_name(".0123")
    draft.write_bytes(b"o")
    aged(str(draft), 1000)
    assert cache.sweep({str(path)}, oldest=2000, room=10).files == 1
    assert not draft.exists()
    assert FileCache(tmp_path / "none").sweep(set(), 0, 0).files == 0


async def test_open_conversations_keep_their_files_whatever_their_age(tmp_path: Path) -> None:
    clock = FakeClock()
    async with guesthouse(tmp_path, lambda request: "Fine.", clock=clock) as house:
        for chat in ("c1", "c2"):
            picture = given(house.adapter, "a.png", png(colour=chat.encode() + b"x"), "picture")
            await house.adapter.say("look", chat=chat, attachments=(picture,))
            await house.adapter.until_text("Fine.", chat)
        await house.adapter.reply_to("/new", chat="c2")
        folder = tmp_path / "cache" / "attachments"
        for file in folder.rglob("*.png"):
            aged(str(file), clock.now() - 31 * DAY)
        cache = FileCache(folder)
        upkeep = Upkeep([Room(cache, house.store.turns.files_in_use)], Settings, clock)
        assert await upkeep.sweep(dry=True) == Swept(1, len(png()))
        assert len(list(folder.rglob("*.png"))) == 2
        assert await upkeep.sweep() == Swept(1, len(png()))
        (left,) = folder.rglob("*.png")
        assert left.read_bytes() == png(colour=b"c1x")


async def test_what_was_sent_goes_with_its_folder_and_what_is_still_named_stays(tmp_path: Path) -> None:
    clock, outgoing = FakeClock(), tmp_path / "outgoing"
    outlet = Outlet(outgoing, lambda chat: 1000, list, lambda speaker: True)
    async with guesthouse(tmp_path, clock=clock) as house:
        old, going, young = (outlet.keep(f"{name}.txt", b"text") for name in ("old", "going", "young"))
        for each in (old, going):
            aged(each.path, clock.now() - 31 * DAY)
        aged(young.path, clock.now())
        await house.store.outbox.put(CHAT, "inbox:1", [PartDraft("", file=going)], clock.now())
        room = Room(FileCache(outgoing, one_each=True), house.store.outbox.files)
        await Upkeep([room], Settings, clock).sweep()
        assert sorted(path.name for path in outgoing.glob("*/*")) == ["going.txt", "young.txt"]
        assert len(list(outgoing.iterdir())) == 2
