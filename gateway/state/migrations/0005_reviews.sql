-- Per session and kind: the message up to which reviews have seen it, and the one from which the cadence counts on (a
-- foreground write of that kind lets it begin anew). What is counted are the rows themselves, so no count can be lost.
CREATE TABLE review_marks (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('memory', 'skill')),
    counted    INTEGER NOT NULL DEFAULT 0,
    seen       INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session_id, kind)
) STRICT, WITHOUT ROWID;

-- Reviews that wait, and those that run: of each, one a session. A number is the review's for good, in the books too.
-- back_at: when it was last put back. epoch: raised by every claim, so that who lost it can write nothing.
CREATE TABLE review_queue (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    state          TEXT NOT NULL CHECK (state IN ('waiting', 'running')),
    kinds          TEXT NOT NULL CHECK (kinds IN ('memory', 'skill', 'memory+skill')),
    cause          TEXT NOT NULL CHECK (cause IN ('cadence', 'compaction', 'boundary', 'person')),
    focus          TEXT NOT NULL DEFAULT '',
    upto           INTEGER NOT NULL,
    first_asked_at REAL NOT NULL,
    asked_at       REAL NOT NULL,
    back_at        REAL NOT NULL DEFAULT 0,
    cancelled      INTEGER NOT NULL DEFAULT 0,
    failed         INTEGER NOT NULL DEFAULT 0,
    died           INTEGER NOT NULL DEFAULT 0,
    reason         TEXT NOT NULL DEFAULT '',
    progress       TEXT NOT NULL DEFAULT '',
    input          INTEGER NOT NULL DEFAULT 0,
    cached         INTEGER NOT NULL DEFAULT 0,
    output         INTEGER NOT NULL DEFAULT 0,
    calls          INTEGER NOT NULL DEFAULT 0,
    cost           REAL,
    seconds        REAL NOT NULL DEFAULT 0,
    epoch          INTEGER NOT NULL DEFAULT 0,
    owner          TEXT NOT NULL DEFAULT '',
    lease_until    REAL NOT NULL DEFAULT 0,
    UNIQUE (session_id, state)
) STRICT;

-- What became of reviews; kept when the session goes, as what they cost is. memory_after, skill_after: the messages
-- above it, up to `upto`, were reviewed for that kind; NULL when the review was not about it.
CREATE TABLE review_results (
    id             INTEGER PRIMARY KEY,
    session_id     TEXT NOT NULL,
    kinds          TEXT NOT NULL,
    cause          TEXT NOT NULL,
    outcome        TEXT NOT NULL CHECK (outcome IN
                   ('none', 'memory', 'skill', 'memory+skill', 'error', 'dropped')),
    reason         TEXT NOT NULL DEFAULT '',
    memory_after   INTEGER,
    skill_after    INTEGER,
    upto           INTEGER NOT NULL,
    first_asked_at REAL NOT NULL,
    ended_at       REAL NOT NULL,
    host           TEXT NOT NULL,
    model          TEXT NOT NULL,
    cancelled      INTEGER NOT NULL,
    failed         INTEGER NOT NULL,
    died           INTEGER NOT NULL,
    input          INTEGER NOT NULL,
    cached         INTEGER NOT NULL,
    output         INTEGER NOT NULL,
    calls          INTEGER NOT NULL,
    cost           REAL,
    seconds        REAL NOT NULL
) STRICT;
CREATE INDEX review_results_ended ON review_results (ended_at, id);
CREATE INDEX review_results_session ON review_results (session_id, ended_at);

-- What reviews wrote, under the name by which the journal or the pending store knows it, and what became of it.
CREATE TABLE review_writes (
    review_id INTEGER NOT NULL,
    ref       TEXT NOT NULL,
    kind      TEXT NOT NULL CHECK (kind IN ('memory', 'skill')),
    fate      TEXT NOT NULL CHECK (fate IN ('kept', 'waiting', 'rejected', 'undone')),
    PRIMARY KEY (review_id, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX review_writes_ref ON review_writes (ref);
