"""Holographic: facts in a file on this machine, each with a trust that grows and wanes; no model, no network.

Owns what counts as a fact, when two facts exclude each other, and how they are told. The file and the arithmetic of
trust are gateway/state/fact_book.py's; what is asked and when, the house's.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import Field

from gateway.providers.one_text import schema, text_of
from gateway.state.connection import DatabaseFault
from gateway.state.fact_book import ENDS, FILE, Claim, Draft, Fact, FactBook, words_of
from gateway.state.search_fold import fold
from memory.providers.protocol import (
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    Silent,
    Unreachable,
    Write,
)
from platforms.settings import Section

T = TypeVar("T")

SAID, TOLD, MIRRORED = 0.5, 0.6, 0.7
"""Trust at first in what was said, in what the assistant was asked to keep, and in the built-in memory's entries."""

LONGEST = 500
MOST_OF_A_TURN = 20
MOST_TAGS = 10


class HolographicSettings(Section):
    """What stands under memory.providers.holographic in config.yaml."""

    most: Annotated[int, Field(ge=1, le=50)] = 8
    """Facts that are recalled at most, those that exclude them aside."""
    least_trust: Annotated[float, Field(ge=0.0, le=0.9, strict=False)] = 0.15
    """Facts that are trusted less are not recalled by themselves."""
    half_life_days: Annotated[float, Field(ge=0.0, strict=False)] = 90.0
    """Days after which half of what age can take of a fact's trust is gone, when nobody confirms or uses it; 0: age
    takes nothing. Age never takes more than half of the trust."""
    most_facts: Annotated[int, Field(ge=100)] = 10_000
    """Facts that are kept for one person or room; beyond it the least trusted go."""


