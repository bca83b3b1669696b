"""The scan itself: what a text holds that must not reach a prompt, and whether a write would bring such a thing in.

Which phrases are meant is in `memory.scan.rules`, what is invisible in `memory.scan.characters`. A finding quotes the
raw text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.model import Draft, Reason, Refused
from memory.scan.characters import unseen
from memory.scan.folding import Folded, views
from memory.scan.rule import Hit, Within
from memory.scan.rules import hits, knows

_QUOTE = 80
_CONTEXT = 12
_TOGETHER = 75
_NEIGHBOURS = 2
"""Entries on either side that can be part of what a change says together with them."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a text breaks, the place that breaks it, to the letter, and one sentence that says what is bad."""

    rule: str
    span: str
    why: str


def scan(text: str) -> tuple[Finding, ...]:
    """What is wrong with one text, in the order of the rules; empty when nothing is."""
    return tuple(dict.fromkeys([*_characters(text), *_phrases(text)]))


def scan_entries(entries: Sequence[str]) -> tuple[Finding, ...]:
    """What is wrong with each of the entries, and with what they say when they are read one after the other."""
    single = [finding for entry in entries for finding in scan(entry)]
    return tuple(dict.fromkeys([*single, *_across(entries)]))


def verdict(entry: str) -> str | None:
    """The name of the first rule that the entry breaks."""
    return next((finding.rule for finding in scan(entry)), None)


def check(draft: Draft) -> Refused | None:
    """The refusal of a write that brings something bad in, alone or together with what is kept.

    What was bad before does not count, so that it can be removed, and other things be written.
    """
    finding = next(_introduced(draft), None)
    if finding is None:
        return None
    return Refused(draft.target, Reason.SCAN, _message(finding))


def _introduced(draft: Draft) -> Iterator[Finding]:
    for change in draft.changes:
        if change.after is not None:
            found = scan(change.after)  # what was bad before is only looked up when something is bad now
            known = set(scan(change.before)) if found and change.before is not None else set()
            yield from (finding for finding in found if finding not in known)
    former, latter = _near(draft.before, draft.after)
    if not (after := _across(latter)):
        return
    before = _across(former)
    if any(change.after is not None for change in draft.changes):
        yield from (finding for finding in after if finding not in before)
        return
    # Where texts only go, the gap between those that stay may close; a known trouble may then read otherwise.
    more = Counter(finding.rule for finding in after) - Counter(finding.rule for finding in before)
    yield from (finding for finding in after if finding.rule in more and finding not in before)


def _near(before: Sequence[str], after: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Both states without what is the same at their ends, but for the nearest entries: no trouble reaches further."""
    start, shorter = 0, min(len(before), len(after))
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    first, last = max(0, start - _NEIGHBOURS), max(0, end - _NEIGHBOURS)
    return before[first : len(before) - last], after[first : len(after) - last]


def _message(finding: Finding) -> str:
    quoted = " ".join(finding.span.split())
    quoted = quoted if len(quoted) <= _QUOTE else quoted[: _QUOTE - 1] + "…"
    shown = "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in quoted)
    shown = shown if len(shown) <= _QUOTE else shown[: _QUOTE - 1] + "…"
    return (
        f"Not kept: the threat scan found “{shown}” (rule {finding.rule}). {finding.why} "
        "If it is meant well, write it differently: say the fact itself, without these words."
    )


def _characters(text: str) -> Iterator[Finding]:
    for found in unseen(text):
        around = text[max(0, found.start - _CONTEXT) : found.end + _CONTEXT]
        yield Finding(found.rule, around, found.why)


def _phrases(text: str) -> Iterator[Finding]:
    for view in _telling_views(text):
        for hit in hits(view.text):
            start, end = view.span(hit.start, hit.end)
            yield _finding(hit, text[start:end])


def _telling_views(text: str) -> Iterator[Folded]:
    """The plain reading, and those others that bring words to light of which rules speak. A word in the open brings
    none to light elsewhere: what counts is where it stands."""
    known: set[tuple[str, int]] = set()
    for number, view in enumerate(views(text)):
        words = {(word[0], view.origin[word.start()]) for word in re.finditer(r"\w+", view.text)}
        if number == 0 or any(map(knows, {word for word, _ in words - known})):
            yield view
        known |= words


def _finding(hit: Hit, span: str) -> Finding:
    return Finding(hit.rule.id, span, hit.rule.why)


def _across(entries: Sequence[str]) -> tuple[Finding, ...]:
    """What only the entries together say: findings that reach from one into the next."""
    if len(entries) < 2:
        return ()
    joined = " ".join(entries)
    borders = []
    at = 0
    for entry in entries[:-1]:
        at += len(entry)
        borders.append(at)
        at += 1
    found = []
    for view in _telling_views(joined):
        for hit in hits(view.text):
            start, end = view.span(hit.start, hit.end)
            reach = _across_reach(hit)
            if reach is None:
                continue
            first, last = view.span(*reach)
            if any(first <= border < last for border in borders):
                found.append(_finding(hit, joined[start:end]))
    return tuple(dict.fromkeys(found))


def _across_reach(hit: Hit) -> tuple[int, int] | None:
    """Between where the words of a rule may lie in different entries. Notes that only happen to follow each other
    need no full stop to be two things: what the rule quotes and what it needs beside must be close together."""
    if hit.end - hit.start > _TOGETHER:
        return None
    near = hit.reach_end - hit.reach_start <= _TOGETHER
    if hit.rule.within is Within.STEPS or (near and hit.rule.within is Within.SENTENCE):
        return hit.reach_start, hit.reach_end
    return hit.start, hit.end
