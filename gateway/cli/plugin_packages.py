"""`innkeeper plugins install|remove`: packages fetched and taken away by pip, in the environment that runs this.

Says what is about to be done and asks first: a plugin is code of whoever published it, with this account's rights.
"""

from __future__ import annotations

import importlib
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.cli.invocation import FAILED, USAGE, Invocation

if TYPE_CHECKING:
    from gateway.config.plugins import Plugins

YES = click.option("--yes", "-y", is_flag=True, help="Do not ask.")
REQUIREMENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]+\])?(?:[=<>!~]=?[0-9A-Za-z.*,<>=!~]+)?")

TOOL_CHAIN = frozenset({"dev", "testing"})
"""Extras of the house that no gateway needs."""

ARCHIVE = re.compile(r"\.(?:whl|zip|tar|tgz|tbz|txz|tlz|tar\.\w+)(?:\[.*\])?$", re.IGNORECASE)
"""What pip takes for a file of this folder, although it looks like a name."""


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@YES
@click.pass_obj
def install(invocation: Invocation, names: tuple[str, ...], yes: bool) -> None:
    """Fetch packages by their names (or from a ./FOLDER), and say what they bring. honcho, mem0 and their like are
    names of what the house knows already, and only needs libraries for."""
    from gateway.config.plugins import Plugins, turned_off

    wanted = [_requirement(invocation, name) for name in names]
    command = _pip("install", *(requirement for requirement, _ in wanted))
    _ask(command, "\n".join(dict.fromkeys(why for _, why in wanted)), yes)
    before = {(each.kind, each.name) for each in Plugins.announced().entries}
    _run(command)
    importlib.invalidate_caches()
    after = Plugins.announced(turned_off(invocation.profile())).entries
    fresh = [each for each in after if (each.kind, each.name) not in before]
    for each in fresh:
        click.echo(f"New: {each.kind} {each.name}" + (" (turned off: innkeeper plugins enable)" if each.off else ""))
    if not fresh and not any(requirement.startswith("innkeeper[") for requirement, _ in wanted):
        click.echo("No new door was found: `innkeeper plugins list` shows what there is.")
    _later(invocation)


@click.command()
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@YES
@click.pass_obj
def remove(invocation: Invocation, names: tuple[str, ...], yes: bool) -> None:
    """Take plugins' packages away, by the plugins' names or the packages'. Their settings stay in config.yaml."""
    from gateway.config.plugins import Plugins

    plugins = Plugins.announced()
    packages = list(dict.fromkeys(_package(plugins, name) for name in names))
    gone = [each for each in plugins.entries if each.distribution in packages]
    what = "This takes away: " + ", ".join(f"{each.kind} {each.name}" for each in gone)
    command = _pip("uninstall", "--yes", *packages)
    _ask(command, what, yes)
    _run(command)
    importlib.invalidate_caches()
    click.echo(f"Gone: {', '.join(packages)}.")
    _still_named(invocation)
    _later(invocation)


def _package(plugins: Plugins, name: str) -> str:
    """The package of a plugin. Raises UsageError where there is none, or where there are several."""
    from gateway.config.plugins import normal

    found = [each for each in plugins.named(name) if each.distribution]
    packages = {normal(each.distribution): each.distribution for each in found if not each.built_in}
    if not packages:
        why = f"{name} comes with the house and stays" if found else f"no plugin named {name} is installed"
        raise click.UsageError(why)
    if len(packages) > 1:
        raise click.UsageError(f"{name} is in several packages; name one: {', '.join(sorted(packages.values()))}")
    return next(iter(packages.values()))


