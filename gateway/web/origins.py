"""Under which names the dashboard may be asked, and from where a form may come (pure).

A page elsewhere can make a browser ask 127.0.0.1, and can have its own name lead there: the name that was asked for
tells, and the origin that a browser adds to every form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
EVERYWHERE = ("", "0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class Origins:
    """`host` is the address that is listened on, `public` the one by which others come (`https://host[:port]`)."""

    host: str
    public: str | None = None

    @property
    def secure(self) -> bool:
        """Whether others come by https."""
        return self.public is not None and self.public.startswith("https:")

    def known(self, host: str) -> bool:
        """Whether a Host header names us. The port does not matter: a tunnel may end at another one."""
        if self.public is not None and host.lower() == urlsplit(self.public).netloc.lower():
            return True
        name = _without_port(host)
        own = () if self.host in EVERYWHERE else (self.host.lower(), f"[{self.host.lower()}]")
        return name in (*LOOPBACK, *own)

    def ours(self, headers: Mapping[str, str]) -> bool:
        """Whether what changes something comes from a page of ours. A browser says where from; what says nothing at
        all is no browser of today."""
        origin = headers.get("origin")
        if origin is None:
            return headers.get("sec-fetch-site") == "same-origin"
        if self.public is not None and origin.lower() == self.public.lower():
            return True
        return origin.lower() == f"http://{headers.get('host', '').lower()}"

    def asker(self, peer: str, headers: Mapping[str, str]) -> str:
        """The address of who asks: the peer's, or the last one that the reverse proxy added, where there is one."""
        said = headers.get("x-forwarded-for", "") if self.public is not None else ""
        return said.rpartition(",")[2].strip()[:64] or peer


def origin_of(url: str) -> str:
    """`https://host[:port]` of an address, as browsers write it."""
    parts = urlsplit(url)
    usual = {"http": ":80", "https": ":443"}[parts.scheme]
    return f"{parts.scheme}://{parts.netloc.removesuffix(usual)}".lower()


def _without_port(host: str) -> str:
    """The name in a Host header; one that is none stays as it is, and is then no name of ours."""
    name, colon, port = host.lower().rpartition(":")
    return name if colon and port.isdigit() and not host.endswith("]") else host.lower()
