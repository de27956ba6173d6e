-- Schedules: definitions, what has come due, and which jobs are theirs. A row is written whole; what is due is decided
-- here, and what becomes of each boundary where the calendar is.

-- name: schedule_write
insert or replace into _anser_schedules (
    name, queue, cron, tz, payload, priority, max_attempts, max_lapses, expires_s, misfire, grace_s, overlap, jitter_s,
    start_at, end_at, max_fires, paused, anchor_at, next_fire_at, last_fire_at, fires, missed, error, created_at
)
values (
    :schedule, :queue, :cron, :tz, :payload, :priority, :max_attempts, :max_lapses, :expires_s, :misfire, :grace_s,
    :overlap, :jitter_s, :start_at, :end_at, :max_fires, :paused, :anchor_at, :next_fire_at, :last_fire_at, :fires,
    :missed, :error, :created_at
)

-- name: schedule_move
update _anser_schedules
set
    paused = :paused,
    next_fire_at = :next_fire_at,
    last_fire_at = :last_fire_at,
    fires = :fires,
    missed = :missed,
    error = :error
where name = :schedule

-- name: schedule_get
select
    name, queue, cron, tz, payload, priority, max_attempts, max_lapses, expires_s, misfire, grace_s, overlap, jitter_s,
    start_at, end_at, max_fires, paused, anchor_at, next_fire_at, last_fire_at, fires, missed, error, created_at
from _anser_schedules
where name = :schedule

-- name: schedule_list
select
    name, queue, cron, tz, payload, priority, max_attempts, max_lapses, expires_s, misfire, grace_s, overlap, jitter_s,
    start_at, end_at, max_fires, paused, anchor_at, next_fire_at, last_fire_at, fires, missed, error, created_at
from _anser_schedules
where name > :after_name
order by name
limit :limit

-- name: schedule_due
-- The longest due first (SCH-6).
select
    name, queue, cron, tz, payload, priority, max_attempts, max_lapses, expires_s, misfire, grace_s, overlap, jitter_s,
    start_at, end_at, max_fires, paused, anchor_at, next_fire_at, last_fire_at, fires, missed, error, created_at
from _anser_schedules
where paused = 0 and next_fire_at <= :now
order by next_fire_at, name
limit :limit

-- name: schedule_soonest
select min(next_fire_at)
from _anser_schedules
where paused = 0

-- name: schedule_unregister
delete from _anser_schedules
where name = :schedule
returning name

-- name: schedule_unregister_fires
delete from _anser_fires
where schedule = :schedule

-- name: schedule_pause
update _anser_schedules
set paused = 1
where name = :schedule and paused = 0
returning name

-- name: schedule_leads
-- Whether who ticks holds the lock of the scheduler, at this instant (SCH-11).
select 1
from _honker_locks
where name = :lock and owner = :owner and fence = :fence and expires_at > :now

-- name: schedule_fired
select 1
from _anser_fires
where schedule = :schedule and fire_at = :fire_at

-- name: schedule_fire
-- An id that a foreign hand used twice keeps its last.
insert or replace into _anser_fires (job_id, schedule, fire_at)
values (:job_id, :schedule, :fire_at)

-- name: schedule_running
-- The live jobs among the last that the schedule made, and why one is past saving if it is (SCH-7).
select
    id,
    case
        when state = 'processing' and claim_expires_at >= :now then null
        when expires_at <= :now then 'expired'
        when state = 'pending' and attempts >= max_attempts then 'max attempts exceeded'
        when state = 'processing' and lapses >= max_lapses then 'max lapses exceeded'
    end as reason
from _honker_live
where id in (
    select job_id from _anser_fires
    where schedule = :schedule
    order by job_id desc
    limit :limit
)

-- name: schedule_forget
-- Of the first jobs that the schedule knows, those that are live no more.
delete from _anser_fires
where job_id in (
    select job_id from (
        select job_id from _anser_fires
        where schedule = :schedule
        order by job_id
        limit :limit
    )
    where not exists (select 1 from _honker_live where id = job_id)
)

-- name: schedule_adoptable
select name, queue, cron_expr, payload, priority, expires_s, next_fire_at, enabled, max_attempts
from _honker_scheduler_tasks
where name = :schedule

-- name: schedule_adopted
delete from _honker_scheduler_tasks
where name = :schedule
