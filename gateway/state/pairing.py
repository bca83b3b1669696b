"""Codes that wait for a yes, and people who were let in with one. Of a code only a salted, slow hash is kept.

Who may ask, and who may say yes, is for the engine and the commands to judge.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import sqlite3

from gateway.state.codec import clean
from gateway.state.database import Database
from gateway.state.records import Asked, Guest, PairingLocked, WrongCode
from platforms.messages import ChatRef

CODE_SECONDS = 3600.0
"""How long a code holds."""

ANSWER_SECONDS = 600.0
"""A person who asks again and again is answered once in this time."""

OPEN_CODES = 100
"""Codes that may be open at the same time."""

TRIES = 10
"""Wrong codes within `LOCK_SECONDS` that lock approving for as long."""

LOCK_SECONDS = 3600.0


class SqlitePairing:
    """See `protocols.Pairing`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def knows(self, platform: str, person: str) -> bool:
        def work(db: sqlite3.Connection) -> bool:
            query = "SELECT 1 FROM pairings WHERE platform = ? AND person = ?"
            return db.execute(query, (clean(platform), clean(person))).fetchone() is not None

        return await self._database.read(work)

    async def standing(self, guest: Guest) -> Asked:
        return await self._database.read(lambda db: _standing(db, guest))

    async def ask(self, guest: Guest, code: str) -> Asked:
        salt = secrets.token_hex(16)
        hashed = await asyncio.to_thread(_hashed, code, salt)
        whose, at = (clean(guest.platform), clean(guest.person)), guest.since

        def work(db: sqlite3.Connection) -> Asked:
            asked = _standing(db, guest)
            if asked == "open":
                query = "UPDATE pairing_codes SET answered_at = ? WHERE platform = ? AND person = ?"
                db.execute(query, (at, *whose))
            if asked == "new":
                query = "DELETE FROM pairing_codes WHERE created_at <= ? AND answered_at <= ?"
                db.execute(query, (at - CODE_SECONDS, at - ANSWER_SECONDS))
                query = "INSERT OR REPLACE INTO pairing_codes VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                db.execute(query, (*whose, clean(guest.name), clean(guest.chat.key), salt, hashed, at, at))
            return asked

        return await self._database.write(work, durable=True)

    async def withdraw(self, platform: str, person: str) -> None:
        await self._remove("pairing_codes", platform, person)

    async def asking(self, at: float) -> list[Guest]:
        def work(db: sqlite3.Connection) -> list[Guest]:
            query = (
                "SELECT platform, person, name, chat, created_at, '' FROM pairing_codes WHERE created_at > ?"
                " ORDER BY created_at, platform, person"
            )
            return [_guest(row) for row in db.execute(query, (at - CODE_SECONDS,))]

        return await self._database.read(work)

    async def approve(self, code: str, who: str, at: float) -> Guest | WrongCode | PairingLocked:
        locked, found = await self._database.read(lambda db: (_locked(db, at), _open(db, at)))
        if locked is not None:
            return locked
        hashed = await asyncio.to_thread(_matching, code, found)

        def work(db: sqlite3.Connection) -> Guest | WrongCode | PairingLocked:
            if (locked := _locked(db, at)) is not None:  # others tried meanwhile
                return locked
            query = (
                "DELETE FROM pairing_codes WHERE hash = ? AND created_at > ?"
                " RETURNING platform, person, name, chat, created_at, ''"
            )
            row = db.execute(query, (hashed, at - CODE_SECONDS)).fetchone()
            if row is None:
                return _wrong(db, at)
            asked = _guest(row)
            let_in = (clean(who), at)
            query = "INSERT OR REPLACE INTO pairings VALUES (?, ?, ?, ?, ?, ?)"
            db.execute(query, (asked.platform, asked.person, asked.name, asked.chat.key, *let_in))
            return Guest(asked.platform, asked.person, asked.name, asked.chat, at, clean(who))

        return await self._database.write(work, durable=True)

    async def guests(self) -> list[Guest]:
        def work(db: sqlite3.Connection) -> list[Guest]:
            query = (
                "SELECT platform, person, name, chat, created_at, who FROM pairings"
                " ORDER BY created_at, platform, person"
            )
            return [_guest(row) for row in db.execute(query)]

        return await self._database.read(work)

    async def revoke(self, platform: str, person: str) -> bool:
        return await self._remove("pairings", platform, person) > 0

    async def _remove(self, table: str, platform: str, person: str) -> int:
        def work(db: sqlite3.Connection) -> int:
            query = f"DELETE FROM {table} WHERE platform = ? AND person = ?"
            return db.execute(query, (clean(platform), clean(person))).rowcount

        return await self._database.write(work, durable=True)


def _standing(db: sqlite3.Connection, guest: Guest) -> Asked:
    at, whose = guest.since, (clean(guest.platform), clean(guest.person))
    query = "SELECT created_at, answered_at FROM pairing_codes WHERE platform = ? AND person = ?"
    row = db.execute(query, whose).fetchone()
    if row is not None and at - row[1] < ANSWER_SECONDS:
        return "quiet"
    if row is not None and at - row[0] < CODE_SECONDS:
        return "open"
    query = "SELECT count(*) FROM pairing_codes WHERE created_at > ?"
    return "full" if db.execute(query, (at - CODE_SECONDS,)).fetchone()[0] >= OPEN_CODES else "new"


def _open(db: sqlite3.Connection, at: float) -> list[tuple[str, str]]:
    """Salt and hash of each open code."""
    query = "SELECT salt, hash FROM pairing_codes WHERE created_at > ?"
    return [(row[0], row[1]) for row in db.execute(query, (at - CODE_SECONDS,))]


def _locked(db: sqlite3.Connection, at: float) -> PairingLocked | None:
    """Whether the last ten wrong codes came within an hour, and the last one less than an hour ago."""
    rows = db.execute("SELECT at FROM pairing_tries ORDER BY id DESC LIMIT ?", (TRIES,)).fetchall()
    if len(rows) < TRIES or rows[0][0] - rows[-1][0] >= LOCK_SECONDS:
        return None
    until = rows[0][0] + LOCK_SECONDS
    return PairingLocked(until) if at < until else None


def _wrong(db: sqlite3.Connection, at: float) -> WrongCode | PairingLocked:
    """Count a wrong code."""
    db.execute("DELETE FROM pairing_tries WHERE at <= ?", (at - LOCK_SECONDS,))
    db.execute("INSERT INTO pairing_tries (at) VALUES (?)", (at,))
    left = TRIES - int(db.execute("SELECT count(*) FROM pairing_tries").fetchone()[0])
    return WrongCode(left) if left > 0 else PairingLocked(at + LOCK_SECONDS)


def _matching(code: str, found: list[tuple[str, str]]) -> str | None:
    """The hash that this code has among the open ones. Each is compared, and in constant time."""
    matching = None
    for salt, hashed in found:
        if hmac.compare_digest(_hashed(code, salt), hashed):
            matching = hashed
    return matching


def _hashed(code: str, salt: str) -> str:
    """4 MB and about ten milliseconds: a hundred open codes are still compared within a second or two."""
    return hashlib.scrypt(clean(code).encode(), salt=bytes.fromhex(salt), n=2**12, r=8, p=1).hex()


def _guest(row: sqlite3.Row) -> Guest:
    return Guest(row[0], row[1], row[2], ChatRef.parse(row[3]), row[4], row[5])
