"""/journey where it matters who asks, from where, and how often."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from commands.context import Context
from commands.registry import built_in
from commands.reply import CommandReply
from commands.spec import Arguments, Role
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.scenarios.keeping import TEA, write

OWNER: dict[str, Any] = {"access": {"owners": ["inprocess:ada"], "home_chats": ["inprocess:c1"]}}
GATED = settings(memory={"write_approval": True, "scope": "person"}, **OWNER)
MOMENT = 1_800_003_600.0
ID = re.compile(r"`(hand:[0-9a-f]{8}|[0-9a-f]{8})`")


def context(inn: Guesthouse, role: Role, **more: Any) -> Context:
    return Context(role, "web", inn.engine.ports, built_in([]), **more)


async def asked(where: Context, action: str = "", **values: str) -> CommandReply:
    spec = built_in([]).get("journey")
    assert spec is not None
    found = spec.action(action)
    handler = found.handler if found is not None else spec.handler
    assert handler is not None
    return await handler(where, Arguments(dict(values)))


async def test_whoever_has_no_chat_sees_everything_only_as_an_owner(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with guesthouse(tmp_path, with_memory=True, with_settings=GATED) as inn:
        assert TEA in (await asked(context(inn, Role.OWNER), "list")).text
        for role in (Role.USER, Role.OPERATOR):
            for action in ("", "list", "undo"):
                refused = await asked(context(inn, role), action)
                assert (refused.ok, refused.text) == (False, "What was learnt is for an owner of this bot.")


async def test_an_order_that_is_carried_out_once_more_changes_nothing_more(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with guesthouse(tmp_path, with_memory=True, with_settings=GATED) as inn:
        once = replace(context(inn, Role.OWNER), item_id=7, who="inprocess:ada")
        (name,) = ID.findall((await asked(once, "list")).text)
        assert (await asked(once, "edit", id=name, text="Ada drinks mate.")).ok
        again = await asked(once, "edit", id=name, text="Ada drinks mate.")
        assert again.text == "Done: Ada drinks mate."
        assert (await asked(replace(once, item_id=8), "undo", id=name)).ok
        assert (tmp_path / "memories" / "USER.md").read_text() == TEA
        again = await asked(replace(once, item_id=8), "undo", id=name)
        assert again.text == f"Done: {TEA}"


async def test_an_entry_written_by_hand_keeps_the_moment_at_which_it_was_noticed(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with guesthouse(tmp_path, clock=FakeClock(MOMENT), with_memory=True, with_settings=GATED) as inn:
        first = await asked(context(inn, Role.OWNER), "list")
    write(tmp_path, f"{TEA}\n§\nAda sings.")
    async with guesthouse(tmp_path, clock=FakeClock(MOMENT + 9000), with_memory=True, with_settings=GATED) as inn:
        later = await asked(context(inn, Role.OWNER), "list")
    assert isinstance(first.data, list)
    assert isinstance(later.data, list)
    (noticed,) = [each["at"] for each in later.data if each["text"] == TEA]
    assert noticed == first.data[0]["at"] != later.data[0]["at"]
    assert [each["dated"] for each in later.data] == [False, False]


async def test_what_was_shown_on_a_page_is_what_is_changed(tmp_path: Path) -> None:
    write(tmp_path, TEA)
    async with guesthouse(tmp_path, with_memory=True, with_settings=GATED) as inn:
        owner = context(inn, Role.OWNER, who="inprocess:ada")
        (name,) = ID.findall((await asked(owner, "list")).text)
        assert (await asked(owner, "edit", id=name, text="Ada drinks mate.", was=TEA)).ok
        refused = await asked(owner, "edit", id=name, text="Ada drinks cocoa.", was=TEA)
        assert not refused.ok
        assert "changed meanwhile" in refused.text
        assert (tmp_path / "memories" / "USER.md").read_text() == "Ada drinks mate."