class Holographic(Silent):
    """One thread for the file: a call that was given up ends there, and the next one waits for it."""

    name = "holographic"

    def __init__(self, context: ProviderContext) -> None:
        settings = context.settings
        self._most = int(settings["most"])
        self._least = float(settings["least_trust"])
        self._now = context.now
        path = context.folder / FILE
        self._book = FactBook(path, float(settings["half_life_days"]), int(settings["most_facts"]))
        self._thread: ThreadPoolExecutor | None = None

    async def start(self) -> None:
        await self._do(self._book.open)

    async def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.wrap_future(thread.submit(self._book.close))
            thread.shutdown(wait=False)

    async def prefetch(self, question: Question) -> str:
        subject = question.where.subject
        return await self._do(lambda: self._recalled(subject, asked(question.text), ""))

    async def sync(self, exchange: Exchange) -> None:
        """What the person said, sentence by sentence. Replies are no facts: the assistant is not its own witness."""
        drafts = [draft(each, "said", SAID) for each in statements(exchange.asked)]
        subject = exchange.where.subject
        await self._do(lambda: self._book.keep(subject, drafts, self._now(), exchange.id))

    async def wrote(self, write: Write) -> None:
        subject, added = write.where.subject, [draft(each, "memory", MIRRORED) for each in write.added]
        gone = [key_of(each) for each in write.removed if each not in write.added]

        def both() -> None:
            self._book.drop(subject, gone, "memory")
            self._book.keep(subject, added, self._now())

        await self._do(both)

    def tools(self) -> Sequence[ProviderTool]:
        text = {"type": "string", "minLength": 1, "maxLength": LONGEST}
        tags = {"type": "array", "items": {"type": "string", "maxLength": 60}, "maxItems": MOST_TAGS}
        return (
            ProviderTool(
                "holographic_search",
                "Search the facts that earlier conversations left, with their numbers and how far they are trusted.",
                schema({"query": text, "tag": {"type": "string", "maxLength": 60}}, "query"),
                self._search,
            ),
            ProviderTool(
                "holographic_remember",
                "Keep one fact as one plain sentence; tags name the people and topics that it is about.",
                schema({"fact": text, "tags": tags}, "fact"),
                self._remember,
                writes=True,
            ),
            ProviderTool(
                "holographic_feedback",
                "Say that a recalled fact turned out right or wrong; its number is in what was recalled.",
                schema({"number": {"type": "integer"}, "right": {"type": "boolean"}}, "number", "right"),
                self._feedback,
                writes=True,
            ),
        )

    async def _search(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        query, tag = text_of(arguments, "query", LONGEST), arguments.get("tag", "")
        if not isinstance(tag, str):
            raise Refused("tag must be text")
        return await self._do(lambda: self._recalled(where.subject, asked(query), tag.strip()))

    async def _remember(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        said, tags = text_of(arguments, "fact", LONGEST), arguments.get("tags", [])
        if not isinstance(tags, list) or not all(isinstance(each, str) for each in tags):
            raise Refused("tags must be a list of texts")
        one = draft(said, "told", TOLD, tuple(each.strip() for each in tags if each.strip())[:MOST_TAGS])

        def keep() -> str:
            (number,) = self._book.keep(where.subject, [one], self._now())
            fact = self._book.get(where.subject, number, self._now())
            return "" if fact is None else self._told(where.subject, [fact])

        return f"Kept:\n{await self._do(keep)}"

    async def _feedback(self, arguments: Mapping[str, Any], where: Conversation) -> str:
        number, right = arguments.get("number"), arguments.get("right")
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(right, bool):
            raise Refused("number must be a whole number, and right true or false")
        if not 0 < number < 2**63:
            raise Refused(f"there is no fact #{number} here")
        fact = await self._do(lambda: self._book.judge(where.subject, number, right, self._now()))
        if fact is None:
            raise Refused(f"there is no fact #{number} here")
        return told(fact)

    def _recalled(self, subject: str, words: Sequence[str], tag: str) -> str:
        """For the thread."""
        if not words and not tag:
            return ""
        now = self._now()
        found = self._book.find(subject, words, now, 4 * self._most, tag)
        good = [fact for fact in found if fact.trust >= self._least][: self._most]
        lines = self._told(subject, good)
        self._book.used([fact.id for fact in good], now)
        return lines

    def _told(self, subject: str, facts: Sequence[Fact]) -> str:
        """Facts, a line each; those that exclude each other stand together, newest first."""
        lines: list[str] = []
        named: set[int] = set()
        for fact in facts:
            if fact.id in named:
                continue
            together = [fact, *self._book.rivals(subject, fact, self._now())]
            together.sort(key=lambda each: (-each.fresh, -each.id))
            named.update(each.id for each in together)
            if len(together) == 1:
                lines.append(told(fact))
            else:
                lines.append("These exclude each other, newest first:")
                lines.extend(f"  {told(each)}" for each in together)
        return "\n".join(lines)

    async def _do(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="holographic")
        try:
            return await asyncio.wrap_future(self._thread.submit(work))
        except DatabaseFault as fault:
            raise Unreachable(" ".join(str(fault).split())) from fault


def told(fact: Fact) -> str:
    """One fact, its number, trust and day."""
    day = datetime.fromtimestamp(fact.fresh, UTC).date().isoformat()
    return f"#{fact.id} {fact.text} (trust {fact.trust:.2f}, {day})"


# What is a fact

FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
ADDRESS = re.compile(r"\S+://\S+")
NAMED = re.compile(
    r"[#@](\w[\w-]{1,40})"
    r"|[\"“„]([^\"“”\n]{2,40})[\"”]"
    r"|(?<![.!?…] )(?<!^)\b([A-ZÀ-Þ][\w'-]{1,40}(?: [A-ZÀ-Þ][\w'-]{1,40})*)"
)
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by can could did do does for from had has have he her here him his how i"
        " if in is it its me my no not of on or our she so tell than that the their them then there these they this"
        " just to us was we were what when where which who whom whose why will with would you your please"
        " know remember about aber am auch auf aus bei bin bist da das dass dem den der des die du ein eine einem"
        " einen einer er es"
        " fur habe haben hat ich ihm ihr im ja kann mein meine mich mir mit nicht noch sich sind und uns"
        " von war wann warum welche wer wie wir wo zu zum zur",
    )
)


def statements(text: str) -> list[str]:
    """The sentences of a text that are no questions, no code and no bare addresses; short and endless ones are left
    out."""
    found = []
    for piece in ENDS.split(FENCED.sub("\n", text)):
        sentence = " ".join(piece.split())
        if len(sentence) > LONGEST:
            continue
        bare = ADDRESS.sub("", sentence).strip()
        asks = sentence.rstrip("\"'”») ").endswith(("?", "？"))
        telling = [word for word in words_of(bare) if word not in STOP]
        if not asks and len(telling) >= 2:
            found.append(sentence)
    return list(dict.fromkeys(found))[:MOST_OF_A_TURN]


def asked(text: str) -> list[str]:
    """The words of a question that may lead to something."""
    every = words_of(text)
    return ([word for word in every if word not in STOP] or every)[:40]


def draft(text: str, source: str, trust: float, tags: tuple[str, ...] = ()) -> Draft:
    whole = " ".join(text.split())
    return Draft(whole, key_of(whole), source, trust, claim_of(whole), (*tags, *tags_of(whole))[:MOST_TAGS])


def key_of(text: str) -> str:
    """What two ways of writing the same sentence have in common."""
    return " ".join(re.findall(r"\w+", fold(text))) or " ".join(text.split())


