"""A seeded archive for the search bench: years of messages in many chats, and the words that were planted in it."""

from __future__ import annotations

import random
import sqlite3
import sys
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

from gateway.state.database import Database
from gateway.state.store import SqliteStore

SEED = 8
VOCABULARY = 20_000
ZIPF = 1.05
BEGIN, END = 1_640_995_200.0, 1_796_040_000.0
"""2022-01-01 and 2026-11-30, in seconds since the epoch."""

CHATS = 300
SESSION = 150
"""Messages of a session."""

QUIET_CHAT = "telegram:4711"
"""A chat in which little was said: one message of so many."""

QUIET_SHARE = 5_000
COMMON = (
    "the of and to in a is that it for you was with on as have but be they we at this not are or by from what can all"
    " if will there when up use your how said an each which she do their time about out many then them these so some"
    " her would make like him into has look two more write go see number no way could people my than first been call"
    " who its now find long down day did get come made may part"
)
"""Words in the order of how often they are said."""

ONSETS = "b br c ch cl d dr f fl g gr h j k l m n p pl pr qu r s sh st t tr v w z"
VOWELS = "a e i o u ai ea ou"
CODAS = ["", "", "n", "r", "s", "t", "l", "m", "lm", "ck"]
KANA = "の は を に が で と も から まで です ます した する"
HAN = 1_500
"""Different characters in the Chinese and Japanese messages."""

FIXED_CJK = ("京都", "会议", "東京大学", "人工知能", "天气预报", "再起動")


class Writer:
    """Makes messages, always the same for a seed."""

    def __init__(self, seed: int = SEED) -> None:
        self._random = random.Random(seed)
        self._onsets, self._vowels, self._kana = ONSETS.split(), VOWELS.split(), KANA.split()
        self.words = self._invented(COMMON.split(), VOCABULARY)
        self._weights = list(accumulate(1 / rank**ZIPF for rank in range(1, VOCABULARY + 1)))
        signs = [chr(0x4E00 + (7 * number) % 20_000) for number in range(HAN)]
        pairs = ["".join(self._random.choices(signs, k=2)) for _ in range(4_000)]
        self._cjk = [*FIXED_CJK[:2], *pairs[:600], *FIXED_CJK[2:], *pairs[600:]]
        self._cjk_weights = list(accumulate(1 / rank**ZIPF for rank in range(1, len(self._cjk) + 1)))

    def _invented(self, common: list[str], count: int) -> list[str]:
        draw, found = self._random.choice, dict.fromkeys(common)
        while len(found) < count:
            syllables = range(draw((1, 2, 2, 3)))
            found["".join(draw(self._onsets) + draw(self._vowels) + draw(CODAS) for _ in syllables)] = None
        return list(found)

    def message(self) -> str:
        """Around 290 characters; one in twenty in Chinese or Japanese, one in five with a name, a code or a path."""
        kind = self._random.random()
        length = max(1, int(self._random.gammavariate(2.2, 23.8)))
        if kind < 0.05:
            return self._unspaced(length)
        words = self._random.choices(self.words, cum_weights=self._weights, k=length)
        if kind < 0.25:
            words.insert(self._random.randrange(length + 1), self._name())
        text = " ".join(words)
        return f"{text[:1].upper()}{text[1:]}{self._random.choice('..?!')}"

    def _unspaced(self, length: int) -> str:
        words = self._random.choices(self._cjk, cum_weights=self._cjk_weights, k=max(2, length))
        pieces = [word + self._random.choice(self._kana) if self._random.random() < 0.5 else word for word in words]
        if self._random.random() < 0.2:
            pieces.insert(len(pieces) // 2, self._random.choice(("redis", "docker", "api", "iphone")))
        return "".join(pieces) + "。"

    def _name(self) -> str:
        number, word = self._random.randrange(100_000), self._random.choice(self.words[100:5_000])
        other = self._random.choice(self.words[100:5_000])
        match self._random.randrange(9):
            case 0:
                return f"INV-2026-{number:05}"
            case 1:
                return f"/srv/{word}/{other}/{number % 97}.log"
            case 2:
                return f"{word}.{other}@example.org"
            case 3:
                return f"{word}_{other}()"
            case 4:
                return f"v{number % 9}.{number % 31}.{number % 17}-rc{number % 5}"
            case 5:
                return f"${number / 10:,.2f}"
            case 6:
                return self._random.choice(("c++", "c#", ".NET", "node.js", "don't", "AT&T", "🎉", "#release"))
            case 7:
                return f"src/{word}/{other}.py:{number % 400}"
            case _:
                return f"{word.title()} {other.title()}"


def rows(count: int, seed: int = SEED) -> Iterator[tuple[str, str, str, str, float]]:
    """Session key, session id, role, text and time of each message, in the order of saying. Chats take turns."""
    writer, chance = Writer(seed), random.Random(seed + 1)
    said = [0] * CHATS
    for number in range(count):
        at = BEGIN + (END - BEGIN) * number / count
        chat = min(int(chance.expovariate(8 / CHATS)), CHATS - 1)
        key = f"telegram:{1000 + chat}"
        if number % QUIET_SHARE == 7:
            key = QUIET_CHAT
        said[chat] += 1
        name = f"quiet-{key}" if key == QUIET_CHAT else f"20260101-{chat:03x}{said[chat] // SESSION:05x}"
        text = writer.message()
        if number == count // 3:
            text += " xylophonist"
        yield key, name, "assistant" if number % 2 else "user", text, at


async def archive(folder: Path, count: int) -> Path:
    """The database with so many messages, made unless it is there. Nothing of it is indexed yet."""
    path = folder / f"archive-{count}-{SEED}.db"
    done = path.with_suffix(".whole")
    if not done.exists():
        for each in folder.glob(path.name + "*"):
            each.unlink()
        database = (store := await SqliteStore.open(path)).database
        await _fill(database, count)
        await store.close()
        done.touch()
    return path


async def _fill(database: Database, count: int) -> None:
    began, batch = time.monotonic(), []
    for number, row in enumerate(rows(count), 1):
        batch.append(row)
        if len(batch) == 5_000 or number == count:
            await database.write(_adding(batch))
            batch = []
            progress("writing messages", number, count, began)


def _adding(batch: list[tuple[str, str, str, str, float]]) -> Any:
    def work(db: sqlite3.Connection) -> None:
        sessions = {name: (name, key, key, at, at, at) for key, name, _, _, at in batch}
        db.executemany(
            "INSERT INTO sessions (id, session_key, chat, prompt, tools, started_at, active_at, ended_at)"
            " VALUES (?, ?, ?, '', '[]', ?, ?, ?) ON CONFLICT (id) DO UPDATE SET active_at = excluded.active_at",
            list(sessions.values()),
        )
        db.executemany(
            "INSERT INTO messages (session_id, role, content, created_at) VALUES (?, ?, ?, ?)",
            [(name, role, text, at) for _, name, role, text, at in batch],
        )

    return work


def progress(what: str, done: int, of: int, began: float) -> None:
    """A line on standard error that replaces itself."""
    spent = time.monotonic() - began
    end = "\n" if done >= of else ""
    print(f"\r{what}: {done:,} of {of:,}, {spent:.0f} s", end=end, file=sys.stderr, flush=True)