def _requirement(invocation: Invocation, name: str) -> tuple[str, str]:
    """What pip is given for a name, and what to say about it. Raises UsageError."""
    if _BARE.split(name.lower(), maxsplit=1)[0] in TOOL_CHAIN:
        raise click.UsageError(f"{name} is for who writes plugins or the house: pip install 'innkeeper[{name}]'")
    if name.lower() in _extras():
        return f"innkeeper[{name.lower()}]", f"The house knows {name}; this fetches the libraries that it needs."
    if "/" in name and Path(name).is_dir():
        folder = str(Path(name).resolve())
        return folder, f"This installs the package in {folder}, which then runs with this account's rights."
    if not REQUIREMENT.fullmatch(name) or ARCHIVE.search(name):
        raise click.UsageError(f"{name!r} is neither a package's name nor a folder (./FOLDER)")
    if how := _at_home(invocation, _BARE.split(name, maxsplit=1)[0]):
        raise click.UsageError(how)
    return name, "A plugin is code of whoever published it, and runs with this account's rights."


_BARE = re.compile(r"[\[=<>!~]")
"""Ends a package's bare name."""


def _at_home(invocation: Invocation, name: str) -> str:
    """How what comes with the house under this name is used; empty where nothing does. A package of that name is
    somebody else's."""
    from gateway.config.plugins import PLATFORM, PROVIDER, Plugins, normal

    wanted = normal(name)
    if wanted == "innkeeper":
        return "innkeeper is the house itself"
    for each in Plugins.announced().entries:
        if not each.built_in or normal(each.name) != wanted:
            continue
        if each.kind == PROVIDER:
            return _lodging(invocation, each.name)
        how = f"is a kind of model host: innkeeper config set hosts.NAME.kind {each.name}"
        if each.kind == PLATFORM:
            how = "is on once it has a token: innkeeper setup asks for it, and for who may talk there"
        if each.name == "console":
            how = "is always there: innkeeper chat"
        return f"{each.name} comes with the house, and {how}"
    return ""


def _lodging(invocation: Invocation, name: str) -> str:
    """How an outside memory of the house is chosen; some need packages that do not go with the house's own."""
    from memory.providers.protocol import ProviderManifest

    manifest = invocation.extensions().providers.get(name)
    if isinstance(manifest, ProviderManifest) and manifest.packages:
        return (
            f"{name} comes with the house, and what it needs goes into an environment of its own: "
            f"innkeeper memory setup {name} --install"
        )
    return f"{name} comes with the house, and is switched on by: innkeeper memory setup {name}"


def _extras() -> frozenset[str]:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        return frozenset(metadata("innkeeper").get_all("Provides-Extra") or ()) - TOOL_CHAIN
    except PackageNotFoundError:
        return frozenset()


def _pip(*words: str) -> list[str]:
    return [sys.executable, "-m", "pip", *words]


def _ask(command: list[str], why: str, yes: bool) -> None:
    """Say what would be done, and go on only with a yes."""
    click.echo(why)
    click.echo(f"  {shlex.join(command)}")
    if yes:
        return
    if not sys.stdin.isatty():
        click.echo("Nobody is here to say yes: --yes does.", err=True)
        raise click.exceptions.Exit(USAGE)
    if not click.confirm("Do it?", default=False):
        raise click.exceptions.Exit(FAILED)


def _run(command: list[str]) -> None:
    """Run pip, which speaks for itself. Ends with exit code 1 where it could not."""
    if find_spec("pip") is None:
        raise click.ClickException(f"there is no pip beside {sys.executable}; install the package with what made it")
    if subprocess.run(command, check=False).returncode:
        click.echo("pip could not: nothing else was done.", err=True)
        raise click.exceptions.Exit(FAILED)


def _still_named(invocation: Invocation) -> None:
    """Say where config.yaml still speaks of what is gone: with that, nothing would start."""
    from gateway.errors import ConfigurationError

    try:
        invocation.settings()
    except ConfigurationError as error:
        click.echo("config.yaml still speaks of it; nothing starts before that is taken out:", err=True)
        click.echo(str(error), err=True)


def _later(invocation: Invocation) -> None:
    from gateway.config.lock import holder

    if holder(invocation.profile()) is not None:
        click.echo("The gateway that runs takes it over at its next start.")
