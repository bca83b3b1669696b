-- Where text came from that nobody vouches for (document, web, mcp, job); empty for everything else. What a model
-- wants to keep after such a row waits for a person's yes.
ALTER TABLE messages ADD COLUMN untrusted TEXT NOT NULL DEFAULT '';
CREATE INDEX messages_untrusted ON messages (session_id, id) WHERE untrusted <> '';

-- Codes for people whom nobody knows yet. A code is bound to who asked for it, and only its salted hash is kept.
-- answered_at: when the asker was last told something.
CREATE TABLE pairing_codes (
    platform    TEXT NOT NULL,
    person      TEXT NOT NULL,
    name        TEXT NOT NULL DEFAULT '',
    chat        TEXT NOT NULL,
    salt        TEXT NOT NULL,
    hash        TEXT NOT NULL,
    created_at  REAL NOT NULL,
    answered_at REAL NOT NULL,
    PRIMARY KEY (platform, person)
) STRICT, WITHOUT ROWID;

-- People who were let in with a code: they may talk in direct chats, and are users.
CREATE TABLE pairings (
    platform   TEXT NOT NULL,
    person     TEXT NOT NULL,
    name       TEXT NOT NULL DEFAULT '',
    chat       TEXT NOT NULL,
    who        TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (platform, person)
) STRICT, WITHOUT ROWID;

-- Wrong codes, for the limit on tries.
CREATE TABLE pairing_tries (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL
) STRICT;

-- Which of our messages have buttons, for judging a press.
CREATE INDEX outbox_offers ON outbox (chat, remote_id) WHERE buttons <> '[]';
