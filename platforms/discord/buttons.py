"""Buttons as Discord's components. What a button does stands in its own id, so it works after any restart."""

from __future__ import annotations

from typing import Any, Protocol, cast

import discord
from discord.ui import DynamicItem, View

from platforms.errors import Refused
from platforms.messages import Button

LONGEST_ACTION = 64
"""Bytes; the id of a component may have 100 characters."""

LONGEST_LABEL = 80
ROWS = COLUMNS = 5
"""From Discord's documentation."""


class Presses(Protocol):
    """The client, as buttons see it."""

    async def pressed(self, interaction: discord.Interaction[Any], action: str) -> None: ...


class ActionButton(DynamicItem[discord.ui.Button[View]], template=r"(?s)(?P<action>.+)"):
    """A button whose id is the command line that it stands for."""

    def __init__(self, label: str, action: str, row: int | None = None) -> None:
        super().__init__(discord.ui.Button(label=label, custom_id=action, row=row))
        self.action = action

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction[Any], item: discord.ui.Item[Any], match: Any, /
    ) -> ActionButton:
        return cls(getattr(item, "label", None) or "", match["action"])

    async def callback(self, interaction: discord.Interaction[Any]) -> None:
        await cast("Presses", interaction.client).pressed(interaction, self.action)


def rows(buttons: tuple[tuple[Button, ...], ...]) -> View | None:
    """None without buttons, which on an edit takes away those that were there. Raises Refused for what is too long
    or too many. Rows that are too wide go on in the next."""
    lines = [row[at : at + COLUMNS] for row in buttons for at in range(0, len(row), COLUMNS)]
    if not lines:
        return None
    if len(lines) > ROWS:
        raise Refused(f"{len(lines)} rows of buttons; Discord takes {ROWS}")
    view = View(timeout=None)
    for number, line in enumerate(lines):
        for button in line:
            view.add_item(_item(button, number))
    return view


def _item(button: Button, row: int) -> ActionButton:
    size = len(button.action.encode())
    if not 1 <= size <= LONGEST_ACTION:
        raise Refused(
            f"the action of the button {button.label!r} has {size} bytes; allowed are 1 to {LONGEST_ACTION}"
        )
    return ActionButton(button.label[:LONGEST_LABEL], button.action, row)
