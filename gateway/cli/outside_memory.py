"""`innkeeper memory setup|status|off|providers`: the outside memory that stands beside the files, chosen and tried.

Owns the questions and the words. What is written goes through gateway/config; what a provider is, is the matter of
memory/providers.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.flags import or_of_the_group
from gateway.cli.invocation import FAILED, USAGE, Invocation

if TYPE_CHECKING:
    from gateway.config.extensions import Extensions
    from gateway.config.load import Loaded
    from memory.providers.protocol import ProviderManifest
    from memory.providers.registry import BrokenProvider

AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print data for programs.", callback=or_of_the_group)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--set", "chosen", multiple=True, metavar="KEY=VALUE", help="A setting of it, as written in config.yaml."
)
@click.option("--secret", "given", multiple=True, metavar="NAME=VALUE", help="A secret, for .env.")
@click.option("--install", "wanted", is_flag=True, help="Install what it needs into an environment of its own first.")
@click.option("--no-test", is_flag=True, help="Switch to it without trying it.")
@click.pass_obj
def setup(
    invocation: Invocation,
    name: str | None,
    chosen: tuple[str, ...],
    given: tuple[str, ...],
    wanted: bool,
    no_test: bool,
) -> None:
    """Choose an outside memory, configure it, try it, and switch to it. Secrets go to .env."""
    from gateway.config.dotenv import set_env
    from gateway.config.edit import set_key
    from gateway.config.profiles import furnish

    extensions = invocation.extensions()
    name = name or _picked(invocation, extensions)
    manifest = _manifest(extensions, name)
    profile = furnish(invocation.profile())
    if wanted:
        _install(invocation, manifest)
    secrets = _secrets(invocation, manifest, _pairs(given, "--secret"))
    if secrets:
        set_env(profile.env, secrets)
    for key, value in _settings(invocation, manifest, _pairs(chosen, "--set")).items():
        set_key(profile, f"memory.providers.{name}.{key}", value, invocation.environment, extensions)
    if not no_test:
        well, told = tried(invocation, name)
        click.echo(told)
        if not well:
            click.echo(f"memory.provider was not changed. `innkeeper memory setup {name} --no-test` switches anyway.")
            raise click.exceptions.Exit(FAILED)
    edited = set_key(profile, "memory.provider", name, invocation.environment, extensions)
    click.echo(f"memory.provider is {name}. The files in memories/ stay as they are.")
    if edited.changed and _runs(invocation):
        click.echo("The gateway that runs takes it over at its next start.")


@click.command()
@click.option("--test", "test", is_flag=True, help="Ask it, also while the gateway runs.")
@AS_JSON
@click.pass_context
def status(ctx: click.Context, test: bool, as_json: bool) -> None:
    """Which outside memory is used, whether everything that it needs is there, and whether it answers."""
    invocation = ctx.ensure_object(Invocation)
    name = invocation.settings().settings.memory.provider
    if name is None:
        data: dict[str, Any] = {"provider": None}
        lines = ["No outside memory is used: `innkeeper memory providers` lists them."]
    else:
        data, lines = _state(invocation, name, test)
    click.echo(json.dumps(data, ensure_ascii=False, indent=2) if as_json else "\n".join(lines))
    if data.get("well") is False:
        ctx.exit(FAILED)


@click.command()
@click.pass_obj
def off(invocation: Invocation) -> None:
    """Use no outside memory any more. What it kept stays with it, and its settings stay."""
    from gateway.config.edit import set_key

    name = _used(invocation)
    if name is None:
        click.echo("No outside memory is used.")
        return
    set_key(invocation.profile(), "memory.provider", "null", invocation.environment, invocation.extensions())
    click.echo(f"{name} is not used any more. What it kept stays with it; its settings and secrets stay.")
    if _runs(invocation):
        click.echo("The gateway that runs takes it over at its next start.")


@click.command()
@AS_JSON
@click.pass_obj
def providers(invocation: Invocation, as_json: bool) -> None:
    """The outside memories that are installed."""
    from memory.providers.registry import BrokenProvider

    loaded, extensions = invocation.settings(), invocation.extensions()
    used = loaded.settings.memory.provider
    found = [_row(entry, loaded, used) for entry in extensions.providers.all().values()]
    if as_json:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    if not found:
        click.echo("None is installed.")
    for row, entry in zip(found, extensions.providers.all().values(), strict=True):
        if isinstance(entry, BrokenProvider):
            click.echo(f"⚠️ {row['name']}: {row['problem']}")
            continue
        where = "keeps everything on this machine" if row["local"] else "what it is given can leave this machine"
        missing = f"; needs {', '.join(row['missing'])}" if row["missing"] else ""
        mark = "→" if row["used"] else " "
        click.echo(f"{mark} {row['name']}: {row['about']} ({where}{missing})")


COMMANDS = {"setup": setup, "status": status, "off": off, "providers": providers}


def _install(invocation: Invocation, manifest: ProviderManifest) -> None:
    """The provider's environment, made anew. Raises UsageError where it needs none, Exit when it cannot be made."""
    from gateway.providers.environment import NotInstalled, install

    if not manifest.packages:
        raise click.UsageError(f"{manifest.name} needs no environment of its own.")
    click.echo(f"Installing {', '.join(manifest.packages)} into an environment of its own; this takes a while.")
    try:
        place = install(invocation.profile().cache, manifest.name, manifest.packages, invocation.environment)
    except NotInstalled as error:
        click.echo(f"⚠️ {manifest.name} was not installed: {error}")
        raise click.exceptions.Exit(FAILED) from error
    click.echo(f"✅ Installed in {place}")


