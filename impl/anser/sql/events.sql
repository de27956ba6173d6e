-- Events are told by triggers, so that whoever changes a row tells it, also another binding (EVT-7), and nothing can
-- change a row and forget to tell. A trigger costs each write a little even where it does nothing: they are made when a
-- file is to tell events and taken away when it is not (EVT-3). None asks for the time: each takes it from the row.

-- name: events_on
insert into _anser_events_on (one, keep)
values (1, :keep)
on conflict (one) do update
set keep = excluded.keep
where keep <> excluded.keep
returning keep

-- name: events_off
delete from _anser_events_on
returning keep

-- name: event_enters
-- A job comes back from the dead under its id and age, before its dead row is taken away.
create trigger if not exists _anser_event_enters
after insert on _honker_live
begin
    insert into _anser_events (kind, queue, job_id, attempts, at)
    select
        iif(count(*) > 0, 'requeued', 'enqueued'), new.queue, new.id, cast(new.attempts as integer),
        iif(count(*) > 0, new.run_at, new.created_at)
    from _honker_dead
    where id = new.id and queue = new.queue and created_at = new.created_at;
end

-- name: event_claimed
-- Without a fence of its own the claim is another binding's, which does not say when it claimed.
create trigger if not exists _anser_event_claimed
after update of attempts on _honker_live
when new.state = 'processing' and new.attempts > old.attempts
begin
    insert into _anser_events (kind, queue, job_id, attempts, worker, at)
    values (
        'claimed', new.queue, new.id, cast(new.attempts as integer), new.worker_id,
        iif(new.fence <> old.fence, new.claimed_at, null)
    );
end

-- name: event_put_back
-- When, the row does not say: `event_at` does.
create trigger if not exists _anser_event_put_back
after update of state on _honker_live
when old.state = 'processing' and new.state = 'pending'
begin
    insert into _anser_events (kind, queue, job_id, attempts)
    values (
        case
            when new.lapses > old.lapses then 'lapsed'
            when new.attempts < old.attempts then 'released'
            else 'retried'
        end,
        new.queue, new.id, cast(new.attempts as integer)
    );
end

-- name: event_dead
create trigger if not exists _anser_event_dead
after insert on _honker_dead
begin
    insert into _anser_events (kind, queue, job_id, attempts, reason, at)
    values ('dead', new.queue, new.id, cast(new.attempts as integer), new.reason, new.died_at);
end

-- name: event_ends
create trigger if not exists _anser_event_ends
after insert on _anser_finished
begin
    insert into _anser_events (kind, queue, job_id, attempts, at)
    values (
        iif(new.state = 'done', 'acked', 'cancelled'), new.queue, new.id, cast(new.attempts as integer), new.ended_at
    );
end

-- name: event_bound
-- Two out for one in: the events shrink to their bound also after it was lowered (EVT-4).
create trigger if not exists _anser_event_bound
after insert on _anser_events
begin
    delete from _anser_events
    where id in (
        select id from _anser_events
        where id <= new.id - (select keep from _anser_events_on)
        order by id
        limit 2
    );
end

-- name: event_enters_drop
drop trigger if exists _anser_event_enters

-- name: event_claimed_drop
drop trigger if exists _anser_event_claimed

-- name: event_put_back_drop
drop trigger if exists _anser_event_put_back

-- name: event_dead_drop
drop trigger if exists _anser_event_dead

-- name: event_ends_drop
drop trigger if exists _anser_event_ends

-- name: event_bound_drop
drop trigger if exists _anser_event_bound

-- name: event_at
-- Of the put back that was told just now, if it was told.
update _anser_events
set at = :now
where at is null and id = (select max(id) from _anser_events) and exists (select 1 from _anser_events_on)

-- name: event_read
select id, kind, queue, job_id, attempts, worker, reason, at
from _anser_events
where id > :after_id
order by id
limit :limit

-- name: event_lost
-- The last event that is kept no more: ids have no gap, so it is the one before the first, or the last of all.
select max(id)
from (
    select min(id) - 1 as id from _anser_events
    union all
    select seq from sqlite_sequence
    where name = '_anser_events' and not exists (select 1 from _anser_events)
)

-- name: event_prune_end
-- Never one from the middle: what was missed is told by one id (EVT-5). So the first that is young ends it.
select min(id)
from (select id, at from _anser_events order by id limit :limit)
where at > :before

-- name: event_prune
delete from _anser_events
where id in (
    select id from _anser_events
    where id < :end_id
    order by id
    limit :limit
)
returning id
