"""The other side of tests/fakes/openviking_tool.py: users, their sessions, and what was extracted of these.

Its extraction is plain: each of the person's messages is one event.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from tests.fakes.memory_service import MemoryService, akin


class OpenVikingServer(MemoryService):
    def __init__(self) -> None:
        super().__init__()
        self.pending: dict[tuple[str, str], list[dict[str, str]]] = {}
        """Messages of each user's sessions that were not committed."""
        self.events: dict[str, list[str]] = {}
        self.bound_to = ""
        """The only user that the key may act for, when there is such a one."""

    def answer_to(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        assert (method, path) == ("POST", "/order")
        order = _parser().parse_args(body["arguments"])
        assert order.output == "json"
        user = order.user
        match order.verb, getattr(order, "noun", ""):
            case "find", _ if self.bound_to and self.bound_to not in order.uri:
                return 403, {"detail": f"Access denied for {order.uri}: read permission required"}
            case "session", "add-messages":
                messages = self.pending.setdefault((user, order.session), [])
                messages.extend(json.loads(order.messages))
                return _good({"session_id": order.session, "message_count": len(messages)})
            case "session", "commit":
                if (user, order.session) not in self.pending:
                    return 404, {"detail": f"Session not found: {order.session}"}
                messages = self.pending[user, order.session]
                self.events.setdefault(user, []).extend(m["content"] for m in messages if m["role"] == "user")
                messages.clear()
                return _good({"archive_uri": f"viking://user/{user}/sessions/{order.session}/history/archive_001"})
            case "find", _:
                return _good({"memories": self._found(order), "resources": [], "skills": []})
        return 404, {"detail": "no such command"}

    def _found(self, order: argparse.Namespace) -> list[dict[str, Any]]:
        found = [_memory(order.uri, "identity.md", "AI assistant keeps its templates here")]
        for user, events in self.events.items():
            place = f"viking://user/{user}/memories"
            if place == order.uri:
                found += [_memory(place, f"events/{n}.md", words) for n, words in enumerate(events)]
        return [each for each in found if akin(order.query, each["content"])][: order.limit]


def _memory(place: str, name: str, words: str) -> dict[str, Any]:
    return {"uri": f"{place}/{name}", "level": 2, "score": 0.6, "abstract": words[:100], "content": words}


def _good(result: object) -> tuple[int, object]:
    return 200, {"ok": True, "result": result}


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser()
    top.add_argument("--output")
    top.add_argument("--user")
    top.add_argument("--account")
    verbs = top.add_subparsers(dest="verb", required=True)
    session = verbs.add_parser("session").add_subparsers(dest="noun", required=True)
    add = session.add_parser("add-messages")
    add.add_argument("session")
    add.add_argument("messages")
    session.add_parser("commit").add_argument("session")
    find = verbs.add_parser("find")
    find.add_argument("--uri")
    find.add_argument("--level")
    find.add_argument("--node-limit", dest="limit", type=int)
    find.add_argument("--read-content", action="store_true")
    find.add_argument("query")
    return top
