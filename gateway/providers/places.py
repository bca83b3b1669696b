"""What outside memories have in common: a name for each subject that every service takes, complaints in one line, and
the arguments of their tools. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from memory.providers.protocol import Refused

LONGEST_NAME = 60
LONGEST_COMPLAINT = 200


def place(prefix: str, subject: str, profile: str) -> str:
    """Where this subject's memories are at a service: small letters, digits and hyphens, at most 60 of them. A digest
    at the end keeps apart what spelling alone would bring together. Without a prefix, profiles do not share."""
    whole = prefix or f"innkeeper-{profile}"
    digest = hashlib.sha256(f"{whole}\0{subject}".encode("utf-8", "replace")).hexdigest()[:8]
    named = re.sub(r"[^a-z0-9]+", "-", f"{whole}-{subject}".lower()).strip("-")
    return f"{named[: LONGEST_NAME - 9].rstrip('-')}-{digest}"


def plain(text: object, *secrets: str) -> str:
    """What a service complained of, in one short line without secrets and signs that cannot be printed."""
    line = " ".join(str(text).split())
    for secret in secrets:
        if secret:
            line = line.replace(secret, "[secret]")
    line = "".join(sign if sign.isprintable() else "?" for sign in line)
    return line if len(line) <= LONGEST_COMPLAINT else f"{line[: LONGEST_COMPLAINT - 1]}…"


def key_for(*parts: str) -> str:
    """The same key for the same thing handed over again."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:40]


def schema(properties: Mapping[str, object], *required: str) -> dict[str, object]:
    """Parameters of a tool, and nothing beside them."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


def text_of(arguments: Mapping[str, Any], name: str, longest: int) -> str:
    """An argument that has to be some text, in one line. Raises Refused."""
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Refused(f"{name} is missing")
    if len(value) > longest:
        raise Refused(f"{name} has more than {longest:,} characters")
    return " ".join(value.split())
