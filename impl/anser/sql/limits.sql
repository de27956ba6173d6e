-- Limits. A try is refused in the `where` of its own statement.

-- name: rate_limit_try
insert into _honker_rate_limits (name, window_start, count)
values (:key, :window_start, 1)
on conflict (name, window_start) do update
set count = count + 1
where count < :most
returning count

-- name: rate_limit_sweep
-- By key, which is the order of the table's own index: a walk ends when it has found enough.
delete from _honker_rate_limits
where rowid in (
    select rowid from _honker_rate_limits
    where window_start < :now - :older_than_s
    order by name, window_start
    limit :limit
)
returning window_start

-- name: token_bucket_try
-- What is left, in the unit of this period, and what has come since, the capacity at most, less what is taken (LIM-5).
-- An instant before the last one adds nothing, and does not become the last (LIM-6). The bounds of the arguments keep
-- the products within an integer.
insert into _anser_buckets (key, capacity, per_s, level, at)
values (:key, :capacity, :per_s, (:capacity - :n) * :per_s, :now)
on conflict (key) do update
set
    capacity = :capacity,
    per_s = :per_s,
    level = min(level * :per_s / per_s + max(:now - at, 0) * :capacity, :capacity * :per_s) - :n * :per_s,
    at = max(at, :now)
where min(level * :per_s / per_s + max(:now - at, 0) * :capacity, :capacity * :per_s) >= :n * :per_s
returning level

-- name: token_bucket_level
-- What a try that was refused found, and the instant from which on more comes.
select
    min(level * :per_s / per_s + max(:now - at, 0) * :capacity, :capacity * :per_s) as level,
    max(at, :now) as at
from _anser_buckets
where key = :key

-- name: token_bucket_sweep
-- One that is full again is as good as none (LIM-8).
delete from _anser_buckets
where rowid in (
    select rowid from _anser_buckets
    where at < :now - :older_than_s and level + (:now - at) * capacity >= capacity * per_s
    order by key
    limit :limit
)
returning at

-- name: limit_lease
-- Whether the lease holds that a word about a slot names (CLM-8).
select id from _honker_live
where id = :id and queue = :queue and state = 'processing'
and worker_id = :worker and fence = :fence and claim_expires_at >= :now

-- name: limit_own
select job_id from _anser_slots
where key = :key and job_id = :id and fence = :fence

-- name: limit_acquire
-- Counted are the slots whose very lease holds: what remains of others is no slot any more (LIM-10). The job may have
-- one of an earlier lease, in whose place this one comes.
insert or replace into _anser_slots (key, job_id, fence)
select :key, :id, :fence
where (
    select count(*) from _anser_slots as slot
    where key = :key and exists (
        select 1 from _honker_live
        where id = slot.job_id and state = 'processing' and fence = slot.fence and claim_expires_at >= :now
    )
) < :most
returning job_id

-- name: limit_forget
-- For each slot that is given a few are forgotten whose lease is over, so that they never pile up (LIM-12).
delete from _anser_slots
where rowid in (
    select rowid from _anser_slots as slot
    where key = :key and not exists (
        select 1 from _honker_live
        where id = slot.job_id and state = 'processing' and fence = slot.fence and claim_expires_at >= :now
    )
    order by job_id
    limit :limit
)

-- name: limit_release
delete from _anser_slots
where key = :key and job_id = :id and fence = :fence
returning job_id

-- name: limit_get
select count(*) from _anser_slots as slot
where key = :key and exists (
    select 1 from _honker_live
    where id = slot.job_id and state = 'processing' and fence = slot.fence and claim_expires_at >= :now
)

-- name: limit_sweep
delete from _anser_slots
where rowid in (
    select rowid from _anser_slots as slot
    where not exists (
        select 1 from _honker_live
        where id = slot.job_id and state = 'processing' and fence = slot.fence and claim_expires_at >= :now
    )
    order by key, job_id
    limit :limit
)
returning job_id
