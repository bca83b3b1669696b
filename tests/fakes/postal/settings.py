"""`platforms.post` in config.yaml: where the office is, who may write, and what this network can do."""

from __future__ import annotations

from platforms.settings import Allowlist, Section, Truth


class PostSettings(Section):
    """The platform is on when it has a token, as every platform."""

    token: str = "stamp"
    port: int = 0
    """The office's port on loopback."""
    allowed_users: Allowlist = ()
    limit: int = 120
    """Code points of one message; small, so that answers have several parts."""
    edit_seconds: float = 0.1
    nonce_seconds: float = 0.0
    finds: Truth = False
