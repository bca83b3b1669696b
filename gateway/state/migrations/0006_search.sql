-- The index of what was said. Each generation is a table of its own, search_words_<number>; a new one is built beside
-- the one that serves, and takes its place when it is whole. Its rows are those of `messages` up to `upto`, but for
-- those in search_failed, each as `preparation` made it. It holds no text, so what leaves it must be told exactly.
CREATE TABLE search_generations (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    preparation TEXT NOT NULL,
    upto        INTEGER NOT NULL DEFAULT 0,
    state       TEXT NOT NULL CHECK (state IN ('serving', 'damaged', 'building', 'leaving')),
    reason      TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO search_generations (preparation, state) VALUES ('', 'serving');
CREATE VIRTUAL TABLE search_words_1 USING fts5 (text, content = '', columnsize = 0, tokenize = 'ascii');
INSERT INTO search_words_1 (search_words_1, rank) VALUES ('automerge', 0);
CREATE VIRTUAL TABLE search_vocabulary_1 USING fts5vocab (search_words_1, instance);

-- Sessions and chats as the index names them. A chat that moves keeps the number that its messages are indexed under,
-- and may have several: who reads the index looks up the session's own key afterwards.
CREATE TABLE search_sessions (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL UNIQUE,
    chat       INTEGER NOT NULL
) STRICT;
CREATE TABLE search_chats (
    session_key TEXT NOT NULL,
    number      INTEGER NOT NULL,
    PRIMARY KEY (session_key, number)
) STRICT, WITHOUT ROWID;

-- When the messages of 1,024 ids were said: ids grow with time, but what was imported is older than its ids.
CREATE TABLE search_times (
    block    INTEGER PRIMARY KEY,
    earliest REAL NOT NULL,
    latest   REAL NOT NULL
) STRICT;

-- Messages that could not be indexed; they are searched one by one, and indexed again.
CREATE TABLE search_failed (
    generation INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    error      TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    PRIMARY KEY (generation, message_id)
) STRICT, WITHOUT ROWID;

-- What was indexed of messages that were changed or deleted since, until it has left the index.
CREATE TABLE search_gone (
    message_id INTEGER PRIMARY KEY,
    session    INTEGER NOT NULL,
    chat       INTEGER NOT NULL,
    content    TEXT NOT NULL
) STRICT;
CREATE TRIGGER search_deleted AFTER DELETE ON messages
WHEN OLD.role <> 'tool' AND OLD.content <> '' AND OLD.id <= (SELECT max(upto) FROM search_generations)
BEGIN
    INSERT OR IGNORE INTO search_gone (message_id, session, chat, content)
    SELECT OLD.id, number, chat, OLD.content FROM search_sessions WHERE session_id = OLD.session_id;
END;
CREATE TRIGGER search_changed AFTER UPDATE OF content ON messages
WHEN OLD.role <> 'tool' AND OLD.content <> NEW.content AND OLD.id <= (SELECT max(upto) FROM search_generations)
BEGIN
    INSERT OR IGNORE INTO search_gone (message_id, session, chat, content)
    SELECT OLD.id, number, chat, OLD.content FROM search_sessions WHERE session_id = OLD.session_id;
END;
CREATE TRIGGER search_moved AFTER UPDATE OF session_key ON sessions WHEN OLD.session_key <> NEW.session_key
BEGIN
    INSERT OR IGNORE INTO search_chats (session_key, number)
    SELECT NEW.session_key, chat FROM search_sessions WHERE session_id = NEW.id;
END;
CREATE TRIGGER search_left AFTER DELETE ON sessions
BEGIN
    DELETE FROM search_sessions WHERE session_id = OLD.id;
END;
