"""What is done when a table of the search's index is broken: that is noticed, and another generation is begun.

No row, and nothing that somebody wants forgotten, ever waits for the index to be whole.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from gateway.state.search_index import Generation, damaged, generations, serving


def broken(error: BaseException | None) -> bool:
    """Whether a table of the index may be damaged, or is not what it should be."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    return code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)


def carefully(db: sqlite3.Connection, work: Callable[[], int]) -> int:
    """Do a part of the work at the index, with what follows from it at the end of a savepoint; how much it was. If a
    table turns out to be broken, nothing of it stays, and another generation is begun."""
    db.execute("SAVEPOINT index_step")
    try:
        done = work()
        db.execute("SAVEPOINT index_written")  # only now the index writes most of it, and here it can be undone
    except sqlite3.DatabaseError as error:
        if not db.in_transaction or not broken(error):
            raise
        db.execute("ROLLBACK TO index_step")
        for each in generations(db):
            if each.kept:
                damaged(db, each.number, str(error))
        done = 1
    db.execute("RELEASE index_step")
    return done


def give_up(db: sqlite3.Connection) -> bool:
    """The generation that serves cannot be read."""
    if (generation := serving(db)) is not None:
        damaged(db, generation.number, "it was damaged")
    return True


def give_up_unless_it_answers(db: sqlite3.Connection) -> bool:
    """Whether it is given up: it may as well be the question that cannot be understood."""
    generation = serving(db)
    return generation is not None and not _answers(db, generation) and give_up(db)


def _answers(db: sqlite3.Connection, generation: Generation) -> bool:
    """Whether a generation answers the plainest question."""
    try:
        db.execute(f"SELECT rowid FROM {generation.table} WHERE {generation.table} MATCH '\"a\"' LIMIT 1").fetchone()
        db.execute(f"SELECT term FROM {generation.vocabulary} WHERE term >= 'a' LIMIT 1").fetchone()
    except sqlite3.DatabaseError:
        return False
    return True
