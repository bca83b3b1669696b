"""Which changes of skills wait, and why: every combination of what the gate decides by."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from memory.gate import Rule
from memory.model import Author, Origin
from memory.skills.gated import SkillFacts, waits
from memory.skills.model import SkillAction, SkillApplied, SkillStaged, Source
from tests.memory.skills.pending_desk import ADA, BOB, BY, SkillDesk, create, delete, patch

RULES: tuple[Rule, ...] = (False, True, "auto")
SOURCES: tuple[Source, ...] = ("bundled", "hub", "agent", "person")
UNATTENDED = (Origin.REVIEW, Origin.CRON)


def facts(origin: Origin = Origin.FOREGROUND, action: SkillAction = SkillAction.PATCH) -> SkillFacts:
    return SkillFacts(origin, frozenset({action}), frozenset({"agent"}))


@pytest.mark.parametrize(("origin", "action", "console"), list(product(Origin, SkillAction, (False, True))))
def test_with_the_gate_on_everything_waits_also_on_the_console(
    origin: Origin, action: SkillAction, console: bool
) -> None:
    assert waits(True, replace(facts(origin, action), console=console)) is not None


@pytest.mark.parametrize(("origin", "action"), list(product(Origin, SkillAction)))
def test_auto_lets_go_only_what_somebody_watches(origin: Origin, action: SkillAction) -> None:
    watched = waits("auto", replace(facts(origin, action), console=True))
    assert (watched is not None) == (origin in UNATTENDED)
    assert waits("auto", facts(origin, action)) is not None


@pytest.mark.parametrize(("rule", "source", "console"), list(product(RULES, ("bundled", "hub"), (False, True))))
def test_a_skill_that_was_made_elsewhere_is_never_changed_without_a_yes(
    rule: Rule, source: Source, console: bool
) -> None:
    mixed = frozenset[Source]({"agent", source})
    for origin in (Origin.FOREGROUND, *UNATTENDED, Origin.COMMAND):
        assert waits(rule, replace(facts(origin), sources=mixed, console=console)) is not None


@pytest.mark.parametrize("rule", RULES)
def test_what_was_wished_for_after_reading_a_stranger_s_text_waits(rule: Rule) -> None:
    for origin in (Origin.FOREGROUND, *UNATTENDED):
        why = waits(rule, replace(facts(origin), untrusted=True, console=True))
        assert why is not None
        assert "nobody vouches" in why


@pytest.mark.parametrize(("rule", "source"), list(product(RULES, SOURCES)))
def test_an_operator_s_own_order_is_carried_out(rule: Rule, source: Source) -> None:
    for origin in (Origin.COMMAND, Origin.OPERATOR):
        ordered = replace(facts(origin), by_operator=True, sources=frozenset[Source]({source}), untrusted=True)
        assert waits(rule, ordered) is None
    assert waits(True, replace(facts(), by_operator=True)) is not None  # a turn is no order


def test_with_the_gate_off_the_assistant_s_own_skills_are_free() -> None:
    for action, source in product(SkillAction, SOURCES[2:]):
        one = replace(facts(action=action), sources=frozenset[Source]({source}))
        assert waits(False, one) is None
    for origin, action in product(UNATTENDED, SkillAction):
        assert (waits(False, facts(origin, action)) is not None) == (action is SkillAction.DELETE)


@pytest.mark.parametrize("rule", RULES)
def test_what_the_guard_is_not_sure_about_waits(rule: Rule) -> None:
    for origin in (Origin.FOREGROUND, *UNATTENDED):
        assert waits(rule, replace(facts(origin), doubtful=True, console=True)) is not None
    assert waits(rule, replace(facts(Origin.COMMAND), doubtful=True, by_operator=True)) is None


@pytest.mark.parametrize("rule", [False, True, "auto"])
def test_what_is_wished_for_where_others_are_heard_waits(rule: Rule) -> None:
    for origin in Origin:
        why = waits(rule, replace(facts(origin), others=True))
        assert why == "others than the owner are heard in this chat"
    assert waits(rule, replace(facts(Origin.COMMAND), others=True, by_operator=True)) is None


def test_the_gate_asks_where_a_skill_comes_from_and_who_orders(tmp_path: Path) -> None:
    desk = SkillDesk(tmp_path, rule=False)
    assert isinstance(desk.do(create("deploy")), SkillApplied)
    desk.sources["deploy"] = "bundled"
    changing = patch("deploy", "copy it", "ship it")
    assert isinstance(desk.do(changing, by=replace(BY, chat="console:x")), SkillStaged)
    assert isinstance(desk.do(delete("deploy"), by=Author(Origin.COMMAND, who=BOB)), SkillStaged)
    assert isinstance(desk.do(changing, by=Author(Origin.COMMAND, who=ADA)), SkillApplied)
    desk.sources["deploy"] = "agent"
    assert isinstance(desk.do(patch("deploy", "ship it", "copy it")), SkillApplied)
    untrusted = replace(BY, flags=("untrusted:web",))
    assert isinstance(desk.do(patch("deploy", "copy it", "steal it"), by=untrusted), SkillStaged)
    assert desk.body("deploy") == "Run the build.\nThen copy it.\n"
