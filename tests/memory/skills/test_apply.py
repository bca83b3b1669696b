"""Changes on the disk: all or nothing, through check and gate, counted, put away, brought back, taken back."""

from __future__ import annotations

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from memory.files import locked
from memory.model import Author, Origin, Reason
from memory.skills.edits import plan, plan_install
from memory.skills.model import (
    SkillApplied,
    SkillDraft,
    SkillOperation,
    SkillOutcome,
    SkillRefused,
    SkillStaged,
    SkillUnchanged,
)
from memory.skills.tree import Tree
from tests.memory.skills.dying import BATCH, stocked
from tests.memory.skills.shed import (
    ADA,
    BY,
    Shed,
    create,
    delete,
    edit,
    patch,
    remove_file,
    skill,
    tree,
    write_file,
)


@pytest.fixture
def full(tmp_path: Path) -> Shed:
    return stocked(tmp_path / "home")


def put_aside(shed: Shed, *operations: SkillOperation) -> SkillDraft:
    draft = plan(shed.library.found(), Tree(shed.root), operations)
    assert isinstance(draft, SkillDraft)
    return draft


def test_a_skill_is_created_patched_and_put_away(shed: Shed) -> None:
    shed.done(create("deploy", category="ops"))
    shed.done(patch("deploy", "1. Read.", "1. Look."))
    shed.done(write_file("deploy", "scripts/run.sh", "echo hi\n"))
    assert shed.library.view("deploy") == skill("deploy").replace("1. Read.", "1. Look.")
    assert shed.library.view("deploy", "scripts/run.sh") == "echo hi\n"
    shed.done(remove_file("deploy", "scripts/run.sh"))
    assert not (shed.root / "ops/deploy/scripts").exists()
    gone = shed.done(delete("deploy"))
    assert gone.archived == (".archive/ops/deploy@20270115T080000Z",)
    assert shed.names() == []
    assert (shed.root / gone.archived[0] / "SKILL.md").is_file()


def test_what_is_so_already_is_told(shed: Shed) -> None:
    shed.done(create("notes"))
    before = tree(shed.root, ours=True)
    assert isinstance(shed.do(edit("notes", skill("notes"))), SkillUnchanged)
    assert tree(shed.root, ours=True) == before


def test_a_batch_that_fails_in_its_last_operation_changes_nothing(full: Shed) -> None:
    told = full.refused(*BATCH, patch("deploy", "nowhere", "x"))
    assert told.operation == len(BATCH) + 1
    told = full.refused(*BATCH, write_file("deploy", "../../.env"))
    assert "leads out of the skill" in told.message


@pytest.mark.parametrize("place", [".archive", "ops", "ops/deploy/scripts"])
def test_a_link_in_the_way_is_not_followed(full: Shed, place: str) -> None:
    outside = full.home / "outside"
    outside.mkdir()
    path = full.root / place
    if path.exists():
        path.rename(full.home / "kept")
    path.symlink_to(outside)
    told = full.refused(delete("notes") if place == ".archive" else write_file("deploy", "scripts/run.sh", "x"))
    assert "link" in told.message or "no skill" in told.message
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", [".lock", ".usage.lock", ".usage.json", ".journal"])
def test_links_in_place_of_our_own_files_are_not_followed(shed: Shed, name: str) -> None:
    outside = shed.home / "outside"
    outside.mkdir()
    (outside / "config.yaml").write_text("mine")
    before = tree(outside)
    for goal in (outside / "config.yaml", outside, outside / "none"):
        (shed.root / name).symlink_to(goal)
        outcome = shed.do(create("notes"))
        assert isinstance(outcome, SkillApplied) == name.startswith(".usage"), outcome
        assert tree(outside) == before
        shutil.rmtree(shed.root)
        shed.root.mkdir()


