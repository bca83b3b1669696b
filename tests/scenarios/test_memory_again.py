"""A command about memory whose process died between the change and its reply: it is answered, and not done twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.model import Action, Author, Operation, Origin, Target
from tests.fakes.guesthouse import Guesthouse, guesthouse
from tests.scenarios.props import CHAT, event


async def stored(house: Guesthouse, text: str) -> Author:
    """An order that was taken in; who gives it."""
    now = house.house.clock.now()
    item = await house.store.inbox.accept(event(text, "u1", at=now), CHAT.key, now)
    assert item is not None
    return Author(Origin.COMMAND, message=f"inbox:{item.id}", who="inprocess:ada")


async def before(house: Guesthouse) -> None:
    for name in ("tea", "rain"):
        await house.adapter.reply_to(f"/remember Likes {name}.")


async def test_undo(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        await before(house)
        by = await stored(house, "/memory undo")
        assert house.house.stores is not None
        house.house.stores.undo(by)
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        await house.adapter.until_text("Removed from USER.md: «Likes rain.»")
        assert house.house.stores is not None
        assert house.house.stores.entries(Target.USER) == ("Likes tea.",)


@pytest.mark.parametrize(
    ("order", "wish", "words"),
    [
        ("/remember Likes chess.", Operation(Action.ADD, "Likes chess."), "Kept in USER.md: «Likes chess.»"),
        ("/forget rain", Operation(Action.REMOVE, old_text="rain"), "Removed from USER.md: «Likes rain.»"),
    ],
)
async def test_remember_and_forget(tmp_path: Path, order: str, wish: Operation, words: str) -> None:
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        await before(house)
        by = await stored(house, order)
        assert house.house.stores is not None
        house.house.stores.apply(Target.USER, [wish], by)
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        await house.adapter.until_text(words)
        assert house.house.stores is not None
        assert len(house.house.stores.history()) == 3


async def test_forget_all_goes_on_where_it_stood(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        await house.adapter.reply_to("/remember Likes tea.")
        await house.adapter.reply_to("/remember memory: The door sticks.")
        by = await stored(house, "/forget all!")
        assert house.house.stores is not None
        house.house.stores.forget_all(by, [Target.USER])
    async with guesthouse(tmp_path, [], with_memory=True) as house:
        said = await house.adapter.until_text("Removed from MEMORY.md: «The door sticks.»")
        assert "Removed from USER.md: «Likes tea.»" in said.text
