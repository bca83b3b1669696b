"""Holds back, while an answer streams, what a person should not see: reasoning at its start, and tool calls.

Pure and incremental. What is held at the end is judged once more, as a whole, in answer.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from gateway.models.call_shapes import CALL_KEYS, FENCE_WORDS, MARKS, candidates
from gateway.models.client import ToolSchema
from gateway.models.toolcalls import judge

_THINK = ("<think>", "<thinking>")
_KEY = re.compile(r"\{\s*(?:([\"'])([^\"']{0,64}))?([\"'])?")
_TOKEN = re.compile(r"\\.|[\"{}\[\]]", re.DOTALL)
_LONGEST_HELD = 200_000


class _Brackets:
    """How deep the brackets stand that are open so far, strings aside. Reads each character once."""

    __slots__ = ("_escaped", "_string", "depth")

    def __init__(self) -> None:
        self.depth = 0
        self._string = False
        self._escaped = False

    def feed(self, text: str) -> None:
        for match in _TOKEN.finditer(text, 1 if self._escaped else 0):
            token = match[0]
            if token == '"':
                self._string = not self._string
            elif not self._string and token in "{[":
                self.depth += 1
            elif not self._string and token in "}]":
                self.depth -= 1
        trailing = len(text) - len(text.rstrip("\\"))
        if text:
            self._escaped = bool((trailing - (self._escaped and trailing == len(text))) % 2)


class ThoughtScreen:
    """Takes `<think>…</think>` off the start of an answer. `feed` gives what is left to read."""

    __slots__ = ("_begun", "_ending", "_held")

    def __init__(self) -> None:
        self._held = ""
        self._ending: str | None = None
        self._begun = False

    def feed(self, text: str) -> str:
        if self._begun:
            return text
        self._held += text
        if self._ending is None:
            start = self._held.lstrip()
            if any(opener.startswith(start.lower()) for opener in _THINK):
                return ""  # undecided: blank so far, or a part of the tag
            opener = next((each for each in _THINK if start.lower().startswith(each)), None)
            if opener is None:
                return self._give(self._held)
            self._ending = opener.replace("<", "</")
        found = self._held.lower().find(self._ending)
        return "" if found < 0 else self._give(self._held[found + len(self._ending) :].lstrip())

    def rest(self) -> str:
        """What is undecided at the end of the stream; reasoning that never ended stays hidden."""
        return "" if self._ending or self._begun else self._give(self._held)

    def _give(self, text: str) -> str:
        self._begun, self._held = True, ""
        return text


class CallScreen:
    """Withholds lines that begin like a tool call until it is clear that they are none. `feed` gives the rest."""

    __slots__ = ("_brackets", "_code", "_held", "_line_start", "_names", "_scanned", "_shown", "_tools")

    def __init__(self, tools: Sequence[ToolSchema]) -> None:
        self._tools = tools
        keys = {key for tool in tools for key in tool.parameters.get("properties") or ()}
        self._names = CALL_KEYS | keys | {tool.name for tool in tools}
        self._held = ""
        self._brackets = _Brackets()
        self._scanned = 0
        self._line_start = True
        self._code = False
        self._shown = False

    def feed(self, text: str) -> str:
        if not self._tools:
            return text
        self._held += text
        out: list[str] = []
        while self._held and self._step(out):
            pass
        given = "".join(out)
        self._shown = self._shown or bool(given)
        return given

    def _step(self, out: list[str]) -> bool:
        """Move what is clear from `held` to `out`; False when the rest must wait for more."""
        if not self._line_start:
            line_end = self._held.find("\n") + 1
            out.append(self._held[:line_end] if line_end else self._held)
            self._keep(self._held[line_end:] if line_end else "")
            self._line_start = line_end > 0
            return bool(line_end)
        body = self._held.lstrip()
        indent = self._held[: len(self._held) - len(body)] if self._shown or out else ""
        if not body or (body in "``" and len(body) < 3):
            return False
        if self._code or not self._may_be_call(body):
            self._code ^= body.startswith("```")
            return self._release(out, indent, body, body.find("\n", 0, 3) + 1 or min(3, len(body)))
        self._brackets.feed(self._held[self._scanned :])
        self._scanned = len(self._held)
        if self._brackets.depth > 0 and len(body) <= _LONGEST_HELD:
            return False
        done = next(iter(candidates(body, repair=False)), None)
        if done is None or done.start > 0 or not done.closed:
            return len(body) > _LONGEST_HELD and self._release(out, indent, body, len(body))
        if judge(done, body, self._tools) is None:
            return self._release(out, indent, body, done.end)
        self._keep(body[done.end :])
        return True

    def _keep(self, held: str) -> None:
        self._held = held
        self._brackets = _Brackets()
        self._scanned = 0

    def _release(self, out: list[str], indent: str, body: str, count: int) -> bool:
        out.append(indent + body[:count])
        self._keep(body[count:])
        self._line_start = body[:count].endswith("\n")
        return True

    def _may_be_call(self, body: str) -> bool:
        """Whether a line that begins with `body` is, or may become, a call."""
        if _begins_mark(body):
            return True
        if body.startswith("```"):
            line, newline, content = body.lstrip("`").partition("\n")
            word = line.strip().lower()
            if not newline:
                return any(known.startswith(word) for known in FENCE_WORDS) or word.startswith(("{", "["))
            content = content.lstrip()
            return word in FENCE_WORDS and (not content or _begins_mark(content) or self._object_may_be_call(content))
        return self._object_may_be_call(body)

    def _object_may_be_call(self, body: str) -> bool:
        if body.startswith("["):
            body = body[1:].lstrip()
            if not body:
                return True
        match = _KEY.match(body)
        if match is None:
            return False
        _, key, closing = match.groups()
        if key is None:
            return not body[1:].strip()  # a brace that opens no key is no JSON object
        return key in self._names if closing else any(name.startswith(key) for name in self._names)


def _begins_mark(body: str) -> bool:
    start = body[:20].lower()
    marks = (*(mark.lower() for mark in MARKS), "<function=")
    return any(start.startswith(mark) or mark.startswith(start) for mark in marks)
