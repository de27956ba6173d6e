-- What the tables of streams have beside them.

-- name: honker_stream_topic_index
-- honker's own, by its name.
create index if not exists _honker_stream_topic on _honker_stream (topic, offset)

-- name: stream_lapsed_index
-- The longest lapsed entries of a group are its first rows (STR-7).
create index if not exists _anser_stream_lapsed on _anser_stream_pending (topic, group_name, expires_at, offset)

-- name: stream_pending_index
-- Whether any group has an entry pending, for the trim (STR-10).
create index if not exists _anser_stream_pending_offset on _anser_stream_pending (offset)
