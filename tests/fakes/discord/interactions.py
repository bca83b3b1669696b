"""Slash commands, button presses and forms: what the bot is told, and how it may answer, once and in time."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.discord import shapes, telling
from tests.fakes.discord.calls import NOTHING, Call, Reply
from tests.fakes.discord.faults import Refusal, bad_length, invalid, unknown
from tests.fakes.discord.form import Given
from tests.fakes.discord.messages import Messages
from tests.fakes.discord.world import CHAT_INPUT, EPHEMERAL, LOADING, Account, Channel, Message, Raw, World

ANSWER_SECONDS = 3.0
"""How long the first answer may take."""

TOKEN_SECONDS = 15 * 60.0
"""How long everything after the first answer may take."""

COMMAND, COMPONENT, TYPING, FORM = 2, 3, 4, 5
MESSAGE, LATER, LATER_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9


@dataclass(slots=True)
class Interaction:
    """One thing that a person did. `answered` is the type of the first answer; `form` the modal that was shown,
    `choices` what a value that was being typed may become."""

    id: int
    token: str
    kind: int
    data: Raw
    channel: Channel
    person: Account
    asked_at: float
    message: Message | None = None
    answered: int | None = None
    original: Message | None = None
    followups: list[Message] = field(default_factory=list)
    form: Raw | None = None
    choices: list[Raw] = field(default_factory=list)

    @property
    def texts(self) -> list[str]:
        """What the person reads in answer, as it stands now."""
        shown = [self.original] if self.original and self.kind != COMPONENT else []
        return [each.content for each in [*shown, *self.followups]]


class Interactions:
    """Everything that people did with commands and buttons."""

    def __init__(self, world: World, messages: Messages) -> None:
        self._world = world
        self._messages = messages
        self.all: dict[int, Interaction] = {}
        self._by_token: dict[str, Interaction] = {}

    def begin(
        self, kind: int, data: Raw, channel: Channel, person: Account, message: Message | None = None
    ) -> Interaction:
        """Somebody did something: the bot is told."""
        one = Interaction(
            self._world.new_id(), secrets.token_urlsafe(40), kind, data, channel, person, self._world.now(), message
        )
        self.all[one.id] = self._by_token[one.token] = one
        self._world.emit("INTERACTION_CREATE", lambda intents: self._told(one, intents))
        return one

    def failed(self) -> list[Interaction]:
        """Those of which the person read that the application did not respond."""
        late = [each for each in self.all.values() if self._world.now() - each.asked_at > ANSWER_SECONDS]
        return [each for each in late if each.answered is None]

    def _told(self, one: Interaction, intents: int) -> Raw:
        guild, world = one.channel.guild, self._world
        about: Raw = {
            "id": str(one.id),
            "application_id": str(world.bot.id),
            "type": one.kind,
            "token": one.token,
            "version": 1,
            "data": one.data,
            "channel_id": str(one.channel.id),
            "channel": shapes.channel(world, one.channel) | {"permissions": shapes.PERMISSIONS},
            "app_permissions": shapes.PERMISSIONS,
            "locale": "en-US",
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
            "context": 0 if guild else 1,
            "attachment_size_limit": shapes.LARGEST_FILE,
        }
        if one.message is not None:
            about["message"] = shapes.message(world, one.message, intents | shapes.MESSAGE_CONTENT)
        if guild is None:
            return about | {"user": shapes.account(one.person)}
        about |= {"guild_id": str(guild.id), "guild_locale": "en-US"}
        about["guild"] = {"id": str(guild.id), "locale": "en-US", "features": []}
        return about | {"member": shapes.member(guild, one.person, permissions=True)}

    # The first answer.

    def answer_interaction(self, call: Call) -> Reply:
        one = self.all.get(call.number("interaction"))
        if one is None or one.token != call.path["token"]:
            raise unknown("Interaction")
        if self._world.now() - one.asked_at > ANSWER_SECONDS and one.answered is None:
            raise unknown("Interaction")
        if one.answered is not None:
            raise Refusal(400, 40060, "Interaction has already been acknowledged.")
        kind = call.json.get("type")
        given = Given(call.json.get("data") or {}, call.given.query, call.given.files)
        self._check(one, kind)
        match kind:
            case _ if kind == MESSAGE:
                one.original = self._post(one, given)
            case _ if kind == LATER:
                one.original = self._think(one, int(given.json.get("flags") or 0))
            case _ if kind == LATER_UPDATE:
                one.original = one.message
            case _ if kind == UPDATE:
                assert one.message is not None
                self._messages.revise(one.message, given)
                one.original = one.message
                self._changed(one.message)
            case _ if kind == MODAL:
                one.form = _form(given.json)
            case _ if kind == CHOICES:
                one.choices = _choices(given.json)
        one.answered = kind
        self._world.tell()
        return self._answer(one, call.given.query)

    def _check(self, one: Interaction, kind: object) -> None:
        allowed = {
            COMMAND: {MESSAGE, LATER, MODAL},
            COMPONENT: {MESSAGE, LATER, LATER_UPDATE, UPDATE, MODAL},
            TYPING: {CHOICES},
        }
        possible = allowed.get(one.kind, {MESSAGE, LATER} | ({LATER_UPDATE, UPDATE} if one.message else set()))
        if kind not in possible:
            raise invalid("type", "INTERACTION_CALLBACK_TYPE_INVALID", f"Value must be one of {sorted(possible)}.")

    def _answer(self, one: Interaction, query: dict[str, str]) -> Reply:
        if query.get("with_response", "").lower() not in ("1", "true"):
            return NOTHING
        about: Raw = {"id": str(one.id), "type": one.kind}
        answer: Raw = {"interaction": about}
        if one.original is not None:
            about["response_message_id"] = str(one.original.id)
            about["response_message_loading"] = bool(one.original.flags & LOADING)
            about["response_message_ephemeral"] = one.original.ephemeral
            answer["resource"] = {"type": one.answered, "message": self._messages.shape(one.original)}
        return Reply(answer)

    def _think(self, one: Interaction, flags: int) -> Message:
        """ "Thinking …" stands in the channel until the answer is there."""
        message = self._world.write(
            one.channel, self._world.bot, kind=CHAT_INPUT, flags=LOADING | flags & EPHEMERAL, **self._origin(one)
        )
        self._created(message)
        return message

    def _post(self, one: Interaction, given: Given) -> Message:
        flags = int(given.json.get("flags") or 0) & EPHEMERAL
        message = self._messages.compose(one.channel, given, kind=CHAT_INPUT, flags=flags, **self._origin(one))
        self._created(message)
        return message

    def _origin(self, one: Interaction) -> Raw:
        about: Raw = {"id": str(one.id), "type": one.kind, "user": shapes.account(one.person)}
        about["authorizing_integration_owners"] = {}
        if one.message is not None:
            about["interacted_message_id"] = str(one.message.id)
        return {"interaction": {"interaction_metadata": about}, "seen_by": one.person.id}

    # Everything after it.

    def create_followup(self, call: Call) -> Reply:
        one = self._live(call)
        if one.answered is None:
            raise unknown("Webhook")
        if one.original is not None and one.original.flags & LOADING:
            # The first followup takes the place of "thinking …", and is for the same eyes.
            return self._settle(one.original, call)
        message = self._post(one, call.given)
        one.followups.append(message)
        return Reply(self._messages.shape(message))

    def get_original(self, call: Call) -> Reply:
        return Reply(self._messages.shape(self._original(call)))

    def edit_original(self, call: Call) -> Reply:
        return self._settle(self._original(call), call)

    def delete_original(self, call: Call) -> Reply:
        return self._delete(self._original(call))

    def get_followup(self, call: Call) -> Reply:
        return Reply(self._messages.shape(self._followup(call)))

    def edit_followup(self, call: Call) -> Reply:
        return self._settle(self._followup(call), call)

    def delete_followup(self, call: Call) -> Reply:
        return self._delete(self._followup(call))

    def _live(self, call: Call) -> Interaction:
        one = self._by_token.get(call.path["token"])
        if one is None or call.number("application") != self._world.bot.id:
            raise unknown("Webhook")
        if self._world.now() - one.asked_at > TOKEN_SECONDS:
            raise Refusal(401, 50027, "Invalid Webhook Token")
        return one

    def _original(self, call: Call) -> Message:
        original = self._live(call).original
        if original is None or original.id not in original.channel.messages:
            raise unknown("Message")
        return original

    def _followup(self, call: Call) -> Message:
        one, number = self._live(call), call.number("message")
        for each in [*one.followups, *([one.original] if one.original else [])]:
            if each.id == number and number in each.channel.messages:
                return each
        raise unknown("Message")

    def _settle(self, message: Message, call: Call) -> Reply:
        self._messages.revise(message, call.given, flags=message.flags & ~LOADING)
        self._changed(message)
        return Reply(self._messages.shape(message))

    def _delete(self, message: Message) -> Reply:
        del message.channel.messages[message.id]
        if not message.ephemeral:
            telling.deleted(self._world, message)
        self._world.tell()
        return NOTHING

    def _created(self, message: Message) -> None:
        if not message.ephemeral:
            telling.created(self._world, message)

    def _changed(self, message: Message) -> None:
        if not message.ephemeral:
            telling.changed(self._world, message)


def _choices(given: dict[str, Any]) -> list[Raw]:
    """From Discord's documentation: at most 25, with names and values of 1 to 100 characters."""
    listed: list[Raw] = given.get("choices") or []
    if len(listed) > 25:
        raise bad_length("data.choices", 25)
    for at, each in enumerate(listed):
        for key in ("name", "value"):
            if not 1 <= len(str(each.get(key) or "")) <= 100:
                raise bad_length(f"data.choices.{at}.{key}", 100)
    return listed


def _form(given: dict[str, Any]) -> Raw:
    if not 1 <= len(given.get("title") or "") <= 45:
        raise bad_length("data.title", 45)
    if not 1 <= len(given.get("custom_id") or "") <= 100:
        raise bad_length("data.custom_id", 100)
    if not 1 <= len(given.get("components") or []) <= 5:
        raise bad_length("data.components", 5)
    return given
