"""`innkeeper models`: what can run here, fetching it, picking it, and trying a model out."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import click

from gateway.cli.invocation import Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from gateway.config.paths import Profile
    from gateway.models.trial import Grade


@click.group()
def models() -> None:
    """List, fetch, pick and test models."""


@models.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="An array of models.")
@click.pass_obj
def list_models(invocation: Invocation, as_json: bool) -> None:
    """List the models that can run on this machine."""
    rows = asyncio.run(_rows(invocation))
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        mark = "*" if row["current"] else " "
        state = "here" if row["present"] else "-"
        kind = "tools" if row["tools"] else "assisted" if row["tools"] is False else "?"
        click.echo(f"{mark} {row['name']:<{width}}  {_size(row['size']):>8}  {state:<4}  {kind:<8}  {row['note']}")
    click.echo("\n* in use. `innkeeper models pull NAME` fetches one, `innkeeper models use NAME` picks it.")


@models.command()
@click.argument("name")
@click.pass_obj
def pull(invocation: Invocation, name: str) -> None:
    """Fetch the weights of NAME; nothing happens when they are there."""
    fetch(invocation.prepared().models, name)


@models.command()
@click.argument("name")
@click.pass_obj
def use(invocation: Invocation, name: str) -> None:
    """Make NAME the main model: one of `list`, a .gguf file, or HOST/MODEL."""
    from gateway.config.edit import set_key
    from gateway.config.lock import holder
    from gateway.models.catalogue import model_path

    profile = invocation.prepared()
    provider, _, model = name.partition("/")
    if not model or name.startswith(("/", "~")) or provider == "local":
        provider, model = "local", name.removeprefix("local/")
        path = model_path(model, profile.models)
        if not path.exists():
            click.echo(f"{model} is not here yet: innkeeper models pull {model}", err=True)
    for key, value in (("model.provider", provider), ("model.model", model)):
        set_key(profile, key, json.dumps(value, ensure_ascii=False), invocation.environment, invocation.extensions())
    click.echo(f"The main model is {provider}/{model}.")
    if holder(profile):
        click.echo("Restart the gateway for this to take effect.")


@models.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="The grade as an object.")
@click.pass_context
def test(ctx: click.Context, name: str | None, as_json: bool) -> None:
    """Try NAME or HOST/MODEL out (default: the main model): speed, cache, tool calls, honesty."""
    grade = asyncio.run(_trial(ctx.obj, name))
    if as_json:
        click.echo(json.dumps(grade.to_dict(), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(_lines(grade)))
    if grade.error:
        ctx.exit(1)


@models.command()
@click.argument("name")
@click.pass_obj
def remove(invocation: Invocation, name: str) -> None:
    """Delete the weights of NAME from the models folder (they can be fetched again)."""
    from gateway.models.catalogue import model_path
    from gateway.models.pull import remove as remove_file

    folder = invocation.prepared().models
    path = model_path(name, folder)
    if path.parent != folder:
        raise click.UsageError(f"{path} is not in {folder}; delete it yourself if you mean it.")
    click.echo(f"Removed {path.name}." if remove_file(path, folder) else f"{name} was not here.")


def fetch(models_folder: Path, name: str) -> Path:
    """Fetch a model's weights with a progress bar on stderr. Raises PullFailed or ModelMissing."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    from gateway.models.catalogue import entry_named
    from gateway.models.pull import ensure_weights, is_present

    entry = entry_named(name)
    if entry is None or is_present(entry, models_folder):
        path = ensure_weights(models_folder, name, lambda done, total: None)
        click.echo(f"{name} is here: {path}", err=True)
        return path
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(f"Fetching {entry.title}", total=entry.size)
        path = ensure_weights(models_folder, name, lambda done, total: bar.update(task, completed=done, total=total))
    click.echo(f"{entry.title} ({entry.license}) is at {path}", err=True)
    return path


