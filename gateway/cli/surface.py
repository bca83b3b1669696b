"""Chat commands as subcommands: each CommandSpec that has a shell surface becomes a click command, unchanged.

They work on the profile's files and database, beside a running gateway or without one.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from commands.context import Context, NeedsChat, in_words
from commands.registry import Registry, built_in
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Handler, Role
from gateway.cli.flags import or_of_the_group
from gateway.cli.invocation import FAILED, Invocation

BAR = 30
"""Signs of a full bar."""


def command_for(name: str, invocation: Invocation | None = None) -> click.Command | None:
    """The subcommand of a command's name or alias; None when there is none on the shell. Without an invocation, the
    house's own are all that there is."""
    registry = built_in([]) if invocation is None else invocation.commands()
    spec = registry.get(name)
    if spec is None or not spec.shell:
        return None
    if not spec.actions:
        return _leaf(spec.name, spec.help, spec.arguments, _handler(spec.handler), registry)
    group = click.Group(
        spec.name,
        help=_sentence(spec.help),
        invoke_without_command=spec.handler is not None,
        no_args_is_help=spec.handler is None,
        callback=_default(spec, registry) if spec.handler is not None else None,
        params=[_json_option()] if spec.handler is not None else [],
    )
    for action in spec.actions:
        group.add_command(subcommand(action, registry))
    if spec.name == "memory":
        from gateway.cli.outside_memory import COMMANDS

        for own in COMMANDS.values():
            group.add_command(own)
    return group


def of_plugins(invocation: Invocation) -> dict[str, str]:
    """The subcommands that plugins bring, with a sentence for each. Imports those plugins."""
    house = {spec.name for spec in built_in([])}
    found = [each for each in invocation.commands() if each.shell and not each.hidden and each.name not in house]
    return {each.name: _sentence(" ".join(each.help.split())) for each in found}


def subcommand(action: Action, registry: Registry) -> click.Command:
    """One action of a chat command."""
    if action.quick is not None:
        return click.Command(
            action.name, callback=_quickly(action.quick), params=[_json_option()], help=_sentence(action.help)
        )
    arguments = action.arguments if action.shell is None else action.shell
    return _leaf(action.name, action.help, arguments, action.handler, registry)


def _quickly(step: Callable[[Path, float], CommandReply]) -> Any:
    """A callback that needs neither settings nor the database."""

    @click.pass_context
    def run(ctx: click.Context, as_json: bool) -> None:
        invocation = ctx.find_object(Invocation)
        assert invocation is not None, "the root command makes it"
        show(ctx, step(invocation.profile().folder, time.time()), as_json, invocation)

    return run


def _default(spec: CommandSpec, registry: Registry) -> Any:
    @click.pass_context
    def run(ctx: click.Context, as_json: bool) -> None:
        if ctx.invoked_subcommand is None:
            carry_out(ctx, _handler(spec.handler), Arguments(json=as_json), registry)

    return run


def _leaf(
    name: str, help_text: str, arguments: tuple[Argument, ...], handler: Handler, registry: Registry
) -> click.Command:
    @click.pass_context
    def run(ctx: click.Context, /, as_json: bool, **given: Any) -> None:
        values = {
            key: " ".join(value) if isinstance(value, tuple) else "yes" if value is True else value
            for key, value in given.items()
            if value
        }
        carry_out(ctx, handler, Arguments(values, json=as_json), registry)

    params: list[click.Parameter] = [_parameter(each) for each in arguments]
    options = [each.switch for each in arguments if each.option or each.flag]
    to_the_letter = any(each.rest and not each.loose for each in arguments)
    kind = _Saying if to_the_letter and not options else click.Command
    dashes = {"ignore_unknown_options": any(each.loose for each in arguments)}
    return kind(
        name, callback=run, params=[*params, _json_option()], help=_sentence(help_text), context_settings=dashes
    )


