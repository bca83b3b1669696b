"""Skills that say nearly the same: the curator's model is asked, after it was said how often, and only proposes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.config.schema import Auxiliary, SideModel
from gateway.config.sections import Curator, Gateway
from gateway.engine.care.skill_merging import TASK
from gateway.models.client import HostInfo
from gateway.models.errors import HostDown
from gateway.transcript import Usage
from memory.model import Author, Origin
from memory.skills.model import SkillAction, SkillApplied, SkillOperation
from memory.skills.report import Report
from tests.engine.care.test_skill_care import MONDAY_NOON, Cared
from tests.fakes.clock import FakeClock, settle
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.memory.skills.shed import skill, tree

SITE = "Puts the web site on its servers."
NOTES = "Sorts notes by topic and date."
MERGED = {"merge": True, "name": "ship-site", "description": f"{SITE} Both: ways", "content": "1. Build.\n2. Copy.\n"}
APART = json.dumps({"merge": False})
ON = {"curator": Curator(consolidate=True), "auxiliary": Auxiliary(curator=SideModel(provider="side", model="tidy"))}


class House(Cared):
    """A house whose curator has a model of its own."""

    def __init__(self, cared: Cared, curator: ScriptedModel, folder: Path) -> None:
        super().__init__(cared.guests, cared.clock)
        self.curator = curator
        self.folder = folder / "skills"

    async def has(self, name: str, about: str, **files: str) -> None:
        wishes = [SkillOperation(SkillAction.CREATE, name, skill(name, about, f"How {name} goes.\n"))]
        for file, text in files.items():
            wishes.append(SkillOperation(SkillAction.WRITE_FILE, name, text, file=f"references/{file}.md"))
        made = await asyncio.to_thread(self.skills.store.apply, wishes, Author(Origin.FOREGROUND))
        assert isinstance(made, SkillApplied), made

    async def run(self) -> Report:
        """A run by command, while the care runs."""
        beside = asyncio.ensure_future(self.care.run())
        await settle()
        try:
            return await asyncio.to_thread(self.skills.caretaker.run)
        finally:
            beside.cancel()
            await asyncio.wait([beside])

    def skills_there(self) -> dict[str, Any]:
        """The skills' folder without the curator's own records."""
        return {name: kind for name, kind in tree(self.folder).items() if not name.startswith(".curator")}


@asynccontextmanager
async def house(folder: Path, script: Script, window: int = 8192, **changes: Any) -> AsyncIterator[House]:
    clock, curator = FakeClock(MONDAY_NOON), ScriptedModel(script, host="side", model="tidy", info=HostInfo(window))
    rules = settings(**{"gateway": Gateway(timezone="UTC", drain_seconds=0), **ON, **changes})
    main = ScriptedModel([])
    async with guesthouse(
        folder, main, clock=clock, with_memory=True, with_settings=rules, hosts=[main, curator]
    ) as guests:
        yield House(Cared(guests, clock), curator, folder)


async def test_what_the_curators_model_merges_waits_for_a_yes(tmp_path: Path) -> None:
    answer = Turn(json.dumps(MERGED), usage=Usage(input=90, output=10, calls=1))
    async with house(tmp_path, [answer]) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        await at.has("cook-rice", "Rice for four.")
        before = at.skills_there()
        report = await at.run()
        (told,) = at.told
        assert told.startswith("🧹 The curator asks side/tidy whether skills that resemble each other")
        assert told.endswith(": one call is expected.")
        (request,) = at.curator.requests
        asked = request.messages[-1].content
        assert "How deploy-web goes." in asked
        assert "How deploy-site goes." in asked
        assert "cook-rice" not in asked
        assert (request.task, request.session, request.tools) == (TASK, None, ())
        assert at.skills_there() == before, "it is only proposed"
        (write,) = at.skills.pendings.waiting()
        assert [each.pending_id for each in report.proposed] == [write.id]
        assert set(write.draft.names) == {"deploy-site", "deploy-web", "ship-site"}
        booked = await at.guests.store.usage.since(at.clock.now())
        assert [(each.task, each.host, each.input, each.output) for each in booked] == [(TASK, "side", 90, 10)]

        await asyncio.to_thread(at.skills.resolver.approve, write.id, "inprocess:ada")
        names = [each.name for each in at.skills.library.found().skills]
        assert names == ["cook-rice", "ship-site"]
        made = at.skills.library.get("ship-site")
        assert made is not None
        assert (made.description, made.body, made.source) == (MERGED["description"], MERGED["content"], "agent")
        assert len(at.skills.store.archived()) == 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (HostDown("Nothing answers at side."), "Nothing answers at side."),
        ("I would merge them.", "side/tidy answered what is no JSON."),
        ('{"merge": true, "name": "x"}', "side/tidy answered JSON that says nothing about merging."),
        ("{}", "side/tidy answered JSON that says nothing about merging."),
        (Turn('{"merge": tr', finish="length"), "side/tidy did not come to the end of its answer."),
    ],
)
async def test_a_model_that_fails_changes_nothing(tmp_path: Path, answer: Any, why: str) -> None:
    async with house(tmp_path, [json.dumps(MERGED), answer]) as at:
        for name, about in (("deploy-web", SITE), ("deploy-site", SITE), ("a-notes", NOTES), ("b-notes", NOTES)):
            await at.has(name, about)
        before = at.skills_there()
        report = await at.run()
        assert (report.trouble, report.proposed, at.skills.pendings.ids()) == (why, (), [])
        assert "up to 2 calls are expected" in at.told[0]
        assert at.guests.notes.named("curator.not_merged") == [{"why": why}]
        assert at.skills_there() == before


async def test_without_the_setting_or_without_money_no_model_is_asked(tmp_path: Path) -> None:
    async with house(tmp_path / "off", [], curator=Curator()) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        assert (await at.run()).trouble == ""
        assert at.told == []
    poor = Gateway(timezone="UTC", drain_seconds=0, budgets={"curator": 0})
    async with house(tmp_path / "poor", [], gateway=poor) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        assert (await at.run()).trouble.startswith("today's budget for curator is used up")


async def test_a_model_that_is_not_configured_is_said(tmp_path: Path) -> None:
    lost = Auxiliary(curator=SideModel(provider="side", model="lost"))
    async with house(tmp_path, [], auxiliary=lost) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        assert "there is no host side/lost" in (await at.run()).trouble


async def test_files_of_a_skill_are_not_lost(tmp_path: Path) -> None:
    async with house(tmp_path, [json.dumps(MERGED), json.dumps({**MERGED, "name": "deploy-web"})]) as at:
        await at.has("deploy-web", SITE, why="Because.")
        await at.has("deploy-site", SITE)
        assert (await at.run()).proposed == (), "another name would put the files away"
        (proposed,) = (await at.run()).proposed
        (write,) = at.skills.pendings.waiting()
        assert proposed.pending_id == write.id
        assert write.draft.archives == ("deploy-site",)
        await at.has("deploy-page", SITE, more="More.")
        assert (await at.run()).proposed == (), "two have files: nobody is asked"
        assert len(at.curator.requests) == 2


async def test_what_does_not_fit_the_model_or_stays_apart_is_let_be(tmp_path: Path) -> None:
    async with house(tmp_path / "apart", [APART]) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        report = await at.run()
        assert (report.proposed, report.trouble, len(at.curator.requests)) == ((), "", 1)
    async with house(tmp_path / "small", [], window=64) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        report = await at.run()
        assert (report.proposed, report.trouble) == ((), "")


async def test_the_end_of_the_gateway_does_not_wait_for_the_model(tmp_path: Path) -> None:
    never = asyncio.Event()
    async with house(tmp_path, [Turn([never])]) as at:
        await at.has("deploy-web", SITE)
        await at.has("deploy-site", SITE)
        beside = asyncio.ensure_future(at.care.run())
        await settle()
        run = asyncio.ensure_future(asyncio.to_thread(at.skills.caretaker.run))
        await at.curator.arrived(1)
        beside.cancel()
        report = await run
        assert report.trouble == "The gateway is about to end."
        while at.curator.active:
            await asyncio.sleep(0.001)
        assert at.curator.abandoned == 1
