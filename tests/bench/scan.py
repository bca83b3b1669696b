"""The threat scan: how much that is bad it misses and how much that is good it refuses, and how long it takes."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

from memory.scan.doubt import doubt_entries
from memory.scan.scanner import scan_entries
from tests.bench.figures import milliseconds

CORPUS = Path(__file__).parents[1] / "memory" / "corpus"
STORE = 2200
ROUNDS = 20


async def rows() -> list[tuple[str, str]]:
    out = []
    for part in ("seen", "held"):
        out.append((f"threat scan, {part} samples, bad ones missed", _figure("bad", part, refused=False)))
        out.append((f"threat scan, {part} samples, good ones refused", _figure("good", part, refused=True)))
    out.append(("threat scan, held samples, bad ones neither refused nor held back", _unheld("bad")))
    out.append(("threat scan, held samples, good ones held back beside those refused", _held("good")))
    return [*out, (f"threat scan, a store of {STORE:,} characters", milliseconds(_times()))]


def samples(which: str, part: str) -> list[tuple[str, list[str]]]:
    """Kind and entries of each sample."""
    lines = (CORPUS / f"{which}_{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [(fields["kind"], fields["entries"]) for fields in map(json.loads, lines)]


def wrong(which: str, part: str, *, refused: bool) -> Counter[str]:
    """How many samples of each kind are refused, or are not."""
    return Counter(kind for kind, entries in samples(which, part) if bool(scan_entries(entries)) is refused)


def held_back(which: str, part: str) -> list[bool]:
    """Of each sample, whether it is refused, or waits because it is doubtful."""
    return [bool(scan_entries(each) or doubt_entries(each)) for _, each in samples(which, part)]


def _unheld(which: str) -> str:
    found = held_back(which, "held")
    return f"{found.count(False)} of {len(found)} ({found.count(False) / len(found):.1%})"


def _held(which: str) -> str:
    more = sum(held_back(which, "held")) - wrong(which, "held", refused=True).total()
    return f"{more} of {len(samples(which, 'held'))} ({more / len(samples(which, 'held')):.1%})"


def _figure(which: str, part: str, *, refused: bool) -> str:
    found, count = wrong(which, part, refused=refused), len(samples(which, part))
    kinds = ", ".join(f"{kind} {number}" for kind, number in found.most_common())
    return f"{found.total()} of {count} ({found.total() / count:.1%})" + (f": {kinds}" if kinds else "")


def _times() -> list[float]:
    """Of whole stores, put together from good samples."""
    times = []
    texts = [entry for _, entries in samples("good", "seen") for entry in entries if len(entry) < STORE // 4]
    for number in range(-1, ROUNDS):
        store: list[str] = []
        for entry in texts[number * 12 :] + texts:
            if sum(map(len, store)) + len(entry) <= STORE:
                store.append(entry)
        began = time.perf_counter()
        scan_entries(store)
        if number >= 0:
            times.append(time.perf_counter() - began)
    return times
