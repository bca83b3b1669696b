"""`innkeeper dashboard`: a link to the web pages, of the running gateway or served right here until Ctrl-C.

The link is made here, in the profile's database; a running gateway is only asked to serve, so that no link ever lies
among what it sends.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import webbrowser
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import click

from gateway.cli.invocation import FAILED, Invocation

if TYPE_CHECKING:
    from pathlib import Path

    from commands.dashboard_ports import Link
    from gateway.config.paths import Profile
    from gateway.config.schema import Settings

ASKED = "dashboard-open.html"
"""In the profile's cache: what a browser is given to open. Other accounts of the machine see the arguments of every
process, and would see the link among them."""

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "TERM_PROGRAM")
"""Variables of which one is set where a browser can be shown; a browser in the terminal is not wanted."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What was asked for at the shell."""

    who: str
    as_json: bool
    opens: bool


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print {url, who, until, address, gateway}.")
@click.option("--no-open", is_flag=True, help="Print the link, and open no browser.")
@click.option("--for", "who", metavar="PLATFORM:ID", default="shell", help="With this person's rights, not yours.")
@click.option("--sign-out-all", is_flag=True, help="End every login, take back every link, and do no more.")
@click.pass_context
def dashboard(ctx: click.Context, as_json: bool, no_open: bool, who: str, sign_out_all: bool) -> None:
    """Open the web pages: what waits, memory, sessions, journey, jobs. The link works once, within ten minutes."""
    from gateway.web.desk import MISSING, available

    if sign_out_all:
        click.echo(asyncio.run(_sign_out(ctx.obj, as_json)))
        return
    if not available():
        click.echo(MISSING, err=True)
        ctx.exit(FAILED)
    ctx.exit(asyncio.run(_open(ctx.obj, _Wish(who, as_json, not no_open and not as_json))))


async def _sign_out(invocation: Invocation, as_json: bool) -> str:
    from commands.dashboard import signed_out
    from gateway.state.store import SqliteStore

    store = await SqliteStore.open(invocation.prepared().database)
    try:
        count = await store.logins.end_all()
    finally:
        await store.close()
    return json.dumps({"ended": count}) if as_json else signed_out(count)


async def _open(invocation: Invocation, wish: _Wish) -> int:
    from commands.dashboard_ports import DashboardTrouble
    from gateway.config.lock import holder

    profile = invocation.prepared()
    try:
        address = await _served(profile) if holder(profile) is not None else None
        if address is None:
            return await _serve(invocation, profile, wish)
        _show(await _link(invocation, profile, wish.who, address), wish, address, invocation, profile)
    except DashboardTrouble as trouble:
        click.echo(str(trouble), err=True)
        return FAILED
    return 0


async def _served(profile: Profile) -> str | None:
    """Where the running gateway serves the pages, which it begins to do now; None when it does not answer at all.
    Raises DashboardTrouble."""
    from commands.dashboard_ports import DashboardTrouble
    from platforms.console.client import NoGateway, Window
    from platforms.console.exchange import Exchange

    try:
        async with Window(profile.folder, f"dashboard-{secrets.token_hex(4)}", "ask") as window:
            done = (await Exchange(window).say("/dashboard start")).done
    except NoGateway:
        return None
    if done.outcome != "command":
        raise DashboardTrouble(done.reply)
    return done.reply


async def _link(invocation: Invocation, profile: Profile, who: str, address: str) -> Link:
    from gateway.clock import SystemClock
    from gateway.state.store import SqliteStore
    from gateway.web.linking import invite

    store = await SqliteStore.open(profile.database)
    try:
        return await invite(invocation.settings().settings, store, SystemClock(), who, None, address)
    finally:
        await store.close()


async def _serve(invocation: Invocation, profile: Profile, wish: _Wish) -> int:
    """Without a gateway: serve what is stored, here, until Ctrl-C."""
    from gateway.clock import SystemClock
    from gateway.config.reload import Watcher
    from gateway.observability.report import LogReport
    from gateway.short_lived import stored_ports
    from gateway.signals import heeding
    from gateway.state.store import SqliteStore
    from gateway.web.desk import DashboardDesk, Furniture

    loaded, clock = invocation.settings(), SystemClock()
    watcher = Watcher(profile, loaded, invocation.environment, invocation.extensions())

    def settings() -> Settings:
        watcher.check()  # two calls of stat: whoever lost their rights has lost them at the next request
        return watcher.current.settings

    store = await SqliteStore.open(profile.database)
    desk = DashboardDesk(profile, settings, store, clock, LogReport("gateway.web"))
    try:
        with heeding() as signals:
            ports = stored_ports(
                profile, loaded, store, clock, "not running", invocation.environment, invocation.extensions()
            )
            desk.furnish(Furniture(ports, invocation.commands()))
            link = await desk.link(wish.who, None)
            _show(link, wish, await desk.start(), invocation, profile, gateway=False)
            await signals.ended.wait()
    finally:
        await desk.close()
        await store.close()
    return 0


def _show(
    link: Link, wish: _Wish, address: str, invocation: Invocation, profile: Profile, *, gateway: bool = True
) -> None:
    if wish.as_json:
        told = {"url": link.url, "who": link.who, "until": link.until, "address": address, "gateway": gateway}
        click.echo(json.dumps(told))
        return
    click.echo(f"The dashboard, once, within ten minutes:\n  {link.url}")
    if not gateway:
        click.echo("No gateway runs: this shows what is stored. Ctrl-C ends it.")
    if wish.opens and any(invocation.environment.get(name) for name in SCREENS):
        page = profile.cache / ASKED
        _lead(page, link.url)
        webbrowser.open(page.as_uri())


def _lead(page: Path, url: str) -> None:
    """A page that leads to the link, for this account's eyes only."""
    from memory.files import write_atomic

    write_atomic(page, f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(url)}">\n')
