"""The parameters of a call, from whichever of the four ways in which the Bot API takes them. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

_STRUCTURED = {
    *("entities", "caption_entities", "reply_markup", "reply_parameters", "allowed_updates", "link_preview_options"),
    *("commands", "scope", "media", "reaction"),
}
_NUMBERS = {
    *("offset", "limit", "timeout", "message_id", "message_thread_id", "draft_id", "chat_id", "max_connections"),
}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file in a multipart body."""

    name: str
    media_type: str
    data: bytes


def parameters(content_type: str, query: str, body: bytes) -> dict[str, Any]:
    """Names with values: text, numbers, JSON structures, `Upload`s."""
    given: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "application/json":
        given |= json.loads(body or b"{}")
    elif kind == "application/x-www-form-urlencoded":
        given |= dict(parse_qsl(body.decode(), keep_blank_values=True))
    elif kind == "multipart/form-data":
        given |= _multipart(content_type, body)
    return {name: _typed(name, value) for name, value in given.items()}


def _typed(name: str, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if name in _STRUCTURED:
        return json.loads(value)
    if name in _NUMBERS and value.lstrip("-").isdigit():
        return int(value)
    return value


def _multipart(content_type: str, body: bytes) -> dict[str, Any]:
    border = b"--" + content_type.partition("boundary=")[2].strip('"').encode()
    given: dict[str, Any] = {}
    for piece in body.split(border)[1:-1]:
        head, _, data = piece.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
        headers = {name.lower(): value for name, value in lines.items()}
        marks = dict(mark.strip().split("=", 1) for mark in headers["content-disposition"].split(";")[1:])
        name, data = marks["name"].strip('"'), data.removesuffix(b"\r\n")
        if "filename" in marks:
            kind = headers.get("content-type", "application/octet-stream")
            given[name] = Upload(marks["filename"].strip('"'), kind, data)
        else:
            given[name] = data.decode()
    return given
