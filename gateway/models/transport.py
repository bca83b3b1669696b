"""What the SDKs' HTTP layer may raise, and what an address says about where a host is. Imports no SDK by itself."""

from __future__ import annotations

import importlib
import ipaddress
from urllib.parse import urlsplit


def transport_errors() -> tuple[type[Exception], ...]:
    """The root errors of the HTTP libraries at hand: an SDK lets some of them through while a stream is read."""
    found: list[type[Exception]] = [OSError]
    for name in ("httpx", "httpx2"):
        try:
            found.append(importlib.import_module(name).HTTPError)
        except ImportError:
            pass
    return tuple(found)


def on_this_machine(address: str | None) -> bool:
    """Whether the address is a loopback one."""
    try:
        host = urlsplit(address or "").hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def reason(error: BaseException) -> str:
    """The innermost words of a connection error, such as "Connection refused"."""
    while (inner := error.__cause__ or error.__context__) is not None:
        if not str(inner):
            break
        error = inner
    return str(error)
