-- The on-disk format (STO-1 … ). The tables `_honker_*` are honker 0.5's, to the letter, with columns added behind
-- theirs; what Anser needs beside them is named `_anser_*`. Every statement can be run again.

-- name: format_table
-- Which format the file has (STO-3). One row.
create table if not exists _anser_format (
    one integer primary key check (one = 1),
    version integer not null
)

-- name: fence_table
-- The last fence given. One counter for the file, so a fence grows also across death, requeue and foreign claims
-- (CLM-7).
create table if not exists _anser_fence (
    one integer primary key check (one = 1),
    fence integer not null
)

-- name: paused_table
create table if not exists _anser_paused (
    queue text primary key,
    paused_at integer not null
)

-- name: finished_table
-- What became of jobs that are neither live nor dead (JOB-11).
create table if not exists _anser_finished (
    id integer primary key,
    queue text not null,
    state text not null constraint job_1_finished_state check (state in ('done', 'cancelled')),
    attempts integer not null,
    ended_at integer not null
)

-- name: live_table
create table if not exists _honker_live (
    id integer primary key autoincrement,
    queue text not null,
    payload text not null,
    state text not null default 'pending',
    priority integer not null default 0,
    run_at integer not null default (unixepoch()),
    worker_id text,
    claim_expires_at integer,
    attempts integer not null default 0,
    max_attempts integer not null default 3,
    created_at integer not null default (unixepoch()),
    expires_at integer
)

-- name: dead_table
create table if not exists _honker_dead (
    id integer primary key,
    queue text not null,
    payload text not null,
    priority integer not null default 0,
    run_at integer not null default 0,
    attempts integer not null default 0,
    max_attempts integer not null default 0,
    last_error text,
    created_at integer not null default (unixepoch()),
    died_at integer not null default (unixepoch())
)

-- name: locks_table
create table if not exists _honker_locks (
    name text primary key,
    owner text not null,
    expires_at integer not null
)
