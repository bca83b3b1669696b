"""`innkeeper run`, `chat` and `ask`: the gateway in the foreground, and windows on it.

`chat` and `ask` attach to a running gateway; without one they run the engine themselves under the profile's lock.
Either way they speak through the console's socket, so there is one path.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gateway.cli.invocation import Invocation
from gateway.cli.sweeping import unswept
from gateway.cli.without_skills import no_skills, opt_out

if TYPE_CHECKING:
    from commands.registry import Registry
    from gateway.app import App
    from gateway.config.load import Loaded
    from gateway.config.paths import Profile

LAST_CHAT = "last-chat.json"
SOCKET_LOOKS = 500
"""How often the socket is looked for, a hundred times a second."""
LINGER_LOOKS = 18_000
"""How often an engine looks whether other windows are gone, ten times a second: half an hour."""


@click.command()
@click.option("-v", "--verbose", is_flag=True, help="Show the log here as well.")
@no_skills
@click.pass_obj
def run(invocation: Invocation, verbose: bool, without_skills: bool) -> None:
    """Run the gateway in the foreground, until Ctrl-C or SIGTERM."""
    if without_skills:
        opt_out(invocation)
    asyncio.run(_run(invocation, verbose))


@click.command()
@click.option("-c", "--continue", "go_on", is_flag=True, help="Go on with the last conversation.")
@click.option("--chat", "name", metavar="NAME", help="A conversation with a name, gone on with each time.")
@no_skills
@click.pass_context
def chat(ctx: click.Context, go_on: bool, name: str | None, without_skills: bool) -> None:
    """Talk to the assistant here. Each start is a fresh session, unless you go on with the last one."""
    if without_skills:
        opt_out(ctx.obj)
    ctx.exit(asyncio.run(_chat(ctx.obj, go_on, name)))


@click.command()
@click.argument("text", nargs=-1)
@click.option("--chat", "name", metavar="NAME", help="Go on with the console chat of this name.")
@click.option("--file", "files", multiple=True, type=click.Path(exists=True, dir_okay=False), help="A file to give.")
@click.option("--json", "as_json", is_flag=True, help="Print {session_id, reply, usage, notices}.")
@click.pass_context
def ask(ctx: click.Context, text: tuple[str, ...], name: str | None, files: tuple[str, ...], as_json: bool) -> None:
    """Ask one question (or pipe it in) and print the reply."""
    words = " ".join(text)
    if not sys.stdin.isatty():
        piped = sys.stdin.read().strip()
        words = f"{words}\n\n{piped}" if words and piped else words or piped
    if not words.strip() and not files:
        raise click.UsageError("there is nothing to ask: innkeeper ask TEXT, or pipe a text in")
    paths = [str(Path(each).absolute()) for each in files]
    ctx.exit(asyncio.run(_ask(ctx.obj, words, name, as_json, paths)))


async def _run(invocation: Invocation, verbose: bool) -> None:
    with unswept() as settled:
        await _running(invocation, verbose, settled)


async def _running(invocation: Invocation, verbose: bool, settled: Callable[[object], None]) -> None:
    from gateway.app import running
    from gateway.signals import heeding

    profile, loaded = _ready(invocation)
    _weights(profile, loaded)
    environment, extensions = invocation.environment, invocation.extensions()
    with heeding() as signals:
        async with running(profile, loaded, environment, extensions=extensions, verbose=verbose) as app:
            app.warm.add_done_callback(settled)
            click.echo(f"innkeeper runs (profile {profile.name}, process {os.getpid()}). Ctrl-C ends it.")
            for line in app.lines:
                click.echo(f"  {line}")
            await app.serve(signals, lambda text: click.echo(text, err=True))
            click.echo("closing: running answers get their time")


async def _chat(invocation: Invocation, go_on: bool, name: str | None) -> int:
    from platforms.console.client import NoGateway, Window
    from platforms.console.terminal import converse

    async with _gateway(invocation) as house:
        last = _LastChat.read(house.profile)
        chosen = name or (last.chat if go_on and last else f"chat-{secrets.token_hex(3)}")
        greeting = _greeting(house, last, go_on)
        record = _LastChat(chosen, clean=False)
        record.write(house.profile)
        try:
            async with Window(house.profile.folder, chosen) as window:
                code = await converse(
                    window,
                    stdin=sys.stdin,
                    stdout=sys.stdout,
                    stderr=sys.stderr,
                    commands=_commands(house.profile, invocation.commands()),
                    history=house.profile.cache / "history",
                    colour="NO_COLOR" not in invocation.environment,
                    greeting=greeting,
                )
        except NoGateway as error:
            click.echo(str(error), err=True)
            return 1
        _LastChat(chosen, clean=True).write(house.profile)
        return code


async def _ask(invocation: Invocation, text: str, name: str | None, as_json: bool, files: Sequence[str]) -> int:
    from platforms.console.client import NoGateway, Window
    from platforms.console.oneshot import ask as ask_once

    async with _gateway(invocation) as house:
        try:
            async with Window(house.profile.folder, name or f"ask-{secrets.token_hex(4)}", "ask") as window:
                return await ask_once(
                    window, text, stdout=sys.stdout, stderr=sys.stderr, as_json=as_json, files=files
                )
        except NoGateway as error:
            click.echo(str(error), err=True)
            return 1


@dataclass(frozen=True, slots=True)
class _House:
    """What a window needs to know of the gateway behind it; `attached` when another process runs it."""

    profile: Profile
    model: str
    tiny: bool
    attached: bool


@asynccontextmanager
async def _gateway(invocation: Invocation) -> AsyncIterator[_House]:
    """A gateway for a window: the running one, whose settings are its own matter, or one of our own for as long as
    windows are open on it."""
    from gateway.app import running
    from gateway.config.lock import holder
    from gateway.errors import ProfileLocked
    from gateway.models.catalogue import DEFAULT_MODEL
    from gateway.models.main_host import embedded
    from gateway.short_lived import main_model

    profile = invocation.prepared()
    if holder(profile) is not None and await _served(profile):
        yield _House(profile, "", tiny=False, attached=True)
        return
    profile, loaded = _ready(invocation)
    _weights(profile, loaded)
    environment, extensions = invocation.environment, invocation.extensions()
    async with AsyncExitStack() as stack:
        opening = running(profile, loaded, environment, only=("console",), extensions=extensions)
        try:
            app = await stack.enter_async_context(opening)
        except ProfileLocked:  # another window was a moment faster: it has the engine, and room for us
            if not await _served(profile):
                raise
            yield _House(profile, "", tiny=False, attached=True)
            return
        await _served(profile)
        tiny = embedded(loaded.settings, loaded.keys) == DEFAULT_MODEL
        with _ending_in_order():
            yield _House(profile, main_model(app.hosts), tiny, attached=False)
            await _linger(app)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """SIGTERM closes the engine of a window as it closes a gateway, instead of cutting it off."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "a window runs in a task"
    loop.add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


