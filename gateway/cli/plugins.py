"""`innkeeper plugins`: what is installed beside the house, turned off and on, fetched and taken away, and begun anew.

Owns the words and the questions. What an entry is good for is told by gateway/plugins; fetching is pip's work.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.invocation import USAGE, Invocation
from gateway.cli.plugin_packages import install, remove

if TYPE_CHECKING:
    from gateway.config.plugins import Plugins
    from gateway.plugins.judging import Judged

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print data for programs.")
MARKS = {"on": "✅", "off": "⏸️", "broken": "⚠️"}
LATER = "The gateway that runs takes it over at its next start."


@click.group()
def plugins() -> None:
    """What is installed beside the house: platforms, commands, tools, kinds of model hosts, outside memories."""


@plugins.command(name="list")
@AS_JSON
@click.pass_obj
def list_(invocation: Invocation, as_json: bool) -> None:
    """Everything that is announced. No platform's or service's library is loaded for it."""
    found = _judged(invocation)
    if as_json:
        click.echo(json.dumps([_row(each) for each in found], ensure_ascii=False, indent=2))
        return
    theirs = [each for each in found if not each.entry.built_in]
    for each in theirs:
        click.echo(_line(each))
    if not theirs:
        click.echo("No plugin is installed. `innkeeper plugins new KIND NAME` begins one.")
    click.echo("")
    click.echo("With the house:")
    for kind in dict.fromkeys(each.entry.kind for each in found if each.entry.built_in):
        ours = [each for each in found if each.entry.built_in and each.entry.kind == kind]
        click.echo(f"  {kind}s: {', '.join(each.entry.name for each in ours)}")
        for each in ours:
            if each.problem:
                click.echo(f"  {_line(each)}")


@plugins.command()
@click.argument("name")
@AS_JSON
@click.pass_obj
def info(invocation: Invocation, name: str, as_json: bool) -> None:
    """All that is known of one plugin, by its name or its package's."""
    known = invocation.plugins()
    _known(known, name)
    found = [each for each in _judged(invocation) if each.entry in known.named(name)]
    if as_json:
        click.echo(json.dumps([_row(each) for each in found], ensure_ascii=False, indent=2))
        return
    for each in found:
        row = _row(each)
        click.echo(_line(each))
        if row["distribution"]:
            click.echo(f"  package: {row['distribution']} {row['version']}")
        click.echo(f"  comes in by: {row['entry']}")


@plugins.command()
@click.argument("name")
@click.pass_obj
def disable(invocation: Invocation, name: str) -> None:
    """Leave a plugin alone from the next start on. It stays installed, and its settings stay."""
    known = invocation.plugins()
    found = _known(known, name)
    if all(each.built_in for each in found):
        raise click.ClickException(f"{name} comes with the house. {_own_switch(found[0].kind, name)}")
    listed = _listed(invocation)
    if all(each.off for each in found if not each.built_in):
        click.echo(f"{name} is off already.")
        return
    _write(invocation, [*listed, name])
    what = ", ".join(f"{each.kind} {each.name}" for each in found if not each.built_in)
    click.echo(f"Off: {what}. `innkeeper plugins enable {name}` turns it on again.")
    _tell_later(invocation)


@plugins.command()
@click.argument("name")
@click.pass_obj
def enable(invocation: Invocation, name: str) -> None:
    """Use a plugin again."""
    from gateway.config.plugins import normal

    listed = _listed(invocation)
    kept = [each for each in listed if each != name and normal(each) != normal(name)]
    found = invocation.plugins().named(name)
    if kept == listed:
        if whole := next((each.distribution for each in found if each.off), ""):
            raise click.ClickException(f"{name} is off because {whole} is: innkeeper plugins enable {whole}")
        _known(invocation.plugins(), name)
        click.echo(f"{name} is on already.")
        return
    _write(invocation, kept)
    click.echo(f"On: {name}." if found else f"{name} is off no more; it is not installed.")
    _tell_later(invocation)


