"""Where a session begins and ends: the frozen prompt, resets by configuration, the line with the time, the hint."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo
from itertools import groupby, pairwise
from zoneinfo import ZoneInfo

from gateway.agent.prompt import time_line
from gateway.agent.scopes import subset
from gateway.attachments.brought import Brought, files, papers
from gateway.config.schema import Settings
from gateway.engine.arrival.earshot import who
from gateway.engine.arrival.hearers import note_hearer
from gateway.engine.arrival.remarks import HOUSE, read_from, remarks
from gateway.engine.house import House
from gateway.engine.turns.baggage import named
from gateway.engine.turns.skill_calls import Reading, notes, spoken
from gateway.events import SessionClosed
from gateway.state.records import Row, Session
from platforms.messages import ChatKind, Inbound

GAP = 3600.0
"""Seconds of silence after which a message carries the time again."""

ROOM = 0.4
"""Share of a model's window that the documents of one message may take."""

LARGE = 1_000_000
"""Tokens of a window of which nothing is known: it bounds nothing."""

IDLE_HINT = 6 * 3600.0
LONG = 8
"""Rows that a session must have before the time alone makes a fresh start worth offering."""

FULL_HINT = 0.6
OTHER_EARS = "who can hear this chat changed"

MANY_CHANGES = 5
"""Entries of memory that are not what the prompt says of them."""


class Boundary:
    """Opens and closes sessions. At most one is open for a session key."""

    def __init__(self, house: House) -> None:
        self._house = house

    async def session_for(self, key: str, event: Inbound) -> Session:
        """The open session of this key; a new one when there is none or the owner's reset rule ended it."""
        store, now = self._house.store, self._house.clock.now()
        current = await store.sessions.current(key)
        if current is not None:
            why = reset_due(current, self._house.settings(), now)
            if why is None and await self.fits(current, event):
                return current
            await self.close(current, why or OTHER_EARS)
        return await self.open(key, event)

    async def open(self, key: str, event: Inbound) -> Session:
        """Start a session: the prompt is rendered now and never again."""
        now, opening = self._house.clock.now(), await asyncio.to_thread(self._house.opening, event)
        name, outside = session_id(now), self._house.outside
        block = await outside.block(event, name) if outside is not None else ""
        session = Session(
            id=name,
            session_key=key,
            chat=event.chat,
            prompt=f"{opening.prompt}\n\n{block}" if block else opening.prompt,
            tools=opening.tools,
            title=await self._named(key),
            epoch=0,
            pinned=False,
            started_at=now,
            active_at=now,
        )
        await note_hearer(self._house.store.facts, key, event)
        if self._house.notes is not None:
            await self._house.notes.opened(session.id, opening.scope, opening.entries)
        return await self._house.store.sessions.open(session)

    async def fits(self, session: Session, event: Inbound) -> bool:
        """Whether the session was made for those who can hear its chat now. One that was resumed in another chat may
        have been made for more ears than hear it there."""
        if self._house.notes is None:
            return True
        scope = self._house.scope(event.chat, who(event), event.kind is ChatKind.DIRECT)
        seal = await self._house.notes.seal(session.id)
        return seal == scope.seal or (session.end_reason is not None and subset(seal, scope))

    async def _named(self, key: str) -> str | None:
        """The title that `/new NAME` left for the next session."""
        title = await self._house.store.facts.get(key, "next_title")
        if title is not None:
            await self._house.store.facts.put(key, "next_title", None)
        return title if isinstance(title, str) else None

    async def close(self, session: Session, reason: str) -> None:
        """What no review has seen is put down for one first, so that no crash comes between the two."""
        if self._house.looks_back is not None:
            await self._house.looks_back.before_end(session.id)
        await self._house.store.sessions.close(session.id, reason, self._house.clock.now())
        self._house.bus.publish(SessionClosed(session.id, session.session_key, reason))

    def user_rows(
        self,
        session: Session,
        events: Sequence[Inbound],
        *,
        timed: bool,
        again: Sequence[Row] = (),
        brought: Mapping[str, Sequence[Brought]] | None = None,
        window: int | None = None,
        news: str = "",
        called: Mapping[str, Reading] | None = None,
    ) -> list[Row]:
        """What people said in one go, as rows: one for each speaker in a row, or `again` what was said before.

        What came with the events is `brought`, by event id: files go with their speaker's row, and a document has a
        row of its own behind it, for which a `window` of so many tokens leaves room. The time stands in the first row
        at a session's start, after a gap, and when the session was resumed, when `timed`; so does the `news` of
        memory. What the events call up is `called`, by event id: it stands in the note of the row."""
        settings, now = self._house.settings(), self._house.clock.now()
        note = ""
        resumed = session.end_reason is not None
        if timed and (session.epoch == 0 or resumed or now - session.active_at > GAP):
            note = time_line(datetime.fromtimestamp(now, zone(settings)))
        note = "\n".join(each for each in (note, news) if each)
        if again:
            note = "\n".join(each for each in (note, again[0].note) if each)
            return [replace(again[0], note=note), *again[1:]]
        adapter = self._house.adapters.get(session.chat.platform)
        limit = adapter.capabilities.limit if adapter is not None else 0
        rows: list[Row] = []
        for _, group in groupby(events, key=lambda each: each.sender):
            said = list(group)
            came = [one for each in said for one in (brought or {}).get(each.event_id, named(each))]
            note = "\n".join(each for each in (note, *notes(said, called or {}, window), remarks(said)) if each)
            read = read_from(said)
            words = self._words(merged([spoken(each, called or {}) for each in said], limit), came)
            rows.append(Row("user", words, note=note, untrusted=read, files=files(came)))
            rows += papers(came, settings.attachments.max_text_chars, ROOM * (window or LARGE))
            note = ""
        return rows

    def _words(self, event: Inbound, came: Sequence[Brought]) -> str:
        """A message as a model reads it: who speaks, where several may; what is said, written or spoken; what is
        attached."""
        pieces = [event.text, *(each.spoken for each in came), *(each.line for each in came)]
        text = "\n".join(piece for piece in pieces if piece).strip()
        named = event.kind is ChatKind.GROUP and self._house.settings().sessions.group_scope == "chat"
        if named and event.account != HOUSE:
            text = f"{event.sender.name or event.sender.id}: {text}"
        return text

    async def hint(
        self, session: Session, turn: int, rows: int, used: Callable[[], int], window: int | None
    ) -> str | None:
        """Why a fresh start would be good now, after this turn, at most once a day in a chat; None when there is no
        reason. The session is as it was before the turn; `used()` counts its tokens as they are now."""
        settings, now = self._house.settings(), self._house.clock.now()
        facts, today = self._house.store.facts, datetime.fromtimestamp(now, zone(settings)).date()
        if not settings.sessions.boundary_hint or await facts.get(session.chat.key, "hint_day") == today.isoformat():
            return None
        why = None
        if window and (full := used()) > FULL_HINT * window:
            why = f"This conversation fills {100 * full // window} % of what the model can read."
        elif (changed := await self._changed(session)) >= MANY_CHANGES:
            why = f"{changed} entries of memory changed since this conversation began."
        elif rows >= LONG:
            spoke = await self._spoke(session, turn)
            if datetime.fromtimestamp(spoke, zone(settings)).date() < today:
                why = "A new day."
            elif now - spoke > IDLE_HINT:
                why = "We have not talked for a while."
        if why is not None:
            await facts.put(session.chat.key, "hint_day", today.isoformat())
        return why

    async def _changed(self, session: Session) -> int:
        """How many entries of memory are not what the session's prompt says of them."""
        return await self._house.notes.changed(session.id) if self._house.notes is not None else 0

    async def _spoke(self, session: Session, turn: int) -> float:
        """When people last talked here, before this turn: what a job said since is no talk."""
        turns = self._house.store.turns
        latest = await turns.last(session.id, before=turn)
        if latest is None or latest.run is None:
            return session.active_at
        asked = await turns.last(session.id, asked=True, before=turn)
        return asked.began_at if asked is not None else session.active_at


