-- An edit of a message names it by the platform's id of the message, which the stored event holds.
CREATE INDEX inbox_message ON inbox (session_key, json_extract(body, '$.message_id'));
