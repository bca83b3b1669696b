"""How the dashboard words moments, sizes and refusals (pure)."""

from __future__ import annotations

from datetime import datetime, tzinfo
from http import HTTPStatus

from commands.pending_words import age
from commands.spec import Role

LOG_IN = (
    "This page needs a login. Ask for a link: /dashboard in a direct chat with the assistant, or innkeeper dashboard"
    " at the shell."
)
LOGGED_OUT = (
    "This browser is logged out. For a new link: /dashboard in a direct chat, or innkeeper dashboard at the shell."
)
VOID_LINK = (
    "It was used already, is older than ten minutes, or was never made. For a new one: /dashboard in a direct chat,"
    " or innkeeper dashboard at the shell."
)
WRONG_NAME = "The dashboard does not answer to this name. Others than this machine reach it by dashboard.public_url."
NOT_FROM_HERE = "This did not come from a page of this dashboard. Load the page again, and try once more."
TOO_LARGE = "This is more than a page sends."
FAULT = "Something went wrong here. The log of the gateway says what."
TOO_MANY_TABS = "Too many pages of this login are open at the same time for live updates."
NOT_FOUND = "There is nothing at this address."
DEFAULTS = {
    400: "The request is none that a page of this dashboard makes.",
    404: NOT_FOUND,
    405: "A page does not ask for this in that way.",
}
TITLES = {
    400: "This cannot be read",
    401: "Please log in",
    403: "This is not allowed",
    404: "Nothing here",
    405: "Not like this",
    413: "Too large",
    421: "Not at this name",
    429: "Too many at once",
    500: "A fault",
}

UNITS = ("bytes", "KB", "MB", "GB")


def said(status: int, detail: str) -> str:
    """What a page says of a fault: its own words, or ours where it has none."""
    return DEFAULTS.get(status, detail) if detail in ("", HTTPStatus(status).phrase) else detail


def not_for(least: Role) -> str:
    """Why somebody with a lower role does not see a page."""
    return f"This is for {'an owner' if least is Role.OWNER else 'an operator'} of this bot."


def slow_down(seconds: int) -> str:
    """Why nobody looks at a link now."""
    minutes = max(1, -(-seconds // 60))
    return f"Too many links that lead nowhere came from here. In {minutes} min the next one is looked at."


def moment(at: float, zone: tzinfo) -> str:
    """`30 Nov 2026, 15:14`."""
    return datetime.fromtimestamp(at, zone).strftime("%d %b %Y, %H:%M").lstrip("0")


def stamp(at: float, zone: tzinfo) -> str:
    """ISO 8601 with offset, for the `datetime` of a time element."""
    return datetime.fromtimestamp(at, zone).isoformat(timespec="seconds")


def ago(seconds: float) -> str:
    """`3 min ago`, or `in 3 min` for what is to come."""
    return f"in {age(-seconds)}" if seconds < 0 else f"{age(seconds)} ago"


def size(count: float) -> str:
    """`1.5 MB`."""
    for unit in UNITS[:-1]:
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} {UNITS[-1]}"


def plain(text: str) -> str:
    """A command's reply without the marks that only a chat needs."""
    return text.replace("**", "").replace("`", "")