def reset_due(session: Session, settings: Settings, now: float) -> str | None:
    """Why the owner's reset rule ends this session now, or None."""
    rule = settings.sessions.reset
    if rule.mode in ("idle", "both") and now - session.active_at > rule.idle_minutes * 60:
        return "idle reset"
    if rule.mode in ("daily", "both"):
        here = datetime.fromtimestamp(now, zone(settings))
        line = here.replace(hour=rule.at_hour, minute=0, second=0, microsecond=0)
        line = line if line <= here else line - timedelta(days=1)
        if session.active_at < line.timestamp():
            return "daily reset"
    return None


def zone(settings: Settings) -> tzinfo | None:
    """The owner's zone; None is the machine's own."""
    return ZoneInfo(settings.gateway.timezone) if settings.gateway.timezone else None


def session_id(now: float) -> str:
    """A name that sorts by date and can be typed: 20261130-1f2e3d4c."""
    return f"{datetime.fromtimestamp(now).astimezone():%Y%m%d}-{secrets.token_hex(4)}"


def merged(events: Sequence[Inbound], limit: int = 0) -> Inbound:
    """Parts that a client split, an album, or a backlog as the one message that they are now.

    A part as long as the platform's limit was cut anywhere; a shorter one was cut at a line.
    """
    text = events[0].text
    for former, each in pairwise(events):
        joiner = "" if limit and former.units >= limit else "\n"
        text = f"{text}{joiner}{each.text}" if text and each.text else text or each.text
    return replace(events[0], text=text, attachments=tuple(a for each in events for a in each.attachments))
