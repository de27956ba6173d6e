-- The dead: the move there, and the ways out.

-- name: bury
-- First half of the move; the casts keep a row filed whatever a foreign hand put into its columns (CLM-17, DED-1).
insert into _honker_dead (
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key, reason,
    last_error, died_at
)
select
    id, queue, payload, cast(priority as integer), cast(run_at as integer), cast(attempts as integer),
    cast(max_attempts as integer), cast(lapses as integer), cast(max_lapses as integer), cast(created_at as integer),
    unique_key, :reason, coalesce(:error, last_error, :reason), :now
from _honker_live
where id = :id

-- name: bury_remove
delete from _honker_live where id = :id

-- name: bury_taken
select id from _honker_dead where id = :id

-- name: bury_fresh_id
-- An id that no job has or had (DED-7). The sequence alone does not know one: to reset it is what makes a clash.
select max(
    coalesce((select max(seq) from sqlite_sequence where name = '_honker_live'), 0),
    coalesce((select max(id) from _honker_live), 0),
    coalesce((select max(id) from _honker_dead), 0),
    coalesce((select max(id) from _anser_finished), 0)
) + 1

-- name: bury_give_id
-- So that the live table gives it to nobody else (JOB-5).
update sqlite_sequence set seq = :fresh_id where name = '_honker_live'

-- name: bury_make_way
update _honker_dead set id = :fresh_id where id = :id

-- name: sweep_expired
select id, expires_at
from _honker_live
where queue = :queue and state = 'pending' and expires_at <= :now
order by expires_at, id
limit :limit

-- name: sweep_expired_lapsed
-- The zombie of D02: expired, and its lease over.
select id, expires_at
from _honker_live
where queue = :queue and state = 'processing' and expires_at <= :now
and (claim_expires_at < :now or claim_expires_at is null)
order by expires_at, id
limit :limit

-- name: dead_list
select
    id, queue, payload, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key, reason,
    last_error, died_at
from _honker_dead
where queue = :queue and id > :after_id
order by id
limit :limit

-- name: dead_requeue_find
select unique_key from _honker_dead where id = :id and queue = :queue

-- name: dead_requeue_clash
select id from _honker_live where id = :id

-- name: dead_requeue
insert into _honker_live (
    id, queue, payload, state, priority, run_at, attempts, max_attempts, lapses, max_lapses, created_at, unique_key,
    last_error
)
select
    id, queue, payload, 'pending', priority, :now, 0, max(max_attempts, 1), 0, max_lapses, created_at, unique_key,
    last_error
from _honker_dead
where id = :id

-- name: dead_requeue_remove
delete from _honker_dead where id = :id

-- name: dead_prune
delete from _honker_dead
where id in (
    select id from _honker_dead
    where queue = :queue and died_at <= :before
    order by died_at, id
    limit :limit
)
returning id
