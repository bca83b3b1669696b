"""A review by a model that cannot call tools: one question, answered as JSON of a schema; at most a few additions to
memory come of it, through the same tools as any other review's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from gateway.agent.assisted import RESULT
from gateway.models.client import ToolSchema
from gateway.reviews.course import Course, Desk, Finding, Given
from gateway.reviews.grounded import grounded, statements
from gateway.reviews.progress import Ended
from gateway.reviews.prompts import PROPOSAL_CHARS, PROPOSALS, proposal_schema, question
from gateway.tools.memory_guidance import NAME as MEMORY
from gateway.transcript import Message, ToolCall

ANSWER_TOKENS = 400


class AssistedReview:
    """As `review.Review`; the question is its own, and `live` what `prompts.question` takes of it;
    `given.instruction` is not used."""

    def __init__(self, desk: Desk, given: Given, *, live: str = "") -> None:
        self._given = given
        self._targets = _targets(given.material.offered) if "memory" in given.tools.kinds else ()
        asked = question(self._targets, focus=given.review.focus, live=live, fresh=given.material.fresh)
        self._course = Course(desk, given, asked)

    async def run(self) -> Finding:
        """See `review.Review.run`."""
        course = self._course
        if course.at.ended is not None:  # it was cut off among its additions; one that is there already adds nothing
            await course.run_open_calls(again=True)
            return course.finding()
        if not self._targets:
            return await course.end(Ended("a model that cannot call tools looks back for memory alone"))
        if why := course.hindered():
            return await course.end(Ended(why, bad=True))
        reply = await course.ask(schema=proposal_schema(self._targets), max_tokens=ANSWER_TOKENS)
        proposals = read_proposals(reply.text, self._targets)
        if proposals is None:
            await course.took(reply, ended=Ended("the model's answer was none of the kind asked for", bad=True))
            return course.finding()
        stated = statements(_said(self._given.material.messages))
        asked = self._course.at.talk[0].content.casefold()
        told = [each for each in proposals if grounded(each["content"], stated)]
        told = [each for each in told if each["content"].casefold() not in asked]
        calls = tuple(
            ToolCall(f"proposal_{number}", MEMORY, json.dumps(each, ensure_ascii=False))
            for number, each in enumerate(told[:PROPOSALS], 1)
        )
        why = "what it proposed is nothing that a person said" if proposals and not told else ""
        await course.took(reply, [Message("assistant", reply.text, tool_calls=calls)], ended=Ended(why))
        await course.run_open_calls()
        return course.finding()


def read_proposals(text: str, targets: Sequence[str]) -> list[dict[str, str]] | None:
    """Arguments of the memory tool, one for each addition proposed, each once; None when the answer is not of the
    schema, which a host that binds to none may give."""
    try:
        answer = json.loads(text)
    except ValueError:
        return None
    if not isinstance(answer, dict) or not isinstance(answer.get("keep"), list):
        return None
    found: list[dict[str, str]] = []
    for each in answer["keep"]:
        if (
            not isinstance(each, dict)
            or each.get("target") not in targets
            or not isinstance(each.get("content"), str)
        ):
            return None
        content = " ".join(each["content"].split())
        one = {"target": str(each["target"]), "action": "add", "content": content}
        if content and len(content) <= PROPOSAL_CHARS and one not in found:
            found.append(one)
    return found


def _said(messages: Sequence[Message]) -> Iterator[str]:
    """What people wrote, with the notes before it; without results of tools, which stand beside it here."""
    return (each.content for each in messages if each.role == "user" and not each.content.startswith(RESULT))


def _targets(offered: Sequence[ToolSchema]) -> tuple[str, ...]:
    """The stores of the memory tool, as the session has them."""
    schema = next((each for each in offered if each.name == MEMORY), None)
    if schema is None:
        return ()
    stores = schema.parameters.get("properties", {}).get("target", {}).get("enum", ())
    return tuple(str(each) for each in stores)
