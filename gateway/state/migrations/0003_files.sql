-- Files: what came with a message or is to be sent (JSON lists of kind, name, media type, path); where the bytes lie is
-- the profile's cache.
ALTER TABLE messages ADD COLUMN files TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN file TEXT NOT NULL DEFAULT '';
CREATE INDEX outbox_files ON outbox (id) WHERE file <> '';
