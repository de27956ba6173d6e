-- The tables of streams. Those of honker are its own, to the letter; groups of workers and what was trimmed are ours.

-- name: stream_table
-- Offsets are given once, also when the last entry is trimmed (STR-1).
create table if not exists _honker_stream (
    offset integer primary key autoincrement,
    topic text not null,
    key text,
    payload text not null,
    created_at integer not null default (unixepoch())
)

-- name: stream_consumers_table
create table if not exists _honker_stream_consumers (
    name text not null,
    topic text not null,
    offset integer not null default 0,
    primary key (name, topic)
)

-- name: stream_trimmed_table
-- The last offset that was trimmed of a topic, so that a slow reader is told (STR-3).
create table if not exists _anser_stream_trimmed (
    topic text primary key,
    offset integer not null
)

-- name: stream_groups_table
create table if not exists _anser_stream_groups (
    topic text not null,
    group_name text not null,
    offset integer not null,
    primary key (topic, group_name)
)

-- name: stream_pending_table
-- What workers of a group were given and have not acked (STR-6).
create table if not exists _anser_stream_pending (
    topic text not null,
    group_name text not null,
    offset integer not null,
    worker text not null,
    fence integer not null,
    expires_at integer not null,
    deliveries integer not null,
    primary key (topic, group_name, offset)
)
