"""The front door: an event is judged, stored, and led to where it is handled. Only then is it acknowledged.

What runs at once and what waits for its session is decided here, before anybody looks at "busy".
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from commands.parse import NAME, Mistake, Order
from commands.skill_shortcuts import Called, Shortcuts, listed, suggestions
from gateway.engine import notices
from gateway.engine.arrival.backlog import Backlog
from gateway.engine.arrival.edits import Edits
from gateway.engine.arrival.orders import Orders
from gateway.engine.arrival.remarks import foreign
from gateway.engine.arrival.session_key import may_talk, session_key
from gateway.engine.arrival.strangers import Strangers
from gateway.engine.house import House
from gateway.engine.turns.mailbox import Running
from gateway.engine.turns.work import Ordered, Said, Work, of_job
from gateway.engine.turns.worker import Workers
from gateway.events import EventStored
from gateway.state.records import InboxItem
from gateway.tools.skill_guidance import MANAGE
from platforms.messages import ChatKind, ChatRef, Inbound, TurnSummary

PRESSES = 60.0
"""Seconds between two refusals to one person who presses buttons that are not theirs."""

Step = Coroutine[Any, Any, None]


class Reception:
    """The sink of every adapter."""

    def __init__(
        self, house: House, workers: Workers, orders: Orders, backlog: Backlog, shortcuts: Shortcuts
    ) -> None:
        self._house = house
        self._workers = workers
        self._orders = orders
        self._backlog = backlog
        self._strangers = Strangers(house)
        self._presses: dict[tuple[ChatRef, str], float] = {}
        self._shortcuts = shortcuts
        self.edits = Edits(house, workers, shortcuts, self._message)

    async def __call__(self, event: Inbound) -> None:
        """Returns once the event is stored, or known already, or refused. Raises only when storing failed."""
        settings = self._house.settings()
        heard = replace(event, addressed=event.addressed or self._continues(event))
        known = may_talk(heard, settings) or await self._strangers.let_in(event)
        if known and self._shortcuts.asks(event.text):
            await asyncio.to_thread(self._shortcuts.look)
        if not known or self._means_another(event):
            self._house.report.info("event.refused", chat=event.chat.key, sender=event.sender.id)
            if event.addressed and not event.edited and event.sender.id and not event.sender.is_bot:
                self._workers.spawn(self._turn_away(event, known))
            return
        key = session_key(event, settings.sessions.group_scope)
        item = await self._house.store.inbox.accept(event, key, self._house.clock.now())
        if item is None:
            self._house.report.info("event.known", chat=event.chat.key, event_id=event.event_id)
            return
        self._house.bus.publish(EventStored(event.chat.platform))
        if (step := self.lead(item)) is not None:
            self._workers.spawn(step)

    async def admits(self, event: Inbound) -> bool:
        """Whether its sender may talk to us in this chat."""
        return may_talk(event, self._house.settings()) or await self._strangers.let_in(event)

    def listed(self) -> Mapping[str, str]:
        """The skills that a menu of commands may list, with what they are for. Reads the disk."""
        return listed(self._shortcuts.look(), self._orders.registry)

    async def suggest(self, event: Inbound) -> Sequence[str]:
        """Names of skills that this text is the beginning of, for who may call them up; nothing is kept of it."""
        heard = replace(event, addressed=True)
        if may_talk(heard, self._house.settings()) or await self._strangers.let_in(event):
            return suggestions(await asyncio.to_thread(self._shortcuts.look), event.text)
        return ()

    def _continues(self, event: Inbound) -> bool:
        """Whether an event in a room is a further part of what its speaker says to us: only the first part of an
        album or of a split text bears our name."""
        if event.kind is not ChatKind.GROUP or event.addressed or event.pressed or event.edited:
            return False
        return self._workers.expects(session_key(event, self._house.settings().sessions.group_scope), event)

    async def _turn_away(self, event: Inbound, known: bool) -> None:
        """Somebody meant us and may not: say so where they would otherwise wait for something to happen."""
        if event.pressed:
            await self._refuse_press(event)
        elif not known and self._strangers.may_ask(event):
            await self._strangers.answer(event)
        if (adapter := self._house.adapters.get(event.chat.platform)) is not None:
            summary = TurnSummary((event.event_id,), "", notices.NOT_FOR_YOU, outcome="refused")
            await adapter.finished(event.chat, summary)

    async def _refuse_press(self, event: Inbound) -> None:
        """In the chat, as everybody saw the press; once a minute for each person, however often they press."""
        now, who = self._house.clock.monotonic(), (event.chat, event.sender.id)
        self._presses = {each: at for each, at in self._presses.items() if now - at < PRESSES}
        if who in self._presses:
            return
        self._presses[who] = now
        if event.text in await self._house.store.outbox.offers(event.chat, event.message_id or ""):
            await self._house.delivery.receipt(event.chat, notices.not_yours(event.sender.name))

    def _means_another(self, event: Inbound) -> bool:
        """Whether an event in a room orders something that we do not know, and was not said to us: it is another
        bot's command."""
        if event.kind is not ChatKind.GROUP or event.addressed or event.pressed:
            return False
        named = NAME.match(event.text.strip())
        if named is None or self._orders.registry.get(named[1]) is not None:
            return False
        return not isinstance(self._shortcuts.read(event.text), Called)

    def lead(self, item: InboxItem, *, again: bool = False) -> Step | None:
        """Queue an event where it belongs; the step that is still to be taken for it now, if there is one.

        `again`: a dead process had taken it. Then it waits for its turn, and nobody is told a second time.
        """
        return self.edits.lead(item) if item.event.edited else self._message(item, again=again)

    def _message(self, item: InboxItem, *, again: bool = False) -> Step | None:
        """The same for what is no edit."""
        event = item.event
        order = self._shortcuts.read(event.text)
        if isinstance(order, Called):
            why = self._orders.refusal(event, order.spec)
            if order.learns and not any(each.name == MANAGE for each in self._house.toolset.schemas):
                why = why or notices.NO_SKILLS_WRITTEN
            order = Mistake(why) if why is not None else None
        if isinstance(order, Order) and order.spec.when == "between turns":
            if event.pressed and self._workers.box(item.session_key).busy:
                return self._beside(item, order)
            return self._queue(item, order, again=again)
        if order is not None:
            return self._workers.order(item, order)
        if self._backlog.is_old(event):
            return self._backlog.hold(item)
        if self._house.intake is not None:
            self._house.intake.begin(item)
        if again:
            self._workers.box(item.session_key).put(Said((item,)))
            return None
        return self._say(item)

    def _queue(self, item: InboxItem, order: Order, *, again: bool) -> Step | None:
        """A command that waits for the running turn; nobody waits without being told."""
        box = self._workers.box(item.session_key)
        box.put(Ordered(item, order))
        return self._receipt(item, notices.queued(len(box.waiting))) if box.busy and not again else None

    async def _beside(self, item: InboxItem, order: Order) -> None:
        """A button never waits behind a turn. What is said meanwhile is answered after it, as after a command that
        waited."""
        with self._workers.box(item.session_key).between():
            await self._workers.order(item, order)

    def _say(self, item: InboxItem) -> Step | None:
        """A message: into the mailbox, and beside a running turn by the owner's rule, with a receipt."""
        box, said = self._workers.box(item.session_key), Said((item,))
        running = box.running
        if running is None or running.gathering:
            box.put(said)
            return None
        match self._house.settings().gateway.busy:
            case _ if of_job(running.work):  # nobody sees it run, and its answer is waited for
                box.put(said)
                return self._receipt(item, notices.queued(len(box.waiting)))
            # What waits already was said before.
            case "steer" if running.begun and not box.waiting and self._steers(item.event):
                running.steered.append(said)
                return self._receipt(item, notices.steering())
            case "interrupt" if running.begun:
                box.put(said)
                return self._interrupt(item, running)
            case _:
                box.put(said)
                return self._receipt(item, notices.queued(len(box.waiting)))

    async def _interrupt(self, item: InboxItem, running: Running[Work]) -> None:
        await self._workers.interrupt(item.session_key, running)
        await self._receipt(item, notices.interrupting())

    async def _receipt(self, item: InboxItem, text: str) -> None:
        await self._house.delivery.receipt(item.event.chat, text)

    def _steers(self, event: Inbound) -> bool:
        """Whether a message can go into a running turn. Files are waited for, and no turn is kept for them; words of
        somebody else bind what a turn may keep from its beginning, and skills are read when one begins."""
        called = isinstance(self._shortcuts.read(event.text), Called)
        return not event.attachments and not foreign(event) and not called
