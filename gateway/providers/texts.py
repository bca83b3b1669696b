"""Texts on their way to a service and back: what of a turn is told, in sizes and signs that are taken; lists of what
is known; complaints, fit for a person. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from memory.providers.protocol import Exchange, Write

LONGEST_COMPLAINT = 200


def sound(text: str) -> str:
    """The text as every service takes it: no NUL, no half of a surrogate pair."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def pieces(text: str, longest: int) -> list[str]:
    """The text in pieces of at most so many characters, cut at a line's end or a blank where there is one."""
    rest, found = sound(text).strip(), []
    while len(rest) > longest:
        cut = max(rest.rfind("\n", longest // 2, longest), rest.rfind(" ", longest // 2, longest))
        cut = cut if cut > 0 else longest
        found.append(rest[:cut].rstrip())
        rest = rest[cut:].lstrip()
    return [*found, rest] if rest else found


def brief(text: str, most: int) -> str:
    """The first so many bytes of the text, in whole characters: for services that limit what is asked."""
    return sound(text).encode()[:most].decode("utf-8", "ignore").strip()


def asked_by(exchange: Exchange) -> str:
    """The person's words; in a room, with who said them."""
    if exchange.where.subject.startswith("rooms/") and exchange.speaker:
        return f"{exchange.speaker}: {exchange.asked}"
    return exchange.asked


def dialogue(exchange: Exchange) -> str:
    """The turn as one text; empty when nothing was said."""
    said = (("Person", exchange.asked), ("Assistant", exchange.answered))
    return "\n\n".join(f"{who}: {words}" for who, words in said if words.strip())


def new_entries(write: Write) -> list[str]:
    """What the built-in memory holds now and did not before."""
    return [entry for entry in write.added if entry not in write.removed]


def bullet(text: str) -> str:
    """The text as one line of a list."""
    return f"- {' '.join(text.split())}"


def listed(texts: Iterable[object]) -> str:
    """Texts, a line each; none twice, and nothing that is no text."""
    return "\n".join(dict.fromkeys(bullet(text) for text in texts if isinstance(text, str) and text.strip()))


def plain(text: object, *secrets: str) -> str:
    """What a service complained of, in one short line without secrets and signs that cannot be printed."""
    line = " ".join(str(text).split())
    for secret in secrets:
        if secret:
            line = line.replace(secret, "[secret]")
    line = "".join(sign if sign.isprintable() else "?" for sign in line)
    return line if len(line) <= LONGEST_COMPLAINT else f"{line[: LONGEST_COMPLAINT - 1]}…"
