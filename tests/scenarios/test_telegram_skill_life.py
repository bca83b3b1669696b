"""The life of a skill on Telegram: made by the model, read and approved by the operator, called up by a person,
counted, forgotten, put away by the curator, and brought back as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gateway.config.extensions import Extensions
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.engine.gates.skill_gatekeeper import GatedSkills, gated_skills
from memory.skills.curator import DAY, HOUR
from memory.skills.report import Report
from memory.skills.usage import Tally, Usage
from platforms.registry import manifests, usable
from tests.fakes.openai_server import Step
from tests.memory.skills.pending_desk import text
from tests.scenarios.gate import HOME, SOON, carded, pressed
from tests.scenarios.telegram_inn import PATIENCE, Inn, telegram_inn

MAKE = {
    "action": "create",
    "name": "ship-site",
    "description": "Ships the site. Use when a page changed.",
    "content": "1. Build the site.\n2. Copy it – whole.\n",
}
NOTE = {"action": "write_file", "name": "ship-site", "file": "references/why.md", "content": "The old one broke.\n"}
GIST = "create 'ship-site' SKILL.md (+7/-0) and 1 more"


class Later:
    """The same profile with a clock of its own, while the gateway is closed."""

    def __init__(self, folder: Path, since: float) -> None:
        profile = Profile("default", folder, folder)
        loaded = load_settings(profile, {}, Extensions(platforms=usable(manifests().values())))
        self.now = since
        self.skills: GatedSkills = gated_skills(profile, lambda: loaded.settings, lambda: self.now)

    def looks(self, days: float, idle: float = 2 * HOUR) -> Report | None:
        """So many days pass, and the curator looks whether it is time."""
        self.now += days * DAY
        return self.skills.caretaker.tick(idle)


def manages(*operations: dict[str, Any]) -> Step:
    return Step(calls=[{"name": "skill_manage", "arguments": {"operations": list(operations)}}])


def files(folder: Path) -> dict[str, bytes]:
    return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def tally(folder: Path, name: str = "ship-site") -> Tally:
    return Usage(folder / "skills", lambda: 0.0).of(name)


def state_of(report: Report | None, name: str = "ship-site") -> str:
    assert report is not None, "it was time to run"
    if name in [each.name for each in report.archived]:
        return "archived"
    return next(each.state for each in report.plan.verdicts if each.name == name)


async def is_made_and_approved(inn: Inn) -> None:
    """The model makes it; the operator reads the card, opens the diff, and says yes."""
    place = inn.folder / "skills" / "ship-site"
    await inn.says("The site is up again, thank you.", manages(MAKE, NOTE), "I wrote down how to ship the site.")
    answer = inn.tool_answer()
    assert answer["staged"] is True
    card = await carded(inn, inn.ada.chat)
    assert GIST in card.text
    assert answer["pending_id"] in card.text
    assert "ship-site/references/why.md is new" in card.text
    assert not place.exists(), "nothing is there before the yes"
    diff = await pressed(inn, inn.ada.chat, card, "📄 Diff")
    assert "+2. Copy it – whole." in diff
    assert "+The old one broke." in diff
    assert not place.exists(), "looking is no yes"
    approved = await pressed(inn, inn.ada.chat, card, "✅ Approve")
    assert f"{answer['pending_id']} approved: {GIST}" in approved
    assert files(place)["references/why.md"].decode() == NOTE["content"]
    assert (tally(inn.folder).source, tally(inn.folder).uses) == ("agent", 0)


async def test_a_skill_from_its_making_to_its_return(tmp_path: Path) -> None:
    other = tmp_path / "skills" / "polish" / "SKILL.md"
    other.parent.mkdir(parents=True)
    other.write_text(text("polish", "Read every line aloud.\n"))
    place = tmp_path / "skills" / "ship-site"
    async with telegram_inn(tmp_path) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(skills={"write_approval": True}, access=HOME, platforms={"telegram": telegram})
        bob = inn.server.user(222, "Bob")
        async with inn.open(SOON) as app:
            await is_made_and_approved(inn)
            made = files(place)
            assert await inn.says("/ship_site /polish the page about tea", "Shipped.", by=bob) == "Shipped."
            assert inn.said.index("2. Copy it – whole.") < inn.said.index("Read every line aloud.")
            assert "references/why.md" in inn.said
            assert inn.said.endswith("\nthe page about tea")
            assert [tally(tmp_path, each).uses for each in ("ship-site", "polish")] == [1, 1]
            skills = app.engine.house.skills
            assert skills is not None
            await inn.says("/maintenance run curator-check")
            await inn.server.until(lambda: skills.caretaker.remembered().since is not None, PATIENCE)
            used = tally(tmp_path).used
            assert used is not None

        later = Later(tmp_path, used)
        assert later.looks(6) is None, "a week has to pass"
        assert state_of(later.looks(23)) == "active"
        assert later.looks(8, idle=HOUR) is None, "somebody talks"
        assert state_of(later.looks(0)) == "stale"
        assert files(place) == made
        assert state_of(later.looks(54)) == "archived"
        assert not place.exists()
        (kept,) = [each for each in later.skills.store.archived() if "ship-site" in each]
        assert files(tmp_path / "skills" / kept) == made

        async with inn.open(SOON):
            assert "ship_site" in await inn.says("/ship_site again", by=bob)
            assert tally(tmp_path).uses == 1, "what is put away is not called up"
            refused = await inn.says("/curator restore ship-site", by=bob)
            assert not place.exists(), refused
            assert "Brought back: ship-site" in (await inn.says("/curator restore ship-site")).replace("*", "")
            assert files(place) == made, "byte for byte"
            assert await inn.says("/ship_site again", "Shipped again.", by=bob) == "Shipped again."
            assert "2. Copy it – whole." in inn.said
            assert (tally(tmp_path).uses, tally(tmp_path).source) == (2, "agent")
            status = await inn.says("/curator status")
            assert "The curator is on" in status
            assert "ship-site" not in status, "it is active again"
