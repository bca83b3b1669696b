"""Reads the corpus beside it: one wish, or one text that only sounds like it, a line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sample:
    """`kind` is keep, change, forget or none; `about` a part that what is kept must hold, empty when not judged."""

    id: str
    lang: str
    kind: str
    text: str
    about: str


def samples(half: str) -> list[Sample]:
    """The half that is seen, or the one that is held out and serves figures alone."""
    lines = (Path(__file__).parent / f"requests_{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Sample(**json.loads(line)) for line in lines if line.strip()]


def says(about: str, part: str) -> bool:
    """Whether the part stands in it, whatever the case and the spaces."""
    return " ".join(part.casefold().split()) in " ".join(about.casefold().split())