def test_modes_are_kept_and_new_files_are_the_owners(full: Shed) -> None:
    full.done(write_file("deploy", "scripts/run.sh", "x\n"), write_file("deploy", "scripts/new.sh", "x\n"))
    modes = [(full.root / f"ops/deploy/scripts/{name}").stat().st_mode & 0o777 for name in ("run.sh", "new.sh")]
    assert modes == [0o755, 0o600]


# Check and gate


def test_the_check_refuses_and_the_gate_puts_aside(tmp_path: Path) -> None:
    seen: list[str] = []

    def check(draft: SkillDraft) -> SkillRefused | None:
        seen.append(f"check {draft.gist}")
        return SkillRefused(Reason.SCAN, "No.") if "evil" in draft.names else None

    def decide(draft: SkillDraft, by: Author) -> SkillStaged | SkillRefused | None:
        seen.append(f"gate {draft.gist}")
        return SkillStaged("1f2e3d4c", "It waits.") if by.origin is Origin.REVIEW else None

    shed = Shed(tmp_path, check=check, decide=decide)
    assert isinstance(shed.do(create("evil")), SkillRefused)
    assert isinstance(shed.do(create("notes"), by=Author(Origin.REVIEW)), SkillStaged)
    assert isinstance(shed.do(create("notes", "bad"), by=Author(Origin.REVIEW)), SkillRefused)
    assert shed.names() == []
    draft = put_aside(shed, create("notes"))
    evil = put_aside(shed, create("evil"))
    assert isinstance(shed.store.carry_out(draft, Author(Origin.REVIEW)), SkillApplied)
    assert isinstance(shed.store.carry_out(evil, Author(Origin.REVIEW)), SkillRefused)
    assert shed.names() == ["notes"]
    gist = "SKILL.md (+7/-0)"
    assert seen == [
        f"check create 'evil' {gist}",
        f"check create 'notes' {gist}",
        f"gate create 'notes' {gist}",
        f"check create 'notes' {gist}",
        f"check create 'evil' {gist}",
    ]


def test_what_was_put_aside_is_made_on_exactly_what_was_shown(full: Shed) -> None:
    draft = put_aside(full, patch("deploy", "1. Read.", "1. Look."))
    full.done(patch("deploy", "2. Tidy.", "2. Sweep."))
    before = tree(full.root)
    told = full.store.carry_out(draft, ADA)
    assert isinstance(told, SkillRefused)
    assert (told.reason, "ops/deploy/SKILL.md" in told.message) == (Reason.CHANGED, True)
    assert tree(full.root) == before
    full.done(patch("deploy", "2. Sweep.", "2. Tidy."))
    assert isinstance(full.store.carry_out(draft, ADA), SkillApplied)


def test_a_draft_from_anywhere_is_judged_anew(full: Shed) -> None:
    good = put_aside(full, write_file("deploy", "references/a.md", "x"))
    change = good.changes[0]
    hard = [
        replace(change, path="../config.yaml", skill=".."),
        replace(change, path="ops/deploy/../../../x", skill="ops/deploy"),
        replace(change, path=".usage.json", skill="ops/deploy"),
        replace(change, path="ops/deploy/.env"),
        replace(change, path=".archive/x/SKILL.md", skill=".archive/x", after=skill("x").encode()),
        replace(change, path="ops/deploy/SKILL.md", after=b"no skill"),
        replace(change, path="ops/deploy/SKILL.md", after=None),
        replace(change, path="/etc/x", skill=""),
        replace(change, path="a/b/c/SKILL.md", skill="a/b/c", after=skill("c").encode()),
    ]
    for each in hard:
        before = tree(full.home)
        for draft in (replace(good, changes=(each,)), replace(good, changes=(each,), pins={each.path: None})):
            outcome = full.store.carry_out(draft, ADA)
            assert isinstance(outcome, SkillRefused), each
            assert outcome.message
        (full.root / ".lock").unlink(missing_ok=True)
        assert tree(full.home) == {name: kind for name, kind in before.items() if name != "skills/.lock"}
    for folder in ("..", ".archive", "ops", ".", "", "ops/deploy/scripts"):
        assert isinstance(
            full.store.carry_out(replace(good, changes=(), archives=(folder,), pins={}), ADA), SkillRefused
        )


