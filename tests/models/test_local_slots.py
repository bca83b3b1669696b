"""Whose state is in the slot: the rules, on a server that counts words and forgets what a restore pushes out."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from gateway.models.client import Message, Reply, Request
from gateway.models.errors import HostDown
from gateway.models.slots import Slots


class WordSlot:
    """One slot that holds words. `ends_at` "restore" or "save" makes the server die there; `dead` that it is gone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.words: list[str] = []
        self.actions: list[str] = []
        self.dead = False
        self.ends_at = ""

    async def healthy(self) -> bool:
        return not self.dead

    async def save_slot(self, filename: str) -> bool:
        self._come("save")
        (self.folder / filename).write_text(json.dumps(self.words))
        return True

    async def restore_slot(self, filename: str) -> bool:
        self._come("restore")
        try:
            self.words = json.loads((self.folder / filename).read_text())
        except ValueError:
            return False
        return True

    def _come(self, action: str) -> None:
        self.actions.append(action)
        if self.dead or self.ends_at == action:
            self.dead = True
            raise HostDown("gone")


class House:
    """Slots over a server that can be started anew; `read` counts the words that a turn had to read."""

    def __init__(self, folder: Path, **limits: int) -> None:
        self.folder = folder / "slots"
        self.folder.mkdir()
        self.weights = folder / "tiny.gguf"
        self.weights.write_bytes(b"GGUF")
        self.slots = Slots(self.folder, self.weights, **limits)
        self.server = WordSlot(self.folder)

    async def turn(
        self, session: str | None, text: str, *, task: str = "chat", finish: str = "stop", cut: bool = False
    ) -> int:
        """One request; `cut` ends it before its reply. Returns how many words were read anew."""
        request = Request((Message("user", text),), session=session, task=task)
        await self.slots.enter(self.server, request)
        prompt, held = text.split(), self.server.words
        same = 0
        while same < min(len(prompt), len(held)) and prompt[same] == held[same]:
            same += 1
        self.server.words = prompt
        if not cut:
            await self.slots.leave(self.server, request, Reply("", finish=finish))
        return len(prompt) - same

    def restart(self) -> None:
        self.server = WordSlot(self.folder)
        self.slots.emptied()

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.iterdir())


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    opened = House(tmp_path)
    yield opened
    await opened.slots.close()


async def test_a_reply_is_saved_before_anybody_sees_it(house: House) -> None:
    assert await house.turn("anna", "house rules a1") == 3
    assert house.server.actions == ["save"]
    assert [path.suffix for path in house.files] == [".slot"]


async def test_one_chat_alone_is_never_restored(house: House) -> None:
    await house.turn("anna", "house rules a1")
    assert await house.turn("anna", "house rules a1 a2") == 1
    assert house.server.actions == ["save", "save"]


async def test_two_chats_in_turns_each_find_their_own(house: House) -> None:
    await house.turn("anna", "house rules a1")
    assert await house.turn("bert", "house rules b1") == 1
    assert await house.turn("anna", "house rules a1 a2") == 1
    assert await house.turn("bert", "house rules b1 b2") == 1


async def test_after_a_restart_each_chat_finds_its_own_in_any_order(house: House) -> None:
    await house.turn("anna", "house rules a1")
    await house.turn("bert", "house rules b1")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2") == 1
    assert await house.turn("bert", "house rules b1 b2") == 1
    assert await house.turn("anna", "house rules a1 a2 a3") == 1


