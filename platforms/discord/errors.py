"""What discord.py's errors mean for a message, said once. No text here holds the token or an address."""

from __future__ import annotations

import aiohttp
from discord import DiscordException, HTTPException, RateLimited

from platforms.errors import DeliveryError, NotSent, Refused, RetryAfter, Uncertain

FAULTS = (DiscordException, aiohttp.ClientError, OSError)
"""All that a call can raise; a timeout is an OSError."""

UNKNOWN_MESSAGE = 10008
MISSING_ACCESS, MISSING_PERMISSIONS = 50001, 50013

_NEVER_LEFT = (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError)
"""Faults after which the request is known not to have left: all others may have reached Discord."""


class DiscordUnreachable(Exception):
    """Nothing was heard from Discord, in spite of every new attempt. The adapter wants to be started anew."""


class Garbled(DiscordException):
    """The answer is no JSON: somebody else answered in Discord's place, such as a portal of the network."""


def translated(error: Exception) -> DeliveryError:
    """The meaning of a failed call."""
    match error:
        case RateLimited():
            return RetryAfter(error.retry_after, f"Discord asked to wait for {error.retry_after:g} s")
        case HTTPException(status=401):
            # Not the message's fault: it can be delivered once the token is right.
            return NotSent("Discord does not accept the bot's token")
        case HTTPException() if error.status >= 500:
            return Uncertain(f"Discord failed while it took the message ({error.status})")
        case HTTPException():
            return Refused(f"Discord refused: {' '.join(error.text.split())[:200] or error.status} ({error.code})")
        case _ if isinstance(error, _NEVER_LEFT):
            return NotSent("Discord cannot be reached")
        case TimeoutError():
            return Uncertain("Discord did not answer in time")
        case _:
            return Uncertain("the connection to Discord broke before it confirmed the message")


def absent(error: Exception) -> bool:
    """Whether a message is not there any more."""
    return isinstance(error, HTTPException) and error.code == UNKNOWN_MESSAGE


def barred(error: Exception) -> bool:
    """Whether the bot may not write in this place."""
    return isinstance(error, HTTPException) and error.code in (MISSING_ACCESS, MISSING_PERMISSIONS)
