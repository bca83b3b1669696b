"""A Discord server on loopback, and the people who chat with its bot.

`DiscordServer` is the server: the real discord.py connects to it. `server.user(111).says("hello")` is what a person
does, `server.user(111).chat.seen()` what that person reads at the end, `server.misbehave(...)` and
`server.gateway.close(4009)` what networks do.
"""

from tests.fakes.discord.calls import Call
from tests.fakes.discord.faults import ABNORMAL, GATEWAY_CODES, Fault, Refusal, failed, rate_limited
from tests.fakes.discord.interactions import Interaction
from tests.fakes.discord.people import Person
from tests.fakes.discord.places import House, Room, Seen
from tests.fakes.discord.server import DiscordServer
from tests.fakes.discord.world import File, Message

__all__ = [
    "ABNORMAL",
    "GATEWAY_CODES",
    "Call",
    "DiscordServer",
    "Fault",
    "File",
    "House",
    "Interaction",
    "Message",
    "Person",
    "Refusal",
    "Room",
    "Seen",
    "failed",
    "rate_limited",
]
