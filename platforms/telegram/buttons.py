"""Buttons as Telegram's inline keyboard, and the limits that Telegram puts on them."""

from __future__ import annotations

from telegram import InlineKeyboardButton, InlineKeyboardMarkup

from platforms.errors import Refused
from platforms.messages import Button
from platforms.telegram.render import clean

LONGEST_ACTION = 64
"""Bytes of `callback_data`, from the Bot API's documentation."""


def keyboard(buttons: tuple[tuple[Button, ...], ...]) -> InlineKeyboardMarkup | None:
    """None without buttons, which on an edit takes away those that were there. Raises Refused for a long action."""
    rows = [[_key(button) for button in row] for row in buttons if row]
    return InlineKeyboardMarkup(rows) if rows else None


def _key(button: Button) -> InlineKeyboardButton:
    size = len(clean(button.action).encode())
    if not 1 <= size <= LONGEST_ACTION:
        raise Refused(f"the action of the button {button.label!r} has {size} bytes; Telegram takes 1 to 64")
    return InlineKeyboardButton(clean(button.label), callback_data=clean(button.action))
