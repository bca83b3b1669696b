"""A Bot API server on loopback, and the people who chat with its bot.

`BotApi` is the server: the real python-telegram-bot connects to it. `server.user(111).says("hello")` is what a person
does, `server.chat(111).seen()` what that person reads at the end, `server.misbehave(...)` what networks do.
"""

from tests.fakes.telegram.faults import Fault, Refusal
from tests.fakes.telegram.people import Person, Room
from tests.fakes.telegram.server import BotApi
from tests.fakes.telegram.world import Seen

__all__ = ["BotApi", "Fault", "Person", "Refusal", "Room", "Seen"]
