"""Putting a change of skills aside: what a turn is told, and the file that people can read."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory.model import Author, Origin, Reason
from memory.pending.folder import MOST_OF_A_CHAT
from memory.pending.skill_model import dump, load
from memory.pending.skill_store import LONGEST, ROOM
from memory.skills.model import FILE_BYTES, SkillRefused, SkillStaged, digest
from tests.memory.skills.pending_desk import (
    BOB,
    BY,
    SkillDesk,
    create,
    delete,
    edit,
    patch,
    remove,
    text,
    write,
)

ROOT = Path(__file__).parents[3]
REVIEW = Author(Origin.REVIEW, "20261130-1f2e3d4c", "turn:12", BOB, chat="telegram:2", flags=("untrusted:document",))


@pytest.fixture
def desk(tmp_path: Path) -> SkillDesk:
    return SkillDesk(tmp_path)


def test_a_change_that_waits_changes_nothing_and_says_so(desk: SkillDesk) -> None:
    outcome = desk.do(create("deploy"))
    assert isinstance(outcome, SkillStaged)
    assert outcome.pending_id in outcome.message
    assert "Nothing is saved" in outcome.message
    assert desk.tree() == {}
    assert desk.waiting() == desk.heard == [outcome.pending_id]


def test_the_file_is_readable_and_complete(desk: SkillDesk) -> None:
    desk.save(create("deploy", "Drink “green” tea 🍵\nfirst.\n", category="ops"))
    before = desk.tree()["ops/deploy/SKILL.md"]
    name = desk.stage(patch("deploy", "“green”", "“black”"), by=REVIEW)
    kept = desk.file(name).read_text(encoding="utf-8")
    assert "Drink “black” tea 🍵" in kept  # no escapes: people read this
    payload = desk.fields(name)["payload"]
    assert desk.fields(name) == {
        "id": name,
        "kind": "skills",
        "action": "patch",
        "skills": ["deploy"],
        "gist": "patch 'deploy' SKILL.md (+1/-1)",
        "origin": "review",
        "flags": ["untrusted:document"],
        "created_at": "2027-01-15T08:00:02.000000+00:00",
        "session": "20261130-1f2e3d4c",
        "message": "turn:12",
        "chat": "telegram:2",
        "author": BOB,
        "payload": payload,
        "pins": {"ops/deploy/SKILL.md": digest(before)},
    }
    [change] = payload["changes"]
    assert (change["path"], change["before"]) == ("ops/deploy/SKILL.md", before.decode())
    assert change["after"] == before.decode().replace("green", "black")
    assert desk.file(name).stat().st_mode & 0o077 == 0


def test_it_comes_back_from_the_file_as_it_was(desk: SkillDesk) -> None:
    desk.save(create("deploy"), write("deploy", "assets/a.txt", "a"), create("old"), write("old", "scripts/x", "x"))
    desk.write("deploy/assets/raw.bin", b"\xff\x00")
    desk.time += 0.123456
    name = desk.stage(
        edit("deploy", "Do it.\n"),
        remove("deploy", "assets/raw.bin"),
        write("deploy", "references/new.md", "new\n"),
        remove("deploy", "assets/a.txt"),
        delete("old"),
        create("tidy", category="home"),
        by=REVIEW,
    )
    waiting = desk.get(name)
    assert waiting.author == REVIEW
    assert waiting.created_at == pytest.approx(desk.time, abs=1e-6)
    assert (waiting.action, waiting.unattended) == ("batch", True)
    assert load(dump(waiting), name) == waiting
    assert SkillDesk(desk.folder).pendings.waiting() == [waiting]
    assert {"deploy", "old", "tidy"} == set(waiting.draft.names)
    assert waiting.draft.pins["old/scripts/x"] == digest(b"x")
    assert waiting.draft.pins["home/tidy/SKILL.md"] is None


@pytest.mark.parametrize(
    ("wish", "gist"),
    [
        (create("tidy"), "create 'tidy' SKILL.md (+7/-0)"),
        (patch("deploy", "copy it", "ship it"), "patch 'deploy' SKILL.md (+1/-1)"),
        (edit("deploy", "Do it.\n"), "edit 'deploy' SKILL.md (+1/-2)"),
        (write("deploy", "references/a.md", "a\nb\n"), "write_file 'deploy' references/a.md (+2/-0)"),
        (delete("deploy"), "delete 'deploy' (1 file)"),
    ],
)
def test_the_gist_says_what_it_does(desk: SkillDesk, wish: object, gist: str) -> None:
    desk.save(create("deploy"))
    name = desk.stage(wish)  # type: ignore[arg-type]
    assert desk.get(name).gist == desk.fields(name)["gist"] == gist
    assert desk.get(name).action == gist.split()[0]


def test_what_waits_is_listed_with_the_oldest_first(desk: SkillDesk) -> None:
    names = [desk.stage(create(f"skill-{number}")) for number in range(10)]
    desk.time -= 5
    early = desk.stage(create("early"))
    desk.time += 5
    assert desk.waiting()[-2:] != [early, names[-1]]
    assert sorted(desk.waiting()) == sorted([*names, early]) == desk.pendings.ids()
    assert [each.created_at for each in desk.pendings.waiting()] == sorted(
        each.created_at for each in desk.pendings.waiting()
    )


# The same checks as for applying, at once


def test_an_invalid_change_is_not_put_aside(desk: SkillDesk) -> None:
    desk.save(create("deploy"))
    assert desk.refused(create("deploy")).reason is not Reason.SCAN
    desk.refused(patch("deploy", "not there", "x"))
    desk.refused(create("../outside"))
    desk.refused(create("tidy"), patch("nowhere", "a", "b"))
    assert desk.refused(create("tidy", "evil\n")).reason is Reason.SCAN
    assert desk.heard == []


# Once


def test_the_same_change_is_put_aside_once(desk: SkillDesk) -> None:
    name = desk.stage(create("deploy"))
    assert desk.stage(create("deploy"), by=replace(BY, message="turn:18")) == name
    assert desk.stage(create("deploy", category="ops")) != name
    assert desk.stage(create("deploy", "Otherwise.\n")) != name
    assert len(desk.names()) == len(desk.heard) == 3


def test_the_same_words_about_another_text_are_another_change(desk: SkillDesk) -> None:
    desk.save(create("deploy"))
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    desk.write("deploy/SKILL.md", text("deploy", "Then copy it.\n"))
    assert desk.stage(patch("deploy", "copy it", "ship it")) != name


def test_the_same_change_is_put_aside_again_after_it_was_decided(desk: SkillDesk) -> None:
    name = desk.stage(create("deploy"))
    desk.resolver.reject(name, BOB)
    assert desk.stage(create("deploy")) != name


def test_two_processes_put_the_same_change_aside_once(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "tests.fakes.skill_decider", "stage", str(tmp_path), "12")
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate()[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    first, second = (json.loads(lines) for lines in said)
    assert first == second  # the same ids, by whoever came first
    assert sorted(first) == SkillDesk(tmp_path).pendings.ids()
    assert len(set(first)) == 12


# Where it cannot be kept


def test_a_change_that_cannot_be_put_aside_is_refused_and_says_so(desk: SkillDesk) -> None:
    (desk.folder / "pending").write_text("in the way", encoding="utf-8")
    outcome = desk.do(create("deploy"))
    assert isinstance(outcome, SkillRefused)
    assert outcome.reason is Reason.UNWRITABLE
    assert "Nothing was saved" in outcome.message
    assert str(desk.folder / "pending") in outcome.message
    assert desk.tree() == {}


def test_more_than_anybody_can_read_is_refused(desk: SkillDesk) -> None:
    desk.save(create("deploy"))
    half = "x" * (FILE_BYTES - 1)
    wishes = [write("deploy", f"assets/{number}.txt", half) for number in range(LONGEST // FILE_BYTES + 1)]
    assert "too long to be read" in desk.refused(*wishes).message


def test_the_room_for_what_waits_is_bounded(desk: SkillDesk) -> None:
    name = desk.stage(create("deploy"))
    with desk.file(name).open("ab") as file:  # sparse: only its size counts
        file.truncate(ROOM)
    assert "fill the room" in desk.refused(create("tidy")).message
    desk.resolver.reject(name, BOB)
    desk.stage(create("tidy"))


def test_one_chat_cannot_crowd_out_the_others(desk: SkillDesk) -> None:
    kept = desk.file(desk.stage(create("deploy"))).read_text(encoding="utf-8")
    for number in range(1, MOST_OF_A_CHAT):
        desk.file(f"{number:08x}").write_text(kept.replace("deploy", f"skill-{number}"), encoding="utf-8")
    assert "wait already" in desk.refused(create("tidy")).message
    desk.stage(create("tidy"), by=replace(BY, chat="telegram:3"))


def test_a_folder_that_is_not_there_yet_is_empty(desk: SkillDesk) -> None:
    assert (desk.waiting(), desk.broken(), desk.pendings.ids()) == ([], {}, [])
    assert desk.pendings.get("1f2e3d4c") is None
    assert desk.resolver.mend() == []