def tried(invocation: Invocation, name: str) -> tuple[bool, str]:
    """Start it, ask it something, let it go: whether that went well, and what to tell, without secrets."""
    import asyncio

    from gateway.observability.redact import Redactor
    from memory.providers.protocol import ProviderFault

    try:
        return True, asyncio.run(_try(invocation, name))
    except ProviderFault as fault:
        why = "".join(sign if sign.isprintable() else "?" for sign in " ".join(str(fault).split()))
        return False, f"⚠️ {name}: {Redactor(invocation.settings().secrets)(why)}"


async def _try(invocation: Invocation, name: str) -> str:
    from gateway.clock import SystemClock
    from gateway.providers.joining import asked_once, made

    profile, clock = invocation.prepared(), SystemClock()
    manifest, provider = made(profile, invocation.settings(), invocation.extensions(), name, clock.now)
    seconds = await asked_once(provider, manifest, clock)
    return f"✅ {name} answers ({seconds * 1000:.0f} ms)."


def _state(invocation: Invocation, name: str, test: bool) -> tuple[dict[str, Any], list[str]]:
    from gateway.observability.redact import Redactor

    loaded = invocation.settings()
    entry = invocation.extensions().providers.get(name)
    if entry is None:
        text = f"no outside memory named {name} is installed"
        return {"provider": name, "well": False, "problem": text}, [f"⚠️ {text}: innkeeper memory providers"]
    data = {"provider": name, **_row(entry, loaded, name)}
    lines = [f"Outside memory: {name}"]
    if data["problem"]:
        return {**data, "well": False}, [*lines, f"⚠️ {data['problem']}"]
    own = loaded.settings.memory.providers.get(name)
    data["settings"] = {} if own is None else Redactor(loaded.secrets).tree(own.model_dump(mode="json"))
    lines += [f"  {key}: {value}" for key, value in data["settings"].items()]
    lines += [f"⚠️ {variable} is not set: innkeeper memory setup {name}" for variable in data["missing"]]
    if data["missing"]:
        return {**data, "well": False}, lines
    if _runs(invocation) and not test:
        return {**data, "well": None}, [*lines, "The gateway runs and uses it: /status there says how it is doing."]
    well, told = tried(invocation, name)
    return {**data, "well": well, "told": told}, [*lines, told]


def _used(invocation: Invocation) -> str | None:
    """The one that is used; also when it is not installed any more, which the settings are refused for."""
    from gateway.config.lines import read
    from gateway.errors import ConfigurationError

    try:
        return invocation.settings().settings.memory.provider
    except ConfigurationError:
        section = read(invocation.profile().config).values.get("memory")
        name = section.get("provider") if isinstance(section, dict) else None
        if not isinstance(name, str) or name in invocation.extensions().providers.names:
            raise
        return name


