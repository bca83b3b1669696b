-- Numbers that are named elsewhere (inbox:55, turn:12, a message that a search found) are never given twice:
-- AUTOINCREMENT.

-- Inbound events, one row each, kept a week so that a redelivered event is known. `wanted`: it was held, and the
-- person said that it is to be answered.
CREATE TABLE inbox (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    platform    TEXT NOT NULL,
    account     TEXT NOT NULL,
    event_id    TEXT NOT NULL,
    session_key TEXT NOT NULL,
    body        TEXT NOT NULL,
    sent_at     REAL NOT NULL,
    received_at REAL NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('new', 'held', 'taken', 'done', 'dead')),
    turn_id     INTEGER REFERENCES turns (id),
    wanted      INTEGER NOT NULL DEFAULT 0,
    attempts    INTEGER NOT NULL DEFAULT 0,
    error       TEXT,
    UNIQUE (platform, account, event_id)
) STRICT;
CREATE INDEX inbox_new ON inbox (id) WHERE state = 'new';
CREATE INDEX inbox_held ON inbox (session_key, id) WHERE state = 'held';
CREATE INDEX inbox_turn ON inbox (turn_id) WHERE turn_id IS NOT NULL;
CREATE INDEX inbox_age ON inbox (received_at);

-- A stretch of one chat with one frozen prompt. At most one is open per session key.
CREATE TABLE sessions (
    id          TEXT PRIMARY KEY,
    session_key TEXT NOT NULL,
    chat        TEXT NOT NULL,
    prompt      TEXT NOT NULL,
    tools       TEXT NOT NULL,
    title       TEXT,
    epoch       INTEGER NOT NULL DEFAULT 0,
    pinned      INTEGER NOT NULL DEFAULT 0,
    started_at  REAL NOT NULL,
    active_at   REAL NOT NULL,
    ended_at    REAL,
    end_reason  TEXT
) STRICT;
CREATE UNIQUE INDEX sessions_open ON sessions (session_key) WHERE ended_at IS NULL;
CREATE INDEX sessions_recent ON sessions (active_at);
CREATE INDEX sessions_chat ON sessions (session_key, active_at);

-- From one inbound message to its final reply.
CREATE TABLE turns (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL REFERENCES sessions (id),
    chat       TEXT NOT NULL,
    epoch      INTEGER NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('running', 'answered', 'stopped', 'failed', 'dropped')),
    reason     TEXT,
    starts     INTEGER NOT NULL DEFAULT 1,
    began_at   REAL NOT NULL,
    ended_at   REAL
) STRICT;
CREATE INDEX turns_running ON turns (id) WHERE state = 'running';
CREATE INDEX turns_session ON turns (session_id);

-- The conversation as the model sees it, row by row. `note` is what the gateway put before the content.
CREATE TABLE messages (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id   TEXT NOT NULL REFERENCES sessions (id),
    turn_id      INTEGER REFERENCES turns (id),
    role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
    content      TEXT NOT NULL,
    note         TEXT NOT NULL DEFAULT '',
    tool_calls   TEXT,
    tool_call_id TEXT,
    model        TEXT,
    created_at   REAL NOT NULL
) STRICT;
CREATE INDEX messages_session ON messages (session_id, id);
CREATE INDEX messages_turn ON messages (turn_id);
CREATE INDEX messages_shown ON messages (session_id, id) WHERE role <> 'tool' AND content <> '';

-- Summaries that stand for the rows up to `upto_message_id`; the rows stay.
CREATE TABLE compactions (
    id              INTEGER PRIMARY KEY,
    session_id      TEXT NOT NULL REFERENCES sessions (id),
    upto_message_id INTEGER NOT NULL,
    summary         TEXT NOT NULL,
    created_at      REAL NOT NULL
) STRICT;
CREATE INDEX compactions_session ON compactions (session_id, id);

-- What must reach a chat, part by part. `source` and `part` name a part for good: turn:12, inbox:55, ...
-- `preview` marks what was streamed; until it is `final`, its text is no answer and is not to be delivered.
CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY,
    chat       TEXT NOT NULL,
    source     TEXT NOT NULL,
    part       INTEGER NOT NULL,
    text       TEXT NOT NULL,
    buttons    TEXT NOT NULL DEFAULT '[]',
    reply_to   TEXT,
    nonce      TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN
               ('preview', 'queued', 'sending', 'sent', 'uncertain', 'refused', 'expired', 'dropped')),
    preview    INTEGER NOT NULL DEFAULT 0,
    final      INTEGER NOT NULL DEFAULT 1,
    remote_id  TEXT,
    tried_at   REAL,
    error      TEXT,
    created_at REAL NOT NULL,
    sent_at    REAL,
    UNIQUE (source, part)
) STRICT;
CREATE INDEX outbox_queued ON outbox (chat, id) WHERE state = 'queued';
CREATE INDEX outbox_sending ON outbox (id) WHERE state = 'sending';
CREATE INDEX outbox_age ON outbox (created_at);

-- What models cost, by session, model and task, summed per day (UTC).
CREATE TABLE session_model_usage (
    session_id TEXT NOT NULL,
    host       TEXT NOT NULL,
    model      TEXT NOT NULL,
    task       TEXT NOT NULL,
    day        TEXT NOT NULL,
    calls      INTEGER NOT NULL DEFAULT 0,
    input      INTEGER NOT NULL DEFAULT 0,
    cached     INTEGER NOT NULL DEFAULT 0,
    output     INTEGER NOT NULL DEFAULT 0,
    cost       REAL,
    seconds    REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (session_id, host, model, task, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_day ON session_model_usage (day, task);

-- Events that could not be handled, with what was wrong.
CREATE TABLE dead_letters (
    id         INTEGER PRIMARY KEY,
    platform   TEXT NOT NULL,
    account    TEXT NOT NULL,
    event_id   TEXT NOT NULL,
    chat       TEXT,
    body       TEXT NOT NULL,
    error      TEXT NOT NULL,
    created_at REAL NOT NULL
) STRICT;

-- Small facts about a chat or the profile: a chosen model, the day of the last hint, the grade of a model.
CREATE TABLE facts (
    scope TEXT NOT NULL,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
