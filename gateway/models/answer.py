"""One answer as it grows: pieces from a host become deltas for the person, and at the end one Reply.

Pure. Hides reasoning and tool calls, joins native calls, notices endless repetition, and keeps the whole text.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace

from gateway.models.client import Delta, ReadingProgress, Reply, Request, TextDelta, ToolCall, Usage
from gateway.models.pieces import CallPart, Ended, Piece, Reading, Spent, Thought, Words, joined_halves
from gateway.models.repetition import RepetitionWatch, cut_to_one
from gateway.models.screen import CallScreen, ThoughtScreen
from gateway.models.tokens import estimate, weight
from gateway.models.toolcalls import Found, recognise, validate

MOST_CHARACTERS = 200_000
"""Characters of an answer, reasoning and arguments included, when the request sets no `max_tokens`."""


@dataclass(slots=True)
class _Growing:
    """A native call while its parts arrive."""

    index: int
    id: str
    name: str
    arguments: list[str] = field(default_factory=list)


class Answer:
    """Feed it pieces, pass on the deltas, stop the stream when `stopped` is set, and take `rest` and `reply`."""

    def __init__(self, request: Request, *, most_characters: int = MOST_CHARACTERS) -> None:
        self._request = request
        self._limit = most_characters if request.max_tokens is None else None
        self._thoughts = ThoughtScreen()
        self._screen = CallScreen(request.tools)
        self._text: list[str] = []
        self._shown: list[str] = []
        self._half = ""
        self._watches = {kind: RepetitionWatch() for kind in ("words", "thought", "call")}
        self._calls: list[_Growing] = []
        self._usage: Usage | None = None
        self._characters = 0
        self._ids = f"call_{uuid.uuid4().hex[:12]}"
        self.finish: str | None = None
        self.stopped: str | None = None

    @property
    def begun(self) -> bool:
        """Whether the model has said anything at all."""
        return self._characters > 0 or bool(self._calls)

    def feed(self, piece: Piece) -> list[Delta]:
        match piece:
            case Words(text):
                return self._words(text)
            case Thought(text):
                self._watched("thought", text)
            case CallPart():
                self._call_part(piece)
            case Reading(done, total):
                return [ReadingProgress(done, total)]
            case Spent(usage):
                if self._usage is None or usage.input or usage.output:
                    self._usage = usage
            case Ended(finish):
                self.finish = finish
        return []

    def _words(self, text: str) -> list[Delta]:
        text = self._half + text
        # Some hosts send the two halves of an emoji in two events.
        self._half = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
        visible = self._thoughts.feed(joined_halves(text[: len(text) - len(self._half)]))
        self._watched("words", text)
        return self._show(visible)

    def _show(self, visible: str) -> list[Delta]:
        if not visible:
            return []
        if not self._text:
            visible = visible.lstrip()
        self._text.append(visible)
        given = self._screen.feed(visible)
        if given:
            self._shown.append(given)
        return [TextDelta(given)] if given else []

    def _call_part(self, part: CallPart) -> None:
        growing = next((each for each in reversed(self._calls) if each.index == part.index), None)
        if growing is None or (part.id and growing.id and part.id != growing.id):
            growing = _Growing(part.index, part.id, part.name)
            self._calls.append(growing)
            self._watches["call"] = RepetitionWatch()
        growing.id = growing.id or part.id
        growing.name = growing.name or part.name
        growing.arguments.append(part.arguments)
        self._watched("call", part.arguments)

    def _watched(self, kind: str, text: str) -> None:
        self._characters += len(text)
        if self._watches[kind].feed(text):
            self.stopped = self.stopped or "repetition"
        elif self._limit is not None and self._characters > self._limit:
            self.stopped = self.stopped or "length"

    def end(self, host: str, model: str, seconds: float) -> list[Delta]:
        """What was withheld and turned out to be text, and the Reply. Call it once."""
        tail = self._thoughts.rest()
        deltas = self._show(tail) if tail else []
        found, finish = self._found()
        shown = "".join(self._shown)
        if found.rest_of_text.startswith(shown) and len(found.rest_of_text) > len(shown):
            deltas.append(TextDelta(found.rest_of_text[len(shown) :]))
        deltas.append(
            Reply(
                found.rest_of_text,
                found.calls,
                found.misfires,
                finish=finish,
                usage=self._spent(seconds),
                host=host,
                model=model,
                shape=found.shape,
            )
        )
        return deltas

    def _found(self) -> tuple[Found, str]:
        """Text, calls and misfires in their final form, and the reason for the end."""
        finish = self.stopped or self.finish or "stop"
        text = "".join(self._text)
        period = self._watches["words"].period
        if period is not None:
            text = cut_to_one(text, period)
        text = text.rstrip()
        native = self._native(finish)
        written = recognise(text, self._request.tools, ids=self._ids, complete=finish not in ("length", "repetition"))
        if native.calls or native.misfires:
            # A host that sends a call natively and in the text as well means one call, not two.
            said = {(call.name, call.arguments) for call in native.calls}
            echo = written.calls and all((call.name, call.arguments) in said for call in written.calls)
            found = replace(native, rest_of_text=written.rest_of_text if echo else text)
        else:
            found = written
        if found.calls:
            return found, "tool_calls"
        return found, "stop" if finish in ("tool_calls", "filtered") else finish

    def _native(self, finish: str) -> Found:
        if finish == "repetition" and self._watches["call"].period is not None:
            name = self._calls[-1].name
            return Found((), (f"{name}: the arguments repeated themselves without end and were cut. Call it again.",))
        seen: set[str] = set()
        calls = []
        for number, growing in enumerate(self._calls, 1):
            unique = growing.id if growing.id and growing.id not in seen else f"{self._ids}_{number}"
            seen.add(unique)
            calls.append(ToolCall(unique, growing.name, "".join(growing.arguments)))
        return validate(calls, self._request.tools)

    def _spent(self, seconds: float) -> Usage:
        """What the host measured; an estimate when the stream was stopped before it could say."""
        if self._usage is not None and (self._usage.input or self._usage.output):
            return replace(self._usage, calls=1, seconds=seconds)
        said = "".join(self._text) + "".join(part for call in self._calls for part in call.arguments)
        output = max(round(weight(said)), self._characters // 4)
        return Usage(estimate(self._request.messages, self._request.tools), 0, output, 1, None, seconds)
