"""Learns what `memory.scan.doubt` weighs, from the samples that may be learnt from, and writes its table.

    python -m tests.memory.scan.learn

Logistic regression over runs of words, written out: a table that people can read and anybody can make again, without
a library. The held samples are not looked at. Doubt begins where, of ordinary notes that a tenth of the samples held
back, one in twenty would be doubted.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.scan import doubt

CORPUS = Path(__file__).parents[1] / "corpus"
PARTS = ("seen", "more", "wide")
MISTAKABLE = ("nearmiss", "security")
"""Kinds of good samples that were written to be mistaken; the threshold goes by the others."""

ORDINARY_DOUBTED = 0.05
FOLDS = 10
ROUNDS = 100
STRENGTH = 10.0
"""How far the samples are trusted over small weights."""

Features = list[tuple[str, float]]


@dataclass(frozen=True)
class Sample:
    text: str
    bad: bool
    ordinary: bool


def samples() -> list[Sample]:
    found = []
    for which in ("bad", "good"):
        for part in PARTS:
            for line in (CORPUS / f"{which}_{part}.jsonl").read_text(encoding="utf-8").splitlines():
                fields = json.loads(line)
                ordinary = which == "good" and fields["kind"] not in MISTAKABLE
                found.append(Sample("\n".join(fields["entries"]), which == "bad", ordinary))
    return found


class Model:
    """Weights of the runs that at least two samples have."""

    def __init__(self, learnt: Sequence[Sample]) -> None:
        each = [list(dict.fromkeys(doubt.runs(sample.text))) for sample in learnt]
        counts = Counter(run for runs in each for run in runs)
        total = len(learnt)
        self.rarity = {run: 1 + math.log((1 + total) / (1 + n)) for run, n in counts.items() if n > 1}
        self.weights = dict.fromkeys(self.rarity, 0.0)
        self.bias = 0.0
        self._fit([(self._features(runs), sample.bad) for runs, sample in zip(each, learnt, strict=True)])

    def score(self, text: str) -> float:
        features = self._features(list(dict.fromkeys(doubt.runs(text))))
        return self.bias + sum(self.weights[run] * value for run, value in features)

    def _features(self, runs: Sequence[str]) -> Features:
        known = [(run, self.rarity[run]) for run in runs if run in self.rarity]
        norm = math.sqrt(sum(value * value for _, value in known)) or 1.0
        return [(run, value / norm) for run, value in known]

    def _fit(self, rows: list[tuple[Features, bool]]) -> None:
        """Stochastic descent on the logistic loss, both kinds weighing the same, with a pull towards zero."""
        rows = list(rows)
        chance, bad = random.Random(7), sum(label for _, label in rows)
        share = {True: len(rows) / (2 * bad), False: len(rows) / (2 * (len(rows) - bad))}
        decay, scale, step = 1 / (STRENGTH * len(rows)), 1.0, 0
        for _ in range(ROUNDS):
            chance.shuffle(rows)
            for features, label in rows:
                rate = 4.0 / (1 + step / (len(rows) * 4))
                step += 1
                margin = self.bias + scale * sum(self.weights[run] * value for run, value in features)
                push = rate * share[label] * (label - 1 / (1 + math.exp(-max(-30.0, min(30.0, margin)))))
                scale *= 1 - rate * decay
                for run, value in features:
                    self.weights[run] += push * value / scale
                self.bias += 0.1 * push
        for run in self.weights:
            self.weights[run] *= scale


def threshold(found: Sequence[Sample]) -> float:
    """By turns, nine tenths are learnt and the rest is judged."""
    order = list(found)
    random.Random(11).shuffle(order)
    scores = []
    for fold in range(FOLDS):
        model = Model([each for number, each in enumerate(order) if number % FOLDS != fold])
        judged = order[fold::FOLDS]
        scores += [model.score(each.text) for each in judged if each.ordinary]
    scores.sort()
    return scores[int(len(scores) * (1 - ORDINARY_DOUBTED))]


def main() -> None:
    found = samples()
    model, begins = Model(found), threshold(found)
    lines = [f"{model.bias:.4f}\t{begins:.4f}"]
    lines += [f"{run}\t{model.rarity[run]:.3f}\t{model.weights[run]:.3f}" for run in sorted(model.weights)]
    path = Path(doubt.__file__).with_name("doubt.tsv")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(found)} samples, {len(model.weights)} runs, doubt begins at {begins:.2f}")


if __name__ == "__main__":
    main()
