-- Streams. The order is that of the offsets, which a writer is given under the write lock: what is published later is
-- never committed sooner, so who has seen an offset has seen all before it (STR-1).

-- name: stream_publish
insert into _honker_stream (topic, key, payload, created_at)
values (:topic, :key, :payload, :now)

-- name: stream_read_since
select offset, topic, key, payload, created_at
from _honker_stream
where topic = :topic and offset > :offset
order by offset
limit :limit

-- name: stream_lost
select offset
from _anser_stream_trimmed
where topic = :topic and offset > :offset

-- name: stream_save_offset
-- The first one stands, whatever it is; later ones only if they are greater (STR-4).
insert into _honker_stream_consumers (topic, name, offset)
values (:topic, :consumer, :offset)
on conflict (name, topic) do update
set offset = excluded.offset
where offset < :offset
returning offset

-- name: stream_get_offset
select offset
from _honker_stream_consumers
where topic = :topic and name = :consumer

-- name: stream_group_offset
select offset
from _anser_stream_groups
where topic = :topic and group_name = :group_name

-- name: stream_behind
-- How many entries lie behind an offset.
select count(*)
from _honker_stream
where topic = :topic and offset > :offset

-- name: stream_unacked
-- How many of a group's pending entries are there; one whose entry a foreign hand took away counts no more.
select count(*)
from _anser_stream_pending as held
where topic = :topic and group_name = :group_name
and exists (select 1 from _honker_stream as entry where entry.offset = held.offset)

-- name: stream_forget_consumer
delete from _honker_stream_consumers
where topic = :topic and name = :consumer
returning name

-- name: stream_forget_group
delete from _anser_stream_groups
where topic = :topic and group_name = :group_name
returning group_name

-- name: stream_forget_pending
delete from _anser_stream_pending
where topic = :topic and group_name = :group_name

-- name: stream_beyond
-- The newest entry beyond those to be kept; it and all before it may go (STR-9).
select offset
from _honker_stream
where topic = :topic
order by offset desc
limit 1 offset :keep

-- name: stream_trim
-- A bound that was not asked for is null, and keeps nothing from staying. It visits `limit` entries, and those pending.
delete from _honker_stream
where offset in (
    select offset
    from (
        select offset, created_at
        from _honker_stream as entry
        where topic = :topic
        and not exists (select 1 from _anser_stream_pending as held where held.offset = entry.offset)
        order by offset
        limit :limit
    )
    where offset <= :beyond or created_at <= :before
)
returning topic, offset

-- name: stream_trim_each
-- In the order of the file: a walk from topic to topic would visit `limit` entries of each (STR-13).
delete from _honker_stream
where offset in (
    select offset
    from (
        select offset, created_at
        from _honker_stream as entry
        where not exists (select 1 from _anser_stream_pending as held where held.offset = entry.offset)
        order by offset
        limit :limit
    )
    where created_at <= :before
)
returning topic, offset

-- name: stream_trim_told
insert into _anser_stream_trimmed (topic, offset)
values (:topic, :offset)
on conflict (topic) do update
set offset = excluded.offset
where offset < :offset

-- name: stream_claim_lapsed
-- Given to somebody whose time is over, the longest over first (STR-7).
select offset
from _anser_stream_pending as held
where topic = :topic and group_name = :group_name and expires_at < :now
and exists (select 1 from _honker_stream as entry where entry.offset = held.offset)
order by expires_at, offset
limit :limit

-- name: stream_claim_again
update _anser_stream_pending
set worker = :worker, fence = :fence, expires_at = :expires_at, deliveries = deliveries + 1
where topic = :topic and group_name = :group_name and offset = :offset
returning deliveries

-- name: stream_entry
select offset, topic, key, payload, created_at
from _honker_stream
where offset = :offset

-- name: stream_claim_first
insert into _anser_stream_pending (topic, group_name, offset, worker, fence, expires_at, deliveries)
select :topic, :group_name, value, :worker, :fence, :expires_at, 1
from json_each(:offsets)

-- name: stream_claim_advance
-- The group's place only grows: its new entries lie behind it.
insert into _anser_stream_groups (topic, group_name, offset)
values (:topic, :group_name, :offset)
on conflict (topic, group_name) do update
set offset = excluded.offset

-- name: stream_ack
-- Each of them is judged alone (STR-8).
delete from _anser_stream_pending
where topic = :topic and group_name = :group_name
and offset in (select value from json_each(:offsets))
and worker = :worker and fence = :fence and expires_at >= :now
returning offset
