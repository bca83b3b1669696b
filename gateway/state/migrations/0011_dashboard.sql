-- Links that log a person into the dashboard once, by their hashes, and who is logged in. `chat` is where a person
-- asked for the link; empty for the shell. `role` is the one at the login: whoever falls below an operator is out.
CREATE TABLE dashboard_links (
    hash TEXT PRIMARY KEY,
    who TEXT NOT NULL,
    chat TEXT NOT NULL,
    expires_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE dashboard_sessions (
    id TEXT PRIMARY KEY,
    who TEXT NOT NULL,
    chat TEXT NOT NULL,
    role INTEGER NOT NULL,
    created_at REAL NOT NULL,
    expires_at REAL NOT NULL
) WITHOUT ROWID;