async def _linger(app: App) -> None:
    """Other windows may have attached to this engine: it stays until they are gone, and says so."""
    console = app.engine.house.adapters.get("console")
    if not getattr(console, "windows", 0):
        return
    click.echo("Another window uses this engine; it stays until that one is done. Ctrl-C ends both.", err=True)
    for _ in range(LINGER_LOOKS):
        if not getattr(console, "windows", 0):
            return
        await asyncio.sleep(0.1)


async def _served(profile: Profile) -> bool:
    """Wait until the console's socket answers; one that a dead process left does not. False when none does in time,
    or when nobody owns the profile any more."""
    from gateway.config.lock import holder
    from platforms.console.place import locate

    for _ in range(SOCKET_LOOKS):
        try:
            _, writer = await asyncio.open_unix_connection(str(locate(profile.folder)))
        except OSError:
            if holder(profile) is None:
                return False
            await asyncio.sleep(0.01)
            continue
        writer.close()
        return True
    return False


def _ready(invocation: Invocation) -> tuple[Profile, Loaded]:
    """The profile with its folders and first files made, and its settings checked."""
    from gateway.config.profiles import furnish

    loaded = invocation.settings()
    return furnish(invocation.prepared()), loaded


def _weights(profile: Profile, loaded: Loaded) -> None:
    """Fetch the local model's weights when they are needed and not here, with a bar where somebody looks."""
    from gateway.models.main_host import embedded

    wanted = embedded(loaded.settings, loaded.keys)
    if wanted is None:
        return
    from gateway.cli.models import fetch
    from gateway.models.catalogue import model_path

    if not model_path(wanted, profile.models).exists():
        fetch(profile.models, wanted)


def _greeting(house: _House, last: _LastChat | None, go_on: bool) -> str:
    lines = []
    if house.attached:
        lines.append("Attached to the running gateway.")
    else:
        lines.append(f"Model: {house.model}.")
    if house.tiny and not house.attached:
        lines.append("It is tiny: good for a first try. For a better one: innkeeper models list, or innkeeper setup.")
    if last is not None and not last.clean and not go_on:
        lines.append("The last conversation ended abruptly; innkeeper chat --continue goes on with it.")
    lines.append("/help lists the commands, Ctrl-D leaves.")
    return "\n".join(lines)


def _commands(profile: Profile, registry: Registry) -> dict[str, str]:
    """What can be typed behind a slash: commands, and the profile's skills."""
    from memory.skills.library import Library

    commands = {spec.name: spec.help for spec in registry if spec.chat and not spec.hidden}
    skills = Library(profile.skills).found().skills
    return commands | {each.name: each.description for each in skills if registry.get(each.name) is None}


@dataclass(frozen=True, slots=True)
class _LastChat:
    """The console chat that was open last, and whether its window was closed in good order."""

    chat: str
    clean: bool

    @classmethod
    def read(cls, profile: Profile) -> _LastChat | None:
        try:
            raw = json.loads((profile.cache / LAST_CHAT).read_text(encoding="utf-8"))
            return cls(str(raw["chat"]), bool(raw["clean"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, profile: Profile) -> None:
        from memory.files import write_atomic

        write_atomic(profile.cache / LAST_CHAT, json.dumps({"chat": self.chat, "clean": self.clean}))
