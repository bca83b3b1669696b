"""The server's second door, for tests that run it as a process of its own: people speak and read through HTTP.

POST /control with `{"do": NAME, ...}`; the answer is `{"result": ...}`, or 400 with `{"error": ...}`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.fakes.telegram.faults import Fault, Refusal
from tests.fakes.telegram.wire import Answer

if TYPE_CHECKING:
    from tests.fakes.telegram.server import BotApi

Order = dict[str, Any]


async def control(server: BotApi, body: bytes) -> Answer:
    """Carry out one order."""
    try:
        order: Order = json.loads(body)
        return Answer.of({"result": await _carry_out(server, order)})
    except (LookupError, ValueError, TypeError) as error:
        return Answer.of({"error": f"{type(error).__name__}: {error}"}, 400)


async def _carry_out(server: BotApi, order: Order) -> Any:
    """`user` and `chat` are numbers; `fault` is the name of a Fault, or `[code, description, parameters]`."""
    match order["do"]:
        case "says":
            room = server.chat(order["chat"]) if "chat" in order else None
            return server.user(order["user"]).says(order["text"], chat=room, thread=order.get("thread"))
        case "presses":
            room = server.chat(order["chat"]) if "chat" in order else None
            return server.user(order["user"]).presses(order["label"], room)
        case "group":
            return server.group(order["chat"], order.get("title", "Group"), forum=order.get("forum", False)).number
        case "seen":
            return [_plain(asdict(each)) for each in server.chat(order["chat"]).seen()]
        case "calls":
            return sum(order.get("method") in (None, each.method) for each in server.calls)
        case "waiting":
            return len(server.world.updates)
        case "again":
            return server.deliver_again()
        case "raw":
            return server.send_raw(order["update"])
        case "misbehave":
            fault = order["fault"]
            kind = Fault[fault] if isinstance(fault, str) else Refusal(*fault)
            server.misbehave(order["method"], kind, order.get("times", 1), order.get("after", 0))
            return None
        case "behave":
            server.behave(order["method"])
            return None
    raise ValueError(f"no order {order['do']!r}")


def _plain(seen: dict[str, Any]) -> dict[str, Any]:
    """Files as their name and size."""
    file = seen["file"]
    return seen | {"file": [file["name"], len(file["data"])] if file else None}
