"""The transcripts in the documentation are what a chat really reads: each is played again, word for word."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Settings
from memory.gate import Facts, Rule, waits
from memory.model import Action, Origin
from platforms.in_process import Seen
from tests.conventions.source import ROOT
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.keeping import ENTRY, TEA, adds, removes, taps, write
from tests.scenarios.props import later

PAGES = ("memory.md", "approvals.md", "journey.md")
TRANSCRIPT = re.compile(r"^```transcript ([\w-]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MOMENT = 1_800_003_600.0
"""2027-01-15 09:00 UTC, which is where the machine's own zone would put another hour."""

NAMES = ("1f2e3d4c", "5a6b7c8d")
"""Ids as the pages have them, in the order in which they come up."""

ID = re.compile(r"\b[0-9a-f]{8}\b")
CLOCK = re.compile(r"2027-01-\d\d \d\d:\d\d")
GREEN = "Green tea it is."
NIGHTLY = "The backup runs at 02:00."
MOVED = {"target": "memory", "action": "patch", "old_text": "02:00", "content": "03:00"}
HOME: dict[str, Any] = {"owners": ["inprocess:ada"], "home_chats": ["inprocess:c1"]}
GATED: dict[str, Any] = {"memory": {"write_approval": True}, "access": HOME}


def rules(level: str = "on", **more: Any) -> Settings:
    return settings(display={"memory_notifications": level}, gateway={"timezone": "UTC"}, **more)


PLAYS: Mapping[str, tuple[Settings, Script]] = {
    "false-claim": (rules(), ["Saved!"]),
    "receipt": (rules(), [adds(ENTRY), "I will keep that in mind.", removes("nuts"), "Forgotten."]),
    "on": (rules(), [adds(TEA), GREEN]),
    "verbose": (rules("verbose"), [adds(TEA), GREEN]),
    "off": (rules("off"), [adds(TEA), GREEN, adds(ENTRY), "I will keep that in mind."]),
    "waits": (rules(**GATED), [adds(TEA), GREEN]),
    "card": (rules(**GATED), [Turn(calls=[("memory", MOVED)]), "I see."]),
    "journey": (rules("off"), [adds(TEA), GREEN]),
}


def transcripts() -> dict[str, str]:
    found = [TRANSCRIPT.findall((ROOT / "gateway/docs" / page).read_text("utf-8")) for page in PAGES]
    return dict(itertools.chain.from_iterable(found))


class Player:
    """Does what the person of a transcript does, and writes down what the chat reads."""

    def __init__(self, inn: Guesthouse, clock: FakeClock) -> None:
        self._inn = inn
        self._clock = clock
        self._seen = 0
        self.lines: list[str] = []

    async def plays(self, text: str) -> str:
        """The transcript as it comes out now."""
        for line in text.splitlines():
            if line.startswith("Ada: "):
                self.lines.append(line)
                await self._inn.adapter.reply_to(self._meant(line.removeprefix("Ada: ")))
            elif (tapped := re.fullmatch(r"Ada taps \[(.*)\]", line)) is not None:
                self.lines.append(line)
                await taps(self._inn, tapped[1])
            elif line == "(a minute later)":
                self.lines.append(line)
                before = len(self._inn.adapter.texts())
                await later(self._clock, lambda before=before: len(self._inn.adapter.texts()) > before, 5)  # type: ignore[misc]
            else:
                continue
            self._note()
        return _with_names("\n".join(self.lines)) + "\n"

    def _meant(self, words: str) -> str:
        """An order with the id that a page's name stands for."""
        real = list(dict.fromkeys(ID.findall("\n".join(self.lines))))
        ids = [each for each in real if each not in NAMES]
        for name, each in zip(NAMES, ids, strict=False):
            words = words.replace(name, each)
        return words

    def _note(self) -> None:
        new = self._inn.adapter.transcript()[self._seen :]
        self._seen += len(new)
        for seen in new:
            self.lines += [f"Innkeeper: {_shown(seen)}"]


def _shown(seen: Seen) -> str:
    rows = [" ".join(f"[{button.label}]" for button in row) for row in seen.buttons]
    text = [line for line in seen.text.split("\n") if not line.startswith("```")]
    if seen.file is not None:
        text = [" ".join(filter(None, (*text, f"📎 {seen.file.name}")))]
    return "\n  ".join([*text, *rows])


def _with_names(text: str) -> str:
    """Ids, places and times as the pages have them."""
    for name, each in zip(NAMES, [e for e in dict.fromkeys(ID.findall(text)) if e not in NAMES], strict=False):
        text = text.replace(each, name)
    text = text.replace("inprocess:c1", "telegram:111").replace("inprocess:ada", "telegram:111")
    # The clock is moved in steps: a card may come a step later.
    return CLOCK.sub("2027-01-15 09:00", re.sub(r"\b[1-3] min ago", "1 min ago", text))


def test_every_transcript_has_a_play() -> None:
    assert set(transcripts()) == set(PLAYS)


@pytest.mark.parametrize("name", PLAYS)
async def test_a_transcript_is_what_a_chat_reads(tmp_path: Path, name: str) -> None:
    with_settings, script = PLAYS[name]
    clock = FakeClock(MOMENT)
    if name == "card":
        await asyncio.to_thread(write, tmp_path, NIGHTLY, "MEMORY.md")
    async with guesthouse(tmp_path, script, clock=clock, with_memory=True, with_settings=with_settings) as inn:
        page = transcripts()[name]
        assert await Player(inn, clock).plays(page) == page


PLACES: Mapping[str, Facts] = {
    "a conversation on the console": Facts(Origin.FOREGROUND, frozenset({Action.ADD}), console=True),
    "a conversation on a messenger": Facts(Origin.FOREGROUND, frozenset({Action.ADD})),
    "an order (`/remember`, `/forget`, undo, a button) by an operator": Facts(
        Origin.COMMAND, frozenset({Action.REMOVE}), by_operator=True
    ),
    "an order by anybody else on a messenger": Facts(Origin.COMMAND, frozenset({Action.ADD})),
    "a review that adds": Facts(Origin.REVIEW, frozenset({Action.ADD}), console=True),
    "a review that changes or removes": Facts(Origin.REVIEW, frozenset({Action.PATCH}), console=True),
    "a job": Facts(Origin.CRON, frozenset({Action.ADD}), console=True),
    "a turn in which text from outside was read": Facts(
        Origin.FOREGROUND, frozenset({Action.ADD}), untrusted=True, console=True
    ),
}


def test_the_table_of_what_waits_is_the_gates() -> None:
    page = (ROOT / "gateway/docs/approvals.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line[:2] == "| "]
    told = {row[0]: row[1:] for row in rows if row[0] in PLACES}
    rule: tuple[Rule, ...] = (False, "auto", True)
    assert told == {
        place: ["waits" if waits(each, facts) else "at once" for each in rule] for place, facts in PLACES.items()
    }
