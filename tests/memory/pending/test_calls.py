"""Calls that wait: one readable file each, decided once, and never given out twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.files import FileTrouble
from memory.model import Author, Origin
from memory.pending.call_model import PendingCall, dump, load
from memory.pending.call_resolve import CallResolver, Ordered
from memory.pending.call_store import LONGEST, Aside, PendingCalls
from memory.pending.fields import Unusable
from memory.pending.outcomes import Approved, Decided, Rejected
from memory.pending.receipts import Receipts
from memory.spellings import Sought

AUTHOR = Author(Origin.FOREGROUND, "s1", "turn:3", chat="telegram:111", speaker="telegram:111")


def call(name: str, word: str = "inn", author: Author = AUTHOR) -> PendingCall:
    return PendingCall(name, author, 1_800_000_000.5, "fake", "write", "mcp_fake_write", {"word": word})


def resolver(folder: Path) -> CallResolver:
    return CallResolver(PendingCalls(folder), Receipts(folder / "decided.jsonl"), lambda: 1_800_000_100.0)


def test_its_file_comes_back_as_it_was() -> None:
    given = call("0a1b2c3d", "ein \u2028 Wort")
    back = load(dump(given), given.id)
    assert (back.arguments, back.server, back.tool, back.created_at) == (
        given.arguments,
        given.server,
        given.tool,
        given.created_at,
    )
    assert json.loads(dump(given))["payload"]["arguments"] == {"word": "ein \u2028 Wort"}
    lying = json.loads(dump(given)) | {"gist": "harmless"}
    assert load(json.dumps(lying), given.id).gist.startswith("fake: write {")


@pytest.mark.parametrize(
    "sign", ["\u202e", "\u2066", "\u200b", "\U000e0041", "\x7f", "\x9b", "\u2028", "\u2029", "\x85", "\ufeff"]
)
def test_nothing_in_it_is_hidden_from_who_decides(sign: str) -> None:
    given = call("0a1b2c3d", f"list{sign}--delete Émile שלום 👩\u200d🚀")
    assert sign not in given.shown
    assert sign not in given.gist
    assert json.loads(given.shown) == given.arguments
    assert "--delete Émile שלום 👩\u200d🚀" in given.shown
    assert json.loads(dump(given))["payload"]["arguments"] == given.arguments


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "memory"},
        {"payload": {}},
        {"payload": {"server": "s", "tool": "t", "offered": "o", "direct": True, "arguments": []}},
        {"payload": {"server": "", "tool": "t", "offered": "o", "direct": True, "arguments": {}}},
        {"payload": {"server": "s", "tool": "t", "offered": "o", "direct": "yes", "arguments": {}}},
        {"created_at": "never"},
    ],
)
def test_what_is_no_call_is_not_carried_out(change: dict[str, object]) -> None:
    with pytest.raises(Unusable):
        load(json.dumps(json.loads(dump(call("0a1b2c3d"))) | change), "0a1b2c3d")


def test_the_same_call_waits_once_and_none_is_too_long(tmp_path: Path) -> None:
    calls = PendingCalls(tmp_path)
    first = calls.put(call)
    assert isinstance(first, Aside)
    assert first.fresh
    assert calls.put(call) == Aside(first.id, fresh=False)
    assert isinstance(calls.put(lambda name: call(name, author=Author(Origin.FOREGROUND, "s2"))), Aside)
    assert len(calls.waiting()) == 2
    assert "too long" in str(calls.put(lambda name: call(name, "x" * LONGEST)))


def test_approved_it_is_given_out_once(tmp_path: Path) -> None:
    decides = resolver(tmp_path)
    put = decides.calls.put(call)
    assert isinstance(put, Aside)
    approved = decides.approve(put.id, "telegram:1")
    assert isinstance(approved, Approved)
    assert approved.outcome == Ordered(put.id)
    assert isinstance(decides.approve(put.id, "telegram:2"), Decided)
    decided = decides.calls.decided
    assert decided.ids("json") == [put.id]
    taken = decided.take(put.id)
    assert taken is not None
    assert taken.arguments == {"word": "inn"}
    assert decided.take(put.id) is None
    assert decided.ids("running") == [put.id]
    decided.end(put.id, "wrote inn", ok=True)
    ended = decided.ended(put.id)
    assert ended is not None
    assert ended[1:] == ("wrote inn", True)
    decided.forget(put.id)
    assert not decided.known(put.id)
    assert isinstance(decides.approve(put.id, "telegram:1"), Decided)


def test_a_decider_that_died_after_its_order_is_made_up_for(tmp_path: Path) -> None:
    decides = resolver(tmp_path)
    put = decides.calls.put(call)
    assert isinstance(put, Aside)
    with decides.calls.claimed(put.id, "approve", "telegram:1") as claim:
        assert claim is not None
        decides.calls.decided.approve(claim.write, "telegram:1")  # type: ignore[arg-type]
    assert any("is in place" in line for line in decides.mend())
    assert isinstance(decides.approve(put.id, "telegram:2"), Decided)
    assert decides.calls.decided.ids("json") == [put.id]


def test_turned_down_its_session_is_told_once(tmp_path: Path) -> None:
    decides = resolver(tmp_path)
    put = decides.calls.put(call)
    assert isinstance(put, Aside)
    assert isinstance(decides.reject(put.id, "telegram:1"), Rejected)
    decided = decides.calls.decided
    (turned,) = decided.turned_down("s1")
    assert (turned.call.id, turned.who) == (put.id, "telegram:1")
    assert decided.turned_down("s2") == []
    decided.told([put.id])
    assert decided.turned_down("s1") == []
    assert decided.ids("json") == []


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "\x00\xff"])
def test_files_that_are_none_do_no_harm(tmp_path: Path, text: str) -> None:
    decided = resolver(tmp_path).calls.decided
    for folder in ("approved", "rejected"):
        (tmp_path / folder).mkdir()
    (tmp_path / "approved" / "0a1b2c3d.json").write_text(text)
    (tmp_path / "approved" / "0a1b2c3e.done").write_text(text)
    (tmp_path / "rejected" / "0a1b2c3f.json").write_text(text)
    (tmp_path / "approved" / "0a1b2c40.running").write_text(text)
    decided.end("0a1b2c40", "Nobody knows.", ok=False)
    assert decided.ids("running") == []
    assert decided.take("0a1b2c3d") is None
    assert decided.ended("0a1b2c3e") is None
    assert decided.turned_down("s1") == []
    assert decided.take("../../etc") is None


def test_what_was_decided_holds_what_was_asked_for_and_what_came_of_it(tmp_path: Path) -> None:
    decided, sought = PendingCalls(tmp_path).decided, Sought(["code 7391"])
    for name, word in (
        ("00000001", "code 7391"),
        ("00000002", "inn"),
        ("00000003", "code 7391"),
        ("00000004", "inn"),
    ):
        decided.approve(call(name, word), "ada")
    decided.reject(call("00000005", "the code 7391"), "ada")
    for name in ("00000003", "00000004"):
        assert decided.take(name) is not None
    decided.end("00000004", "The code 7391 was written.", ok=True)
    held = [path.stem for path in decided.files() if decided.holds(path, sought)]
    assert held == ["00000001", "00000003", "00000004", "00000005"]
    assert not any(decided.holds(path, Sought(["word", "payload", "telegram"])) for path in decided.files())


def test_a_call_whose_file_went_while_it_was_made_leaves_nothing_to_tell(tmp_path: Path) -> None:
    decided = PendingCalls(tmp_path).decided
    decided.approve(call("00000001"), "ada")
    assert decided.take("00000001") is not None
    for path in decided.files():
        path.unlink()
    decided.end("00000001", "The code 7391 was written.", ok=True)
    assert decided.ended("00000001") is None
    decided.forget("00000001")
    assert decided.files() == []


def test_what_is_no_file_of_a_call_is_said_to_be_none(tmp_path: Path) -> None:
    decided = PendingCalls(tmp_path).decided
    (tmp_path / "approved").mkdir(parents=True)
    broken, link = tmp_path / "approved" / "00000001.done", tmp_path / "approved" / "00000002.json"
    broken.write_text("{")
    link.symlink_to(broken)
    for path in (broken, link):
        with pytest.raises(FileTrouble, match=path.name):
            decided.holds(path, Sought(["7391"]))
    assert not decided.holds(tmp_path / "approved" / "00000003.json", Sought(["7391"]))
