-- Words about a lease. Each `where` is the refusal: job, queue, holder, fence, and that the lease holds (CLM-8).

-- name: ack
delete from _honker_live
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning attempts

-- name: ack_batch
-- Many of one fence: their ends are filed (JOB-11), and `ack_batch_remove` is the other half. Each is found by its id,
-- never by an index that other jobs in flight are in too.
insert or replace into _anser_finished (id, queue, state, attempts, ended_at)
select id, queue, 'done', attempts, :now
from (select value from json_each(:ids)) as wanted, _honker_live not indexed
where id = wanted.value and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning id

-- name: ack_batch_remove
delete from _honker_live
where id in (select value from json_each(:ids))

-- name: heartbeat
update _honker_live
set claim_expires_at = :expires_at
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning claim_expires_at

-- name: release
-- The claim's attempt is given back (CLM-12).
update _honker_live
set
    state = 'pending',
    run_at = coalesce(:run_at, run_at),
    attempts = max(attempts - 1, 0),
    worker_id = null,
    claim_expires_at = null,
    claimed_at = null
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning run_at

-- name: retry
-- Only while attempts are left; the last one is `retry_exhausted` (RET-1, RET-2).
update _honker_live
set
    state = 'pending',
    run_at = :run_at,
    last_error = coalesce(:error, last_error),
    worker_id = null,
    claim_expires_at = null,
    claimed_at = null
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
and attempts < max_attempts
returning run_at

-- name: bury_held
-- First half of the move of a held job to the dead; `bury_remove` is the other, in the same savepoint (DED-1).
insert into _honker_dead (
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key, reason,
    last_error, died_at
)
select
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key, :reason,
    coalesce(:error, last_error, :reason), :now
from _honker_live
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning id
