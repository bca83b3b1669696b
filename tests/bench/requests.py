"""How well wishes to keep, change and forget are told from other talk, by language and kind: on the half of the
corpus that the rules were written against (seen), and on the half that nobody looked at (held). And the time that it
takes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from gateway.agent.requests import recognise
from tests.agent.corpus import Sample, samples, says
from tests.bench.figures import milliseconds

ROUNDS = 5
PASTE = "The meeting went on and nobody knew why it had been called at all. " * 1500


@dataclass(frozen=True, slots=True)
class Judged:
    """A sample and what was made of it; empty for no wish."""

    sample: Sample
    kind: str
    about: str

    @property
    def wish(self) -> bool:
        return self.sample.kind != "none"


def judged(half: str) -> list[Judged]:
    results = []
    for sample in samples(half):
        request = recognise(sample.text)
        results.append(Judged(sample, request.kind.value if request else "", request.about if request else ""))
    return results


async def rows() -> list[tuple[str, str]]:
    printed: list[tuple[str, str]] = []
    for half in ("seen", "held"):
        results = judged(half)
        printed.append((f"requests, {half}, all", _rates(results)))
        for word, of in (("language", _language), ("kind", _kind)):
            for name in sorted({of(each) for each in results}):
                part = [each for each in results if of(each) == name]
                printed.append((f"requests, {half}, {word} {name}", _rates(part)))
    return [*printed, *_times()]


def _language(each: Judged) -> str:
    return each.sample.lang


def _kind(each: Judged) -> str:
    return each.sample.kind


def _rates(results: Sequence[Judged]) -> str:
    """Misses among wishes, false alarms among the rest, and of what was recognised: the right kind, the matter."""
    wishes = [each for each in results if each.wish]
    others = [each for each in results if not each.wish]
    found = [each for each in wishes if each.kind]
    told = [each for each in found if each.sample.about]
    parts = (
        ("missed", sum(not each.kind for each in wishes), len(wishes)),
        ("false alarms", sum(bool(each.kind) for each in others), len(others)),
        ("right kind", sum(each.kind == each.sample.kind for each in found), len(found)),
        ("right matter", sum(says(each.about, each.sample.about) for each in told), len(told)),
    )
    return ", ".join(f"{name} {count}/{of} ({count / of:.1%})" for name, count, of in parts if of)


def _times() -> list[tuple[str, str]]:
    texts = [each.text for each in samples("seen")]
    took = [_timed(text) for _ in range(ROUNDS) for text in texts]
    pasted = [_timed(PASTE) for _ in range(ROUNDS)]
    return [
        ("requests, one message", milliseconds(took)),
        (f"requests, a paste of {len(PASTE):,} characters", milliseconds(pasted)),
    ]


def _timed(text: str) -> float:
    began = time.perf_counter()
    recognise(text)
    return time.perf_counter() - began
