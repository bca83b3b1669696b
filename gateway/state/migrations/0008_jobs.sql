-- What jobs there are. `considered_at`: runs up to this moment were seen to. A removed job stays as a tombstone, so that
-- nothing brings it back: what came with the program, and a run that was on its way. enabled = 0: proposed only.
-- paused_until: NULL until it is resumed.
CREATE TABLE jobs (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('prompt', 'maintenance')),
    schedule      TEXT NOT NULL,
    zone          TEXT NOT NULL,
    prompt        TEXT NOT NULL DEFAULT '',
    skills        TEXT NOT NULL DEFAULT '[]',
    model         TEXT NOT NULL DEFAULT '',
    chat_key      TEXT NOT NULL DEFAULT '',
    silent_unless TEXT NOT NULL DEFAULT '',
    budget        INTEGER,
    origin        TEXT NOT NULL CHECK (origin IN ('person', 'assistant', 'import', 'house')),
    owner         TEXT NOT NULL DEFAULT '',
    enabled       INTEGER NOT NULL DEFAULT 1,
    paused_until  REAL DEFAULT 0,
    considered_at REAL NOT NULL,
    failures      INTEGER NOT NULL DEFAULT 0,
    version       INTEGER NOT NULL DEFAULT 0,
    created_at    REAL NOT NULL,
    changed_at    REAL NOT NULL,
    removed_at    REAL
) STRICT;
CREATE UNIQUE INDEX jobs_name ON jobs (name_key) WHERE removed_at IS NULL;

-- What jobs were before they were changed; `before` holds it as JSON.
CREATE TABLE job_edits (
    id     INTEGER PRIMARY KEY,
    job_id INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    at     REAL NOT NULL,
    who    TEXT NOT NULL,
    what   TEXT NOT NULL CHECK (what IN ('edited', 'paused', 'resumed', 'enabled', 'removed')),
    before TEXT NOT NULL
) STRICT;
CREATE INDEX job_edits_job ON job_edits (job_id, id);

-- Runs. The number of one is never given to another: it names the answer's message parts. epoch: raised by every claim,
-- so that who lost it can write nothing. The answer is kept before it is delivered.
CREATE TABLE job_runs (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id       INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    cause        TEXT NOT NULL CHECK (cause IN ('schedule', 'person')),
    scheduled_at REAL NOT NULL,
    asked_at     REAL NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('waiting', 'claimed', 'done', 'silent', 'failed', 'skipped')),
    who          TEXT NOT NULL DEFAULT '',
    dry          INTEGER NOT NULL DEFAULT 0,
    coalesced    INTEGER NOT NULL DEFAULT 0,
    starts       INTEGER NOT NULL DEFAULT 0,
    epoch        INTEGER NOT NULL DEFAULT 0,
    owner        TEXT NOT NULL DEFAULT '',
    lease_until  REAL NOT NULL DEFAULT 0,
    started_at   REAL NOT NULL DEFAULT 0,
    ended_at     REAL NOT NULL DEFAULT 0,
    answer       TEXT NOT NULL DEFAULT '',
    delivery     TEXT NOT NULL DEFAULT 'none'
                 CHECK (delivery IN ('none', 'owed', 'delivered', 'failed', 'withheld')),
    error        TEXT NOT NULL DEFAULT '',
    tokens       INTEGER NOT NULL DEFAULT 0,
    notice       TEXT NOT NULL DEFAULT '' CHECK (notice IN ('', 'owed', 'told')),
    UNIQUE (job_id, cause, scheduled_at)
) STRICT;
CREATE UNIQUE INDEX job_runs_one ON job_runs (job_id) WHERE state = 'claimed';
CREATE INDEX job_runs_waiting ON job_runs (job_id) WHERE state = 'waiting';
CREATE INDEX job_runs_owed ON job_runs (id) WHERE notice = 'owed';
CREATE INDEX job_runs_job ON job_runs (job_id, id);
