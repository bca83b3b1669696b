-- A turn that a job's run asked for: `run` is that run's number, which is never given twice. `unsaid`: nothing of it was
-- shown to anybody, so its rows are kept, and are no part of the conversation.
ALTER TABLE turns ADD COLUMN run INTEGER;
ALTER TABLE turns ADD COLUMN unsaid INTEGER NOT NULL DEFAULT 0;
CREATE INDEX turns_run ON turns (run) WHERE run IS NOT NULL;
CREATE INDEX turns_unsaid ON turns (session_id) WHERE unsaid = 1;
