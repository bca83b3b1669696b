"""Names at a service: where a subject's memories are there, and keys by which it knows a thing handed over again.
Pure; each scheme stays as it is, for memories are found by it."""

from __future__ import annotations

import hashlib
import re

from memory.providers.protocol import Exchange, ProviderContext

LONGEST_NAME = 60


def place(prefix: str, subject: str, profile: str) -> str:
    """Where this subject's memories are at a service: small letters, digits and hyphens, at most 60 of them. A digest
    at the end keeps apart what spelling alone would bring together. Without a prefix, profiles do not share."""
    whole = prefix or f"innkeeper-{profile}"
    digest = hashlib.sha256(f"{whole}\0{subject}".encode("utf-8", "replace")).hexdigest()[:8]
    spelled = re.sub(r"[^a-z0-9]+", "-", f"{whole}-{subject}".lower()).strip("-")
    return f"{spelled[: LONGEST_NAME - 9].rstrip('-')}-{digest}"


def space(written: str, context: ProviderContext) -> str:
    """The name under which a profile keeps, where subjects have `named` ones below it: as written in its settings,
    else one of its own."""
    return named(written) if written else f"innkeeper-{named(context.profile)}"


def named(text: str) -> str:
    """The text as a name of letters, digits, `-` and `_`; different texts give different names."""
    spelled = re.sub(r"[^A-Za-z0-9_-]", "-", text)[:64]
    if spelled == text:
        return spelled
    return f"{spelled}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:10]}"


def key_for(*parts: str) -> str:
    """The same key for the same thing handed over again."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:40]


def reference(context: ProviderContext, exchange: Exchange) -> str:
    """One readable name for the exchange, the same when it is handed over again, in all profiles and sessions."""
    return f"{context.profile}/{exchange.where.session}/{exchange.id}"
