"""The model host of the kill rounds of reviews: chats are told stories, and reviews keep things, no two alike.

Owns what reviews call for, the record of that, and of what they said had come of it. What must hold of the two in the
end is `review_ledger`'s matter.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from tests.fakes.loopback_http import Answering, Recorded
from tests.fakes.openai_server import OpenAIServer, Step, words_of
from tests.scenarios.storyteller import NAME, Storyteller

ASKED = "[Innkeeper] This is a look back"
NAMING = ("name", "content", "key")
"""The arguments that hold the fact, the first of them that a call has."""


class Reviewer(Storyteller):
    """`noticed` is told `told` when a chat was answered, and of reviews: `reading` when one asks, `called` when a
    call was sent to its end, `over` when its last words were.

    Each fact that a review called for is in `called`; those of which a later request said that they were kept are in
    `kept` (`counted` by the tool of that name), and those of which it said that nobody knows are in `doubtful`.
    """

    def __init__(self, seed: int, noticed: Callable[[str], None] = lambda what: None) -> None:
        super().__init__(noticed)
        self.called: list[str] = []
        self.kept: set[str] = set()
        self.counted: set[str] = set()
        self.doubtful: set[str] = set()
        self.reviews = 0
        """Calls of reviews that were answered to their end."""
        self._chance = random.Random(seed)
        self._at_work: dict[str, str] = {}
        self._reached: dict[str, int] = {}

    async def handle(self, request: Recorded, answer: Answering) -> None:
        if not request.path.endswith("/chat/completions"):
            await super().handle(request, answer)
            return
        given = request.json()
        if not looks_back(given):
            await super().handle(request, answer)
            self._noticed("told")
            return
        name = _about(given)
        if name in self._at_work:
            self.faults.append(f"two reviews of {name} asked at one time")
        self._at_work[name] = ""
        try:
            await OpenAIServer.handle(self, request, answer)
            self.reviews += 1
            self._noticed(self._at_work[name])
        finally:
            self._at_work.pop(name, None)

    def _tell(self, given: dict[str, Any]) -> Step:
        if not looks_back(given):
            return super()._tell(given)
        name, wanted = _about(given), list(_asked_for(given))
        for text, result in _results(wanted):
            if result.get("counted"):
                self.counted.add(text)
            elif result.get("success"):
                self.kept.add(text)
            elif "interrupted" in json.dumps(result).lower():
                self.doubtful.add(text)
        rounds = sum(bool(each.get("tool_calls")) for each in wanted)
        if rounds < self._reached.get(read := _read_by(given), 0):
            self.faults.append(f"a review of {name} was asked again for what it had answered")
        self._reached[read] = rounds
        self._noticed("reading")
        if self._chance.random() >= (0.8, 0.4, 0.0)[min(rounds, 2)]:
            self._at_work[name] = "over"
            return Step(pieces=["That was", " all of", " it."], delay=0.03)
        self._at_work[name] = "called"
        kinds = _kinds(given)
        tools = self._chance.choices([*kinds, *kinds, "count", "send_file"], k=self._chance.choice([1, 1, 2]))
        return Step(pieces=["Let", " me"], delay=0.03, calls=[self._want(tool, name) for tool in tools])

    def _want(self, tool: str, name: str) -> dict[str, Any]:
        number = len(self.called) + 1
        call: dict[str, Any] = {"id": f"review_{number}_{self._chance.randrange(1_000_000)}", "name": tool}
        text = f"fact-{number}-of-{name}"
        self.called.append(text)
        match tool:
            case "memory":
                return call | {"arguments": {"target": "user", "action": "add", "content": text}}
            case "skill_manage":
                what = {"description": f"Says {text}. Use when it is asked for.", "content": f"Say {text}."}
                return call | {"arguments": {"action": "create", "name": text, **what}}
            case "count":  # which the settings allow
                return call | {"arguments": {"key": text}}
            case _:  # which no settings allow
                return call | {"arguments": {"name": text, "content": "What was said."}}


def looks_back(given: dict[str, Any]) -> bool:
    """Whether a request is a review's."""
    return any(ASKED in words_of(each["content"]) for each in given["messages"] if each["role"] == "user")


def _about(given: dict[str, Any]) -> str:
    """The newest message of a person in what is reviewed."""
    said = " ".join(words_of(each["content"]) for each in given["messages"] if each["role"] == "user")
    return str((NAME.findall(said) or ["nobody"])[-1])


def _read_by(given: dict[str, Any]) -> str:
    """The conversation that a review reads, and what it is about: one that another kind is added to begins anew. Its
    own messages are left out."""
    own = len(list(_asked_for(given))) + 1
    joined = _instruction(given).partition(ASKED)[0]
    return json.dumps([given["messages"][:-own], joined, _kinds(given)])


def _kinds(given: dict[str, Any]) -> list[str]:
    """The tools that it may write with."""
    return [each for each in ("memory", "skill_manage") if f"(the tool {each})" in _instruction(given)]


def _asked_for(given: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The review's own messages."""
    messages = given["messages"]
    at = max(number for number, each in enumerate(messages) if ASKED in words_of(each["content"] or ""))
    yield from messages[at + 1 :]


def _instruction(given: dict[str, Any]) -> str:
    return next(words_of(each["content"]) for each in given["messages"] if ASKED in words_of(each["content"] or ""))


def _results(own: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each fact that was called for came to."""
    called: dict[str, str] = {}
    for each in own:
        for call in each.get("tool_calls") or ():
            arguments = json.loads(call["function"]["arguments"])
            called[call["id"]] = next(text for text in map(arguments.get, NAMING) if text)
        if each["role"] == "tool":
            yield called[each["tool_call_id"]], _object(each["content"])


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"said": text}
