"""Takes secrets out of text: those of the configuration by value, all others by their shape.

Used for everything that is logged or exported. The stored transcript is left alone: what people pasted stays theirs.
Pure; where the configured secrets come from is the caller's concern.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

MASK = "[redacted]"

SHORTEST = 4
"""Configured values with fewer characters than this are not masked: they would riddle every text with holes."""

_NEAR = 8_000
"""Characters; more than any secret has."""

_KEY_NAMES = (
    r"pass(?:word|wd|phrase)|pwd|secret|token|credential|cookie"
    r"|(?:api|access|private|secret|signing)[_-]?key|authorization"
)

# Only what follows the name is taken out, so that a log still says which setting was meant.
_SENSITIVE_KEY = re.compile(rf"(?:{_KEY_NAMES})$", re.IGNORECASE)

_PAIR = re.compile(
    rf"""(?P<name>{_KEY_NAMES})
    (?P<joint>\\?["']?\s*(?::|=>?)\s*(?:b(?=["']))?|["']\s*,\s*b?(?=["']))  # name=, "name": and ('name', b'...')
    (?!\s*(?:null|none|true|false)\b)
    (?P<scheme>\\?["']?(?:(?:bearer|basic|bot|token|digest)\s+)?)
    (?P<value>
        (?<=")(?:\\.|[^"\\\n]){{4,}}(?=") | (?<=')(?:\\.|[^'\\\n]){{4,}}(?=')   # quoted: up to the closing quote
        | [^\s"'\\&]{{4,}}
    )""",
    re.IGNORECASE | re.VERBOSE,
)

_SHAPES = tuple(
    re.compile(pattern)
    for pattern in (
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
        # Telegram. "bot" stands directly before the digits in addresses, so a word border would miss it.
        r"(?<=/bot)\d+(?::|%3[Aa])[^/\s\"'?#]+",
        r"(?<!\d)\d{6,12}(?::|%3[Aa])[A-Za-z0-9_-]{30,}",
        # Discord: bot tokens, the older kind for accounts, and the tokens in addresses of hooks and interactions.
        r"(?<![\w-])[MNO][\w-]{22,27}\.[\w-]{6,7}\.[\w-]{27,}",
        r"(?<![\w-])mfa\.[\w-]{40,}",
        r"(?<=/webhooks/)\d{15,22}/[\w-]{20,}|(?<=/interactions/)\d{15,22}/[\w-]{20,}",
        # Model hosts, code hosts, clouds, chat.
        r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}",
        r"(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[\w-]{20,}",
        r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        r"(?<![A-Za-z0-9])AIza[\w-]{35}|(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}|(?<![A-Za-z0-9])xox[abeprs]-[\w-]{10,}",
        # Signed tokens of three parts, of which the first two are JSON.
        r"(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}",
        # Links that log somebody into the dashboard.
        r"(?<=/login/)[\w-]{20,}",
        # HTTP.
        r"(?<=[Bb]earer )[^\s\"'\\,;]{8,}|(?<=BEARER )[^\s\"'\\,;]{8,}",
        r"(?<=://)[^\s/@:\"']{0,200}:[^\s/@\"']{1,200}(?=@)",
    )
)


class Redactor:
    """Masks secrets in text. Calling it twice changes nothing more than calling it once.

    `secrets` are the configured values; they are found as they are, percent-encoded in part or in whole, and
    escaped as in JSON.
    """

    __slots__ = ("_configured",)

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        wanted = {secret.strip() for secret in secrets}
        # Longest first, or a secret that begins with another one would be masked by half.
        usable = sorted((secret for secret in wanted if len(secret) >= SHORTEST), key=len, reverse=True)
        self._configured = re.compile("|".join(map(_spellings, usable))) if usable else None

    def __call__(self, text: str) -> str:
        """The text with every known or secret-looking part replaced by `MASK`."""
        if self._configured is not None:
            text = self._configured.sub(MASK, text)
        for shape in _SHAPES:
            text = shape.sub(MASK, text)
        return _PAIR.sub(rf"\g<name>\g<joint>\g<scheme>{MASK}", text)

    def tree(self, value: object, longest: int | None = None) -> object:
        """The same for nested data: keys and values become plain JSON types, and secret-sounding keys lose their
        values. Objects of other types are turned into their text first. `longest` cuts each text to that many
        characters and says so, at a cost that does not grow with what is cut off."""
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Mapping):
            return {self(str(key)): self._member(str(key), member, longest) for key, member in value.items()}
        if isinstance(value, list | tuple | set | frozenset):
            return [self.tree(member, longest) for member in value]
        if isinstance(value, bytes | bytearray):
            return self._text(bytes(value).decode("utf-8", "backslashreplace"), longest)
        return self._text(str(value), longest)

    def _member(self, key: str, value: object, longest: int | None) -> object:
        if _SENSITIVE_KEY.search(key) and value not in (None, "") and not isinstance(value, bool):
            return MASK
        return self.tree(value, longest)

    def _text(self, text: str, longest: int | None) -> str:
        if longest is None or len(text) <= longest:
            return self(text)
        # The cut may halve a secret, which is then known by nothing: what lies near the cut is never shown.
        masked = self(text[: longest + _NEAR])
        return f"{masked[: min(longest, max(0, len(masked) - _NEAR))]} … ({len(text):,} characters in all)"


def _spellings(secret: str) -> str:
    return "".join(map(_spelling, secret))


def _spelling(character: str) -> str:
    """A pattern for one character in every way in which libraries write it."""
    percent = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    # The longest way first: an escaped backslash begins with a backslash.
    ways = [re.escape(json.dumps(character)[1:-1]), rf"(?i:{percent})", re.escape(character)]
    if character == " ":
        ways.append(r"\+")
    # Letters and digits are never percent-encoded: keep the pattern, and the search, short.
    return re.escape(character) if quote(character, safe="") == character else f"(?:{'|'.join(ways)})"
