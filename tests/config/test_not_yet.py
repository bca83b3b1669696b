"""Keys that do nothing yet are named when somebody sets them, and nothing else is."""

from __future__ import annotations

import pytest

from gateway.config.expand import Variables
from gateway.config.extensions import Extensions
from gateway.config.lines import parse
from gateway.config.load import loaded
from gateway.config.not_yet import warnings, without_effect
from gateway.config.schema import Settings


def settings(text: str) -> Settings:
    return loaded(parse(text), Variables({}), Extensions()).settings


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", []),
        ("memory: {write_approval: false, scope: owner}", []),
        ("model: {reasoning_effort: high}\nplatforms: {telegram: {token: '1:x'}}", []),
        ("gateway: {budgets: {chat: 10, background_review: 5}}", []),
        ("gateway: {budgets: {cron: 10}}", []),
        ("memory: {scope: room, nudge_interval: 3, memory_char_limit: 3000}", []),
        ("memory: {provider: retaindb, prefetch_spill_enabled: true}\nhooks: {output_spill: {enabled: false}}", []),
        ("platforms: {discord: {token: x, allowed_users: [1]}}", []),
        ("mcp_servers: {one: {command: a}, two: {url: 'http://127.0.0.1:1'}}", []),
        ("auxiliary: {background_review: {enabled: false, quiet_s: 1}}", []),
        ("skills: {write_approval: true, creation_nudge_interval: 3}", []),
        ("skills: {external_dirs: [/s], guard_agent_created: true, indexes: ['https://127.0.0.1/skills.json']}", []),
        ("sessions: {retention_days: 3}\nauxiliary: {title: {provider: local, model: small}}", []),
        ("curator: {enabled: false, interval_hours: 1, archive_after_days: 9, consolidate: true}", []),
        ("auxiliary: {curator: {provider: local, model: small}}\ngateway: {budgets: {curator: 9}}", []),
    ],
)
def test_what_is_set_and_does_nothing_is_named(text: str, named: list[str]) -> None:
    assert list(without_effect(settings(text))) == named


def test_of_keys_that_do_nothing_those_that_are_set_are_named() -> None:
    idle = ("dashboard.port", "mcp_servers", "memory.share")
    chosen = settings("dashboard: {port: 9999}\nmcp_servers: {one: {command: a}, two: {command: b}}")
    assert without_effect(chosen, idle) == ("dashboard.port", "mcp_servers")
    assert len(warnings(chosen, keys=idle)) == 2
    assert len(warnings(chosen, about="mcp_servers.one.command", keys=idle)) == 1
    assert warnings(chosen, about="memory.share", keys=idle) == ()
