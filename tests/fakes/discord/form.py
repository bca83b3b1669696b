"""A request as operations read it: its JSON, the query, and the files beside the JSON. Owns no meaning."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from tests.fakes.discord.faults import Refusal


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart body. `slot` is the number in `files[0]`."""

    slot: int
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Given:
    """What came with a call."""

    json: Any = field(default_factory=dict)
    query: dict[str, str] = field(default_factory=dict)
    files: tuple[Upload, ...] = ()


async def given(request: web.Request) -> Given:
    """Raises Refusal for a body that is not what its type says."""
    query = dict(request.query)
    kind = request.content_type if request.body_exists else ""
    if kind == "multipart/form-data":
        return await _multipart(request, query)
    body = await request.read() if request.body_exists else b""
    if not body:
        return Given({}, query)
    if kind != "application/json":
        raise Refusal(400, 50035, "Invalid Form Body")
    return Given(_loaded(body), query)


async def _multipart(request: web.Request, query: dict[str, str]) -> Given:
    fields: Any = {}
    files = []
    reader = await request.multipart()
    async for part in reader:
        assert isinstance(part, BodyPartReader)
        name = part.name or ""
        data = bytes(await part.read())
        if name == "payload_json":
            fields = _loaded(data)
        elif name.startswith("files[") and part.filename:
            files.append(Upload(int(name[6:-1]), part.filename, data))
    return Given(fields, query, tuple(files))


def _loaded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        raise Refusal(400, 50109, "The request body contains invalid JSON.") from None
