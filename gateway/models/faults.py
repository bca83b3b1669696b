"""Turns what a host answered instead of an answer into the errors of errors.py: by status, body and headers.

Knows no SDK, so that every client says the same thing of the same trouble. Texts never hold a key.
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from gateway.models.errors import (
    ContextTooLong,
    HostBusy,
    HostDown,
    HostLoading,
    KeyRefused,
    ModelError,
    ModelMissing,
    QuotaExhausted,
    RequestRefused,
    StreamBroken,
)

_TOO_LONG = re.compile(
    r"context_length_exceeded|exceed_context_size|maximum context length|context (?:window|size|length)"
    r"|prompt is too long|too many (?:input )?tokens|input is too long",
    re.IGNORECASE,
)
_NO_MONEY = re.compile(r"insufficient_quota|credit balance|exceeded your current quota|billing", re.IGNORECASE)
_LOADING = re.compile(r"loading model|model is loading|currently loading", re.IGNORECASE)
_NO_PICTURES = re.compile(
    r"image input is not supported|support(?:s)? image input|not a multimodal model|does not support (?:image|vision)"
    r"|(?:failed|unable) to (?:decode|load|process) (?:the )?image|could not process image",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<(script|style)\b.*?</\1>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|key|gsk|xai|AIza)[-_][\w*.\-]{6,}|\bBearer\s+\S+", re.IGNORECASE)
_LONGEST = 300
"""Characters of a host's own words that are passed on."""


@dataclass(frozen=True, slots=True)
class Place:
    """Which host and model were asked, and what must not be said: `secrets` are blotted out of every text."""

    host: str
    model: str
    address: str = ""
    secrets: tuple[str, ...] = ()

    def says(self, text: str) -> str:
        """A host's own words, made fit for a person: no markup, no keys, one line, not long."""
        for secret in self.secrets:
            if secret:
                text = text.replace(secret, "***")
        text = _KEY_LIKE.sub("***", _MARKUP.sub(" ", text))
        text = " ".join(text.split())
        return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."

    def down(self, reason: str) -> HostDown:
        at = f" at {shown_address(self.address)}" if self.address else ""
        return HostDown(f"{self.host} does not answer{at}: {self.says(reason) or 'connection failed'}")


def broken(place: Place, reason: str) -> StreamBroken:
    """The error for an answer that had begun."""
    return StreamBroken(f"{place.host} broke off in the middle of its answer: {place.says(reason)}")


def from_status(place: Place, status: int, body: object, headers: Mapping[str, str], now: float) -> ModelError:
    """The error for an HTTP answer of 400 and above. `body` is parsed JSON or text; `now` seconds since the epoch."""
    code, words = _code_and_words(body)
    said = place.says(words)
    told = f": {said}" if said else ""
    searched = f"{code} {words}"
    if _LOADING.search(searched):
        return HostLoading(f"{place.host} is loading its model")
    if _NO_PICTURES.search(words):
        return RequestRefused(f"{place.host} does not take the pictures{told}")  # whatever the status: hosts vary
    if status == 402 or (status in (400, 403, 429) and _NO_MONEY.search(searched)):
        return QuotaExhausted(f"{place.host}: the account has no credit left{told}")
    if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(searched)):
        return ContextTooLong(f"{place.host}: the conversation does not fit the context window{told}")
    if status == 403 and _moderated(body):
        return RequestRefused(f"{place.host} refused the request{told}")
    if status in (401, 403):
        # The host's own words quote the key, in part at least.
        return KeyRefused(f"{place.host} does not accept the API key (status {status}); check api_key")
    if status == 404:
        return ModelMissing(f"{place.host} does not know the model {place.model!r}{told}{_hint(place)}")
    if status in (429, 529):
        return HostBusy(f"{place.host} has too many requests{told}", retry_after(headers, now))
    if status in (408, 409, 425) or (status >= 500 and status not in (501, 505)):
        wait = retry_after(headers, now)
        if wait is not None:
            return HostBusy(f"{place.host} asks to wait (status {status}){told}", wait)
        return HostDown(f"{place.host} failed (status {status}){told}")
    return RequestRefused(f"{place.host} refused the request (status {status}){told}")


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds to wait, from `retry-after-ms` or `Retry-After` (seconds or an HTTP date); None when not said."""
    lowered = {key.lower(): value for key, value in headers.items()}
    try:
        if "retry-after-ms" in lowered:
            return max(0.0, float(lowered["retry-after-ms"]) / 1000)
        return max(0.0, float(lowered["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(lowered.get("retry-after", "")).timestamp() - now)
    except (ValueError, TypeError):
        return None


def shown_address(address: str) -> str:
    """Scheme, host, port and path: never a user, password or query."""
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "its address"
    return f"{parts.scheme}://{parts.hostname or ''}{port}{parts.path}".rstrip("/")


def parsed(body: str) -> Any:
    """JSON if it is JSON, else the text."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body


def _code_and_words(body: object) -> tuple[str, str]:
    """Error codes and the message, from the shapes hosts use: `{"error": {…}}`, `{"error": "…"}`, `{…}`, text."""
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            codes = " ".join(str(inner[key]) for key in ("code", "type", "status") if inner.get(key) is not None)
            words = inner.get("message") or inner.get("detail") or ""
            return codes, words if isinstance(words, str) else json.dumps(words, default=str)
        return "", str(inner)
    return "", str(body or "")


def _moderated(body: object) -> bool:
    inner = body.get("error", body) if isinstance(body, Mapping) else None
    extra = inner.get("metadata") if isinstance(inner, Mapping) else None
    return isinstance(extra, Mapping) and bool(extra.get("reasons"))


def _hint(place: Place) -> str:
    path = urlsplit(place.address).path if place.address else "/v1"
    return "" if "v1" in path or "api" in path else "; does base_url lack /v1 at its end?"
