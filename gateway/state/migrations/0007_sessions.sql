-- A session that leaves the archive goes in small steps; from the first one on it is in no list and cannot be resumed.
ALTER TABLE sessions ADD COLUMN leaving INTEGER NOT NULL DEFAULT 0;
DROP INDEX sessions_recent;
CREATE INDEX sessions_recent ON sessions (active_at DESC, id);
CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX sessions_leaving ON sessions (leaving) WHERE leaving > 0;
CREATE INDEX sessions_untitled ON sessions (active_at) WHERE title IS NULL;
-- Which files are still named by somebody.
CREATE INDEX messages_files ON messages (id) WHERE files <> '';
