"""The calls of the API: which operation a method and a path mean, and what a call is once it is read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.discord.form import Given

_API = r"/api/v(?:9|10)/"
_ROUTES = (
    ("get_me", "GET", "users/@me"),
    ("get_application", "GET", "oauth2/applications/@me"),
    ("get_application", "GET", "applications/@me"),
    ("get_gateway", "GET", "gateway"),
    ("get_gateway_bot", "GET", "gateway/bot"),
    ("create_dm", "POST", "users/@me/channels"),
    ("get_user", "GET", "users/{user}"),
    ("get_guild", "GET", "guilds/{guild}"),
    ("get_guild_channels", "GET", "guilds/{guild}/channels"),
    ("get_active_threads", "GET", "guilds/{guild}/threads/active"),
    ("get_member", "GET", "guilds/{guild}/members/{user}"),
    ("get_channel", "GET", "channels/{channel}"),
    ("edit_channel", "PATCH", "channels/{channel}"),
    ("get_messages", "GET", "channels/{channel}/messages"),
    ("create_message", "POST", "channels/{channel}/messages"),
    ("get_message", "GET", "channels/{channel}/messages/{message}"),
    ("edit_message", "PATCH", "channels/{channel}/messages/{message}"),
    ("delete_message", "DELETE", "channels/{channel}/messages/{message}"),
    ("add_reaction", "PUT", "channels/{channel}/messages/{message}/reactions/{emoji}/@me"),
    ("remove_reaction", "DELETE", "channels/{channel}/messages/{message}/reactions/{emoji}/@me"),
    ("typing", "POST", "channels/{channel}/typing"),
    ("start_thread", "POST", "channels/{channel}/threads"),
    ("start_thread_from_message", "POST", "channels/{channel}/messages/{message}/threads"),
    ("join_thread", "PUT", "channels/{channel}/thread-members/@me"),
    ("leave_thread", "DELETE", "channels/{channel}/thread-members/@me"),
    ("get_commands", "GET", "applications/{application}/commands"),
    ("put_commands", "PUT", "applications/{application}/commands"),
    ("get_guild_commands", "GET", "applications/{application}/guilds/{guild}/commands"),
    ("put_guild_commands", "PUT", "applications/{application}/guilds/{guild}/commands"),
    ("answer_interaction", "POST", "interactions/{interaction}/{token}/callback"),
    ("create_followup", "POST", "webhooks/{application}/{token}"),
    ("get_original", "GET", "webhooks/{application}/{token}/messages/@original"),
    ("edit_original", "PATCH", "webhooks/{application}/{token}/messages/@original"),
    ("delete_original", "DELETE", "webhooks/{application}/{token}/messages/@original"),
    ("get_followup", "GET", "webhooks/{application}/{token}/messages/{message}"),
    ("edit_followup", "PATCH", "webhooks/{application}/{token}/messages/{message}"),
    ("delete_followup", "DELETE", "webhooks/{application}/{token}/messages/{message}"),
)
_PATTERNS = tuple(
    (name, method, re.compile(_API + re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))) for name, method, path in _ROUTES
)

OPERATIONS = frozenset(name for name, _, _ in _ROUTES) | {"connect_gateway", "get_attachment"}
"""The names by which calls are counted, and made to fail."""

WITHOUT_TOKEN = frozenset(
    {
        *("get_gateway", "answer_interaction", "create_followup", "get_original", "edit_original", "delete_original"),
        *("get_followup", "edit_followup", "delete_followup"),
    }
)
"""What is called without the bot's token; most of them carry one of their own in the path."""

MAJOR = ("channel", "guild", "token")
"""The parts of a path by which a rate limit is kept apart."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the bot. `at` is monotonic, in seconds; `path` holds the parts of the path by name."""

    operation: str
    path: dict[str, str]
    given: Given
    at: float

    @property
    def json(self) -> Any:
        return self.given.json

    def number(self, name: str) -> int:
        """An id out of the path; 0, which nothing has, when it is none."""
        return int(self.path[name]) if self.path.get(name, "").isdigit() else 0

    @property
    def bucket(self) -> str:
        """Which rate limit it counts against."""
        return ":".join([self.operation, *(self.path[name] for name in MAJOR if name in self.path)])


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back: JSON, or nothing with 204."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


NOTHING = Reply(None, 204)


def operation(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """The operation that is meant, with the parts of the path; None for what this server does not know."""
    for name, verb, pattern in _PATTERNS:
        if verb == method and (found := pattern.fullmatch(path)) is not None:
            return name, found.groupdict()
    return None
