"""The house's commands as Discord's slash commands: registered only when they changed, and read back as a line."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discord import Interaction
from discord.http import Route

from platforms.discord.client import Client
from platforms.discord.errors import FAULTS
from platforms.discord.transport import Transport, patiently
from platforms.manifest import MenuCommand, MenuOption

MOST = 100
MOST_OPTIONS = 25
LONGEST_HELP = 100
LONGEST_CHOICE = 100
"""From Discord's documentation."""

SUBCOMMAND, GROUP, TEXT = 1, 2, 3
CHOICES = 8
_NAME = re.compile(r"[a-z0-9_-]{1,32}")
_LOG = logging.getLogger(__name__)


def registration(menu: Sequence[MenuCommand]) -> list[dict[str, Any]]:
    """The commands as Discord wants them, at most 100; what has a name that Discord does not take is left out."""
    listed = [_command(each) | {"type": 1, "contexts": [0, 1], "integration_types": [0]} for each in _usable(menu)]
    if len(listed) > MOST:
        _LOG.warning("Discord lists %d commands; %d more work by text alone", MOST, len(listed) - MOST)
    return listed[:MOST]


def _usable(menu: Sequence[MenuCommand]) -> Iterator[MenuCommand]:
    taken = set()
    for each in menu:
        if _NAME.fullmatch(each.name) and each.name not in taken:
            taken.add(each.name)
            yield each


def _command(one: MenuCommand) -> dict[str, Any]:
    if one.actions:
        inside = [_command(each) | {"type": SUBCOMMAND} for each in _usable(one.actions)]
    else:
        inside = [_option(each) for each in _ordered(one.options)]
    return {"name": one.name, "description": _help(one.help, one.name), "options": inside[:MOST_OPTIONS]}


def _ordered(options: Sequence[MenuOption]) -> list[MenuOption]:
    """What is required comes first, as Discord wants it, and as a command line needs it."""
    return sorted((each for each in options if _NAME.fullmatch(each.name)), key=lambda each: not each.required)


def _option(one: MenuOption) -> dict[str, Any]:
    about = {"type": TEXT, "name": one.name, "description": _help(one.help, one.name), "required": one.required}
    if one.choices and len(one.choices) <= MOST_OPTIONS and all(len(each) <= LONGEST_CHOICE for each in one.choices):
        about["choices"] = [{"name": each, "value": each} for each in one.choices]
    elif one.suggested:
        about["autocomplete"] = True
    return about


def _help(text: str, name: str) -> str:
    words = " ".join(text.split()) or name
    return words if len(words) <= LONGEST_HELP else words[: LONGEST_HELP - 1] + "…"


def line(data: Mapping[str, Any], menu: Sequence[MenuCommand]) -> str:
    """What was chosen, as a command line: the name, the action, the values in the order of the menu."""
    words, given = [f"/{data['name']}"], data.get("options") or []
    known = next((each for each in menu if each.name == data["name"]), None)
    while given and given[0].get("type") in (SUBCOMMAND, GROUP):
        name = given[0]["name"]
        words.append(name)
        known = next((each for each in known.actions if each.name == name), None) if known is not None else None
        given = given[0].get("options") or []
    order = [each.name for each in known.options] if known is not None else []
    values = {each["name"]: str(each.get("value", "")).strip() for each in given}
    words += [values.pop(name) for name in order if name in values]
    return " ".join([*words, *values.values()]).strip()


def typed(data: Mapping[str, Any], menu: Sequence[MenuCommand]) -> str | None:
    """What was typed so far of the value that is to be completed; None when the menu has no such value."""
    given, options = data.get("options") or [], [each for each in menu if each.name == data.get("name")]
    while given and given[0].get("type") in (SUBCOMMAND, GROUP):
        options = [action for each in options for action in each.actions if action.name == given[0]["name"]]
        given = given[0].get("options") or []
    suggested = {option.name for each in options for option in each.options if option.suggested}
    at = [each for each in given if each.get("focused") and each.get("name") in suggested]
    return str(at[0].get("value", "")) if at else None


async def complete(http: Transport, interaction: Interaction[Any], values: Sequence[str]) -> None:
    """Show these values to choose from; Discord waits three seconds for them. Raises as a call does."""
    path = "/interactions/{webhook_id}/{webhook_token}/callback"
    route = Route("POST", path, webhook_id=interaction.id, webhook_token=interaction.token)
    fitting = [each for each in values if each and len(each) <= LONGEST_CHOICE][:MOST_OPTIONS]
    choices = [{"name": each, "value": each} for each in fitting]
    await http.request(route, json={"type": CHOICES, "data": {"choices": choices}})


async def publish(client: Client, account: str, menu: Sequence[MenuCommand], note: Path) -> bool:
    """Register the commands, if they are not those that `note` says were registered. Whether they now are; a failure
    is worth a line in the log, as commands work by text too."""
    wanted = registration(menu)
    mark = hashlib.sha256(json.dumps([account, client.http.address, wanted], sort_keys=True).encode()).hexdigest()
    application = client.application_id
    if application is None or not wanted:
        return False
    if _noted(note) == mark:
        return True
    try:
        await patiently(lambda: client.http.bulk_upsert_global_commands(application, wanted))
        _keep(note, mark)
    except FAULTS as error:
        _LOG.warning("the slash commands could not be registered (%s); they work by text", type(error).__name__)
        return False
    return True


def _noted(note: Path) -> str:
    try:
        return note.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def _keep(note: Path, mark: str) -> None:
    note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    note.write_text(mark, encoding="utf-8")