def tags_of(text: str) -> tuple[str, ...]:
    """People, places and topics by their spelling: #tags, @names, what is quoted, and capital letters within the
    sentence."""
    return tuple(dict.fromkeys(next(filter(None, found)) for found in NAMED.findall(text)))


# When two facts exclude each other

ATTRIBUTES = (
    "name|birthday|address|phone number|e-?mail(?: address)?|time ?zone|age|job|employer|nationality|home ?town|"
    r"blood type|shoe size|favou?rite [\w ]{1,30}?"
)
MINE = re.compile(
    rf"(?:my|the (?:user|person)'s|(?P<who>[\w' -]{{1,40}}?)'s) (?P<what>{ATTRIBUTES}) (?:is|are) (?P<value>.+)"
)
WHO = r"(?P<who>(?:[\w'-]+ ){0,3}?)"
NOT = r"(?P<not>(?:do not|does not|don't|doesn't|no longer|am not|is not|isn't|not) )?"
ONE_OF = tuple(
    (relation, re.compile(rf"{WHO}{NOT}{verb} (?P<value>.+)"))
    for relation, verb in (
        ("home", r"(?:lives?|(?:am|is|are) living|resides?) (?P<late>)(?:in|at)"),
        ("home", r"(?:have |has )?(?:moved|relocated) (?P<late>)to"),
        ("home", r"(?:wohn(?:e|t)|leb(?:e|t)) (?P<late>nicht mehr |nicht )?in"),
        ("employer", r"works? (?P<late>)(?:at|for)"),
        ("employer", r"arbeite(?:t)? (?P<late>nicht mehr |nicht )?(?:bei|fur)"),
        ("birthplace", r"(?:was|were) born (?P<late>)in"),
        ("birthday", r"(?:was|were) born (?P<late>)on"),
        ("name", r"(?:am|is|are) (?P<late>)(?:called|named)"),
        ("name", r"heiss(?:e|t)(?P<late> nicht)?"),
        ("spouse", r"(?:am|is|are) married (?P<late>)to"),
    )
)
HEDGES = re.compile(r"\b(?:if|would|could|might|maybe|perhaps|used to|want to|wants to|wish|vielleicht|wurde|wenn)\b")
DENIAL = re.compile(
    r"\b(?:do not|does not|don't|doesn't|am not|is not|isn't|are not|aren't|no longer|never|nicht|kein\w*)\b"
)
UP_TO = re.compile(r"[,;:(.!。]|\b(?:and|but|near|since|with|because|now|today|these|und|aber|seit|jetzt)\b")
SELF = frozenset(("", "i", "we", "user", "the user", "person", "the person", "ich", "wir"))


def claim_of(text: str) -> Claim:
    """What a sentence claims, by a table of English and German phrases: where a person lives, what somebody is
    called, and other things of which there is one; for any other sentence, itself and whether it is denied."""
    folded = " ".join(fold(text).split())
    if HEDGES.search(folded) is None:
        mine = MINE.match(folded)
        if mine is not None:
            denied = mine["value"].startswith("not ")
            return _claimed(mine["who"] or "", mine["what"].replace("favour", "favor"), mine["value"], denied)
        for relation, pattern in ONE_OF:
            found = pattern.match(folded)
            if found is not None:
                return _claimed(found["who"], relation, found["value"], bool(found["not"] or found["late"]))
    words = [re.sub(r"(?<=\w{3})s$", "", word) for word in re.findall(r"\w+", DENIAL.sub(" ", folded))]
    return Claim(value=" ".join(words), denied=DENIAL.search(folded) is not None)


def _claimed(who: str, relation: str, value: str, denied: bool) -> Claim:
    short = UP_TO.split(value.removeprefix("not "), maxsplit=1)[0]
    words = " ".join(re.findall(r"\w+", short)) or " ".join(re.findall(r"\w+", value))
    return Claim(_about(who.strip()), relation, words, denied)


def _about(who: str) -> str:
    """`my sister annika` and `annika` are one, and so are all names for the person who speaks."""
    words = who.split()
    if words[:1] in (["my"], ["our"], ["mein"], ["meine"], ["the"]):
        words = words[1:]
        words = words[-1:] if len(words) == 2 else words
    plain = " ".join(words)
    return "the person" if who in SELF or plain in SELF else plain


manifest = ProviderManifest(
    name="holographic",
    provider="gateway.providers.holographic:Holographic",
    about="facts with trust in a file on this machine; shows those that exclude each other",
    settings="gateway.providers.holographic:HolographicSettings",
    local=True,
    patience=Patience(start=20.0, prefetch=4.0, sync=30.0),
)
