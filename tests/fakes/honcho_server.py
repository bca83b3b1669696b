"""Honcho on loopback, written from the types and routes of its public client (`/v3`): workspaces, peers, sessions.

Its reasoning is plain: everything that an observed peer said is a conclusion about that peer.
"""

from __future__ import annotations

import re
from typing import Any

from tests.fakes.memory_service import MemoryService, akin

MOMENT = "2026-11-30T12:00:00Z"
ID = re.compile(r"[A-Za-z0-9_-]{1,512}")


class HonchoServer(MemoryService):
    def __init__(self) -> None:
        super().__init__()
        self.workspaces: set[str] = set()
        self.sessions: dict[tuple[str, str], dict[str, dict[str, bool]]] = {}
        """The peers of each session of each workspace, with what was configured for them."""
        self.messages: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self.cards: dict[str, list[str]] = {}

    def answer_to(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        match [method, *path.removeprefix("/v3/").split("/")]:
            case ["POST", "workspaces"]:
                return self._made(body, self.workspaces.add, {})
            case ["POST", "workspaces", workspace, "peers"]:
                return self._made(body, lambda _: None, {"workspace_id": workspace})
            case ["POST", "workspaces", workspace, "sessions"]:
                peers = self.sessions.setdefault((workspace, body["id"]), {})
                peers.update(body.get("peers", {}))
                return self._made(body, lambda _: None, {"workspace_id": workspace, "is_active": True})
            case ["POST", "workspaces", workspace, "sessions", session, "messages"]:
                return 201, [self._kept(workspace, session, each) for each in body["messages"]]
            case ["POST", "workspaces", workspace, "sessions", session, "messages", "list"]:
                wanted = ((body or {}).get("filters") or {}).get("metadata", {})
                found = [m for m in self._in(workspace, session) if wanted.items() <= m["metadata"].items()]
                page = found[: int(query.get("size", "50"))]
                return 200, {"items": page, "page": 1, "size": 50, "total": len(found), "pages": 1}
            case ["GET", "workspaces", workspace, "peers", peer, "context"]:
                said = [
                    m["content"] for m in self._observed(workspace, peer) if akin(query["search_query"], m["content"])
                ]
                about = "## Explicit Observations\n" + "\n".join(said) if said else ""
                card = self.cards.get(peer)
                return 200, {"peer_id": peer, "target_id": peer, "representation": about, "peer_card": card}
            case ["GET", "workspaces", _, "peers", peer, "card"]:
                return 200, {"peer_card": self.cards.get(peer)}
            case ["POST", "workspaces", workspace, "peers", peer, "search"]:
                found = [m for m in self._by(workspace, peer) if akin(body["query"], m["content"])]
                return 200, found[: body["limit"]]
            case ["POST", "workspaces", workspace, "peers", peer, "chat"]:
                said = [m["content"] for m in self._observed(workspace, peer) if akin(body["query"], m["content"])]
                return 200, {"content": f"From what was said: {' '.join(said)}" if said else None}
        return 404, {"detail": f"nothing at {method} {path}"}

    def _made(self, body: Any, note: Any, more: dict[str, Any]) -> tuple[int, object]:
        if not ID.fullmatch(body["id"]):
            return 422, {"detail": f"bad id {body['id']!r}"}
        note(body["id"])
        return 200, {"id": body["id"], "created_at": MOMENT, "metadata": {}, "configuration": {}, **more}

    def _kept(self, workspace: str, session: str, said: dict[str, Any]) -> dict[str, Any]:
        assert len(said["content"]) <= 25_000, "the service refuses longer ones"
        kept = self._in(workspace, session)
        message = {
            "id": f"message-{session}-{len(kept)}",
            "content": said["content"],
            "peer_id": said["peer_id"],
            "session_id": session,
            "workspace_id": workspace,
            "metadata": said.get("metadata", {}),
            "created_at": said.get("created_at", MOMENT),
            "token_count": len(said["content"]) // 4,
        }
        kept.append(message)
        return message

    def _in(self, workspace: str, session: str) -> list[dict[str, Any]]:
        return self.messages.setdefault((workspace, session), [])

    def _by(self, workspace: str, peer: str) -> list[dict[str, Any]]:
        theirs = [message for (where, _), kept in self.messages.items() if where == workspace for message in kept]
        return [message for message in theirs if message["peer_id"] == peer]

    def _observed(self, workspace: str, peer: str) -> list[dict[str, Any]]:
        return [
            message
            for message in self._by(workspace, peer)
            if self.sessions.get((workspace, message["session_id"]), {}).get(peer, {}).get("observe_me", True)
        ]
