"""The `innkeeper` command: global options, the table of subcommands, exit codes.

Only the subcommand that was named is imported, so that help and short commands answer at once. Chat commands as
subcommands come from surface.py, which builds them from their specs.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from typing import Any

import click

from gateway.cli.invocation import FAILED, USAGE, Invocation
from gateway.config.environment import process_environment
from gateway.errors import ConfigurationError, InnkeeperError, ProfileLocked

OWN: dict[str, tuple[str, str]] = {
    "run": ("gateway.cli.conversation:run", "Run the gateway in the foreground."),
    "chat": ("gateway.cli.conversation:chat", "Talk to the assistant here."),
    "ask": ("gateway.cli.conversation:ask", "Ask one question and print the reply."),
    "setup": ("gateway.cli.setup:setup", "Answer a few questions and start."),
    "doctor": ("gateway.cli.doctor:doctor", "Check everything that is configured and say what to do."),
    "config": ("gateway.cli.configuration:config", "Check, show and change settings."),
    "models": ("gateway.cli.models:models", "List, fetch, pick and test models."),
    "profile": ("gateway.cli.profiles:profile", "List, make, pick and delete profiles."),
    "backup": ("gateway.cli.backup:backup", "Copy a profile as a whole, prove the copy, and put it back."),
    "service": ("gateway.cli.service:service", "Run the gateway as a service of systemd, and see how it is."),
    "journey": ("gateway.cli.journey:journey", "What was learnt, over time: drawn, played, listed and edited."),
    "dashboard": ("gateway.cli.dashboard:dashboard", "Open the web pages: what waits, memory, sessions, jobs."),
    "plugins": ("gateway.cli.plugins:plugins", "What is installed beside the house: list, install, turn off, make."),
    "import": ("gateway.cli.importing:import_", "Take over memories, skills and sessions from Hermes Agent."),
}
"""Subcommands with a file of their own: name -> (import string, short help)."""

ALIASES = {"learning": "journey", "memory-graph": "journey"}
"""Other names of those that are chat commands as well, as their specs give them."""

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})

SURFACE = "gateway.cli.surface"
CHAT: dict[str, str] = {
    "remember": "Keep something.",
    "forget": "Remove an entry.",
    "memory": "What is remembered, its history, undo, and why something was forgotten.",
    "skills": "What there is to do by, what waits, and skills from elsewhere.",
    "curator": "The care of skills that nobody uses.",
    "pairing": "People who ask to be let in with a code, and those who were.",
    "sessions": "Earlier conversations, to list, show, search, export, name, pin and prune.",
    "search": "Find what was said before.",
    "cron": "What is done by itself at its time.",
    "tools": "Tools of other programs (MCP), and calls that wait for a yes.",
    "maintenance": "What the house does by itself.",
    "refine": "Look back at this conversation now for what is worth keeping.",
    "reviews": "What waits to be looked back at, and what came of it.",
    "usage": "Tokens and cost.",
    "status": "How things stand.",
}
"""The house's chat commands that are also subcommands, in the words of their specs, which are not imported for a help
text; those of plugins are found by name in the surface."""


class Innkeeper(click.Group):
    """A group that imports a subcommand when it is named, and turns our errors into a line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*OWN, *CHAT, *_of_plugins(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        cmd_name = ALIASES.get(cmd_name, cmd_name)
        if cmd_name in OWN:
            module, _, attribute = OWN[cmd_name][0].partition(":")
            command: click.Command = getattr(import_module(module), attribute)
            return command
        surface = import_module(SURFACE)
        # The house's own names always win, so that only for another one plugins are looked for.
        found: click.Command | None = surface.command_for(cmd_name)
        return found if found is not None else surface.command_for(cmd_name, _invocation(ctx))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        helps = {name: text for name, (_, text) in OWN.items()} | CHAT | _of_plugins(ctx)
        with formatter.section("Commands"):
            formatter.write_dl(list(helps.items()))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (ConfigurationError, ProfileLocked) as error:
            click.echo(str(error), err=True)
            ctx.exit(USAGE)
        except InnkeeperError as error:
            click.echo(str(error), err=True)
            ctx.exit(FAILED)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from gateway.config.values import closest

            if why := _unusable(_invocation(ctx), args[0]):
                raise click.UsageError(why, ctx) from None
            near = closest(args[0], self.list_commands(ctx))
            raise click.UsageError(f"There is no command '{args[0]}'{near}", ctx) from None


def _invocation(ctx: click.Context) -> Invocation:
    """The global options as they were given. The subcommand is looked for before the root's callback runs, and help
    is printed without it."""
    if not isinstance(ctx.obj, Invocation):
        ctx.obj = Invocation(ctx.params.get("profile_name"), process_environment())
    return ctx.obj


def _of_plugins(ctx: click.Context) -> dict[str, str]:
    """Subcommands of plugins, with their help. Where no plugin announces one, metadata is all that is read."""
    from gateway.config.plugins import COMMAND, Plugins

    if not Plugins.announced().points(COMMAND):
        return {}
    try:
        texts: dict[str, str] = import_module(SURFACE).of_plugins(_invocation(ctx))
    except ConfigurationError:
        return {}  # there is no such profile, which is no reason to withhold the help
    return {name: text for name, text in texts.items() if name not in OWN and name not in ALIASES}


def _unusable(invocation: Invocation, name: str) -> str:
    """Why a command that a plugin announces by this name is not there; empty where none does."""
    from gateway.config.plugins import COMMAND, turned_off

    for each in invocation.plugins().entries:
        if each.kind == COMMAND and each.name == name:
            if each.off:
                listed = name if name in turned_off(invocation.profile()) else each.distribution
                return f"The command '{name}' is disabled. It comes back with: innkeeper plugins enable {listed}"
            return f"The plugin '{name}' brings no command of that name: innkeeper plugins info {name}"
    return ""


def _print_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"innkeeper {version('innkeeper')}")
        ctx.exit()


@click.group(cls=Innkeeper, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("-p", "--profile", "profile_name", metavar="NAME", is_eager=True, help="The profile to work in.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the version."
)
@click.pass_context
def cli(ctx: click.Context, profile_name: str | None) -> None:
    """One assistant for Telegram, Discord and the terminal, with a small memory that you can read."""
    _invocation(ctx)


def main() -> None:
    """The entry point. Exit codes: 0 done, 1 could not, 2 wrong usage or configuration."""
    try:
        cli(prog_name="innkeeper")
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            raise
        # Whoever stops reading is click's matter; here the disk behind the output is full.
        click.echo(f"The output could not be written: {error.strerror}.", err=True)
        _let_go_of_output()
        sys.exit(FAILED)


def _let_go_of_output() -> None:
    """What is still to be written goes nowhere, so that the end of the process does not trip over it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.__stdout__.fileno() if sys.__stdout__ is not None else 1)
    os.close(nowhere)


if __name__ == "__main__":
    main()
