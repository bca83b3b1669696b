"""Files that people or older programs left where changes of skills wait: never carried out, never lost, said what is
wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.pending.outcomes import Decided, Kept, Rejected
from memory.skills.model import digest
from tests.memory.skills.pending_desk import ADA, BOB, SkillDesk, create, delete, patch, text, write

Spoil = Callable[[SkillDesk, str], object]


def with_fields(**fields: object) -> Spoil:
    return lambda desk, name: desk.alter(name, **fields)


def with_payload(**fields: object) -> Spoil:
    return lambda desk, name: desk.alter(name, payload={**desk.fields(name)["payload"], **fields})


def with_change(**fields: object) -> Spoil:
    """The one change altered, and pinned as what it says."""

    def spoil(desk: SkillDesk, name: str) -> None:
        payload = desk.fields(name)["payload"]
        change: dict[str, Any] = {**payload["changes"][0], **fields}
        before = change["before"]
        pins = {str(change["path"]): digest(before.encode()) if isinstance(before, str) else None}
        desk.alter(name, payload={**payload, "changes": [change]}, pins=pins)

    return spoil


def without(field: str) -> Spoil:
    def spoil(desk: SkillDesk, name: str) -> None:
        fields = desk.fields(name)
        del fields[field]
        desk.file(name).write_text(json.dumps(fields), encoding="utf-8")

    return spoil


def with_text(data: bytes) -> Spoil:
    return lambda desk, name: desk.file(name).write_bytes(data)


SPOILT: dict[str, tuple[Spoil, str]] = {
    "no pins": (with_fields(pins={}), "does not record"),
    "pins left out": (without("pins"), "does not record"),
    "another pin": (with_fields(pins={"deploy/SKILL.md": digest(b"x")}), "does not record"),
    "a pin for nothing": (with_fields(pins={"deploy/SKILL.md": None}), "does not record"),
    "pins that are none": (with_fields(pins={"deploy/SKILL.md": 7}), ""),
    "pins that are a list": (with_fields(pins=["deploy/SKILL.md"]), ""),
    "a pin elsewhere": (with_fields(pins={"other/SKILL.md": None}), "other"),
    "no JSON": (with_text(b"{"), "not JSON"),
    "nested without end": (with_text(b"[" * 100_000), "not JSON"),
    "a list": (with_text(b"[]"), "not an object"),
    "another encoding": (with_text('{"gist": "Café"}'.encode("latin-1")), "UTF-8"),
    "half a character": (with_change(after="tea \ud800"), "half a character"),
    "no payload": (without("payload"), "payload"),
    "a payload that is a text": (with_fields(payload="create"), ""),
    "no changes": (with_payload(changes=[]), "no changes"),
    "a change of nothing": (with_change(after=text("deploy")), "would not change"),
    "an unknown action": (with_payload(actions=["burn"]), "burn"),
    "an unknown origin": (with_fields(origin="god"), "god"),
    "a write to memory": (with_fields(kind="memory"), "no change of skills"),
    "no kind": (without("kind"), "no change of skills"),
    "no time": (without("created_at"), "created_at"),
    "a time that is none": (with_fields(created_at="yesterday"), "yesterday"),
    "flags that are a text": (with_fields(flags="untrusted:web"), "flags"),
    "a file above": (with_change(path="deploy/../../x"), "../../x"),
    "a file elsewhere": (with_change(path="/etc/passwd"), "/etc/passwd"),
    "a hidden file": (with_change(path="deploy/.env"), "hidden"),
    "a place above": (with_change(path="../SKILL.md", skill=".."), ".."),
    "a place too deep": (with_change(path="a/b/c/SKILL.md", skill="a/b/c"), "a/b/c"),
    "a file of another skill": (with_change(path="other/SKILL.md"), "other"),
    "an archive above": (with_payload(archives=[".."]), ".."),
    "an archive that is not pinned": (with_payload(archives=["other"]), "put away"),
    "bytes that are none": (with_change(after={"base64": "%%%"}), ""),
    "a file that is a number": (with_change(after=7), ""),
}

UNFIT: dict[str, Spoil] = {
    "no frontmatter": with_change(after="Do it.\n"),
    "another name": with_change(after=text("other")),
    "too long": with_change(after=text("deploy", "x" * 100_001)),
    "the guard's": with_change(after=text("deploy", "evil\n")),
    "nearly SKILL.md": with_change(path="deploy/skill.md", before=None, after="notes\n"),
    "SKILL.md goes": with_change(after=None),
    "before is made up": with_change(before=text("deploy", "Otherwise.\n")),
    "an archive that is not there": lambda desk, name: desk.alter(
        name,
        payload={**desk.fields(name)["payload"], "archives": ["other"]},
        pins={**desk.fields(name)["pins"], "other/SKILL.md": digest(b"x")},
    ),
}


@pytest.fixture
def desk(tmp_path: Path) -> SkillDesk:
    desk = SkillDesk(tmp_path)
    desk.save(create("deploy"))
    return desk


@pytest.mark.parametrize("case", SPOILT)
def test_what_cannot_be_trusted_is_never_carried_out_and_can_be_rejected(desk: SkillDesk, case: str) -> None:
    spoil, reason = SPOILT[case]
    good = desk.stage(create("tidy"))
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    spoil(desk, name)
    left, before = desk.file(name).read_bytes(), desk.tree()

    assert desk.waiting() == [good]
    assert desk.pendings.ids() == sorted([good, name])
    assert reason in desk.broken()[name]
    resolution = desk.approve(name)
    assert isinstance(resolution, Kept)
    assert reason in resolution.why
    assert desk.file(name).read_bytes() == left
    assert desk.tree() == before

    assert desk.resolver.reject(name, ADA) == Rejected(name, None)
    assert desk.names() == [f"{good}.json"]
    late = desk.approve(name, BOB)
    assert isinstance(late, Decided)
    assert (late.receipt.result, late.receipt.who) == ("rejected", ADA)
    assert desk.tree() == before


@pytest.mark.parametrize("case", UNFIT)
def test_what_no_wish_could_have_done_is_not_done_by_hand_either(desk: SkillDesk, case: str) -> None:
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    UNFIT[case](desk, name)
    left, before = desk.file(name).read_bytes(), desk.tree()
    resolution = desk.approve(name)
    assert isinstance(resolution, Kept), resolution
    assert resolution.why
    assert (desk.tree(), desk.tree(archive=True)) == (before, {})
    assert desk.file(name).read_bytes() == left
    assert isinstance(desk.resolver.reject(name, ADA), Rejected)


def test_the_words_about_a_change_are_ours_and_not_the_file_s(desk: SkillDesk) -> None:
    name = desk.stage(delete("deploy"))
    payload = {**desk.fields(name)["payload"], "actions": ["create"]}
    desk.alter(name, gist="create 'tea'", action="create", id="00000000", skills=["tea"], payload=payload)
    found = desk.get(name)
    assert (found.id, found.gist, found.action) == (name, "delete 'deploy' (1 file)", "delete")
    assert found.draft.names == ("deploy",)


def test_a_change_by_hand_that_fits_is_what_is_shown_and_carried_out(desk: SkillDesk) -> None:
    name = desk.stage(patch("deploy", "copy it", "ship it"))
    with_change(after=text("deploy", "Otherwise.\n"))(desk, name)
    assert desk.get(name).gist == "patch 'deploy' SKILL.md (+1/-2)"
    desk.approved(name)
    assert desk.body("deploy") == "Otherwise.\n"


def test_a_link_that_leads_out_is_not_written_through(desk: SkillDesk) -> None:
    outside = desk.folder / "outside"
    outside.mkdir()
    name = desk.stage(write("deploy", "references/how.md", "how\n"))
    (desk.skills / "deploy" / "references").symlink_to(outside)
    assert isinstance(desk.approve(name), Kept)
    assert list(outside.iterdir()) == []
    assert isinstance(desk.resolver.reject(name, ADA), Rejected)


def test_a_link_in_a_change_s_place_is_not_followed(desk: SkillDesk) -> None:
    name = desk.stage(create("tidy"))
    path = desk.file(name)
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))
    assert list(desk.broken()) == [name]
    assert isinstance(desk.approve(name), Kept)
    assert "tidy/SKILL.md" not in desk.tree()
    assert desk.resolver.reject(name, ADA) == Rejected(name, None)
