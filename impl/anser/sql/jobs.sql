-- Jobs: enqueue, cancel, look up, pause.

-- name: enqueue
insert into _honker_live (
    queue, payload, state, priority, run_at, attempts, max_attempts, max_lapses, created_at, expires_at, unique_key
)
values (:queue, :payload, 'pending', :priority, :run_at, 0, :max_attempts, :max_lapses, :now, :expires_at, :unique_key)

-- name: enqueue_key_holder
-- The live job with the key, and why it is past saving if it is (JOB-6, JOB-7).
select
    id,
    case
        when state = 'processing' and claim_expires_at >= :now then null
        when expires_at <= :now then 'expired'
        when state = 'pending' and attempts >= max_attempts then 'max attempts exceeded'
        when state = 'processing' and lapses >= max_lapses then 'max lapses exceeded'
    end as reason
from _honker_live
where queue = :queue and unique_key = :unique_key

-- name: cancel
-- Also rows whose state nobody knows can leave this way (DED-8).
delete from _honker_live
where id = :id and queue = :queue
returning attempts

-- name: get_job
select
    id, queue, payload, state, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, expires_at,
    unique_key, last_error, worker_id, fence, claimed_at, claim_expires_at
from _honker_live
where id = :id and queue = :queue

-- name: get_job_dead
select
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key, reason,
    last_error, died_at
from _honker_dead
where id = :id and queue = :queue

-- name: get_job_finished
select id, queue, state, attempts, ended_at
from _anser_finished
where id = :id and queue = :queue

-- name: list_jobs
select
    id, queue, payload, state, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, expires_at,
    unique_key, last_error, worker_id, fence, claimed_at, claim_expires_at
from _honker_live
where queue = :queue and id > :after_id and (:state is null or state = :state)
order by id
limit :limit

-- name: count_jobs
select
    count(*) filter (where state = 'pending') as pending,
    count(*) filter (where state = 'pending' and run_at <= :now) as due,
    count(*) filter (where state = 'processing') as processing,
    (select count(*) from _honker_dead where queue = :queue) as dead
from _honker_live
where queue = :queue

-- name: queue_pause
insert into _anser_paused (queue, paused_at)
values (:queue, :now)
on conflict (queue) do nothing
returning queue

-- name: queue_resume
delete from _anser_paused
where queue = :queue
returning queue

-- name: finish
-- History (JOB-11). An id that a foreign hand used twice keeps its last end.
insert or replace into _anser_finished (id, queue, state, attempts, ended_at)
values (:id, :queue, :state, :attempts, :now)

-- name: finish_forget
-- Two out for one in: history shrinks to its bound also after the bound has been lowered (JOB-11).
delete from _anser_finished
where id in (
    select id from _anser_finished
    where id < :id - :history_ids
    order by id
    limit :limit
)
