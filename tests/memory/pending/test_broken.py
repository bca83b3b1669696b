"""Files that people or older programs left where writes wait: never carried out, never lost, said what is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory.model import Reason, Refused
from memory.pending.resolve import Decided, Kept, Rejected, Unknown
from tests.memory.pending.desk import ADA, BOB, MEMORY, USER, Desk
from tests.memory.shelf import BY, add, patch, remove

Spoil = Callable[[Desk, str], object]


def change(action: str, before: str | None, after: str | None) -> dict[str, Any]:
    return {"action": action, "at": 0, "before": before, "after": after}


def with_changes(*changes: object, pins: object = ("tea",)) -> Spoil:
    return lambda desk, name: desk.alter(name, payload={"file": "MEMORY.md", "changes": list(changes)}, pins=pins)


def with_file(file: object) -> Spoil:
    return lambda desk, name: desk.alter(name, payload={**desk.fields(name)["payload"], "file": file})


def with_fields(**fields: object) -> Spoil:
    return lambda desk, name: desk.alter(name, **fields)


def without(field: str) -> Spoil:
    def spoil(desk: Desk, name: str) -> None:
        fields = desk.fields(name)
        del fields[field]
        desk.file(name).write_text(json.dumps(fields), encoding="utf-8")

    return spoil


def with_text(data: bytes) -> Spoil:
    return lambda desk, name: desk.file(name).write_bytes(data)


PATCH = change("patch", "tea", "green tea")
NESTED = b"[" * 100_000
SPOILT: dict[str, tuple[Spoil, str]] = {
    "no pins": (with_fields(pins=[]), "does not record"),
    "pins left out": (without("pins"), "does not record"),
    "another pin": (with_fields(pins=["coffee"]), "does not record"),
    "pins that are none": (with_fields(pins=[7]), "pins"),
    "pins that are a text": (with_fields(pins="tea"), "pins"),
    "no JSON": (with_text(b"{"), "not JSON"),
    "empty": (with_text(b""), "not JSON"),
    "nested without end": (with_text(NESTED), "not JSON"),
    "a list": (with_text(b"[]"), "not an object"),
    "another encoding": (with_text('{"gist": "Café"}'.encode("latin-1")), "UTF-8"),
    "sixteen bits": (with_text("{}".encode("utf-16")), "UTF-8"),
    "half a character": (with_changes(change("add", None, "tea \ud800"), pins=[]), "half a character"),
    "half a character in a name": (with_fields(author="\ud800"), "half a character"),
    "no payload": (without("payload"), "payload"),
    "no changes": (with_changes(), "changes"),
    "an add of nothing": (with_changes(change("add", None, None)), "does not fit"),
    "an add that replaces": (with_changes(change("add", "tea", "milk")), "does not fit"),
    "a patch that removes": (with_changes(change("patch", "tea", None)), "does not fit"),
    "a patch that adds": (with_changes(change("patch", None, "milk")), "does not fit"),
    "a patch of nothing": (with_changes(change("patch", "tea", "tea")), "does not fit"),
    "a removal that writes": (with_changes(change("remove", "tea", "milk")), "does not fit"),
    "a removal of nothing": (with_changes(change("remove", None, None)), "does not fit"),
    "one good and one bad": (with_changes(PATCH, change("remove", "tea", "milk")), "does not fit"),
    "an unknown action": (with_changes(change("replace", "tea", "milk")), "replace"),
    "a change that is a text": (with_changes("add tea"), ""),
    "an unknown origin": (with_fields(origin="god"), "god"),
    "an unknown store": (with_fields(target="soul"), "soul"),
    "another kind": (with_fields(kind="skills"), "memory"),
    "the other store's file": (with_fields(target="user"), "MEMORY.md"),
    "flags that are a text": (with_fields(flags="untrusted:web"), "flags"),
    "a chat that is a number": (with_fields(chat=7), "chat"),
    "a session that is a list": (with_fields(session=[]), "session"),
    "no time": (without("created_at"), "created_at"),
    "a time that is none": (with_fields(created_at="yesterday"), "yesterday"),
    "a time before time": (with_fields(created_at="0001-01-01T00:00:00"), ""),
    "a file above": (with_file("../x.md"), "../x.md"),
    "a file elsewhere": (with_file("/etc/x.md"), "/etc/x.md"),
    "a file in a detour": (with_file("people/../MEMORY.md"), "people"),
    "the same file otherwise": (with_file("./MEMORY.md"), "./MEMORY.md"),
    "no memory file": (with_file("journal.jsonl"), "journal"),
    "a file with a zero": (with_file("a\0.md"), "no memory file"),
    "a file that is a number": (with_file(7), "7"),
}


@pytest.fixture
def tea(desk: Desk) -> Desk:
    desk.save(add("tea"))
    return desk


@pytest.mark.parametrize("case", SPOILT)
def test_what_cannot_be_trusted_is_never_carried_out_and_can_be_rejected(tea: Desk, case: str) -> None:
    spoil, reason = SPOILT[case]
    good = tea.stage(add("milk"))
    name = tea.stage(patch("tea", "green tea"))
    spoil(tea, name)
    left = tea.file(name).read_bytes()

    assert tea.waiting() == [good]
    assert tea.pendings.ids() == sorted([good, name])
    assert reason in tea.broken()[name]
    for resolution in (tea.approve(name), tea.resolver.edit(name, "milk", ADA)):
        assert isinstance(resolution, Kept)
        assert reason in resolution.why
    assert tea.file(name).read_bytes() == left
    assert tea.entries() == ["tea"]

    assert tea.resolver.reject(name, ADA) == Rejected(name, None)
    assert tea.names() == [f"{good}.json"]
    decided = tea.approve(name, BOB)
    assert isinstance(decided, Decided)
    assert (decided.receipt.result, decided.receipt.who) == ("rejected", ADA)
    assert tea.entries() == ["tea"]


def test_a_removal_without_a_pin_is_never_carried_out(tea: Desk) -> None:
    name = tea.stage(remove("tea"))
    tea.alter(name, pins=[])
    assert isinstance(tea.approve(name), Kept)
    assert tea.entries() == ["tea"]


def test_the_words_about_a_write_are_ours_and_not_the_files(tea: Desk) -> None:
    name = tea.stage(remove("tea"))
    tea.alter(name, gist="add «milk»", action="add", id="00000000")
    write = tea.get(name)
    assert (write.id, write.gist, write.action) == (name, "remove «tea»", "remove")


def test_a_change_by_hand_that_fits_is_what_is_shown_and_carried_out(tea: Desk) -> None:
    name = tea.stage(add("milk"))
    tea.alter(name, payload={"file": "MEMORY.md", "changes": [change("add", None, "oat milk")]})
    assert "oat milk" in tea.get(name).gist
    tea.approved(name)
    assert tea.entries() == ["tea", "oat milk"]


@pytest.mark.parametrize("text", ["a\n§\nb", "", "  ", "evil"])
def test_a_text_by_hand_passes_the_checks_or_waits_on(tea: Desk, text: str) -> None:
    name = tea.stage(add("milk"))
    tea.alter(name, payload={"file": "MEMORY.md", "changes": [change("add", None, text)]})
    assert isinstance(tea.approve(name), Kept)
    assert tea.entries() == ["tea"]
    assert tea.pendings.ids() == [name]


@pytest.mark.parametrize("text", ["a\r\nb", "\n\na", "a\n\n", "\ufeffa"])
def test_a_text_that_would_not_come_back_the_same_is_not_kept(tea: Desk, text: str) -> None:
    """What the journal says was kept must be what stands in the file."""
    name = tea.stage(add("milk"))
    tea.alter(name, payload={"file": "MEMORY.md", "changes": [change("add", None, text)]})
    assert isinstance(tea.approve(name), Kept)
    assert tea.entries() == ["tea"]


def test_a_file_of_another_person_that_is_a_link_out_of_the_folder_is_refused(desk: Desk) -> None:
    others = desk.shelf.of({USER: "people/telegram-2.md"})
    others.apply(USER, [add("Bob")], BY)
    [name] = desk.waiting()
    (desk.folder / "memories" / "people").mkdir(parents=True)
    (desk.folder / "goal.md").write_text("secret", encoding="utf-8")
    (desk.folder / "memories" / "people" / "telegram-2.md").symlink_to(desk.folder / "goal.md")
    resolution = desk.approve(name)
    assert isinstance(resolution, Kept)
    assert "leads out" in resolution.why
    assert desk.waiting() == [name]
    assert (desk.folder / "goal.md").read_text(encoding="utf-8") == "secret"
    assert isinstance(desk.resolver.reject(name, ADA), Rejected)


# Files that are no files


def _link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def _dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("spoil", [_link, _dangling, _pipe])
def test_a_link_or_a_pipe_in_a_writes_place_is_not_followed(tea: Desk, spoil: Callable[[Path], None]) -> None:
    name = tea.stage(add("milk"))
    spoil(tea.file(name))
    assert tea.waiting() == []
    assert list(tea.broken()) == [name]
    for resolution in (tea.approve(name), tea.resolver.edit(name, "milk", ADA)):
        assert isinstance(resolution, Kept)
        assert resolution.why
    assert tea.entries() == ["tea"]
    assert tea.resolver.reject(name, ADA) == Rejected(name, None)
    assert not tea.file(name).is_symlink()
    assert not tea.file(name).exists()
    assert isinstance(tea.approve(name), Decided)


def test_a_folder_in_a_writes_place_stays_and_is_told(tea: Desk) -> None:
    tea.file("1f2e3d4c").mkdir(parents=True)
    assert list(tea.broken()) == ["1f2e3d4c"]
    assert isinstance(tea.approve("1f2e3d4c"), Kept)
    assert isinstance(tea.resolver.reject("1f2e3d4c", ADA), Kept)
    assert tea.names() == ["1f2e3d4c.json"]
    other = tea.stage(add("milk"))
    tea.approved(other)
    assert tea.entries() == ["tea", "milk"]


@pytest.mark.parametrize(
    "name", ["", "1f2e3d4", "1F2E3D4C", "../1f2e3d4c", "/etc/passwd", "1f2e3d4c.json", "a\0b", "*", "ü" * 8]
)
def test_a_name_that_is_no_id_leads_nowhere(tea: Desk, name: str) -> None:
    outside = tea.folder / "pending" / "1f2e3d4c.json"
    kept = tea.stage(add("milk"))
    outside.write_bytes(tea.file(kept).read_bytes())
    for resolution in (tea.approve(name), tea.resolver.reject(name, ADA), tea.resolver.edit(name, "x", ADA)):
        assert resolution == Unknown(name)
    assert tea.pendings.get(name) is None
    assert outside.exists()
    assert tea.waiting() == [kept]


def test_a_refusal_of_the_scan_can_be_rejected_even_for_a_broken_store(tea: Desk) -> None:
    name = tea.stage(add("milk"))
    tea.path(MEMORY).write_bytes(b"\xff")
    resolution = tea.approve(name)
    assert isinstance(resolution, Kept)
    assert "UTF-8" in resolution.why
    assert tea.waiting() == [name]
    assert isinstance(tea.resolver.reject(name, ADA), Rejected)
    outcome = tea.do(add("x"))
    assert isinstance(outcome, Refused)
    assert outcome.reason is Reason.UNREADABLE
