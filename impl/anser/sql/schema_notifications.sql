-- Notifications: honker's table, to the letter, and what Anser remembers beside it (STO-1).

-- name: notifications_table
create table if not exists _honker_notifications (
    id integer primary key autoincrement,
    channel text not null,
    payload text not null,
    created_at integer not null default (unixepoch())
)

-- name: channels_table
-- A row for each channel of which something is gone: the greatest id among it (NTF-4).
create table if not exists _anser_channels (
    channel text primary key,
    pruned_id integer not null
)