@plugins.command()
@click.argument("kind", type=click.Choice(["platform", "command", "tool", "host", "provider"]))
@click.argument("name")
@click.option("--into", metavar="FOLDER", default=".", help="Where the plugin's folder is made; default: here.")
def new(kind: str, name: str, into: str) -> None:
    """Begin a plugin: a folder with a package, its tests and a README. Nothing that exists is overwritten."""
    from pathlib import Path

    from gateway.plugins.template import NotMade, write

    try:
        made = write(kind, name, Path(into))
    except NotMade as error:
        raise click.ClickException(str(error)) from None
    click.echo(f"{made.folder} is there. It runs as it is:")
    click.echo(f"  cd {made.folder}")
    click.echo("  pip install -e '.[test]'")
    click.echo("  pytest")
    click.echo(f"Then `innkeeper plugins list` shows it, and README.md there says how {name} is used.")


plugins.add_command(install)
plugins.add_command(remove)


def _judged(invocation: Invocation) -> list[Judged]:
    from gateway.clock import SystemClock
    from gateway.plugins.judging import judged
    from gateway.tools.loader import ToolHouse

    return judged(invocation.plugins(), ToolHouse(invocation.profile().folder, SystemClock().now))


def _known(plugins: Plugins, name: str) -> list[Any]:
    """The entries of that name. Raises UsageError where there is none."""
    from gateway.config.values import closest

    found = plugins.named(name)
    if not found:
        near = closest(name, {each.name for each in plugins.entries})
        raise click.UsageError(f"no plugin named {name} is installed{near}")
    return found


def _listed(invocation: Invocation) -> list[str]:
    from gateway.config.plugins import turned_off

    return sorted(turned_off(invocation.profile()))


def _write(invocation: Invocation, off: list[str]) -> None:
    """Set `plugins.disabled`; nothing is written where the settings would not hold without what it turns off."""
    from gateway.config.edit import set_key
    from gateway.config.extensions import Extensions
    from gateway.config.plugins import Plugins
    from gateway.errors import ConfigurationError

    extensions = Extensions.of(Plugins.announced(off))
    value = json.dumps(sorted(off), ensure_ascii=False)
    try:
        set_key(invocation.profile(), "plugins.disabled", value, invocation.environment, extensions)
    except ConfigurationError as error:
        click.echo("Nothing was changed, for the settings would not hold:", err=True)
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(USAGE) from None


def _tell_later(invocation: Invocation) -> None:
    from gateway.config.lock import holder

    if holder(invocation.profile()) is not None:
        click.echo(LATER)


def _own_switch(kind: str, name: str) -> str:
    match kind:
        case "provider":
            return "It is used only where memory.provider names it: innkeeper memory off"
        case "platform":
            return f"It is on only while it has a token: innkeeper config set platforms.{name}.token null"
    return "It does nothing unless config.yaml names it."


def _line(judged: Judged) -> str:
    entry = judged.entry
    about = judged.problem or judged.about or ("turned off" if judged.state == "off" else "")
    told = "; ".join(filter(None, (about, _taken(judged))))
    return f"{MARKS[judged.state]} {entry.kind} {entry.name}" + (f": {told}" if told else "")


def _taken(judged: Judged) -> str:
    """Which of its commands' names mean something else at the shell, in words; empty where none does."""
    from gateway.cli.main import ALIASES, OWN
    from gateway.plugins.judging import at_the_shell

    if judged.entry.built_in or judged.entry.kind != "command":
        return ""
    names = [each for each in at_the_shell(judged.entry) if each in OWN or each in ALIASES]
    if not names:
        return ""
    theirs, ours = (", ".join(f"{mark}{each}" for each in names) for mark in ("/", "innkeeper "))
    return f"{ours} at the shell {'is' if len(names) == 1 else 'are'} the house's own: {theirs} for chats alone"


def _row(judged: Judged) -> dict[str, Any]:
    entry = judged.entry
    return {
        "name": entry.name,
        "kind": entry.kind,
        "state": judged.state,
        "about": judged.about,
        "problem": judged.problem,
        "shell": _taken(judged),
        "distribution": entry.distribution,
        "version": entry.version,
        "entry": f"{entry.point.group}: {entry.point.name} = {entry.point.value}",
        "built_in": entry.built_in,
    }
