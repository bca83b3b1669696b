"""Who may run what: a person's role from the access rules. Who may talk at all is the engine's matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from commands.spec import Action, CommandSpec, Role

CONSOLE = "console"


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The roles as configured. `named` holds the ids that an allowlist names explicitly, by platform."""

    owners: frozenset[str] = frozenset()
    operators: frozenset[str] = frozenset()
    named: Mapping[str, frozenset[str]] = field(default_factory=dict)


def role_of(platform: str, person: str, rules: AccessRules) -> Role:
    """The role of a person who may talk. The console is the owner's; with no owner configured, everybody whom an
    allowlist names is one; `*` never makes an owner."""
    who = f"{platform}:{person}"
    if platform == CONSOLE or who in rules.owners:
        return Role.OWNER
    if not rules.owners and person and person in rules.named.get(platform, frozenset()):
        return Role.OWNER
    return Role.OPERATOR if who in rules.operators else Role.USER


def refusal(spec: CommandSpec, action: Action | None, role: Role) -> str | None:
    """Why this role may not run this, or None when it may."""
    least = action.role if action is not None and action.role is not None else spec.role
    if role >= least:
        return None
    words = f"/{spec.name} {action.name}" if action is not None else f"/{spec.name}"
    return f"{words} is for {'an owner' if least is Role.OWNER else 'an operator'} of this bot."
