"""Approving and rejecting changes of skills: exactly what was shown, or nothing, and once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.files import Unwritable
from memory.model import Author, Origin
from memory.pending.outcomes import Decided, Kept, Rejected, Unknown
from memory.pending.skill_resolve import SkillResolution
from memory.skills.model import SkillApplied, SkillOperation
from tests.memory.skills.pending_desk import (
    ADA,
    BOB,
    BODY,
    SkillDesk,
    create,
    delete,
    edit,
    patch,
    remove,
    text,
    write,
)

Spoil = Callable[[SkillDesk], object]


@pytest.fixture
def desk(tmp_path: Path) -> SkillDesk:
    desk = SkillDesk(tmp_path)
    desk.save(create("deploy"), write("deploy", "references/how.md", "how\n"))
    return desk


def kept(desk: SkillDesk, name: str, resolution: SkillResolution) -> str:
    """It waits on, and the journal knows nothing of it; why."""
    assert isinstance(resolution, Kept), resolution
    assert resolution.id == name
    assert desk.names() == [f"{each}.json" for each in desk.pendings.ids()]
    assert name in desk.waiting()
    assert desk.store.carried_out(name) is None
    return resolution.why


def decided(resolution: SkillResolution) -> tuple[str, str, str]:
    assert isinstance(resolution, Decided), resolution
    return resolution.receipt.result, resolution.receipt.who, resolution.receipt.detail


# Approving


@pytest.mark.parametrize(
    ("wish", "after"),
    [
        (patch("deploy", "copy", "ship"), {"deploy/SKILL.md": text("deploy", BODY.replace("copy", "ship"))}),
        (edit("deploy", "Do it.\n"), {"deploy/SKILL.md": text("deploy", "Do it.\n")}),
        (create("tidy", category="home"), {"home/tidy/SKILL.md": text("tidy")}),
        (write("deploy", "assets/a.txt", "a"), {"deploy/assets/a.txt": "a"}),
        (remove("deploy", "references/how.md"), {"deploy/references/how.md": None}),
        (delete("deploy"), {"deploy/SKILL.md": None, "deploy/references/how.md": None}),
    ],
)
def test_an_approval_carries_it_out_and_lets_the_file_go(
    desk: SkillDesk, wish: SkillOperation, after: dict[str, str | None]
) -> None:
    before = desk.tree()
    name = desk.stage(wish)
    assert desk.tree() == before
    approved = desk.approved(name)
    changed = {path: data.encode() if data is not None else None for path, data in after.items()}
    assert desk.tree() == {path: data for path, data in {**before, **changed}.items() if data is not None}
    assert isinstance(approved.outcome, SkillApplied)
    assert desk.store.carried_out(name) == approved.outcome.id
    assert desk.names() == []
    receipt = desk.receipts.receipt(name)
    assert receipt is not None
    assert (receipt.result, receipt.who, receipt.detail) == ("approved", ADA, approved.outcome.id)


def test_what_is_deleted_can_be_brought_back_byte_for_byte(desk: SkillDesk) -> None:
    before = desk.tree()
    desk.approved(desk.stage(delete("deploy")))
    assert desk.tree() == {}
    assert isinstance(desk.store.restore("deploy", Author(Origin.COMMAND, who=ADA)), SkillApplied)
    assert desk.tree() == before


def test_a_batch_is_carried_out_whole(desk: SkillDesk) -> None:
    name = desk.stage(
        patch("deploy", "copy it", "ship it"), write("deploy", "references/how.md", "so\n"), create("tidy")
    )
    desk.approved(name)
    assert desk.body("deploy") == "Run the build.\nThen ship it.\n"
    assert desk.tree()["deploy/references/how.md"] == b"so\n"
    assert "tidy/SKILL.md" in desk.tree()


CHANGED: dict[str, tuple[tuple[SkillOperation, ...], Spoil]] = {
    "the patched file reads otherwise elsewhere": (
        (patch("deploy", "copy it", "ship it"),),
        lambda desk: desk.write("deploy/SKILL.md", text("deploy", "Run it.\nThen copy it.\n")),
    ),
    "the patched file is gone": (
        (patch("deploy", "copy it", "ship it"),),
        lambda desk: (desk.skills / "deploy" / "SKILL.md").unlink(),
    ),
    "the new skill is there meanwhile": (
        (create("tidy"),),
        lambda desk: desk.write("tidy/SKILL.md", text("tidy", "Otherwise.\n")),
    ),
    "the new file is there meanwhile": (
        (write("deploy", "assets/a.txt", "a"),),
        lambda desk: desk.write("deploy/assets/a.txt", "b"),
    ),
    "the removed file reads otherwise": (
        (remove("deploy", "references/how.md"),),
        lambda desk: desk.write("deploy/references/how.md", "so\n"),
    ),
    "a file of the deleted skill reads otherwise": (
        (delete("deploy"),),
        lambda desk: desk.write("deploy/references/how.md", "so\n"),
    ),
    "the deleted skill has one file more": (
        (delete("deploy"),),
        lambda desk: desk.write("deploy/references/more.md", "more\n"),
    ),
    "one file of a batch reads otherwise": (
        (patch("deploy", "copy it", "ship it"), create("tidy"), write("deploy", "references/how.md", "so\n")),
        lambda desk: desk.write("deploy/references/how.md", "hm\n"),
    ),
}


@pytest.mark.parametrize("case", CHANGED)
def test_what_is_no_longer_what_was_shown_waits_on_and_says_why(desk: SkillDesk, case: str) -> None:
    wish, spoil = CHANGED[case]
    name = desk.stage(*wish)
    left = desk.file(name).read_bytes()
    spoil(desk)
    before = desk.tree()
    assert kept(desk, name, desk.approve(name))
    assert desk.tree() == before
    assert desk.file(name).read_bytes() == left
    assert isinstance(desk.resolver.reject(name, ADA), Rejected)
    assert desk.tree() == before


def test_it_can_be_approved_once_the_files_are_as_they_were(desk: SkillDesk) -> None:
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    before = desk.tree()["deploy/SKILL.md"]
    desk.write("deploy/SKILL.md", text("deploy", "Otherwise.\n"))
    assert kept(desk, name, desk.approve(name))
    desk.write("deploy/SKILL.md", before)
    desk.approved(name)
    assert desk.body("deploy") == "Run the build.\nThen ship it.\n"


def test_the_guard_looks_once_more(desk: SkillDesk) -> None:
    name = desk.stage(create("tidy", "naughty\n"))
    desk.evil = "naughty"
    assert "guard" in kept(desk, name, desk.approve(name))
    assert "tidy/SKILL.md" not in desk.tree()


def test_of_two_changes_to_one_file_only_one_can_be_carried_out(desk: SkillDesk) -> None:
    first, second = desk.stage(patch("deploy", "copy", "move")), desk.stage(patch("deploy", "build", "test"))
    desk.approved(first)
    assert kept(desk, second, desk.approve(second))
    assert desk.body("deploy") == "Run the build.\nThen move it.\n"


# Rejecting


def test_a_rejection_changes_nothing_and_lets_the_file_go(desk: SkillDesk) -> None:
    before = desk.tree()
    name = desk.stage(delete("deploy"))
    resolution = desk.resolver.reject(name, BOB)
    assert isinstance(resolution, Rejected)
    assert resolution.write is not None
    assert (desk.tree(), desk.names()) == (before, [])
    assert decided(desk.approve(name)) == ("rejected", BOB, "")
    assert desk.tree() == before


# Once


def test_whoever_comes_second_learns_who_was_first(desk: SkillDesk) -> None:
    name = desk.stage(create("tidy"))
    outcome = desk.approved(name).outcome
    assert isinstance(outcome, SkillApplied)
    for late in (desk.approve(name, BOB), desk.resolver.reject(name, BOB)):
        assert decided(late) == ("approved", ADA, outcome.id)


def test_a_file_that_was_put_back_after_the_decision_is_not_carried_out_again(desk: SkillDesk) -> None:
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    left, before = desk.file(name).read_bytes(), desk.tree()
    desk.time += 1
    desk.approved(name)
    desk.write("deploy/SKILL.md", before["deploy/SKILL.md"])
    desk.file(name).write_bytes(left)
    assert decided(desk.approve(name, BOB))[:2] == ("approved", ADA)
    assert (desk.tree(), desk.names()) == (before, [])


@pytest.mark.parametrize("name", ["1f2e3d4c", "", "../x", "1F2E3D4C", "*"])
def test_what_never_waited_is_unknown(desk: SkillDesk, name: str) -> None:
    assert desk.approve(name) == Unknown(name)
    assert desk.resolver.reject(name, ADA) == Unknown(name)


def test_an_approval_whose_receipt_cannot_be_kept_stands_and_is_made_up_for(tmp_path: Path) -> None:
    broken = True

    def full() -> None:
        if broken:
            raise Unwritable("the disk is full.")

    desk = SkillDesk(tmp_path, receipt=full)
    name = desk.stage(create("tidy"))
    desk.approved(name)
    assert [each for each in desk.names() if each.endswith(".claimed")]
    broken = False
    assert [line.partition(" ")[2] for line in SkillDesk(tmp_path).resolver.mend()] == [
        f"was approved by {ADA} and is in place; the receipt was made up for"
    ]
    assert decided(desk.approve(name, BOB))[:2] == ("approved", ADA)
    assert len(desk.tree()) == 1
