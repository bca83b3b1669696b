"""The slash commands that the bot has registered, as strict about them as Discord is."""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.discord.calls import Call, Reply
from tests.fakes.discord.faults import Refusal, bad_length, invalid, unknown
from tests.fakes.discord.world import Raw, World

MOST = 100
MOST_OPTIONS = 25
LONGEST_COMMAND = 8000
"""Characters that the names, descriptions and values of one command may have together."""

_NAME = re.compile(r"[-_'\w]{1,32}")
SUBCOMMAND, GROUP, STRING, INTEGER, BOOLEAN, USER, CHANNEL, ROLE = range(1, 9)


class Commands:
    """What is registered, for everywhere and for guilds."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.everywhere: list[Raw] = []
        self.of_guild: dict[int, list[Raw]] = {}

    def get_commands(self, call: Call) -> Reply:
        self._mine(call)
        return Reply(self.everywhere)

    def put_commands(self, call: Call) -> Reply:
        self._mine(call)
        self.everywhere = self._registered(call.json, self.everywhere, None)
        self._world.tell()
        return Reply(self.everywhere)

    def get_guild_commands(self, call: Call) -> Reply:
        return Reply(self.of_guild.get(self._guild(call), []))

    def put_guild_commands(self, call: Call) -> Reply:
        guild = self._guild(call)
        self.of_guild[guild] = self._registered(call.json, self.of_guild.get(guild, []), guild)
        self._world.tell()
        return Reply(self.of_guild[guild])

    def find(self, name: str, guild: int | None) -> Raw:
        """The command that a person sees by this name. Raises LookupError, with those that there are."""
        seen = [*self.of_guild.get(guild or 0, []), *self.everywhere]
        for each in seen:
            if each["name"] == name:
                return each
        raise LookupError(f"no command /{name}; there are {[each['name'] for each in seen]}")

    def _mine(self, call: Call) -> None:
        if call.number("application") != self._world.bot.id:
            raise Refusal(403, 20012, "You are not authorized to perform this action on this application")

    def _guild(self, call: Call) -> int:
        self._mine(call)
        if call.number("guild") not in self._world.guilds:
            raise Refusal(403, 50001, "Missing Access")
        return call.number("guild")

    def _registered(self, given: Any, before: list[Raw], guild: int | None) -> list[Raw]:
        if not isinstance(given, list):
            raise unknown("Application Command")
        slash = [each for each in given if each.get("type", 1) == 1]
        if len(slash) > MOST:
            raise Refusal(400, 30032, f"Maximum number of application commands reached ({MOST}).")
        for at, each in enumerate(given):
            _check(each, str(at))
        names = [(each.get("type", 1), each["name"]) for each in given]
        if len(set(names)) < len(names):
            words = "Application command names must be unique"
            raise invalid("name", "APPLICATION_COMMANDS_DUPLICATE_NAME", words)
        known = {each["name"]: each["id"] for each in before}
        return [self._kept(each, known.get(each["name"]), guild) for each in given]

    def _kept(self, given: Raw, number: str | None, guild: int | None) -> Raw:
        about: Raw = {
            "id": number or str(self._world.new_id()),
            "application_id": str(self._world.bot.id),
            "version": str(self._world.new_id()),
            "type": 1,
            "default_member_permissions": None,
            "dm_permission": True,
            "nsfw": False,
            "description": "",
            "options": [],
            "contexts": None,
            "integration_types": [0],
        }
        return about | given | ({"guild_id": str(guild)} if guild is not None else {})


def _check(command: Raw, where: str) -> None:
    if command.get("type", 1) != 1:
        return
    _named(command, where)
    if _weight(command) > LONGEST_COMMAND:
        words = f"Command exceeds maximum size ({LONGEST_COMMAND})"
        raise invalid(where, "APPLICATION_COMMAND_TOO_LARGE", words)
    _options(command.get("options") or [], where)


def _options(options: list[Raw], where: str) -> None:
    if len(options) > MOST_OPTIONS:
        raise bad_length(f"{where}.options", MOST_OPTIONS)
    names = [each.get("name") for each in options]
    if len(set(names)) < len(names):
        words = "Option names must be unique"
        raise invalid(f"{where}.options", "APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS", words)
    seen_optional = False
    for at, each in enumerate(options):
        here = f"{where}.options.{at}"
        _named(each, here)
        if each.get("type") not in range(1, 12):
            raise invalid(f"{here}.type", "BASE_TYPE_CHOICES", "Value must be one of (1, ..., 11).")
        if seen_optional and each.get("required"):
            words = "Required options must be placed before non-required options"
            raise invalid(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", words)
        seen_optional = seen_optional or not each.get("required")
        if each.get("autocomplete") and each.get("choices"):
            words = "autocomplete and choices cannot both be set"
            raise invalid(here, "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", words)
        _choices(each.get("choices") or [], here)
        _options(each.get("options") or [], here)


def _choices(choices: list[Raw], where: str) -> None:
    if len(choices) > MOST_OPTIONS:
        raise bad_length(f"{where}.choices", MOST_OPTIONS)
    for at, each in enumerate(choices):
        if not 1 <= len(each.get("name") or "") <= 100:
            raise bad_length(f"{where}.choices.{at}.name", 100)
        if isinstance(each.get("value"), str) and len(each["value"]) > 100:
            raise bad_length(f"{where}.choices.{at}.value", 100)


def _named(given: Raw, where: str) -> None:
    name, words = str(given.get("name") or ""), str(given.get("description") or "")
    if not _NAME.fullmatch(name) or name != name.lower():
        raise invalid(f"{where}.name", "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
    if not 1 <= len(words) <= 100:
        raise bad_length(f"{where}.description", 100)


def _weight(one: Raw) -> int:
    own = len(str(one.get("name") or "")) + len(str(one.get("description") or ""))
    values = sum(len(str(each.get("name"))) + len(str(each.get("value"))) for each in one.get("choices") or [])
    return own + values + sum(_weight(each) for each in one.get("options") or [])
