-- What may still become of the writes of reviews is looked through after each decision. (Some databases have it.)
CREATE INDEX IF NOT EXISTS review_writes_fate ON review_writes (kind, fate);
