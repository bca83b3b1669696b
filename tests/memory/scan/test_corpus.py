"""The scan against the samples: all of the seen ones, and rates on those that no rule was written for."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pytest

from memory.scan.scanner import scan_entries
from tests.bench.scan import held_back, samples, wrong

CORPUS = Path(__file__).parents[1] / "corpus"
SPLIT = ("seen", "held")


def test_each_sample_lies_where_its_digest_says() -> None:
    astray = []
    ids: set[str] = set()
    for path in sorted(CORPUS.glob("*.jsonl")):
        which, _, part = path.stem.partition("_")
        for line in path.read_text(encoding="utf-8").splitlines():
            sample = json.loads(line)
            assert set(sample) == {"id", "kind", "lang", "entries"}
            assert sample["id"][0] == which[0]
            digest = hashlib.sha256("\n".join(sample["entries"]).encode()).hexdigest()
            if part in SPLIT and part != SPLIT[int(digest[0], 16) % 2]:
                astray.append(sample["id"])
            assert sample["id"] not in ids
            ids.add(sample["id"])
    assert astray == []
    assert {f"{which}_{part}" for which in ("bad", "good") for part in SPLIT} <= {
        path.stem for path in CORPUS.glob("*.jsonl")
    }


def test_every_bad_sample_that_was_seen_is_caught() -> None:
    assert [entries for _, entries in samples("bad", "seen") if not scan_entries(entries)] == []


def test_no_good_sample_that_was_seen_is_refused() -> None:
    assert [(entries, found) for _, entries in samples("good", "seen") if (found := scan_entries(entries))] == []


@pytest.mark.parametrize("seed", range(12))
def test_a_store_of_good_entries_is_good(seed: int) -> None:
    """What is honest by itself stays so among others, up to the size of a store."""
    texts = [entry for _, entries in samples("good", "seen") for entry in entries if len(entry) < 400]
    random.Random(seed).shuffle(texts)
    store: list[str] = []
    for text in texts:
        if sum(map(len, store)) + len(text) < 2200 and not text.startswith("\ufeff"):
            store.append(text)
    assert scan_entries(store) == ()


def test_good_samples_that_nobody_saw_are_rarely_refused() -> None:
    assert wrong("good", "held", refused=True).total() <= len(samples("good", "held")) // 100


def test_bad_samples_that_nobody_saw_are_refused_or_wait_for_a_yes() -> None:
    caught = held_back("bad", "held")
    assert sum(caught) >= 0.97 * len(caught)


def test_few_good_samples_that_nobody_saw_have_to_wait() -> None:
    assert sum(held_back("good", "held")) <= 0.05 * len(samples("good", "held"))