async def _trial(invocation: Invocation, name: str | None) -> Grade:
    """Try a model out, and keep its grade unless the trial broke off: half a trial says nothing of tools."""
    from gateway.clock import SystemClock
    from gateway.engine.turns.grades import Grades
    from gateway.models.catalogue import entry_named
    from gateway.models.trial import try_out
    from gateway.short_lived import host_registry
    from gateway.state.store import SqliteStore

    clock, profile = SystemClock(), invocation.prepared()
    registry = host_registry(profile, invocation.settings(), clock)
    if name is not None and (entry_named(name) is not None or name.endswith(".gguf")):
        name = f"local/{name}"
    try:
        client = registry.resolve(name, fallbacks=False)
        grade = await try_out(
            client, clock, lambda text: click.echo(f"{client.host}/{client.model}: {text} …", err=True)
        )
    finally:
        await registry.close()
    if not grade.error:
        store = await SqliteStore.open(profile.database)
        try:
            await Grades(store.facts).put(grade)
        finally:
            await store.close()
    return grade


async def _grades(profile: Profile, names: list[str]) -> dict[str, Grade]:
    """What is kept of these models; no database is made for it."""
    from gateway.engine.turns.grades import Grades
    from gateway.state.store import SqliteStore

    if not profile.database.exists():
        return {}
    store = await SqliteStore.open(profile.database)
    try:
        return await Grades(store.facts).of(names)
    finally:
        await store.close()


async def _rows(invocation: Invocation) -> list[dict[str, Any]]:
    from gateway.models.catalogue import CATALOGUE, own_files
    from gateway.models.main_host import embedded
    from gateway.models.pull import is_present

    profile, loaded = invocation.profile(), invocation.settings()
    current, own = embedded(loaded.settings, loaded.keys), own_files(profile.models)
    names = [*(entry.name for entry in CATALOGUE), *(path.stem for path in own)]
    grades = await _grades(profile, [f"local/{name}" for name in names])
    rows: list[dict[str, Any]] = []
    for entry in CATALOGUE:
        grade = grades.get(f"local/{entry.name}")
        rows.append(
            {
                "name": entry.name,
                "title": entry.title,
                "size": entry.size,
                "ram": entry.ram,
                "license": entry.license,
                "present": is_present(entry, profile.models),
                "tools": grade.tools if grade is not None else entry.tools,
                "tested": grade.at if grade is not None else None,
                "note": entry.note,
                "current": current == entry.name,
            }
        )
    for path in own:
        grade = grades.get(f"local/{path.stem}")
        rows.append(
            {
                "name": path.stem,
                "title": path.stem,
                "size": path.stat().st_size,
                "ram": None,
                "license": None,
                "present": True,
                "tools": grade.tools if grade is not None else None,
                "tested": grade.at if grade is not None else None,
                "note": "your own file",
                "current": current in (path.stem, path.name, str(path)),
            }
        )
    return rows


def _lines(grade: Grade) -> list[str]:
    """The grade for people."""
    if not grade.reachable:
        return [f"{grade.name} cannot be used: {grade.error}"]

    def number(value: float | None, unit: str) -> str:
        return "not measured" if value is None else f"{value:,.1f} {unit}"

    share = "not measured" if grade.cached_share is None else f"{grade.cached_share:.0%}"
    claims = {None: "not tried", True: "yes (receipts by the gateway count, not its words)", False: "no"}
    lines = [
        f"{grade.name}",
        f"  window         {'unknown' if grade.window is None else f'{grade.window:,} tokens'}",
        f"  first word     {number(grade.first_token, 's')}",
        f"  reading        {number(grade.reading, 'tokens/s')}",
        f"  writing        {number(grade.writing, 'tokens/s')}",
        f"  kept in cache  {share}",
        f"  tool calls     {grade.right_calls} right; {', '.join(grade.shapes) or 'its host offers it no tools'}",
        f"  mode           {'tools' if grade.tools else 'assisted: it is not offered tools'}",
        f"  claims saves   {claims[grade.claims_saves]}",
    ]
    return [*lines, f"  broke off, so nothing of this is kept: {grade.error}"] if grade.error else lines


def _size(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"
