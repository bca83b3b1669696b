"""A pretended RetainDB on loopback, from the public description of its HTTP interface.

A turn that was taken in is found at once when what is pending is asked for, as its own words; the model that makes
memories of it in the true service is not pretended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.fakes.loopback_http import Recorded
from tests.fakes.temper import Tempered

KINDS = {"factual", "preference", "event", "relationship", "opinion", "goal", "instruction"}
WHEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


@dataclass(frozen=True, slots=True)
class Kept:
    project: str
    user: str
    session: str
    content: str
    scope: str


class RetaindbServer(Tempered):
    """`kept` is everything that it was handed; `jobs` counts accepted writes, replays aside."""

    def __init__(self, key: str = "sk_test_retain") -> None:
        super().__init__(key)
        self.kept: list[Kept] = []
        self.jobs = 0
        self._answered: dict[str, tuple[bytes, object]] = {}

    def served(self, request: Recorded) -> tuple[int, object]:
        body = request.json()
        missing = [name for name in ("project", "user_id") if not isinstance(body.get(name), str)]
        if missing or request.method != "POST":
            return 400, self.refusal(400, f"required: {', '.join(missing)}")
        match request.path:
            case "/v1/memory/search":
                return 200, self._search(body)
            case "/v1/memory":
                return self._once(request, body, [("", body["content"])])
            case "/v1/memory/ingest/session":
                assert all(WHEN.fullmatch(each["timestamp"]) for each in body["messages"])
                return self._once(request, body, [(each["role"], each["content"]) for each in body["messages"]])
            case _:
                return 404, self.refusal(404, "no such route")

    def refusal(self, status: int, why: str) -> Mapping[str, object]:
        codes = {401: "UNAUTHORIZED", 403: "FORBIDDEN", 429: "RATE_LIMITED"}
        return {"error": {"code": codes.get(status, "INTERNAL"), "message": why}, "trace_id": "trc_1"}

    def _once(self, request: Recorded, body: dict[str, str], said: list[tuple[str, str]]) -> tuple[int, object]:
        """An answer that was given for this key is given again."""
        key = request.headers["idempotency-key"]
        assert body.get("memory_type", "factual") in KINDS
        if key in self._answered:
            before, answer = self._answered[key]
            return (202, answer) if before == request.body else (409, self.refusal(409, "another body for this key"))
        self.jobs += 1
        for role, content in said:
            scope = "PROJECT" if role == "assistant" else "USER"  # what is decided for a project is the project's
            self.kept.append(Kept(body["project"], body["user_id"], body.get("session_id", ""), content, scope))
        answer = {"success": True, "mode": "async", "trace_id": "trc_2", "job_id": f"job_{self.jobs}"}
        self._answered[key] = (request.body, answer)
        return 202, answer

    def _search(self, body: dict[str, str]) -> object:
        """What shares a word of four letters or more, of this user, and what is the whole project's."""
        wanted = words(body["query"])
        found = [
            {"memory": {"id": f"mem_{number}", "content": each.content, "memory_type": "event"}, "score": 0.8}
            for number, each in enumerate(self.kept)
            if each.project == body["project"]
            and (each.user == body["user_id"] or each.scope == "PROJECT")
            and body.get("session_id", each.session) == each.session
            and wanted & words(each.content)
        ]
        results = found[: int(body["top_k"])] if body["include_pending"] else []
        return {"results": results, "count": len(results), "trace_id": "trc_3"}


def words(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{4,}", text.lower())}
