"""A person changes a message: what still waits reads as it does now; for what a turn has read, a new answer is
offered by a button. Nothing is answered anew unasked, and no edit runs as a command.

Whether the editor may talk was judged at the front door. What a button does is `commands`' matter.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from commands.skill_shortcuts import Called, Shortcuts
from gateway.engine import notices
from gateway.engine.house import House
from gateway.engine.outgoing.delivery import Buttons
from gateway.engine.turns.mailbox import Mailbox
from gateway.engine.turns.steps import patiently
from gateway.engine.turns.work import Said, Work, events
from gateway.engine.turns.worker import Workers
from gateway.state.records import InboxItem, Version
from platforms.messages import Button, Inbound

RECENT = 600.0
"""Seconds since its turn began within which a changed message gets an offer; older ones are left alone."""

Step = Coroutine[Any, Any, None]


class Edits:
    """`anew` leads an event as if it were a message of its own."""

    def __init__(
        self, house: House, workers: Workers, shortcuts: Shortcuts, anew: Callable[[InboxItem], Step | None]
    ) -> None:
        self._house = house
        self._workers = workers
        self._shortcuts = shortcuts
        self._anew = anew

    def lead(self, edit: InboxItem) -> Step:
        """What waits is changed now; the rest is the step that is still to be taken."""
        box = self._workers.box(edit.session_key)
        if not self._is_command(edit.event) and (changed := _changed_in_line(box, edit)) is not None:
            return patiently(partial(self._house.store.inbox.amend, changed.id, changed.event, edit.id), self._house)
        return patiently(partial(self._consider, edit), self._house)

    async def reanswer(self, key: str, item_id: int) -> Literal["running", "nothing"]:
        """Answer the message of this event as it reads after its last edit; a turn that reads it still is ended."""
        inbox = self._house.store.inbox
        item = await inbox.get(item_id)
        if item is None or item.session_key != key or item.event.message_id is None:
            return "nothing"
        edits = [each.item for each in await inbox.versions(key, item.event.message_id) if each.item.event.edited]
        newest = next((each for each in reversed(edits) if not self._is_command(each.event)), None)
        if newest is None or not await inbox.reopen(newest.id):
            return "nothing"
        box = self._workers.box(key)
        with box.between():
            if (running := box.running) is not None and _reads(running.work, newest):
                await self._workers.interrupt(key, running)
            former = [work for work in box.waiting if _reads(work, newest)]  # it had not begun, and was put back
            for work in former:
                box.waiting.remove(work)
                await self._workers.set_aside(events(work))
            if self._house.intake is not None:
                self._house.intake.begin(newest)
            box.put(Said((newest,), whole=True), first=True)
        return "running"

    async def _consider(self, edit: InboxItem) -> None:
        """An edit of something that does not wait in line."""
        store, message_id = self._house.store, edit.event.message_id
        known = await store.inbox.versions(edit.session_key, message_id) if message_id is not None else []
        former = [each for each in known if each.item.id < edit.id]
        if not former:  # it was not for us as it read before
            if (step := self._anew(replace(edit, event=replace(edit.event, edited=False)))) is not None:
                self._workers.spawn(step)
            return
        read = await self._read_lately(edit, former)
        waits = [each.item for each in former if read is None and each.state in ("new", "held")]
        last = waits[-1] if waits else former[-1].item
        superseded = known[-1].item.id > edit.id
        if superseded or _same(last.event, edit.event) or (read is None and not waits):
            await store.inbox.done([edit.id])
        elif self._is_command(edit.event):
            await self._say(edit, f"no command:{edit.id}", notices.EDIT_IS_NO_COMMAND)
        elif read is None:
            await store.inbox.amend(last.id, rewritten(last.event, edit.event), edit.id)
        else:  # once for each version that was read, however often it is changed after that
            button = ((Button("Answer the new text", f"/reanswer {read.id}"),),)
            await self._say(edit, f"edited:{read.id}", notices.CHANGED, button)

    async def _read_lately(self, edit: InboxItem, former: list[Version]) -> InboxItem | None:
        """The version that the newest turn of the session has read, or reads, not long ago."""
        store, running = self._house.store, self._workers.box(edit.session_key).running
        if running is not None:  # what is steered into a turn may be on its way into it
            reading = {item.id for work in (running.work, *running.steered) for item in events(work)}
            if (read := next((each.item for each in reversed(former) if each.item.id in reading), None)) is not None:
                return read
        session = await store.sessions.current(edit.session_key)
        turn = await store.turns.last(session.id, asked=True) if session is not None else None
        if turn is None or (turn.state != "running" and self._house.clock.now() - turn.began_at > RECENT):
            return None
        return next((each.item for each in reversed(former) if each.turn_id == turn.id), None)

    async def _say(self, edit: InboxItem, source: str, text: str, buttons: Buttons = ()) -> None:
        await self._house.delivery.post(edit.event.chat, source, text, buttons=buttons, finishes=(edit.id,))

    def _is_command(self, event: Inbound) -> bool:
        meant = self._shortcuts.read(event.text)
        return meant is not None and not (isinstance(meant, Called) and meant.skills)


def rewritten(event: Inbound, edit: Inbound) -> Inbound:
    """An event as it reads after an edit; it stays where and when it was said."""
    files = event.attachments if _names(event) == _names(edit) else edit.attachments
    return replace(event, text=edit.text, units=edit.units, attachments=files)


def _changed_in_line(box: Mailbox[Work], edit: InboxItem) -> InboxItem | None:
    """Change the message where it waits for its turn, or for its second part; the event as it is now."""
    running = box.running
    if running is not None and running.gathering and (changed := _changed(running.work, edit)) is not None:
        running.work = changed[0]
        return changed[1]
    for place, work in enumerate(box.waiting):
        if (changed := _changed(work, edit)) is not None:
            box.waiting[place] = changed[0]
            return changed[1]
    return None


def _changed(work: Work, edit: InboxItem) -> tuple[Said, InboxItem] | None:
    if not isinstance(work, Said) or work.again:
        return None
    for place, item in enumerate(work.items):
        if _one_message(item, edit):
            now = replace(item, event=rewritten(item.event, edit.event))
            return replace(work, items=(*work.items[:place], now, *work.items[place + 1 :])), now
    return None


def _reads(work: Work, edit: InboxItem) -> bool:
    return isinstance(work, Said) and any(_one_message(each, edit) for each in work.items)


def _one_message(item: InboxItem, edit: InboxItem) -> bool:
    mine, theirs = item.event, edit.event
    return mine.message_id is not None and (mine.chat, mine.message_id) == (theirs.chat, theirs.message_id)


def _same(former: Inbound, now: Inbound) -> bool:
    return former.text == now.text and _names(former) == _names(now)


def _names(event: Inbound) -> list[str]:
    return [each.name for each in event.attachments]
