"""The gateway: sessions that survive their connections, what each is told, and how it is let down.

Owns sessions, sequence numbers and replay. One connection's frames are `connection`'s matter.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fakes.discord import shapes
from tests.fakes.discord.connection import Connection, Ended
from tests.fakes.discord.faults import ABNORMAL
from tests.fakes.discord.world import Payload, Raw, World

DISPATCH, HEARTBEAT, IDENTIFY, PRESENCE, VOICE_STATE, RESUME, RECONNECT, REQUEST_MEMBERS = 0, 1, 2, 3, 4, 6, 7, 8
INVALID_SESSION, HELLO, HEARTBEAT_ACK = 9, 10, 11

FORGETTING = {4003, 4004, 4007, 4009, 4010, 4011, 4012, 4013, 4014}
"""Codes after which a session cannot be resumed."""

Told = Callable[[str, Raw], None]


@dataclass(slots=True)
class Session:
    """What the gateway keeps for one identification: everything told so far, with its numbers."""

    id: str
    intents: int
    told: list[Raw] = field(default_factory=list)
    connection: Connection | None = None
    left_at: float | None = None

    @property
    def sequence(self) -> int:
        return len(self.told)


class Gateway:
    """Every session of the bot. `url` is set by the server once it listens."""

    def __init__(self, world: World, token: str, told: Told) -> None:
        self.world = world
        self.url = ""
        self.privileged = shapes.MESSAGE_CONTENT | shapes.GUILD_MEMBERS
        """The privileged intents that the portal grants; asking for others closes with 4014."""
        self.heartbeat_seconds = 41.25
        self.resume_seconds = 180.0
        """How long a session without a connection may be resumed, by the world's clock."""
        self.sessions: dict[str, Session] = {}
        self.connections: list[Connection] = []
        self.identified = 0
        self.resumed = 0
        self.heartbeats = 0
        self.closed: list[int] = []
        """Codes with which clients closed, in order; 1006 where they just went away."""
        self._refuse_next: list[int] = []
        self.token = token
        self._told = told
        world.listeners.append(self.dispatch)

    # What a test asks for.

    @property
    def connected(self) -> list[Session]:
        """Sessions that are being told now."""
        return [each for each in self.sessions.values() if each.connection is not None]

    def close(self, code: int) -> None:
        """Close every connection with a code; 1006 tears them down without a frame."""
        for connection in list(self.connections):
            if code in FORGETTING:
                self._forget(connection)
            connection.end(code)

    def refuse_next(self, *codes: int) -> None:
        """Answer the next identifications or resumptions by closing, with one code each."""
        self._refuse_next += codes

    def refuse_no_more(self) -> None:
        """Take back what `refuse_next` has left."""
        self._refuse_next.clear()

    def ask_to_reconnect(self) -> None:
        """Op 7 to everybody."""
        for connection in self.connections:
            connection.send({"op": RECONNECT, "d": None, "s": None, "t": None})

    def invalidate(self, *, resumable: bool = False) -> None:
        """Op 9 to everybody; a session that is not resumable is forgotten."""
        for connection in list(self.connections):
            if not resumable:
                self._forget(connection)
            connection.send({"op": INVALID_SESSION, "d": resumable, "s": None, "t": None})

    def forget_sessions(self) -> None:
        """Break every connection, and keep nothing that could be resumed."""
        self.sessions.clear()
        self.close(ABNORMAL)

    def go_silent(self) -> None:
        """From now on the open connections stay open and carry nothing, not even answers to heartbeats."""
        for connection in self.connections:
            connection.silent = True

    def go_deaf(self) -> None:
        """From now on the open connections answer heartbeats, and tell nothing of what happens."""
        for connection in self.connections:
            connection.deaf = True

    # Telling.

    def dispatch(self, event: str, payload: Payload) -> None:
        """Tell every session that asked for such; those without a connection are told when they resume."""
        for session in list(self.sessions.values()):
            if self._expired(session):
                del self.sessions[session.id]
                continue
            data = payload(session.intents)
            if data is not None:
                self._tell(session, event, data)

    def _tell(self, session: Session, event: str, data: Raw) -> None:
        frame: Raw = {"op": DISPATCH, "t": event, "s": session.sequence + 1, "d": data}
        session.told.append(frame)
        self._send(session, frame)

    def _send(self, session: Session, frame: Raw) -> None:
        if session.connection is not None and session.connection.send(frame):
            self._told(frame["t"], frame["d"])

    # Hearing.

    def opened(self, connection: Connection) -> None:
        self.connections.append(connection)
        about = {"heartbeat_interval": int(self.heartbeat_seconds * 1000), "_trace": []}
        connection.send({"op": HELLO, "d": about, "s": None, "t": None})

    def gone(self, connection: Connection, code: int) -> None:
        """A connection is no more. A client that says goodbye with 1000 or 1001 ends its session."""
        if connection in self.connections:
            self.connections.remove(connection)
        if not connection.ended:
            self.closed.append(code)
        for session in self.connected:
            if session.connection is connection:
                session.connection, session.left_at = None, self.world.now()
                if code in (1000, 1001) and not connection.ended:
                    del self.sessions[session.id]
        self.world.tell()

    def heard(self, connection: Connection, frame: Raw) -> None:
        """One frame of a client. Raises Ended to close."""
        operation, data = frame.get("op"), frame.get("d")
        if operation == HEARTBEAT:
            self.heartbeats += 1
            connection.send({"op": HEARTBEAT_ACK, "d": None, "s": None, "t": None})
            self.world.tell()
        elif operation in (IDENTIFY, RESUME):
            if not isinstance(data, dict):
                raise Ended(4002, "Error while decoding payload.")
            if self._refuse_next:
                raise Ended(self._refuse_next.pop(0), "as asked")
            if self._session_of(connection) is not None:
                raise Ended(4005, "Already authenticated.")
            (self._identify if operation == IDENTIFY else self._resume)(connection, data)
        elif self._session_of(connection) is None:
            raise Ended(4003, "Not authenticated.")
        elif operation == REQUEST_MEMBERS:
            self._send_members(connection, data or {})
        elif operation not in (PRESENCE, VOICE_STATE):
            raise Ended(4001, "Unknown opcode.")

    def _identify(self, connection: Connection, data: Raw) -> None:
        if data.get("token", "").removeprefix("Bot ") != self.token:
            raise Ended(4004, "Authentication failed.")
        intents, shard = data.get("intents"), data.get("shard")
        if not isinstance(intents, int) or intents < 0 or intents & ~shapes.ALL_INTENTS:
            raise Ended(4013, "Invalid intent(s).")
        if shard is not None and not (isinstance(shard, list) and len(shard) == 2 and 0 <= shard[0] < shard[1]):
            raise Ended(4010, "Invalid shard.")
        privileged = intents & (shapes.MESSAGE_CONTENT | shapes.GUILD_MEMBERS | shapes.PRESENCES)
        if privileged & ~self.privileged:
            raise Ended(4014, "Disallowed intent(s).")
        session = Session(secrets.token_hex(16), intents, connection=connection)
        self.sessions[session.id] = session
        self.identified += 1
        guilds = list(self.world.guilds.values())
        ready: Raw = {
            "v": 10,
            "user": shapes.myself(self.world),
            "guilds": [{"id": str(each.id), "unavailable": True} for each in guilds],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "private_channels": [],
            "application": {"id": str(self.world.bot.id), "flags": self._flags()},
        }
        self._tell(session, "READY", ready | ({"shard": shard} if shard else {}))
        if intents & shapes.GUILDS:
            for guild in guilds:
                self._tell(session, "GUILD_CREATE", shapes.guild(self.world, guild, intents))
        self.world.tell()

    def _resume(self, connection: Connection, data: Raw) -> None:
        if data.get("token", "").removeprefix("Bot ") != self.token:
            raise Ended(4004, "Authentication failed.")
        session = self.sessions.get(str(data.get("session_id")))
        seen = data.get("seq")
        if session is not None and self._expired(session):
            del self.sessions[session.id]
            session = None
        if session is None:
            connection.send({"op": INVALID_SESSION, "d": False, "s": None, "t": None})
            return
        if not isinstance(seen, int) or not 0 <= seen <= session.sequence:
            del self.sessions[session.id]
            raise Ended(4007, "Invalid seq.")
        if session.connection is not None:
            session.connection.end(4000)
        session.connection, session.left_at = connection, None
        self.resumed += 1
        for frame in session.told[seen:]:
            self._send(session, frame)
        self._tell(session, "RESUMED", {"_trace": []})
        self.world.tell()

    def _send_members(self, connection: Connection, data: Raw) -> None:
        session = self._session_of(connection)
        guild = self.world.guilds.get(int(data.get("guild_id", 0)))
        if session is None or guild is None:
            return
        wanted = {int(each) for each in data.get("user_ids", [])}
        start = str(data.get("query", "")).lower()
        found = [
            each
            for each in guild.members.values()
            if (each.id in wanted if wanted else each.name.lower().startswith(start))
        ]
        chunk: Raw = {"guild_id": str(guild.id), "chunk_index": 0, "chunk_count": 1, "not_found": []}
        chunk["members"] = [shapes.member(guild, each) for each in found]
        self._tell(session, "GUILD_MEMBERS_CHUNK", chunk | ({"nonce": data["nonce"]} if data.get("nonce") else {}))

    def _expired(self, session: Session) -> bool:
        return session.left_at is not None and self.world.now() - session.left_at > self.resume_seconds

    def _flags(self) -> int:
        return int(shapes.application(self.world, self.privileged)["flags"])

    def _session_of(self, connection: Connection) -> Session | None:
        return next((each for each in self.connected if each.connection is connection), None)

    def _forget(self, connection: Connection) -> None:
        session = self._session_of(connection)
        if session is not None:
            del self.sessions[session.id]
