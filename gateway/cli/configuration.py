"""`innkeeper config`: what is in force and where it came from, and changing one key."""

from __future__ import annotations

import json

import click

from gateway.cli.invocation import Invocation


@click.group()
def config() -> None:
    """Check, show and change settings."""


@config.command()
@click.option("--json", "as_json", is_flag=True, help="An array of key, value and origin.")
@click.pass_obj
def check(invocation: Invocation, as_json: bool) -> None:
    """Check config.yaml and print each effective value with where it came from."""
    from gateway.config.expand import hidden, shown
    from gateway.config.not_yet import warnings
    from gateway.config.schema import flattened

    loaded = invocation.settings()
    for line in warnings(loaded.settings):
        click.echo(f"Note: {line}.", err=True)
    rows = [
        {
            "key": key,
            "value": hidden(shown(tuple(key.split(".")), value), loaded.secrets),
            "origin": loaded.origin(key),
        }
        for key, value in flattened(loaded.settings)
    ]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    width = max(len(row["key"]) for row in rows)
    for row in rows:
        text = _written(row["value"])
        click.echo(f"{row['key']:<{width}}  {text:<28}  {row['origin']}")
    path = invocation.profile().config
    click.echo(f"\n{path} is valid." if path.exists() else f"\nThere is no {path}: everything has its default.")


@config.command(name="set")
@click.argument("key")
@click.argument("value")
@click.pass_obj
def set_value(invocation: Invocation, key: str, value: str) -> None:
    """Set KEY (such as memory.write_approval) to VALUE, written as in the file; comments are kept."""
    from gateway.config.edit import set_key
    from gateway.config.expand import shown
    from gateway.config.lock import holder
    from gateway.config.not_yet import warnings

    profile = invocation.prepared()
    edited = set_key(profile, key, value, invocation.environment, invocation.extensions())
    if not edited.changed:
        click.echo(f"{key} is {_written(shown(tuple(key.split('.')), edited.value))} already.")
        return
    click.echo(f"{key}: {_written(shown(tuple(key.split('.')), edited.value))}")
    for line in warnings(invocation.settings().settings, about=key):
        click.echo(f"Note: {line}.", err=True)
    if edited.restart:
        click.echo("Restart the gateway for this to take effect.")
    elif holder(profile):
        click.echo("The running gateway takes it over within seconds.")


@config.command()
@click.pass_obj
def path(invocation: Invocation) -> None:
    """Print where config.yaml is."""
    click.echo(invocation.profile().config)


def _written(value: object) -> str:
    """A value as it would be written in the file."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)
