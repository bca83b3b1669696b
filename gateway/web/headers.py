"""What every answer of the dashboard says about itself, faults and redirects included (pure)."""

from __future__ import annotations

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)

STRICT = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    # To our own pages the whole address: without one, browsers send forms with an origin of null. To others none.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"x-robots-tag", b"noindex, nofollow"),
)

CACHED = b"no-cache"
"""Ask again each time whether it changed."""

KEPT = b"no-store"
"""What is behind the login is kept nowhere."""

Pairs = list[tuple[bytes, bytes]]


def strict(given: Pairs, *, static: bool) -> Pairs:
    """The headers of an answer with ours in place of its own, and without a word about the server."""
    ours = (*STRICT, (b"cache-control", CACHED if static else KEPT))
    taken = {name for name, _ in ours} | {b"server"}
    return [*((name, value) for name, value in given if name.lower() not in taken), *ours]
