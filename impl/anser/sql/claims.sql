-- The claim, by index seeks: its cost does not grow with delayed, in-flight, expired or exhausted rows.

-- name: claim_paused
select queue from _anser_paused

-- name: claim_lapsed
-- Jobs that nobody holds any more, and why they are past saving if they are (CLM-4, CLM-16). `indexed by` keeps the
-- cost a promise whatever statistics the file has: a plan that would visit rows in flight is an error, not a slow
-- claim.
select
    id,
    claim_expires_at,
    case
        when expires_at <= :now then 'expired'
        when lapses >= max_lapses then 'max lapses exceeded'
    end as reason
from _honker_live indexed by _honker_live_processing_deadline
where queue = :queue and state = 'processing' and claim_expires_at < :now
order by claim_expires_at, id
limit :limit

-- name: claim_lapsed_endless
-- A processing row without a lease end is held by nobody (CLM-18).
select
    id,
    claim_expires_at,
    case
        when expires_at <= :now then 'expired'
        when lapses >= max_lapses then 'max lapses exceeded'
    end as reason
from _honker_live indexed by _honker_live_processing_deadline
where queue = :queue and state = 'processing' and claim_expires_at is null
order by id
limit :limit

-- name: claim_strays
-- Rows that the line does not show, for a column that means nothing (CLM-17); the `where` repeats the index's own.
select id
from _honker_live indexed by _anser_strays
where queue = :queue
and (
    state not in ('pending', 'processing')
    or typeof(run_at) <> 'integer'
    or typeof(priority) <> 'integer'
    or typeof(claim_expires_at) not in ('integer', 'null')
)
order by id
limit :limit

-- name: claim_settle
-- The attempt that the lapsed claim had spent is given back: a lapse is not an attempt (CLM-4).
update _honker_live
set
    state = 'pending',
    lapses = lapses + 1,
    attempts = max(attempts - 1, 0),
    worker_id = null,
    claim_expires_at = null,
    claimed_at = null
where id = :id

-- name: claim_priority
-- The highest priority below `:below` that has a due job. It seeks from priority to priority, past any number of
-- delayed jobs, and stops at the first with work.
with recursive level (priority) as (
    select (
        select priority from _honker_live indexed by _anser_ready
        where queue = :queue and state = 'pending' and priority < :below
        order by priority desc
        limit 1
    )
    union all
    select (
        select priority from _honker_live indexed by _anser_ready
        where queue = :queue and state = 'pending' and priority < level.priority
        order by priority desc
        limit 1
    )
    from level
    where level.priority is not null
    and not exists (
        select 1 from _honker_live indexed by _anser_ready
        where queue = :queue and state = 'pending' and priority = level.priority and run_at <= :now
    )
)
select priority from level
where exists (
    select 1 from _honker_live indexed by _anser_ready
    where queue = :queue and state = 'pending' and priority = level.priority and run_at <= :now
)

-- name: claim_pick
-- A stretch of the line: due jobs of one priority, after the place where the last stretch ended (CLM-1). All are
-- pending, so their state is not read: of a row, its texts cost most.
select
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, expires_at,
    unique_key, last_error,
    case
        when typeof(attempts) <> 'integer' or typeof(max_attempts) <> 'integer' or typeof(lapses) <> 'integer'
        or typeof(max_lapses) <> 'integer' or typeof(created_at) <> 'integer'
        or typeof(expires_at) not in ('integer', 'null') then 'unreadable'
        when expires_at <= :now then 'expired'
        when attempts >= max_attempts then 'max attempts exceeded'
    end as reason
from _honker_live indexed by _anser_ready
where queue = :queue and state = 'pending' and priority = :priority and run_at <= :now
and (run_at, id) > (:after_run_at, :after_id)
order by run_at, id
limit :limit

-- name: claim_fence
update _anser_fence set fence = fence + 1 returning fence

-- name: claim_take
-- All at once, each found by its id and never by an index.
update _honker_live not indexed
set
    state = 'processing',
    attempts = attempts + 1,
    worker_id = :worker,
    fence = :fence,
    claimed_at = :now,
    claim_expires_at = :expires_at
from (select value from json_each(:ids)) as wanted
where id = wanted.value and state = 'pending'

-- name: next_claim_at
-- The first instant at which a claim would change a row (CLM-15): a job's own, the second after a lease, or now for
-- rows that only wait to be buried. Materialized, because a condition that SQLite moves inwards takes from `min` its
-- way to the first row of an index, and every job of the queue would be visited. The first job of each priority is
-- sought in the line, which saves an index by instant that every insert and claim would write.
with recursive level (priority) as (
    select max(priority) from _honker_live indexed by _anser_ready
    where queue = :queue and state = 'pending'
    union all
    select (
        select max(priority) from _honker_live indexed by _anser_ready
        where queue = :queue and state = 'pending' and priority < level.priority
    )
    from level
    where level.priority is not null
),
instants (at) as materialized (
    select (
        select min(run_at) from _honker_live indexed by _anser_ready
        where queue = :queue and state = 'pending' and priority = level.priority
    )
    from level
    union all
    select min(min(claim_expires_at), 9223372036854775806) + 1
    from _honker_live where queue = :queue and state = 'processing'
    union all
    select :now where exists (
        select 1 from _honker_live where queue = :queue and state = 'processing' and claim_expires_at is null
    )
    union all
    select :now where exists (
        select 1 from _honker_live indexed by _anser_strays
        where queue = :queue
        and (
            state not in ('pending', 'processing')
            or typeof(run_at) <> 'integer'
            or typeof(priority) <> 'integer'
            or typeof(claim_expires_at) not in ('integer', 'null')
        )
    )
)
select min(at) from instants
where typeof(at) = 'integer' and not exists (select 1 from _anser_paused where queue = :queue)
