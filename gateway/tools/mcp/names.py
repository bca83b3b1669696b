"""What a server's tool is called here: `mcp_SERVER_TOOL`, in signs and a length that every host takes. Pure."""

from __future__ import annotations

import hashlib
import re

LONGEST = 64
"""Characters of a tool's name, at most; hosts refuse longer ones."""

_MARK = 8


def offered_name(server: str, tool: str) -> str:
    """The same for the same two names; what had to be changed or cut ends in a mark of the whole."""
    whole = f"mcp_{server}_{tool}"
    plain = re.sub(r"[^A-Za-z0-9_-]", "_", whole)
    if plain == whole and len(whole) <= LONGEST:
        return whole
    mark = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    return f"{plain[: LONGEST - _MARK - 1]}_{mark}"
