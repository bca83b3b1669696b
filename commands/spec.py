"""What a command is: one spec names its words, its least role, when it may run and where; it serves every surface."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from commands.context import Context
    from commands.reply import CommandReply

Handler = Callable[["Context", "Arguments"], Awaitable["CommandReply"]]
When = Literal["anytime", "between turns"]


class Role(IntEnum):
    """Who may order what; each role may do all that the ones below it may."""

    USER = 1
    OPERATOR = 2
    OWNER = 3


@dataclass(frozen=True, slots=True)
class Argument:
    """One word (or, with `rest`, all remaining text) after the command. `choices` are offered and enforced. An
    `option` is given by name, `--file F`, and on the shell only. A `flag` is there or not, `--dry-run` for the name
    `dry_run`, and may stand anywhere among the words; its value is `yes`. Names of skills are `suggested` while one
    is typed, where a platform can. A `loose` rest is words to look for: at the shell, options may stand among them,
    and what begins with a hyphen and is no option is a word. `shown` is how it stands in a usage line, if not as its
    name in capitals."""

    name: str
    help: str
    required: bool = False
    rest: bool = False
    choices: tuple[str, ...] = ()
    option: bool = False
    flag: bool = False
    suggested: bool = False
    loose: bool = False
    shown: str = ""

    @property
    def switch(self) -> str:
        """How an option or a flag is written."""
        return f"--{self.name.replace('_', '-')}"


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was typed after the name: values by argument name, plus `--json` and the like from the shell."""

    values: dict[str, str] = field(default_factory=dict)
    json: bool = False

    def get(self, name: str) -> str:
        """The value, or the empty string when it was left out."""
        return self.values.get(name, "")


@dataclass(frozen=True, slots=True)
class Action:
    """A subcommand: `/sessions search QUERY`, `innkeeper sessions search QUERY`."""

    name: str
    help: str
    handler: Handler
    arguments: tuple[Argument, ...] = ()
    role: Role | None = None
    """None: the command's own role."""
    quick: Callable[[Path, float], CommandReply] | None = None
    """The same for the shell, from the profile's folder and the time alone: where nothing else is needed, nothing
    else is loaded."""
    shell: tuple[Argument, ...] | None = None
    """Its arguments at the shell, where words are quoted; None: the same."""
    web: tuple[Argument, ...] = ()
    """What a page may give besides: exact texts, and what was shown, which nobody types."""


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One command on every surface.

    `handler` runs when no action is named. `chat` and `shell` say where it exists: `/new` needs a chat, nearly
    everything else is also a subcommand of `innkeeper`. `anytime` commands never wait behind a turn. A hidden one is
    in no list and no menu: a button gives it. With `said` it is no order but a message: a turn answers it, and what
    it calls up is for `skill_shortcuts` to say.
    """

    name: str
    help: str
    handler: Handler | None = None
    arguments: tuple[Argument, ...] = ()
    actions: tuple[Action, ...] = ()
    aliases: tuple[str, ...] = ()
    role: Role = Role.USER
    when: When = "between turns"
    chat: bool = True
    shell: bool = True
    hidden: bool = False
    said: bool = False
    web: tuple[Argument, ...] = ()
    """As of an action."""

    def action(self, name: str) -> Action | None:
        return next((action for action in self.actions if action.name == name), None)
