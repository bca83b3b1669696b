"""What people order about memory is done to their own files, where nobody else reads along."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fakes.guesthouse import guesthouse
from tests.scenarios.places import (
    ADA_AND_BOB_MAY,
    ADA_IN_GROUP,
    ALONE,
    BOB,
    BOB_ALONE,
    FACT,
    GROUP_OF_ADA,
    GROUP_OF_BOTH,
    HIS,
    ITS,
    NOTES,
    OWNER,
    SHARED,
    inn,
    rules,
    said,
    written,
)


async def test_what_bob_orders_is_done_to_his_own_file(tmp_path: Path) -> None:
    async with inn(tmp_path, [], rules("person")) as house:
        hers = await said(house, "/remember Ada paints.", ADA_AND_BOB_MAY)
        change = hers.split("/memory undo ")[1].split()[0]
        assert f"Kept in {HIS}: «Likes figs.»" in await said(house, f"/remember {FACT}", BOB_ALONE)
        shown = await said(house, "/memory", BOB_ALONE)
        assert all(each in shown for each in (HIS, BOB, FACT))
        assert not any(each in shown for each in (NOTES, OWNER, "paints"))
        told = await said(house, "/memory history", BOB_ALONE)
        assert (FACT in told, "paints" in told) == (True, False)
        assert "no change" in await said(house, f"/memory undo {change}", BOB_ALONE)
        assert "no change" in await said(house, f"/memory why {change}", BOB_ALONE)
        assert "No entry holds" in await said(house, "/forget Ada", BOB_ALONE)
        assert "owner" in await said(house, "/forget --everywhere Ada paints", BOB_ALONE)
        assert "switched off" in await said(house, "/remember memory: x", BOB_ALONE)
        assert "owner" in await said(house, "/memory scan", BOB_ALONE)
        assert "operator" in await said(house, "/memory pending", BOB_ALONE)
        assert "operator" in await said(house, "/memory show 1f2e3d4c", BOB_ALONE)
        gone = await said(house, "/forget figs", BOB_ALONE)
        assert f"Removed from {HIS}: «{FACT}»" in gone
        assert "/forget --everywhere" not in gone
        assert FACT in await said(house, "/memory undo", BOB_ALONE)
        doctor = await said(house, "/memory doctor", BOB_ALONE)
        assert str(tmp_path / "memories" / HIS) in doctor
        assert "USER.md" not in doctor
    assert written(tmp_path) == {HIS: FACT, "USER.md": "Ada paints."}


ORDERS = ("/memory", "/memory history", "/memory undo", "/memory doctor", f"/remember {FACT}", "/forget a")


@pytest.mark.parametrize("scope", ["owner", "person", "room"])
async def test_in_a_group_with_others_nothing_is_shown_or_changed_by_order(tmp_path: Path, scope: str) -> None:
    async with inn(tmp_path, [], rules(scope)) as house:
        for spot in (GROUP_OF_BOTH, ADA_IN_GROUP):
            for order in ORDERS:
                assert "direct chat" in await said(house, order, spot), order
    assert written(tmp_path) == {}


async def test_orders_by_those_who_have_no_memory_and_in_a_group_of_owners(tmp_path: Path) -> None:
    async with inn(tmp_path, [], rules("owner")) as house:
        for order in ORDERS:
            assert "owner" in await said(house, order, BOB_ALONE), order
    assert written(tmp_path) == {}
    async with guesthouse(tmp_path, [], with_settings=rules(door=ALONE), with_memory=True) as house:
        assert f"Kept in USER.md: «{FACT}»" in await said(house, f"/remember {FACT}", GROUP_OF_ADA)
        assert NOTES in await said(house, "/memory", GROUP_OF_ADA)
    assert written(tmp_path) == {"USER.md": FACT}


async def test_what_a_new_session_begins_with(tmp_path: Path) -> None:
    async with inn(tmp_path, [], rules("room", True)) as house:
        told = await said(house, "/new", ADA_AND_BOB_MAY)
        assert "Carried over: MEMORY.md 1 entry" in told
        assert "; USER.md 1 entry" in told
        told = await said(house, "/new", BOB_ALONE)
        assert (SHARED in told, f"{HIS} 1 entry" in told, "USER.md" in told) == (True, True, False)
        told = await said(house, "/new", GROUP_OF_BOTH)
        assert (SHARED in told, f"{ITS} 1 entry" in told, HIS in told) == (True, True, False)
        house.change(rules("person"))
        assert "It begins without memory." in await said(house, "/new", GROUP_OF_BOTH)


async def test_what_bob_orders_waits_and_he_is_told_so_in_words_for_him(tmp_path: Path) -> None:
    gated = rules("person")
    gated = gated.model_copy(update={"memory": gated.memory.model_copy(update={"write_approval": True})})
    async with inn(tmp_path, [], gated) as house:
        (tmp_path / "memories" / "people").mkdir(parents=True, exist_ok=True)
        (tmp_path / "memories" / HIS).write_text(FACT)
        for order in ("/remember I paint.", "/forget figs"):
            told = await said(house, order, BOB_ALONE)
            assert "It waits for a yes" in told
            assert "do not try again" not in told  # that is for models
            assert "stays in the journal" not in told  # nothing is removed yet
    assert written(tmp_path) == {HIS: FACT}
