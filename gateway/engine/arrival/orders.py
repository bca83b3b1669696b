"""Carrying out commands that come from chats: the right of the asker, the handler, the reply."""

from __future__ import annotations

import asyncio

from commands.authority import refusal, role_of
from commands.context import Context, NeedsChat
from commands.parse import Mistake, Order
from commands.pending_words import fenced
from commands.ports import Ports
from commands.registry import Registry
from commands.reply import CommandReply, NamedBytes, NamedText
from commands.spec import Action, CommandSpec, Role
from gateway.engine.arrival.earshot import owners_only
from gateway.engine.arrival.passing import Passing
from gateway.engine.arrival.session_key import access_rules, home_chats
from gateway.engine.house import House
from gateway.state.records import InboxItem
from platforms.messages import ChatKind, ChatRef, Inbound, OutFile, TurnSummary


class Orders:
    """Runs commands. A reply is stored together with the end of its event, so no command is answered twice."""

    def __init__(self, house: House, registry: Registry) -> None:
        self._house = house
        self.registry = registry
        self.ports: Ports | None = None
        """Set once, when the engine is put together: the ports need the engine, and the engine needs these."""

    async def run(self, item: InboxItem, order: Order | Mistake) -> None:
        """Carry out one command and answer it. What the handler raises goes up."""
        reply = CommandReply(order.text, ok=False) if isinstance(order, Mistake) else await self._reply(item, order)
        if reply.silent:
            return
        await self.answer(item, reply, "command" if reply.ok else "refused")

    async def answer(self, item: InboxItem, reply: CommandReply, outcome: str) -> None:
        """Store and send a reply to an event that no turn answers."""
        chat = item.event.chat
        file = await asyncio.to_thread(self._kept, chat, reply.file) if reply.file is not None else None
        picture = await asyncio.to_thread(self._kept, chat, reply.picture) if reply.picture is not None else None
        text = reply.text
        if reply.file is not None and file is None:
            text = f"{text}\n{fenced(reply.file.text)}"
        await self._house.delivery.post(
            chat, f"inbox:{item.id}", text, buttons=reply.buttons, finishes=(item.id,), file=file, picture=picture
        )
        await self._house.delivery.flushed(chat)
        if (adapter := self._house.adapters.get(chat.platform)) is not None:
            await adapter.finished(chat, TurnSummary((item.event.event_id,), "", reply.text, outcome=outcome))

    def _kept(self, chat: ChatRef, given: NamedText | NamedBytes) -> OutFile | None:
        """The text or the picture as a file to be sent; None where none can be sent."""
        if isinstance(given, NamedBytes):
            data, media_type = given.data, given.media_type
        else:
            data, media_type = given.text.encode("utf-8", "replace"), ""
        outlet = self._house.outlet
        if outlet is None or len(data) > outlet.limit(chat):
            return None
        try:
            return outlet.keep(given.name, data, media_type)
        except OSError as error:
            self._house.report.warning("orders.no_file", why=str(error))
            return None

    def refusal(self, event: Inbound, spec: CommandSpec, action: Action | None = None) -> str | None:
        """Why whoever sent this may not give that order; None when they may."""
        return refusal(spec, action, self._role(event))

    def _role(self, event: Inbound) -> Role:
        return role_of(event.chat.platform, event.sender.id, access_rules(self._house.settings()))

    async def _reply(self, item: InboxItem, order: Order) -> CommandReply:
        event = item.event
        assert self.ports is not None, "the engine sets the ports before it takes events"
        role = self._role(event)
        if (why := refusal(order.spec, order.action, role)) is not None:
            return CommandReply(why, ok=False)
        direct = event.kind is ChatKind.DIRECT
        handler = order.action.handler if order.action is not None else order.spec.handler
        assert handler is not None, "parse gives no order without a handler"
        context = Context(
            role=role,
            surface="chat",
            ports=self.ports,
            registry=self.registry,
            chat=event.chat,
            session_key=item.session_key,
            direct=direct,
            item_id=item.id,
            who=f"{event.chat.platform}:{event.sender.id}",
            pressed=(event.message_id or "") if event.pressed else None,
            said=event.text,
            home=event.chat in home_chats(self._house.settings()),
            owners_only=owners_only(event.chat, event.sender.id, direct=direct, settings=self._house.settings()),
            progress=Passing(self._house, event.chat),
        )
        try:
            return await handler(context, order.arguments)
        except NeedsChat as error:
            return CommandReply(str(error), ok=False)
