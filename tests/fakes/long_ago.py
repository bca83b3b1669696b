"""Something that was said long ago, in words that are in everything said since; and searches without time."""

from __future__ import annotations

import random

from gateway.state.contract import CHAT
from gateway.state.contract_search import indexed, said
from gateway.state.search_discovery import Haste
from gateway.state.store import SqliteStore
from tests.bench.archive import COMMON

BETWEEN = 200_000
"""Ids without messages between the oldest one and the others, as if so much else had been said."""

COMMONEST = COMMON.split()[:12]
EVERYWHERE = " ".join(COMMONEST)
OLD = f"Please remember {EVERYWHERE}, will you?"
LATE = Haste(work=0.0, wall=0.0)
"""A search whose time is over when it begins: it looks at one stretch."""


async def long_ago(store: SqliteStore) -> None:
    """The session `old`, in which the commonest words follow each other, and many that have them in another order."""
    await said(store, "old", [OLD])
    await store.database.write(
        lambda db: db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", (BETWEEN,))
    )
    mixed = random.Random(7)
    for number in range(10):
        texts = [f"{' '.join(mixed.sample(COMMONEST[1:], 11))} {COMMONEST[0]}" for _ in range(40)]
        await said(store, f"new{number}", texts, CHAT)
    await indexed(store)
