"""A pretended Supermemory on loopback, from the types of its own client (5.0).

Each line of a document is a memory at once, and its whole a chunk; the model that learns from documents in the true
service is not pretended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import unquote

from tests.fakes.loopback_http import Recorded
from tests.fakes.retaindb_server import words
from tests.fakes.temper import Tempered

ROUTE = re.compile(r"/ns/([^/]+)/(document|search|profile)")
NAMESPACE = re.compile(r"[a-zA-Z0-9_-]{1,100}")
SYSTEM = {"createdAt": "2026-11-30T12:00:00Z", "updatedAt": "2026-11-30T12:00:00Z"}


class SupermemoryServer(Tempered):
    """`documents` by namespace and id; `static` are the lasting facts of a namespace's profile."""

    def __init__(self, key: str = "sm_test_super") -> None:
        super().__init__(key)
        self.documents: dict[str, dict[str, str]] = {}
        self.static: dict[str, list[str]] = {}

    def served(self, request: Recorded) -> tuple[int, object]:
        route = ROUTE.fullmatch(request.path)
        if route is None or not NAMESPACE.fullmatch(unquote(route[1])):
            return 404, self.refusal(404, "no such route")
        namespace = unquote(route[1])
        match request.method, route[2]:
            case "POST", "document":
                return self._document(namespace, request.json())
            case "POST", "search":
                return self._search(namespace, request.json())
            case _, "profile":
                facts = self.static.get(namespace, [])
                static = [{"id": f"mem_{number}", "memory": fact} for number, fact in enumerate(facts)]
                return 200, {"profile": {"static": static, "dynamic": [], "buckets": {}}}
            case _:
                return 404, self.refusal(404, "no such route")

    def refusal(self, status: int, why: str) -> Mapping[str, object]:
        return {"error": why, "details": "none"}

    def _document(self, namespace: str, body: dict[str, str]) -> tuple[int, object]:
        """A known id with other words is appended to; with the same words it is done already."""
        content = body["content"]
        if re.fullmatch(r"\S+://\S+", content.strip()):
            return 400, self.refusal(400, "this server fetches nothing")
        known = self.documents.setdefault(namespace, {})
        before = known.get(body["id"])
        known[body["id"]] = content if before in (None, content) else f"{before}\n{content}"
        return 202, {"id": body["id"], "status": "done" if before == content else "queued"}

    def _search(self, namespace: str, body: dict[str, str]) -> tuple[int, object]:
        wanted = words(body["query"])
        found: list[dict[str, object]] = []
        for number, document in self.documents.get(namespace, {}).items():
            for sentence in document.splitlines():
                if wanted & words(sentence):
                    found.append({"id": f"mem_{number}", "memory": sentence})
            if body["searchMode"] == "hybrid" and wanted & words(document):
                found.append({"id": f"chunk_{number}", "chunk": f"(passage) {document}"})
        more = {"metadata": {}, "similarity": 0.8, "isLatest": True, "isInference": False, "system": SYSTEM}
        return 200, {"results": [{**each, **more} for each in found[: int(body["limit"])]], "searchTime": 3.5}