def _row(entry: ProviderManifest | BrokenProvider, loaded: Loaded, used: str | None) -> dict[str, Any]:
    from memory.providers.registry import BrokenProvider

    row: dict[str, Any] = {"name": entry.name, "used": entry.name == used, "problem": ""}
    if isinstance(entry, BrokenProvider):
        return row | {"problem": entry.why, "about": "", "local": False, "missing": []}
    missing = [each.variable for each in entry.secrets if each.required and not loaded.variables.get(each.variable)]
    return row | {"about": entry.about, "local": entry.local, "missing": missing}


def _picked(invocation: Invocation, extensions: Extensions) -> str:
    """The one that the person picks. Raises Exit without a terminal."""
    from memory.providers.protocol import ProviderManifest

    known = [each for each in extensions.providers.all().values() if isinstance(each, ProviderManifest)]
    for each in known:
        click.echo(f"{each.name}: {each.about}")
    if not sys.stdin.isatty():
        click.echo("Name one: innkeeper memory setup NAME", err=True)
        raise click.exceptions.Exit(USAGE)
    now = invocation.settings().settings.memory.provider
    picked: str = click.prompt("Which one?", type=click.Choice([each.name for each in known]), default=now)
    return picked


def _manifest(extensions: Extensions, name: str) -> ProviderManifest:
    from gateway.config.values import closest
    from memory.providers.registry import BrokenProvider

    entry = extensions.providers.get(name)
    if entry is None:
        raise click.UsageError(
            f"no outside memory named {name} is installed{closest(name, extensions.providers.names)}"
        )
    if isinstance(entry, BrokenProvider):
        raise click.ClickException(entry.why)
    return entry


def _secrets(invocation: Invocation, manifest: ProviderManifest, given: dict[str, str]) -> dict[str, str]:
    """What is to be written into .env: what was given, and what the person answers for what is missing."""
    needs = {each.variable: each for each in manifest.secrets}
    for variable in given:
        if variable not in needs:
            raise click.UsageError(f"{manifest.name} has no secret {variable}; it has: {', '.join(needs) or 'none'}")
        given[variable] = given[variable].strip()
        if not given[variable] or not given[variable].isprintable():
            raise click.UsageError(f"{variable} is empty, or holds signs that no secret has")
    if not sys.stdin.isatty():
        return given
    known = invocation.settings().variables
    for variable, need in needs.items():
        if variable not in given:
            kept = " (set; Enter keeps it)" if known.get(variable) else "" if need.required else " (Enter skips it)"
            answer: str = click.prompt(f"{need.help}{kept}", default="", hide_input=True, show_default=False)
            if answer.strip():
                given[variable] = answer.strip()
    return given


def _settings(invocation: Invocation, manifest: ProviderManifest, given: dict[str, str]) -> dict[str, str]:
    """Its settings as (key, value as written): those that were given, and those that the person answers."""
    model = invocation.extensions().provider_models([manifest.name])[manifest.name]
    fields = model.model_fields if model is not None else {}
    for key in given:
        if key not in fields:
            raise click.UsageError(f"{manifest.name} has no setting {key}; it has: {', '.join(fields) or 'none'}")
    if not sys.stdin.isatty():
        return given
    own = invocation.settings().settings.memory.providers.get(manifest.name)
    for key, field in fields.items():
        if key not in given:
            now = getattr(own, key, None) if own is not None else field.get_default(call_default_factory=False)
            answer: str = click.prompt(f"{key} (Enter keeps {now!r})", default="", show_default=False)
            if answer.strip():
                given[key] = answer.strip()
    return given


def _pairs(words: tuple[str, ...], option: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in words:
        key, equals, value = each.partition("=")
        if not key or not equals:
            raise click.UsageError(f"{option} takes NAME=VALUE")
        found[key] = value
    return found


def _runs(invocation: Invocation) -> bool:
    from gateway.config.lock import holder

    return holder(invocation.profile()) is not None