def test_an_approval_is_found_again_by_the_pending_write(shed: Shed) -> None:
    draft = put_aside(shed, create("notes"))
    assert shed.store.carried_out("1f2e3d4c") is None
    outcome = shed.store.carry_out(draft, replace(BY, pending="1f2e3d4c", who="telegram:111"))
    assert isinstance(outcome, SkillApplied)
    assert shed.store.carried_out("1f2e3d4c") == outcome.id


def test_another_writer_is_waited_for_and_then_told(tmp_path: Path) -> None:
    shed = Shed(tmp_path, patience=0.05)
    shed.root.mkdir()
    with locked(shed.root / ".lock"):
        told = shed.do(create("notes"))
    assert isinstance(told, SkillRefused)
    assert told.reason is Reason.BUSY
    assert shed.names() == []


def test_writers_at_once_lose_nothing(shed: Shed) -> None:
    shed.done(create("notes", skill("notes", body="0\n")))
    outcomes: list[SkillOutcome] = []

    def add(number: int) -> None:
        own = Shed(shed.home)
        outcomes.append(own.do(patch("notes", "---\n\n", f"---\n\n{number}\n"), create(f"skill-{number}")))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(each, SkillApplied) for each in outcomes)
    numbers = shed.library.view("notes").partition("---\n\n")[2].split()
    assert sorted(numbers) == [str(number) for number in range(9)]
    assert len(shed.names()) == 9


# Counting


def test_what_was_done_is_counted_and_where_it_comes_from(shed: Shed) -> None:
    shed.done(create("ours"), by=Author(Origin.REVIEW))
    shed.done(create("mine"), by=ADA)
    files = {"SKILL.md": skill("theirs").encode()}
    draft = plan_install(shed.library.found(), Tree(shed.root), "theirs", files)
    assert isinstance(draft, SkillDraft)
    shed.store.carry_out(draft, ADA, "hub")
    shed.done(patch("theirs", "Read", "Look"))
    sources = {each.name: each.source for each in shed.library.found().skills}
    assert sources == {"mine": "person", "ours": "agent", "theirs": "hub"}
    assert shed.store.usage.of("theirs").patches == 1
    shed.time += 60
    shed.done(delete("theirs"))
    assert shed.store.usage.of("theirs").archived == shed.time
    shed.store.restore("theirs", ADA)
    theirs = shed.store.usage.of("theirs")
    assert (theirs.archived, theirs.patches, theirs.source) == (None, 1, "hub")


def test_a_sidecar_that_cannot_be_read_stops_no_change_and_is_left_alone(shed: Shed) -> None:
    shed.put(".usage.json", "{broken")
    shed.done(create("notes"))
    assert (shed.root / ".usage.json").read_text() == "{broken"
    assert shed.names() == ["notes"]


# Putting away and bringing back


def test_restoring_brings_it_back_byte_for_byte(full: Shed) -> None:
    (full.root / "notes/assets/link").symlink_to("a.bin")
    (full.root / "notes/empty").mkdir()
    before = tree(full.root / "notes")
    assert isinstance(full.store.archive("notes", ADA), SkillApplied)
    assert full.store.archived() == (".archive/notes@20270115T080000Z",)
    outcome = full.store.restore("notes", ADA)
    assert isinstance(outcome, SkillApplied)
    assert tree(full.root / "notes") == before
    assert full.store.archived() == ()


def test_the_one_put_away_last_comes_back_first(shed: Shed) -> None:
    for body in ("first\n", "second\n", "third\n"):
        shed.done(create("notes", skill("notes", body=body)))
        shed.done(delete("notes"))
    first, second, third = shed.store.archived()
    assert (second, third) == (f"{first}-2", f"{first}-3")
    shed.store.restore("notes", ADA)
    assert shed.library.view("notes").endswith("third\n")
    taken = shed.store.restore("notes", ADA)
    assert isinstance(taken, SkillRefused)
    assert "taken" in taken.message
    shed.done(delete("notes"))
    shed.store.restore(first, ADA)
    assert shed.library.view("notes").endswith("first\n")
    nobody = shed.store.restore("nobody", ADA)
    assert isinstance(nobody, SkillRefused)
    assert nobody.reason is Reason.UNKNOWN


