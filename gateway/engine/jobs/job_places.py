"""Where a job's run is held: its chat, the session of that chat, and who hears it there.

A job knows a chat by its key only; who hears it is what the chat's last session was opened with.
"""

from __future__ import annotations

from commands.authority import CONSOLE
from gateway.config.schema import Settings
from gateway.engine.arrival.hearers import hearer
from gateway.engine.arrival.session_key import allowed, home_chats, session_key
from gateway.engine.house import House
from gateway.engine.jobs.job_turn import JobTrouble, JobTurn
from gateway.engine.networks.owner_chats import OwnerChats
from gateway.state.job_records import Job
from platforms.messages import ChatKind, ChatRef, Inbound, Sender


class JobPlaces:
    """Turns runs into what their turns need to know."""

    def __init__(self, house: House, owners: OwnerChats) -> None:
        self._house = house
        self._owners = owners

    async def of(self, run_id: int, *, begun: bool = False) -> JobTurn:
        """The run as its turn needs it, by what its job is now. Raises JobTrouble when it cannot be held anywhere;
        one that has `begun` goes on, wherever its answer goes."""
        run = await self._house.store.job_runs.get(run_id)
        job = await self._house.store.jobs.get(run.job_id) if run is not None else None
        if job is None:
            raise JobTrouble("the job is gone")
        spec, chat = job.spec, await self.chat(job)
        if self._house.adapters.get(chat.platform) is None and not begun:
            raise JobTrouble(f"its answer belongs to {chat.key}, and {chat.platform} is not running")
        event = await self._hearer(chat, job)
        key = session_key(event, self._house.settings().sessions.group_scope) if event.sender.id else chat.key
        return JobTurn(
            run=run_id,
            job=job.id,
            name=spec.name,
            key=key,
            hearer=event,
            prompt=spec.prompt,
            skills=spec.skills,
            model=spec.model,
            silent_unless=spec.silent_unless,
            budget=spec.budget,
        )

    async def chat(self, job: Job) -> ChatRef:
        """Where a job's answer goes: its own chat, or else the home chat, or else where an owner spoke last. Raises
        JobTrouble."""
        if job.spec.chat_key:
            try:
                return ChatRef.parse(job.spec.chat_key)
            except ValueError as error:
                raise JobTrouble(str(error)) from None
        places = [*home_chats(self._house.settings()), *await self._owners.latest()]
        if not places:
            raise JobTrouble("it has no chat, and there is no home chat: /sethome in a chat makes that the home chat")
        return places[0]

    async def _hearer(self, chat: ChatRef, job: Job) -> Inbound:
        """An event as whoever hears the chat would send it; in a group where each person has a session of their own,
        as the job's owner would."""
        facts, settings = self._house.store.facts, self._house.settings()
        known = await hearer(facts, chat.key) or await self._who_spoke(chat)
        kind, sender = known or (ChatKind.GROUP, Sender(""))
        if known is None and person_of(chat, settings):
            kind, sender = ChatKind.DIRECT, Sender(chat.chat_id)
        if kind is ChatKind.GROUP:
            platform, _, owner = job.owner.partition(":")
            sender = Sender(owner if platform == chat.platform else "")
        now = self._house.clock.now()
        return Inbound(account="", event_id="", chat=chat, kind=kind, sender=sender, text="", sent_at=now)

    async def _who_spoke(self, chat: ChatRef) -> tuple[ChatKind, Sender] | None:
        """By the last message of the open session, for one that an older version opened."""
        store = self._house.store
        session = await store.sessions.current(chat.key)
        turn = await store.turns.last(session.id, asked=True) if session is not None else None
        item = await store.inbox.get(turn.inbox_ids[0]) if turn is not None and turn.inbox_ids else None
        return None if item is None else (item.event.kind, item.event.sender)


def person_of(chat: ChatRef, settings: Settings) -> bool:
    """Whether a chat in which nobody spoke yet is a person's own, by its name."""
    if chat.thread_id is not None:
        return False
    named = f"{chat.platform}:{chat.chat_id}"
    trusted = named in settings.access.owners or named in settings.access.operators
    return chat.platform == CONSOLE or trusted or chat.chat_id in allowed(settings, chat.platform, "allowed_users")
