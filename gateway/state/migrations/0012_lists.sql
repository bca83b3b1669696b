-- Lists of the sessions that are open, and of those that are pinned, by their last activity.
CREATE INDEX sessions_going ON sessions (active_at DESC, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_pinned ON sessions (active_at DESC, id) WHERE pinned = 1;
