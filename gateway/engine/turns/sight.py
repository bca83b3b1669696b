"""Pictures in a turn: whether its model sees them, and what becomes of a conversation whose host takes none.

A host that refuses a request with pictures gets the session without them from then on: the words of the rows tell of
them, and what was sent stays the same from request to request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gateway.engine import notices
from gateway.models.client import HostInfo, Message, ModelClient
from gateway.state.protocols import Facts
from gateway.state.records import StoredMessage

REFUSED, TOLD = "pictures_refused", "blind_told"
"""Facts of a session: the model that took no pictures, and the one of which the person was told that it is blind."""


class Sight:
    """One turn's. `load` it before anything is asked of it."""

    def __init__(self, facts: Facts, session_id: str, client: ModelClient) -> None:
        self._facts = facts
        self._session_id = session_id
        self._client = client
        self._name = f"{client.host}/{client.model}"
        self._without = False
        self._refused_now = False
        self._sees = True

    async def load(self, stored: Sequence[StoredMessage]) -> None:
        if any(each.row.files for each in stored):
            self._without = await self._facts.get(self._session_id, REFUSED) == self._name

    def judge(self, info: HostInfo) -> None:
        """What the host says of itself, for the count of tokens."""
        self._sees = info.sees

    def shown(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The conversation as the host is to get it. Whether its model sees is known best where it is asked."""
        return _without(messages) if self._without else messages

    def counted(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The conversation as it costs tokens."""
        return messages if self._sees and not self._without else _without(messages)

    def refused(self, messages: tuple[Message, ...]) -> bool:
        """A request was refused: whether the same may be tried without its pictures."""
        if self._without or not self._sees or not any(each.pictures for each in messages):
            return False
        self._without = self._refused_now = True
        return True

    async def notices(self, stored: Sequence[StoredMessage], turn_id: int) -> list[str]:
        """What the person must know about pictures, when the answer is there: that they were in the way, or that a
        model which got some in this turn cannot look at them; once in a session. The host is asked now, since one
        that loads does not know itself before."""
        if self._refused_now:
            await self._facts.put(self._session_id, REFUSED, self._name)
            return [notices.picture_refused(self._name)]
        came = any(each.turn_id == turn_id and each.as_message().pictures for each in stored)
        if not came or (await self._client.info()).sees:
            return []
        if await self._facts.get(self._session_id, TOLD) == self._name:
            return []
        await self._facts.put(self._session_id, TOLD, self._name)
        return [notices.blind(self._name)]


def _without(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return tuple(replace(each, pictures=()) if each.pictures else each for each in messages)
