"""config.example.yaml tells the whole truth: every key, its real default, and a line in plain words."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from gateway.config.dotenv import read_env
from gateway.config.expand import Variables
from gateway.config.extensions import Extensions
from gateway.config.keys import ANY, keys
from gateway.config.lines import Key, dotted, parse
from gateway.config.load import loaded
from gateway.config.schema import Settings, flattened

EXAMPLE = Path(__file__).parents[2] / "config.example.yaml"
MODELS = Extensions().platform_models()
KEYS = [path for path, _ in keys(MODELS)]
PLAIN = [key for key in KEYS if ANY not in key]
NAMED = [key for key in KEYS if ANY in key]


def text() -> str:
    return EXAMPLE.read_text(encoding="utf-8")


def fresh(content: str) -> Settings:
    return loaded(parse(content), Variables({}), Extensions()).settings


def test_it_loads_and_says_the_defaults() -> None:
    assert dict(flattened(fresh(text()))) == dict(flattened(fresh("")))


@pytest.mark.parametrize("key", PLAIN, ids=dotted)
def test_every_key_is_there(key: Key) -> None:
    document = parse(text())
    assert key in document.lines, f"{dotted(key)} is missing in config.example.yaml"
    comment = text().splitlines()[document.lines[key] - 2].strip()
    if key[:-1] != ("platforms",):
        assert re.match(r"# \S.*[.:]", comment), f"{dotted(key)} has no line of explanation above it"


def test_it_has_no_key_that_is_none() -> None:
    platforms = {("platforms", name) for name in MODELS}
    assert set(parse(text()).lines) - set(PLAIN) - platforms == set()


@pytest.mark.parametrize("group", ["hosts", "mcp_servers", "display.platforms"])
def test_named_groups_are_shown_in_comments_that_load(group: str) -> None:
    """The commented `hosts: / NAME: / ...` is YAML once its comment signs are taken away."""
    parent = tuple(group.split("."))
    block = re.search(rf"(?m)^( *)# {parent[-1]}:\n(?:\1#.*\n?)+", text())
    assert block is not None, f"{group} is not shown"
    plain = re.sub(r"(?m)^ *# ?", "", block[0])
    shown = parse(plain).values[parent[-1]]["NAME"]
    wanted = {key[-1]: field for key, field in keys(MODELS) if key[:-1] == (*parent, ANY)}
    assert set(shown) == set(wanted)
    for name, value in shown.items():
        default = wanted[name].get_default(call_default_factory=True)  # type: ignore[call-arg]
        assert value == (list(default) if isinstance(default, tuple) else default)


def test_all_named_keys_are_in_one_of_these_groups() -> None:
    assert {dotted(key[: key.index(ANY)]) for key in NAMED} == {"hosts", "mcp_servers", "display.platforms"}


@pytest.mark.parametrize("model", [Settings, *filter(None, MODELS.values())])
def test_every_key_of_the_schema_has_a_docstring(model: type[BaseModel]) -> None:
    missing = [
        f"{one.__name__}.{name}" for one in _models(model) for name in one.model_fields if name not in _docs(one)
    ]
    assert missing == []


def test_the_fixed_names_and_defaults_are_kept() -> None:
    now = fresh(text()).model_dump(mode="json")
    fixed = dict(_leaves(FIXED))
    assert {key: value for key, value in _leaves(now) if key in fixed} == fixed


def test_no_secret_is_in_the_example(tmp_path: Path) -> None:
    assert loaded(parse(text()), Variables({}, read_env(tmp_path / ".env")), Extensions()).secrets == frozenset()


def _leaves(values: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(values, dict) and values:
        for name, inner in values.items():
            yield from _leaves(inner, f"{path}.{name}")
    else:
        yield path, values


def _models(model: type[BaseModel]) -> list[type[BaseModel]]:
    found = [model]
    for field in model.model_fields.values():
        for inner in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(inner, type) and issubclass(inner, BaseModel) and inner is not BaseModel:
                found += _models(inner)
    return found


def _docs(model: type[BaseModel]) -> set[str]:
    body = ast.parse(inspect.getsource(model)).body[0]
    assert isinstance(body, ast.ClassDef)
    pairs = zip(body.body, body.body[1:], strict=False)
    return {
        one.target.id
        for one, after in pairs
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and isinstance(after, ast.Expr)
    }


FIXED: dict[str, Any] = {
    "model": {
        "provider": "auto",
        "model": "auto",
        "base_url": None,
        "api_key": None,
        "context_window": None,
        "reasoning_effort": None,
        "local": "auto",
        "fallbacks": [],
    },
    "hosts": {},
    "platforms": {
        "telegram": {
            "token": None,
            "base_url": None,
            "mode": "polling",
            "webhook_url": None,
            "webhook_secret": None,
            "allowed_users": [],
            "allowed_chats": [],
            "require_mention": True,
        },
        "discord": {
            "token": None,
            "api_url": None,
            "gateway_url": None,
            "allowed_users": [],
            "allowed_channels": [],
            "require_mention": True,
        },
    },
    "access": {"owners": [], "operators": [], "home_chats": []},
    "memory": {
        "memory_enabled": True,
        "user_profile_enabled": True,
        "memory_char_limit": 2200,
        "user_char_limit": 1375,
        "write_approval": False,
        "nudge_interval": 10,
        "scope": "owner",
        "share": False,
        "session_notes": "on",
        "provider": None,
        "prefetch_spill_enabled": False,
    },
    "skills": {
        "write_approval": False,
        "creation_nudge_interval": 10,
        "guard_agent_created": False,
        "external_dirs": [],
    },
    "display": {"memory_notifications": "on", "platforms": {}},
    "auxiliary": {
        "background_review": {
            "enabled": True,
            "provider": "auto",
            "model": "auto",
            "reasoning_effort": None,
            "max_input_tokens": None,
            "extra_tools": [],
            "defer": "auto",
            "defer_max_age_s": 1800,
            "quiet_s": 15,
        },
        "curator": {"provider": "auto", "model": "auto"},
        "compaction": {"provider": "auto", "model": "auto"},
    },
    "sessions": {
        "reset": {"mode": "none", "idle_minutes": 1440, "at_hour": 4},
        "boundary_hint": "on",
        "group_scope": "chat",
        "retention_days": None,
    },
    "gateway": {
        "busy": "queue",
        "backlog_minutes": 60,
        "drain_seconds": 20,
        "quiet_hours": None,
        "timezone": None,
        "digest_hour": 9,
        "budgets": {},
    },
    "curator": {
        "enabled": True,
        "interval_hours": 168,
        "min_idle_hours": 2,
        "stale_after_days": 30,
        "archive_after_days": 90,
        "consolidate": False,
    },
    "agent": {"disabled_toolsets": [], "max_iterations": 30, "file_roots": []},
    "hooks": {"output_spill": {"enabled": True, "max_chars": 10000, "preview_chars": 2000, "directory": None}},
    "dashboard": {"host": "127.0.0.1", "port": 8765, "public_url": None},
    "mcp_servers": {},
}
"""The names and defaults that people's files rely on: later work adds keys here and never changes one."""
