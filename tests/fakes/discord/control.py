"""The server's second door, for tests that run it as a process of its own: people speak and read through HTTP.

POST /control with `{"do": NAME, ...}`; the answer is `{"result": ...}`, or 400 with `{"error": ...}`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.discord.faults import Fault, Refusal

if TYPE_CHECKING:
    from tests.fakes.discord.server import DiscordServer

Order = dict[str, Any]


async def control(server: DiscordServer, body: bytes) -> web.Response:
    """Carry out one order."""
    try:
        return web.json_response({"result": _carry_out(server, json.loads(body))})
    except (LookupError, ValueError, TypeError) as error:
        return web.json_response({"error": f"{type(error).__name__}: {error}"}, status=400)


def _carry_out(server: DiscordServer, order: Order) -> Any:
    """`user`, `guild` and `chat` are numbers; without a chat it is the person's DM. `fault` is the name of a Fault,
    or `[status, code, message]`."""
    room = server.chat(order["chat"]) if "chat" in order else None
    match order["do"]:
        case "user":
            return server.user(order["user"], order.get("name", "")).chat.number
        case "channel":
            return server.guild(order["guild"]).channel(order["chat"], order.get("name", "lobby")).number
        case "says":
            said = server.user(order["user"]).says(
                order["text"], chat=room, mention=order.get("mention", False), reply_to=order.get("reply_to")
            )
            return said.id
        case "orders":
            return server.user(order["user"]).orders(order["name"], room, **order.get("options", {})).id
        case "presses":
            return server.user(order["user"]).presses(order["label"], room).id
        case "seen":
            return [_plain(asdict(each)) for each in (room or server.user(order["user"]).chat).seen()]
        case "calls":
            return sum(order.get("operation") in (None, each.operation) for each in server.calls)
        case "connected":
            return len(server.gateway.connected)
        case "close":
            server.gateway.close(order["code"])
            return None
        case "misbehave":
            fault = order["fault"]
            kind = Fault[fault] if isinstance(fault, str) else Refusal(*fault)
            server.misbehave(order["operation"], kind, order.get("times", 1), order.get("after", 0))
            return None
        case "behave":
            server.behave(order["operation"])
            return None
    raise ValueError(f"no order {order['do']!r}")


def _plain(seen: dict[str, Any]) -> dict[str, Any]:
    """Files as their names and sizes."""
    return seen | {"files": [[each["name"], len(each["data"])] for each in seen["files"]]}
