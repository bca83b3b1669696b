"""What python-telegram-bot's errors mean for a message, said once. No text here holds the token or an address."""

from __future__ import annotations

import httpx
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, TelegramError, TimedOut

from platforms.errors import DeliveryError, Gone, NotSent, Refused, RetryAfter, Uncertain

_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Faults after which the request is known not to have left: all others may have reached Telegram."""


class Flood(TelegramError):
    """429: Telegram wants to be left alone for `seconds`. The library's own error warns at each use."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Telegram asked to wait for {seconds:g} s")
        self.seconds = seconds


class NotStored(TelegramError):
    """An update could not be stored. Raised towards the poller, which asks for it again and confirms nothing."""


class TelegramUnreachable(Exception):
    """Nothing was heard from Telegram, in spite of every new attempt. The adapter wants to be started anew."""


def translated(error: TelegramError) -> DeliveryError:
    """The meaning of a failed call. `BadRequest` and `TimedOut` are `NetworkError`s: the order matters."""
    match error:
        case Flood():
            return RetryAfter(error.seconds, str(error))
        case ChatMigrated():
            return Gone(str(error.new_chat_id), "the group became a supergroup")
        case Forbidden() | BadRequest():
            return Refused(f"Telegram refused: {error.message}")
        case InvalidToken():
            # Not the message's fault: it can be delivered once the token is right.
            return NotSent("Telegram does not accept the bot's token")
        case NetworkError() if isinstance(error.__cause__, _NEVER_LEFT):
            return NotSent("Telegram cannot be reached")
        case TimedOut():
            return Uncertain("Telegram did not answer in time")
        case _:
            return Uncertain("the connection to Telegram broke before it confirmed the message")


def unformattable(error: TelegramError) -> bool:
    """Whether Telegram refused the formatting of a text, and only that."""
    return isinstance(error, BadRequest) and "entit" in error.message.lower()


def no_photo(error: TelegramError) -> bool:
    """Whether Telegram refused a file as a picture (its sides, its size, its format), and only that."""
    words = error.message.upper().replace(" ", "_")
    return isinstance(error, BadRequest) and ("PHOTO" in words or "IMAGE_PROCESS_FAILED" in words)


def unchanged(error: TelegramError) -> bool:
    """Whether an edit was refused because the message reads like that already."""
    return isinstance(error, BadRequest) and "message is not modified" in error.message.lower()


def absent(error: TelegramError) -> bool:
    """Whether a message could not be taken back because it is not there."""
    return isinstance(error, BadRequest) and "message to delete not found" in error.message.lower()
