"""Who is heard in a chat, and thereby whose memory it has: the settings in force, asked anew each time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from commands.authority import CONSOLE, role_of
from commands.spec import Role
from gateway.agent.scopes import OWNERS, Place, Scope, ScopeOf, scope_of
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules, allowed
from gateway.engine.sessions.session_notes import sealed_for_owners
from gateway.state.protocols import Facts, Sessions
from gateway.state.search_records import FoundSession
from gateway.tools.memory_tool import Reach
from gateway.tools.session_search import Visible
from gateway.tools.tool import ToolContext
from memory.shelf import Shelf
from platforms.messages import ChatRef, Inbound
from platforms.settings import ANYONE


def scopes(settings: Callable[[], Settings]) -> ScopeOf:
    """The scope of any chat, by the settings of that moment."""

    def scope(chat: ChatRef, who: str, direct: bool) -> Scope:
        now = settings()
        speaker = who.partition(":")[2]
        place = Place(chat, speaker, direct, owners=owners_only(chat, speaker, direct=direct, settings=now))
        return OWNERS if place.owners else scope_of(place, now.memory.scope, now.memory.share)

    return scope


def reach(shelf: Shelf, scope: ScopeOf) -> Callable[[ToolContext], Reach]:
    """What the memory tool writes to, by where a call comes from."""

    def reached(context: ToolContext) -> Reach:
        here = scope(context.chat, context.speaker, context.direct)
        stores = shelf.of(here.files)
        targets = [target for target in shelf.own.enabled if target in here.files]
        return Reach(stores, targets, here.censored)

    return reached


def owners_heard(settings: Callable[[], Settings]) -> Callable[[ToolContext], bool]:
    """Whether nobody but owners is heard where a tool's call comes from, by the settings of that moment."""

    def heard(context: ToolContext) -> bool:
        speaker = context.speaker.partition(":")[2]
        return owners_only(context.chat, speaker, direct=context.direct, settings=settings())

    return heard


def sight(settings: Callable[[], Settings], sessions: Sessions) -> Callable[[ToolContext], Awaitable[Visible]]:
    """Which sessions a tool may show where its call comes from: all of them where nobody but owners is heard, by the
    settings of that moment, elsewhere those of the chat itself."""
    heard = owners_heard(settings)

    async def keys(context: ToolContext) -> Visible:
        if heard(context):
            return None
        here = await sessions.get(context.session_id)
        return frozenset({here.session_key} if here is not None and here.chat == context.chat else ())

    return keys


def strange(settings: Callable[[], Settings], facts: Facts) -> Callable[[FoundSession], Awaitable[bool]]:
    """Whether others than owners were heard in a session, as far as that is known: it was not made for owners' ears,
    and its chat is none that is an owner's by its name."""

    async def others(session: FoundSession) -> bool:
        chat = ChatRef.parse(session.chat)
        if chat.platform == CONSOLE or role_of(chat.platform, chat.chat_id, access_rules(settings())) is Role.OWNER:
            return False
        return not await sealed_for_owners(facts, session.id)

    return others


def owners_only(chat: ChatRef, speaker: str, *, direct: bool, settings: Settings) -> bool:
    """Whether nobody but owners is heard in this chat. In a direct chat that is its person. In a group everybody is
    heard when the room itself is allowed, else those who may talk on the platform (people who were paired talk in
    direct chats only)."""
    platform, rules = chat.platform, access_rules(settings)
    if platform == CONSOLE:
        return True
    if direct:
        return role_of(platform, speaker, rules) is Role.OWNER
    rooms = allowed(settings, platform, "allowed_chats") | allowed(settings, platform, "allowed_channels")
    people = allowed(settings, platform, "allowed_users")
    if chat.chat_id in rooms or ANYONE in rooms or ANYONE in people:
        return False
    trusted = (each.partition(":") for each in (*settings.access.owners, *settings.access.operators))
    people |= {person for name, _, person in trusted if name == platform}
    return all(role_of(platform, person, rules) is Role.OWNER for person in people)


def who(event: Inbound) -> str:
    """The speaker of an event, as `platform:id`."""
    return f"{event.chat.platform}:{event.sender.id}"
