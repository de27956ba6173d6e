-- What is told of jobs (EVT-1). What tells it, the triggers, is in a file only while it is asked for: see events.sql.

-- name: events_table
-- `autoincrement`, so that an id tells of one event only, also when all are forgotten.
create table if not exists _anser_events (
    id integer primary key autoincrement,
    kind text not null,
    queue text not null,
    job_id integer not null,
    attempts integer not null,
    worker text,
    reason text,
    at integer
)

-- name: events_on_table
-- One row while the file tells events, none while it does not (EVT-3).
create table if not exists _anser_events_on (
    one integer primary key check (one = 1),
    keep integer not null
)
