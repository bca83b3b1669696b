"""Whose rights a person has on the dashboard: those that they have in the chat at this moment, and no others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from commands.authority import role_of
from commands.spec import Role
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules, may_talk
from gateway.state.protocols import Pairing
from platforms.messages import ChatKind, ChatRef, Inbound, Sender

SHELL = "shell"
"""Whoever has the machine: the shell is the owner's."""


@dataclass(frozen=True, slots=True)
class People:
    """Asks the settings in force, and who was let in with a code."""

    settings: Callable[[], Settings]
    pairing: Pairing

    async def role(self, who: str) -> Role | None:
        """The role of `platform:id` now; None for somebody who may not even talk (any more)."""
        if who == SHELL:
            return Role.OWNER
        platform, _, person = who.partition(":")
        settings = self.settings()
        if not may_talk(_saying_something(platform, person), settings) and not (
            person and await self.pairing.knows(platform, person)
        ):
            return None
        return role_of(platform, person, access_rules(settings))

    async def name(self, who: str) -> str:
        """What a person is called here."""
        if who == SHELL:
            return "the shell"
        named = {each.id: each.name for each in await self.pairing.guests()}
        return named.get(who) or who


def direct_chat(who: str, chat: str) -> ChatRef | None:
    """The chat of a person alone with the assistant: where they asked, else the one that bears their id. None for the
    shell, which is no chat."""
    if who == SHELL:
        return None
    return ChatRef.parse(chat or who)


def _saying_something(platform: str, person: str) -> Inbound:
    """The least that access is judged by: this person, in a direct chat."""
    return Inbound(
        account="",
        event_id="",
        chat=ChatRef(platform, person),
        kind=ChatKind.DIRECT,
        sender=Sender(person, ""),
        text="",
        sent_at=0.0,
    )
