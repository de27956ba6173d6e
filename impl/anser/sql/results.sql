-- Results. Who does not hold the job saves none (RES-1); what is over is not seen (RES-5).

-- name: result_save
-- One a job: the last that was saved stands (RES-2).
insert or replace into _honker_results (job_id, queue, value, created_at, expires_at)
select id, queue, :value, :now, :expires_at
from _honker_live
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now
returning expires_at

-- name: result_get
select value
from _honker_results
where job_id = :id and (queue = :queue or queue is null) and (expires_at > :now or expires_at is null)
and value is not null

-- name: result_sweep
delete from _honker_results
where job_id in (
    select job_id from _honker_results
    where expires_at <= :now
    order by expires_at, job_id
    limit :limit
)
returning job_id

-- name: result_prune
-- Those that nobody gave an end, by the instant at which they were saved (RES-12).
delete from _honker_results
where job_id in (
    select job_id from _honker_results
    where expires_at is null and created_at <= :before
    order by created_at, job_id
    limit :limit
)
returning job_id
