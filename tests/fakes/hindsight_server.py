"""Hindsight on loopback, written from the types and routes of its public client (`/v1/default/banks`), and
compared with version 1.1 of the server.

Its extraction is plain: each document is one fact.
"""

from __future__ import annotations

from typing import Any

from tests.fakes.memory_service import MemoryService, akin


class HindsightServer(MemoryService):
    def __init__(self) -> None:
        super().__init__()
        self.banks: dict[str, dict[str, dict[str, Any]]] = {}
        """The documents of each bank, by their ids."""
        self.operations: dict[str, str] = {}
        """The bank of each operation: an id is known to the whole service."""

    def answer_to(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, object]:
        prefix, _, rest = path.partition("/v1/default/banks")
        assert not prefix, path
        match [method, *rest.strip("/").split("/")]:
            case ["GET", ""]:
                return 200, {"banks": [], "total": 0, "limit": 1, "offset": 0}
            case ["POST", bank, "memories"]:
                operation = body["operation_id"]
                if self.operations.setdefault(operation, bank) != bank:
                    return 409, {"detail": f"operation_id {operation} is already in use"}
                documents = self.banks.setdefault(bank, {})
                for item in body["items"]:
                    documents[item["document_id"]] = item
                return 200, {
                    "success": True,
                    "bank_id": bank,
                    "items_count": len(body["items"]),
                    "async": body["async"],
                    "operation_id": operation,
                }
            case ["POST", bank, "memories", "recall"] if bank in self.banks:
                assert len(body["query"].encode()) <= 2_000, "the service refuses longer ones"
                return 200, {"results": [self._fact(*each) for each in self._akin(bank, body["query"])]}
            case ["POST", bank, "reflect"] if bank in self.banks:
                facts = [item["content"] for _, item in self._akin(bank, body["query"])]
                return 200, {"text": f"I think: {' '.join(facts)}" if facts else ""}
        return 404, {"detail": f"nothing at {method} {path}"}

    def _akin(self, bank: str, asked: str) -> list[tuple[str, dict[str, Any]]]:
        return [(document, item) for document, item in self.banks[bank].items() if akin(asked, item["content"])]

    def _fact(self, document: str, item: dict[str, Any]) -> dict[str, Any]:
        return {"id": f"fact-of-{document}", "text": item["content"], "type": "world", "document_id": document}
