"""`innkeeper profile`: several houses under one roof, each with its own settings, memory and database."""

from __future__ import annotations

import json

import click

from gateway.cli.invocation import Invocation


@click.group()
def profile() -> None:
    """List, make, pick and delete profiles."""


@profile.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="An array of name, folder, active, running, pid.")
@click.pass_obj
def list_profiles(invocation: Invocation, as_json: bool) -> None:
    """List all profiles; the one in use is marked."""
    from gateway.config.lock import holder
    from gateway.config.paths import home_folder
    from gateway.config.profiles import active, profiles

    home = home_folder(invocation.environment)
    chosen = invocation.profile_name or active(home)
    rows = []
    for found in profiles(home):
        owner = holder(found)
        rows.append(
            {
                "name": found.name,
                "folder": str(found.folder),
                "active": found.name == chosen,
                "running": owner is not None,
                "pid": owner.pid if owner else None,
            }
        )
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for row in rows:
        running = f"  (running, process {row['pid']})" if row["running"] else ""
        click.echo(f"{'*' if row['active'] else ' '} {row['name']:<20} {row['folder']}{running}")


@profile.command(name="create")
@click.argument("name")
@click.pass_obj
def create_profile(invocation: Invocation, name: str) -> None:
    """Make a profile with its folders, a starter SOUL.md and a commented config.yaml."""
    from gateway.config.paths import home_folder
    from gateway.config.profiles import create

    made = create(home_folder(invocation.environment), name)
    click.echo(f"Made {made.folder}.")
    click.echo(f"`innkeeper -p {name} setup` sets it up; `innkeeper profile use {name}` makes it the usual one.")


@profile.command(name="delete")
@click.argument("name")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def delete_profile(invocation: Invocation, name: str, yes: bool) -> None:
    """Delete a profile with its memory, sessions and settings."""
    from gateway.config.paths import home_folder
    from gateway.config.profiles import DEFAULT, delete, named

    home = home_folder(invocation.environment)
    folder = named(home, name).folder
    if not yes and name != DEFAULT and folder.is_dir():
        click.confirm(f"Delete {folder} with its memory, sessions and settings?", abort=True)
    delete(home, name)
    click.echo(f"Deleted {folder}.")


@profile.command(name="use")
@click.argument("name")
@click.pass_obj
def use_profile(invocation: Invocation, name: str) -> None:
    """Make NAME the profile that is meant when none is named."""
    from gateway.config.paths import home_folder
    from gateway.config.profiles import use

    chosen = use(home_folder(invocation.environment), name)
    click.echo(f"From now on: {chosen.name} ({chosen.folder}).")


@profile.command(name="path")
@click.argument("name", required=False)
@click.pass_obj
def profile_path(invocation: Invocation, name: str | None) -> None:
    """Print a profile's folder."""
    from gateway.config.profiles import resolve

    click.echo(resolve(name or invocation.profile_name, invocation.environment).folder)
