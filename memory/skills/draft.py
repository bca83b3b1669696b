"""A draft in a few words, and as JSON that people can read (pure). What is read back is judged by `edits.objection`
before anything is done with it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

from memory.skills.diff import counts
from memory.skills.model import SKILL_FILE, FileChange, SkillAction, SkillDraft, digest

_PATH = 60


def drafted(
    changes: Sequence[FileChange],
    actions: Sequence[SkillAction],
    archives: Sequence[str] = (),
    pins: Mapping[str, str | None] | None = None,
    notes: Sequence[str] = (),
) -> SkillDraft:
    """A draft with what follows from its parts: gist and names. Without `pins`, those of the changes."""
    known = pins if pins is not None else {each.path: digest(each.before) for each in changes}
    names = dict.fromkeys([*(each.rpartition("/")[2] for each in archives), *(each.name for each in changes)])
    distinct = tuple(dict.fromkeys(actions))
    words = gist(changes, distinct, archives, known)
    return SkillDraft(tuple(changes), words, tuple(names), distinct, tuple(archives), dict(known), tuple(notes))


def gist(
    changes: Sequence[FileChange],
    actions: Sequence[SkillAction],
    archives: Sequence[str],
    pins: Mapping[str, str | None],
) -> str:
    """What a draft does, on one line: `patch 'deploy' SKILL.md (+4/-1)`. It is told from the files, not from what the
    draft says of itself, but for the choice between patch and edit."""
    parts = []
    for folder in archives:
        files = sum(1 for path in pins if path.startswith(f"{folder}/"))
        name = folder.rpartition("/")[2]
        parts.append(f"{SkillAction.DELETE.value} '{name}' ({files} file{'' if files == 1 else 's'})")
    for change in changes:
        if not (change.after is None and change.skill in archives):
            added, taken = counts(change.before, change.after)
            verb = _verb(change, actions).value
            parts.append(f"{verb} '{change.name}' {_short(change.file)} (+{added:,}/-{taken:,})")
    if not parts:
        return "nothing"
    more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
    return parts[0] + more


def draft_fields(draft: SkillDraft) -> dict[str, object]:
    """A draft for a JSON file: texts as they are, other bytes as {"base64": …}."""
    return {
        "actions": [each.value for each in draft.actions],
        "archives": list(draft.archives),
        "changes": [
            {"skill": each.skill, "path": each.path, "before": _kept(each.before), "after": _kept(each.after)}
            for each in draft.changes
        ],
        "pins": dict(draft.pins),
        "notes": list(draft.notes),
    }


def draft_from(fields: Mapping[str, object]) -> SkillDraft:
    """The inverse of `draft_fields`; gist and names are made anew, since people decide by them. Raises ValueError,
    KeyError, TypeError."""
    changes = [
        FileChange(_text(each["path"]), _bytes(each["before"]), _bytes(each["after"]), _text(each["skill"]))
        for each in map(_object, _list(fields["changes"]))
    ]
    archives = [_text(each) for each in _list(fields["archives"])]
    actions = [SkillAction(_text(each)) for each in _list(fields.get("actions", []))]
    pins = {path: None if pin is None else _text(pin) for path, pin in _object(fields["pins"]).items()}
    if not changes and not archives:
        raise ValueError("it has no changes")
    return drafted(changes, actions, archives, pins, [_text(each) for each in _list(fields.get("notes", []))])


def _verb(change: FileChange, actions: Sequence[SkillAction]) -> SkillAction:
    if change.file == SKILL_FILE:
        if change.before is None:
            return SkillAction.CREATE
        rewritten = SkillAction.EDIT in actions and SkillAction.PATCH not in actions
        return SkillAction.EDIT if rewritten else SkillAction.PATCH
    if change.after is None:
        return SkillAction.REMOVE_FILE
    patched = change.before is not None and SkillAction.WRITE_FILE not in actions
    return SkillAction.PATCH if patched else SkillAction.WRITE_FILE


def _short(path: str) -> str:
    return path if len(path) <= _PATH else "…" + path[1 - _PATH :]


def _kept(data: bytes | None) -> object:
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _bytes(kept: object) -> bytes | None:
    match kept:
        case None:
            return None
        case str():
            return kept.encode("utf-8")
        case {"base64": str() as coded}:
            return base64.b64decode(coded, validate=True)
        case _:
            raise ValueError("the content of a file is neither text nor base64")


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError("what should be an object is none")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise ValueError("what should be a list is none")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("what should be a text is none")
    return value
