"""The transcripts of the page about reviews, on Telegram and on Discord, word for word: the application as it is put
together runs the reviews, and a scripted host thinks."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.conventions.source import ROOT
from tests.conventions.test_transcripts import ID, NAMES, TRANSCRIPT
from tests.fakes.openai_server import Step
from tests.memory.skills.pending_desk import text
from tests.scenarios.player.discord import discord_stage
from tests.scenarios.player.player import LOOK, PATIENCE, Player, playing
from tests.scenarios.player.props import keeps
from tests.scenarios.player.stage import Shown, Stage
from tests.scenarios.player.telegram import telegram_stage

PAGE = ROOT / "gateway/docs/reviews.md"
MOMENT = re.compile(r"20\d\d-\d\d-\d\d( at)? \d\d:\d\d")
REVIEW = "(a review looks back)"

SHORT = "Ada likes short answers."
SECOND = "The second host it is."
LISTS = Step(calls=[{"name": "skills_list", "arguments": {}}])
BOTH = Step(
    calls=[
        {"name": "memory", "arguments": {"target": "user", "action": "add", "content": SHORT}},
        {"name": "skill_manage", "arguments": {"action": "create", "name": "deploy", "content": text("deploy")}},
    ]
)
MOVES = {"target": "memory", "action": "patch", "old_text": "first", "content": "second"}
PATCH = Step(calls=[{"name": "memory", "arguments": MOVES}])

Lines = Sequence[Step | str]
FULL: Lines = [LISTS, SECOND, BOTH, "Kept an entry and a skill."]


def rules(level: str = "on", *, automatic: bool = True, **access: Any) -> dict[str, Any]:
    """Sections of config.yaml, by which a review that is due runs at once."""
    return {
        "memory": {"write_approval": False, "nudge_interval": 1},
        "skills": {"write_approval": False, "creation_nudge_interval": 1},
        "auxiliary": {"background_review": {"enabled": automatic, "defer": "never"}},
        "display": {"memory_notifications": level},
        **access,
    }


PLAYS: Mapping[str, tuple[dict[str, Any], Lines]] = {
    "on": (rules(), FULL),
    "verbose": (rules("verbose"), FULL),
    "off": (rules("off"), FULL),
    "waits": (rules(), ["Noted.", PATCH, "It waits."]),
    "refine": (rules("off", automatic=False), [SECOND, keeps(SHORT), "Kept one."]),
    "refine-nothing": (rules("off", automatic=False), ["Good evening, Ada.", "nothing"]),
}


def transcripts() -> dict[str, str]:
    return dict(TRANSCRIPT.findall(PAGE.read_text("utf-8")))


class Reading:
    """Does what the person of a transcript does on a stage, and writes down what the chat reads."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._seen: set[str] = set()
        self._reviews = 0
        self.lines: list[str] = []

    async def plays(self, page: str) -> str:
        """The transcript as it comes out now."""
        for step in re.split(r"^(?=Ada|\()", page, flags=re.MULTILINE):
            line, _, answer = step.partition("\n")
            if not line:
                continue
            self.lines.append(line)
            await self._does(line)
            await self._reads(answer.count("Innkeeper: "))
        self._note(self._new())
        return self._named("\n".join(self.lines)) + "\n"

    async def _does(self, line: str) -> None:
        if line == REVIEW:
            self._reviews += 1
            await self._until(self._is_over)
        elif (tapped := re.fullmatch(r"Ada taps \[(.*)\]", line)) is not None:
            await self._player.presses(tapped[1])
        else:
            await self._player.says(line.removeprefix("Ada: "))

    async def _reads(self, count: int) -> None:
        """The next so many messages. What came beside them belongs to a later line."""
        await self._until(lambda: len(self._new()) >= count)
        self._note(self._new()[:count])

    async def _is_over(self) -> bool:
        """The end of so many reviews is told, or was not worth telling."""
        return len(await self._player.house.store.facts.get("reviews", "told") or ()) >= self._reviews

    async def _until(self, holds: Callable[[], bool | Awaitable[bool]]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not (found if isinstance(found := holds(), bool) else await found):
                await asyncio.sleep(LOOK)

    def _new(self) -> list[Shown]:
        return [each for each in self._player.new() if each.id not in self._seen]

    def _note(self, read: Sequence[Shown]) -> None:
        for shown in read:
            self._seen.add(shown.id)
            buttons = [" ".join(f"[{label}]" for label in shown.buttons)]
            self.lines.append("\n  ".join(filter(None, [f"Innkeeper: {shown.text}".replace("\n", "\n  "), *buttons])))

    def _named(self, text: str) -> str:
        for name, each in zip(NAMES, [e for e in dict.fromkeys(ID.findall(text)) if e not in NAMES], strict=False):
            text = text.replace(each, name)
        return MOMENT.sub(lambda found: f"2027-01-15{found[1] or ''} 09:00", text)


async def replayed(stage: Stage, folder: Path, name: str) -> str:
    """A transcript of the page as it reads on this stage."""
    more, script = PLAYS[name]
    (folder / "memories").mkdir()
    (folder / "memories" / "MEMORY.md").write_text("Deploys go to the first host.")
    access = {"owners": [stage.owner]} if name == "waits" else {"owners": [stage.owner], "home_chats": [*stage.homes]}
    async with playing(stage, folder, {**more, "access": access}) as player:
        player.host.script.extend(Step(text=each) if isinstance(each, str) else each for each in script)
        read = await Reading(player).plays(transcripts()[name])
        assert not player.host.script, "the model was asked too few times"
    return read


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of a bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def test_every_transcript_has_a_play() -> None:
    assert set(transcripts()) == set(PLAYS)


@pytest.mark.parametrize("name", PLAYS)
async def test_on_telegram(tmp_path: Path, name: str) -> None:
    async with telegram_stage() as stage:
        assert await replayed(stage, tmp_path, name) == transcripts()[name]


@pytest.mark.parametrize("name", PLAYS)
async def test_on_discord(tmp_path: Path, name: str) -> None:
    async with discord_stage() as stage:
        assert await replayed(stage, tmp_path, name) == transcripts()[name]


async def test_the_list_tells_what_a_review_waits_for_and_what_it_came_to(tmp_path: Path) -> None:
    waits = {"background_review": {"defer": "always", "quiet_s": 3600}}
    async with telegram_stage() as stage:
        more = rules() | {"auxiliary": waits, "access": {"owners": [stage.owner], "home_chats": [*stage.homes]}}
        async with playing(stage, tmp_path, more) as chat:
            await chat.says("Keep your answers short.", "Very well.")
            await chat.reads("Very well.")
            await chat.says("/reviews")
            line = "… «Keep your answers short.»: memory, it was due; asked for a moment ago, waits: "
            await chat.reads(f"{line}the chats were busy a moment ago")
            await chat.says("/refine", keeps(SHORT), "Kept one.")
            found = f"💾 Memory updated ➕ «{SHORT}»"
            await chat.reads("🔎 Looking back at this conversation. I tell what I find.", found)
            await chat.says("/reviews report")
            became = "1 review (1 memory); 2 calls, … writes: 1 kept, … tokens a write that was kept"
            await chat.reads(f"Reviews of the last 30 days: … openai/m: {became}")