class _Saying(click.Command):
    """A command that takes text, which may look like options: only a very first word is one, `--json` or `--help`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[:1] if args[:1] and args[0] in ("--json", *self.get_help_option_names(ctx)) else []
        text = args[len(first) :]
        return super().parse_args(ctx, [*first, *([] if text[:1] == ["--"] else ["--"]), *text])


def _parameter(argument: Argument) -> click.Parameter:
    if argument.flag:
        words = [argument.switch, argument.name]
        return click.Option(words, is_flag=True, help=_sentence(argument.help), callback=or_of_the_group)
    kind = click.Choice(argument.choices, case_sensitive=False) if argument.choices else None
    if argument.option:
        metavar = None if argument.choices else argument.name.upper()
        return click.Option(
            [argument.switch, argument.name], help=_sentence(argument.help), metavar=metavar, type=kind
        )
    return click.Argument([argument.name], required=argument.required, nargs=-1 if argument.rest else 1, type=kind)


def _json_option() -> click.Option:
    help_text = "Print data for programs."
    return click.Option(["--json", "as_json"], is_flag=True, help=help_text, callback=or_of_the_group)


def _handler(handler: Handler | None) -> Handler:
    assert handler is not None, "a command without actions has a handler"
    return handler


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def carry_out(ctx: click.Context, handler: Handler, arguments: Arguments, registry: Registry) -> None:
    """Give an order as the owner at the shell, print the reply, and end with its exit code."""
    invocation = ctx.find_object(Invocation)
    assert invocation is not None, "the root command makes it"
    try:
        reply = asyncio.run(answer(invocation, handler, arguments, registry))
    except NeedsChat as error:
        raise click.UsageError(str(error)) from None
    show(ctx, reply, arguments.json, invocation)


def show(ctx: click.Context, reply: CommandReply, as_json: bool, invocation: Invocation) -> None:
    """Print a reply, and end with its exit code."""
    if as_json and reply.data is not None:
        click.echo(json.dumps(reply.data, ensure_ascii=False, indent=2))
        if reply.aside:
            click.echo(_plain(reply.aside), err=True)
    elif reply.text or reply.pieces is None:
        text = orders_at_the_shell(reply, invocation.profile_name)
        click.echo(_for_terminal(text) if sys.stdout.isatty() else _plain(text))
        if reply.file is not None:
            click.echo(reply.file.text)
        for button in (each for row in reply.buttons for each in row):
            click.echo(f"{button.label}: {_typed(button.action, invocation.profile_name)}")
    ctx.exit(0 if reply.ok else FAILED)


async def answer(invocation: Invocation, handler: Handler, arguments: Arguments, registry: Registry) -> CommandReply:
    """What the handler answers the owner at the shell, from the profile's files and its database."""
    from gateway.cli.editing import Editor
    from gateway.cli.taking_away import printed
    from gateway.clock import SystemClock
    from gateway.config.lock import holder
    from gateway.short_lived import stored_ports
    from gateway.state.store import SqliteStore

    profile = invocation.prepared()
    held = holder(profile)
    gateway = f"running (process {held.pid})" if held is not None else "not running"
    store = await SqliteStore.open(profile.database)
    try:
        ports = stored_ports(
            profile,
            invocation.settings(),
            store,
            SystemClock(),
            gateway,
            invocation.environment,
            invocation.extensions(),
        )
        editor = Editor(profile.drafts)
        context = Context(Role.OWNER, "shell", ports, registry, progress=_Bar(), compose=editor)
        reply = await handler(context, arguments)
        if reply.pieces is None:
            return reply
        about = reply.data if isinstance(reply.data, Mapping) else {}
        return await printed(reply.pieces, reply.output, about)
    finally:
        await store.close()


class _Bar:
    """What is being done, as a line with a bar that is drawn over itself, where somebody looks."""

    def __call__(self, what: str, done: int, total: int | None) -> None:
        if not sys.stderr.isatty():
            return
        full = min(BAR, BAR * done // total) if total else 0
        bar = f"[{'#' * full}{'.' * (BAR - full)}] " if total else ""
        click.echo(f"\r\x1b[K{bar}{_for_terminal(in_words(what, done, total))}", err=True, nl=done == total)


def _for_terminal(text: str) -> str:
    from platforms.console.render import printable

    return printable(text)


def _typed(action: str, profile: str | None) -> str:
    """What a button orders, as it is typed at the shell."""
    words = action.removeprefix("/").split(" ")
    return shlex.join(["innkeeper", *(["-p", profile] if profile else []), *words])


_WRITTEN = re.compile(
    r"""^(?:-|>)[ ].*$ | «[^»\n]*» | (?<!\w)'(?:\\.|[^'\\\n])*'(?!\w) | "(?:\\.|[^"\\\n])*"
    | (?<![\w/.])(?P<order>/(?P<name>[a-z][a-z0-9_-]*))(?![\w/])(?=(?:[ ](?P<rest>.*))?)""",
    re.MULTILINE | re.VERBOSE,
)
"""What people wrote, among the words of the house, as a line of a list or between quotation marks; or an order."""

_GIVEN = re.compile(r'(?:[a-z]+: )?[A-Z]{2,}\b|--[a-z]|"')
"""How arguments begin where an order is explained: `TEXT`, `memory: TEXT`, `--everywhere TEXT`, `"two words"`."""

_SAYS = re.compile(r"(?:lists|shows)\b")
"""What follows an order that is told by its name alone."""


def orders_at_the_shell(reply: CommandReply, profile: str | None) -> str:
    """The reply's text with the orders of the house as they are typed here: `innkeeper journey list`. A path, or
    somebody's words, which only look like one, stay as they are."""
    if not reply.ok:
        registry = built_in([])

        def told(found: re.Match[str]) -> str:
            spec = registry.get(found["name"]) if found["order"] else None
            meant = spec is not None and spec.shell and _is_order(spec, found["rest"] or "")
            return _typed(found["order"], profile) if meant else found[0]

        return _WRITTEN.sub(told, reply.text)
    text = reply.text
    for order in reply.orders:
        before, there, after = text.rpartition(order)
        name, blank, rest = order.partition(" ")
        text = f"{before}{_typed(name, profile)}{blank}{rest}{after}" if there else text
    return text


def _is_order(spec: CommandSpec, rest: str) -> bool:
    """Whether a command's name with these words behind it is an order, and no path that looks like the name."""
    action = re.match(r"[a-z-]+", rest)
    if action is not None and spec.action(action[0]) is not None:
        return True
    return spec.handler is not None and bool(_SAYS.match(rest) or (spec.arguments and _GIVEN.match(rest)))


def _plain(text: str) -> str:
    """The same without the two marks that only a chat needs."""
    return text.replace("**", "").replace("`", "")
