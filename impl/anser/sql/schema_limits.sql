-- What limits keep (LIM). The windows are honker 0.5's, to the letter.

-- name: rate_limits_table
create table if not exists _honker_rate_limits (
    name text not null,
    window_start integer not null,
    count integer not null default 0,
    primary key (name, window_start)
)

-- name: buckets_table
-- The level is in tokens times `per_s`: then `capacity` come each second, and nothing is rounded (LIM-5).
create table if not exists _anser_buckets (
    key text primary key,
    capacity integer not null constraint lim_4_capacity check (capacity > 0),
    per_s integer not null constraint lim_4_per_s check (per_s > 0),
    level integer not null constraint lim_4_level check (level between 0 and capacity * per_s),
    at integer not null
)

-- name: slots_table
-- A lease is its job and its fence; the row means nothing when that lease is over (LIM-10).
create table if not exists _anser_slots (
    key text not null,
    job_id integer not null,
    fence integer not null,
    primary key (key, job_id)
)
