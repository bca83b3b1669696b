"""A conversation for a model that has not read it: the last messages whole, the older ones by their first words.

Pure, and without a model: the short form costs no call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gateway.agent.recalled import without_recall
from gateway.transcript import Message

VERBATIM = 24
"""Messages at the end that stay as they are."""

SUMMARY_CHARS = 12_000
"""Room for the summary, in characters: about three thousand tokens."""

LONGEST_LINE, SHORTEST_LINE = 100, 24
"""Characters of an older message in the summary: fewer, the more there are."""

_SPEAKERS = {"user": "person", "assistant": "assistant", "tool": "tool result", "system": "system"}


def digest(talk: Sequence[Message], verbatim: int = VERBATIM) -> tuple[Message, ...]:
    """The short form of a conversation, without its system prompt. `talk` has each tool result behind its call; the
    part that stays begins with no result, so none is without its call. Pictures are left to their words; what an
    outside memory recalled is left out, for it is there already."""
    plain = [replace(each, pictures=(), content=without_recall(each.content)) for each in talk]
    cut = max(0, len(plain) - verbatim)
    while cut < len(plain) and cut > 0 and plain[cut].role == "tool":
        cut += 1
    kept = plain[cut:]
    if cut == 0:
        return tuple(kept)
    head = summary(plain[:cut])
    if kept and kept[0].role == "user":  # two messages of one speaker in a row are more than some models accept
        return (replace(kept[0], content=f"{head}\n\n{kept[0].content}"), *kept[1:])
    return (Message("user", head), *kept)


def summary(older: Sequence[Message]) -> str:
    """One line for each message, the newest where there is no room for all."""
    line = max(SHORTEST_LINE, min(LONGEST_LINE, SUMMARY_CHARS // max(1, len(older))))
    shown = list(older[-(SUMMARY_CHARS // line) :])
    left = len(older) - len(shown)
    head = f"[Innkeeper] The older part of this conversation, {len(older)} messages, by their first words:"
    out = f"({left} still older ones left out)\n" if left else ""
    return f"{head}\n{out}" + "\n".join(_line(each, line) for each in shown) + "\n[End of the older part]"


def _line(message: Message, characters: int) -> str:
    used = ", ".join(call.name for call in message.tool_calls)
    words = first_words(message.content, characters)
    said = " ".join(piece for piece in (words, f"(used {used})" if used else "") if piece)
    return f"{_SPEAKERS[message.role]}: {said}"


def first_words(text: str, characters: int) -> str:
    """The beginning of a text on one line, cut between words where there are any."""
    line = " ".join(text[: characters * 8].split())
    if len(line) <= characters:
        return line if len(text) <= characters * 8 else f"{line}…"
    cut = line[: characters - 1]
    at_word = cut.rfind(" ")
    return f"{cut[:at_word] if at_word > characters // 2 else cut}…"