def test_nothing_is_restored_over_what_is_there(shed: Shed) -> None:
    shed.done(create("deploy", category="ops"))
    shed.done(delete("deploy"))
    shed.put("web/deploy/SKILL.md")
    assert isinstance(shed.store.restore("deploy", ADA), SkillRefused)
    (shed.root / "web/deploy/SKILL.md").unlink()
    shed.put("ops/deploy/notes.txt", "mine")
    assert isinstance(shed.store.restore("deploy", ADA), SkillRefused)
    (shed.root / "ops/deploy/notes.txt").unlink()
    shed.put("ops/SKILL.md")
    assert isinstance(shed.store.restore("deploy", ADA), SkillRefused)
    (shed.root / "ops/SKILL.md").unlink()
    assert isinstance(shed.store.restore("deploy", ADA), SkillApplied)


# Taking back


def test_undo_takes_a_whole_batch_back(full: Shed) -> None:
    def seen() -> dict[str, str]:
        return {name: "folder" if kind.startswith("folder") else kind for name, kind in tree(full.root).items()}

    before = seen()
    done = full.done(*BATCH)
    after = seen()
    undone = full.store.undo(ADA)
    assert isinstance(undone, SkillApplied)
    assert {name: kind for name, kind in seen().items() if not name.startswith(".archive")} == before
    assert [(each.id, each.undoes) for each in full.store.history()] == [(undone.id, done.id), (done.id, None)]
    assert isinstance(full.store.undo(ADA), SkillRefused)
    again = full.store.undo(ADA, undone.id)
    assert isinstance(again, SkillApplied)
    assert seen() == after
    assert isinstance(full.store.undo(ADA, done.id[:4]), SkillApplied)


def test_undo_refuses_when_anything_changed_since(full: Shed) -> None:
    done = full.done(*BATCH)
    full.put("ops/deploy/SKILL.md", skill("deploy", "By hand."))
    before = tree(full.root)
    told = full.store.undo(ADA, done.id)
    assert isinstance(told, SkillRefused)
    assert "changed since" in told.message
    assert tree(full.root) == before
    made = full.done(create("new"))
    full.done(write_file("new", "references/a.md"))
    told = full.store.undo(ADA, made.id)
    assert isinstance(told, SkillRefused)
    assert "more files" in told.message
    unknown = full.store.undo(ADA, "zzz")
    assert isinstance(unknown, SkillRefused)


def test_a_killed_writers_plan_that_cannot_be_read_blocks_writing_and_is_named(shed: Shed) -> None:
    shed.done(create("notes"))
    shed.put(".journal/20270115T080000000000Z-1f2e3d4c.open/plan.json", "{")
    assert "Move that folder away" in shed.store.repair()[0]
    told = shed.do(create("other"))
    assert isinstance(told, SkillRefused)
    assert shed.names() == ["notes"]


def test_a_record_that_people_made_unusable_stops_nothing(shed: Shed) -> None:
    shed.done(create("notes"))
    first = next((shed.root / ".journal").iterdir())
    (first / "plan.json").write_text("{")
    shed.done(patch("notes", "1. Read.", "1. Look."))
    assert [each.gist for each in shed.store.history()] == ["patch 'notes' SKILL.md (+1/-1)"]


def test_the_journal_lets_go_of_what_is_old(tmp_path: Path) -> None:
    shed = Shed(tmp_path, remembers=3)
    for number in range(6):
        shed.done(create(f"skill-{number}"))
    assert [each.names for each in shed.store.history()] == [(f"skill-{number}",) for number in (5, 4, 3)]
    assert len(list((shed.root / ".journal").iterdir())) == 3
