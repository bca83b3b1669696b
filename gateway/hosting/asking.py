"""Asking a running gateway's door for probes, from another process on the same machine."""

from __future__ import annotations

import http.client
import json
from typing import Any

from gateway.hosting.probe import HOST, PATH

SECONDS = 10.0
_MOST = 64 * 1024


def ask(port: int, seconds: float = SECONDS) -> dict[str, Any] | None:
    """What the door says; None when nobody answers there as the gateway would."""
    door = http.client.HTTPConnection(HOST, port, timeout=seconds)
    try:
        door.request("GET", PATH)
        fields = json.loads(door.getresponse().read(_MOST))
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        door.close()
    return fields if isinstance(fields, dict) and "status" in fields else None
