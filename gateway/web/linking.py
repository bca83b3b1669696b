"""Whole links: a token with the address by which its person reaches the dashboard."""

from __future__ import annotations

from commands.dashboard_ports import DashboardTrouble, Link
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.state.store import SqliteStore
from gateway.web.links import Links, path_of
from gateway.web.origins import origin_of
from gateway.web.people import People
from platforms.messages import ChatRef


async def invite(
    settings: Settings, store: SqliteStore, clock: Clock, who: str, chat: ChatRef | None, address: str
) -> Link:
    """A one-time link for this person to a dashboard that listens at `address`. Raises DashboardTrouble for somebody
    who may not even talk to this bot."""
    platform, colon, person = who.partition(":")
    wrong = who != "shell" and not (platform and colon and person)
    if wrong or await People(lambda: settings, store.pairing).role(who) is None:
        raise DashboardTrouble(f"{who} may not talk to this bot, and so has no rights here")
    links = Links(store.logins, clock)
    token, until = await links.make(who, chat.key if chat is not None else "")
    return Link(f"{public(settings) or address}{path_of(token)}", who, until)


def public(settings: Settings) -> str | None:
    """The address by which others come."""
    url = settings.dashboard.public_url
    return origin_of(url) if url is not None else None
