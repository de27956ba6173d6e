-- Schedules. The first is honker's, to the letter, from which a schedule can be taken over (SCH-12).

-- name: honker_schedules_table
create table if not exists _honker_scheduler_tasks (
    name text primary key,
    queue text not null,
    cron_expr text not null,
    payload text not null,
    priority integer not null default 0,
    expires_s integer,
    next_fire_at integer not null,
    enabled integer not null default 1,
    max_attempts integer not null default 3
)

-- name: schedules_table
-- A definition, and where its schedule stands (SCH-1). Without a `next_fire_at` it fires no more.
create table if not exists _anser_schedules (
    name text primary key,
    queue text not null,
    cron text not null,
    tz text not null,
    payload text not null,
    priority integer not null,
    max_attempts integer not null,
    max_lapses integer not null,
    expires_s integer,
    misfire text not null constraint sch_6_misfire check (misfire in ('all', 'latest', 'skip')),
    grace_s integer not null,
    overlap text not null constraint sch_7_overlap check (overlap in ('allow', 'skip')),
    jitter_s integer not null,
    start_at integer,
    end_at integer,
    max_fires integer,
    paused integer not null constraint sch_4_paused check (paused in (0, 1)),
    anchor_at integer not null,
    next_fire_at integer,
    last_fire_at integer,
    fires integer not null,
    missed integer not null,
    error text,
    created_at integer not null
) strict

-- name: fires_table
-- Which job is of which boundary; of none, where it was run at once (SCH-5, SCH-7).
create table if not exists _anser_fires (
    job_id integer primary key,
    schedule text not null,
    fire_at integer
) strict

-- name: schedules_due_index
create index if not exists _anser_schedules_due
on _anser_schedules (next_fire_at, name)
where paused = 0

-- name: fires_index
-- A boundary is fired once (SCH-5). A job that was run at once is of none, and nulls are never the same.
create unique index if not exists _anser_fires_once on _anser_fires (schedule, fire_at)

-- name: fires_jobs_index
create index if not exists _anser_fires_jobs on _anser_fires (schedule, job_id)
