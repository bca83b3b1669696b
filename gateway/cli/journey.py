"""`innkeeper journey`: what was learnt, drawn in the terminal, or played as it came about.

How it looks is for `gateway.drawing`; listing, editing and deleting are the actions of the chat command. Colours are
off where the output is no terminal, where NO_COLOR says so, and when asked.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import TYPE_CHECKING

import click

from gateway.cli import surface
from gateway.cli.invocation import Invocation

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from commands.context import Context
    from commands.journey_ports import Journey
    from commands.reply import CommandReply
    from commands.spec import Arguments, CommandSpec
    from gateway.drawing.strip import Look
    from memory.journey.model import Timeline

NARROWEST = 40
FASTEST = 60
LINES = 400
"""Lines that are drawn when no height was asked for: a longer journey is summed up."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for; None for what the terminal says."""

    play: bool
    fps: int | None
    width: int | None
    height: int | None


class _Actions(click.Group):
    """The chat command's actions as subcommands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [each.name for each in _spec().actions]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from commands.registry import built_in

        action = _spec().action(cmd_name)
        return surface.subcommand(action, built_in([])) if action is not None else None


@click.group(cls=_Actions, invoke_without_command=True)
@click.option("--play", is_flag=True, help="Let it come about before your eyes; Ctrl-C ends it.")
@click.option("--fps", type=click.IntRange(1, FASTEST), help="Pictures a second of --play.")
@click.option("--width", type=click.IntRange(min=NARROWEST), metavar="N", help="Columns; those of the terminal.")
@click.option("--height", type=click.IntRange(min=8), metavar="N", help="Lines at most: a long journey is summed up.")
@click.option("--gone", is_flag=True, help="What was removed or put away, too.")
@click.option("--no-color", is_flag=True, help="No colours.")
@click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
@click.pass_context
def journey(
    ctx: click.Context,
    play: bool,
    fps: int | None,
    width: int | None,
    height: int | None,
    gone: bool,
    no_color: bool,
    as_json: bool,
) -> None:
    """What was learnt, over time: the oldest at the top."""
    if ctx.invoked_subcommand is not None:
        drawn = {"--play": play, "--fps": fps, "--width": width, "--height": height}
        if extra := [name for name, value in drawn.items() if value]:
            raise click.UsageError(f"{extra[0]} is for drawing, and {ctx.invoked_subcommand} draws nothing.")
        return
    if fps is not None and not play:
        raise click.UsageError("--fps goes with --play.")
    if as_json:
        _as_data(ctx, gone)
    timeline, zone = _seen(ctx, gone)
    console = _console(no_color)
    wish = Wish(play, fps, width, height)
    if play and sys.stdout.isatty() and not console.is_dumb_terminal and timeline.nodes:
        try:
            asyncio.run(_played(timeline, _look(console, wish, zone), console, wish))
        except KeyboardInterrupt:
            return  # whoever ends a play has seen enough
        return
    if play and timeline.nodes:
        click.echo("A play needs a terminal; this is how it ends.", err=True)
    _drawn(timeline, _look(console, wish, zone), console, wish)


def _spec() -> CommandSpec:
    from commands.registry import built_in

    spec = built_in([]).get("journey")
    assert spec is not None, "it is one of the house's own"
    return spec


def _as_data(ctx: click.Context, gone: bool) -> None:
    from commands.registry import built_in
    from commands.spec import Arguments

    handler = _spec().handler
    assert handler is not None, "the chat command does something without an action"
    surface.carry_out(ctx, handler, Arguments({"gone": "yes"} if gone else {}, json=True), built_in([]))


def _seen(ctx: click.Context, gone: bool) -> tuple[Timeline, tzinfo]:
    """The journey, and the zone whose days count; ends with the reply when there is none to be seen."""
    from commands.journey import on_the_way
    from commands.registry import built_in
    from commands.reply import CommandReply
    from commands.spec import Arguments

    found: list[tuple[Timeline, tzinfo]] = []

    async def look(context: Context, journey: Journey, arguments: Arguments) -> CommandReply:
        found.append((await journey.timeline(gone=gone), journey.zone()))
        return CommandReply("")

    invocation = ctx.find_object(Invocation)
    assert invocation is not None, "the root command makes it"
    reply = asyncio.run(surface.answer(invocation, on_the_way(look), Arguments(), built_in([])))
    if not found:
        surface.show(ctx, reply, False, invocation)
    return found[0]


def _console(no_color: bool) -> Console:
    from rich.console import Console

    return Console(file=sys.stdout, color_system=None if no_color else "auto", highlight=False)


def _look(console: Console, wish: Wish, zone: tzinfo) -> Look:
    from gateway.drawing.strip import NARROWEST as CUT
    from gateway.drawing.strip import PLAIN, SIGNS, Look

    signs = SIGNS if console.encoding.startswith("utf") else PLAIN
    return Look(wish.width or max(CUT, console.width), zone, signs)


def _drawn(timeline: Timeline, look: Look, console: Console, wish: Wish) -> None:
    from gateway.drawing.strip import strip

    lines = strip(timeline, look, wish.height or LINES)
    click.echo("\n".join(_painted(console, each) for each in lines), color=True)


async def _played(timeline: Timeline, look: Look, console: Console, wish: Wish) -> None:
    from gateway.clock import SystemClock
    from gateway.drawing.play import FPS, LOWEST, Screen, Size, needed, play

    def size() -> Size:
        width = wish.width or max(NARROWEST, console.width)
        most = wish.height or max(LOWEST, console.height - 1)
        return Size(width, min(most, needed(timeline, replace(look, width=width))))

    def write(text: str) -> None:
        click.echo(text, nl=False, color=True)

    screen = Screen(write, lambda line: _painted(console, line), size)
    with _unechoed():
        await play(timeline, look, screen, SystemClock(), wish.fps or FPS)


@contextmanager
def _unechoed() -> Iterator[None]:
    """What is typed meanwhile, Ctrl-C too, does not show up in the frames."""
    if not sys.stdin.isatty():
        yield
        return
    import termios

    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(terminal, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _painted(console: Console, line: Text) -> str:
    """The line as this terminal shows it: with its colours, if it has any, and its letters."""
    with console.capture() as caught:
        console.print(line, end="", soft_wrap=True)
    return caught.get().encode(console.encoding, "replace").decode(console.encoding)