async def test_after_a_restart_a_new_chat_starts_from_what_all_share(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.restart()
    assert await house.turn("carl", "house rules c1") == 1


async def test_a_review_goes_on_from_its_chat_and_leaves_the_chat_its_own(house: House) -> None:
    await house.turn("anna", "house rules a1")
    await house.turn("bert", "house rules b1")
    assert await house.turn("anna", "house rules a1 review", task="background_review") == 1
    assert await house.turn("anna", "house rules a1 review more", task="background_review") == 1
    assert await house.turn("anna", "house rules a1 a2") == 1
    assert len(house.files) == 2


async def test_a_side_task_without_a_session_costs_the_chat_nothing(house: House) -> None:
    await house.turn("anna", "house rules a1")
    await house.turn(None, "make a title", task="title")
    assert await house.turn("anna", "house rules a1 a2") == 1
    assert len(house.files) == 1


async def test_between_tool_calls_nothing_is_saved_unless_someone_cuts_in(house: House) -> None:
    await house.turn("anna", "house rules a1", finish="tool_calls")
    assert house.server.actions == []
    await house.turn("bert", "house rules b1")
    assert house.server.actions == ["save", "save"]
    assert await house.turn("anna", "house rules a1 result") == 1


async def test_a_turn_that_was_cut_is_kept_when_another_chat_cuts_in(house: House) -> None:
    await house.turn("anna", "house rules a1")
    await house.turn("anna", "house rules a1 and a long paste", cut=True)
    await house.turn("bert", "house rules b1")
    assert await house.turn("anna", "house rules a1 and a long paste") == 0


async def test_a_file_that_is_refused_is_deleted(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.files[0].write_text("no state")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2", cut=True) == 4
    assert house.files == []


async def test_a_file_that_ends_the_server_does_so_once(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.restart()
    house.server.ends_at = "restore"
    with pytest.raises(HostDown):
        await house.turn("anna", "house rules a1 a2")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2") == 4


async def test_a_file_that_meets_a_dead_server_is_kept(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.restart()
    house.server.dead = True
    with pytest.raises(HostDown):
        await house.turn("anna", "house rules a1 a2")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2") == 1


async def test_a_server_that_dies_while_saving_does_not_cost_the_reply_nor_the_older_file(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.server.ends_at = "save"
    await house.turn("anna", "house rules a1 a2")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2 a3") == 2


async def test_other_weights_do_not_get_this_models_states(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.weights.write_bytes(b"GGUF but longer")
    house.restart()
    assert await house.turn("anna", "house rules a1 a2") == 4


async def test_the_folder_keeps_the_most_recently_used_within_its_limits(tmp_path: Path) -> None:
    house = House(tmp_path, max_files=2)
    for second, name in enumerate(("anna", "bert", "carl")):
        await house.turn(name, f"house rules {name}")
        for path in house.files:  # a second apart, whatever the file system's clock can tell
            os.utime(path, (second, min(second, path.stat().st_mtime)))
    house.restart()
    assert len(house.files) == 2
    assert await house.turn("carl", "house rules carl c2", task="probe") == 1
    assert await house.turn("anna", "house rules anna a2", task="probe") == 2
    await house.slots.close()


async def test_a_state_larger_than_the_folders_limit_is_kept_alone(tmp_path: Path) -> None:
    house = House(tmp_path, max_bytes=10)
    await house.turn("anna", "house rules a1 and more than ten bytes")
    assert len(house.files) == 1
    await house.turn("bert", "house rules b1 and more than ten bytes")
    assert len(house.files) == 1
    house.restart()
    assert await house.turn("bert", "house rules b1 and more than ten bytes b2") == 1
    await house.slots.close()


async def test_what_is_kept_of_a_session_can_be_erased(house: House) -> None:
    await house.turn("anna", "house rules a1")
    assert house.slots.forget("anna")
    assert house.files == []
    assert not house.slots.forget("anna")


async def test_what_another_model_kept_of_a_session_is_erased_as_well(house: House) -> None:
    await house.turn("anna", "house rules a1")
    house.weights.write_bytes(b"other weights")
    await house.turn("anna", "house rules a1")
    await house.turn("bert", "house rules b1")
    assert len(house.files) == 3
    assert house.slots.forget("anna")
    assert len(house.files) == 1


async def test_what_was_not_saved_yet_is_not_saved_after_it_was_erased(house: House) -> None:
    await house.turn("anna", "house rules a1", finish="tool_calls")
    house.slots.forget("anna")
    await house.turn("bert", "house rules b1")
    assert len(house.files) == 1
    assert not house.slots.forget("anna")
