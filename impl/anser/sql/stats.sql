-- What a file holds. Each of these visits every row of its tables.

-- name: queue_list
select queue from _honker_live
where queue > :after_queue
union
select queue from _honker_dead
where queue > :after_queue
order by queue
limit :limit

-- name: stats_honker_live
select count(*), min(created_at) from _honker_live

-- name: stats_honker_dead
select count(*), min(died_at) from _honker_dead

-- name: stats_anser_finished
select count(*), min(ended_at) from _anser_finished

-- name: stats_honker_locks
select count(*), min(expires_at) from _honker_locks

-- name: stats_anser_events
select count(*), min(at) from _anser_events

-- name: stats_honker_notifications
select count(*), min(created_at) from _honker_notifications

-- name: stats_honker_results
select count(*), min(created_at) from _honker_results

-- name: stats_honker_rate_limits
select count(*), min(window_start) from _honker_rate_limits

-- name: stats_anser_buckets
select count(*), min(at) from _anser_buckets

-- name: stats_anser_slots
-- A slot bears no instant: it is as old as its lease. So it is with places, marks, and what is there once.
select count(*), null from _anser_slots

-- name: stats_honker_stream
select count(*), min(created_at) from _honker_stream

-- name: stats_honker_stream_consumers
select count(*), null from _honker_stream_consumers

-- name: stats_anser_stream_groups
select count(*), null from _anser_stream_groups

-- name: stats_anser_stream_pending
select count(*), min(expires_at) from _anser_stream_pending

-- name: stats_anser_stream_trimmed
select count(*), null from _anser_stream_trimmed

-- name: stats_anser_channels
select count(*), null from _anser_channels

-- name: stats_anser_schedules
select count(*), min(created_at) from _anser_schedules

-- name: stats_anser_fires
select count(*), min(fire_at) from _anser_fires

-- name: stats_honker_scheduler_tasks
select count(*), null from _honker_scheduler_tasks

-- name: stats_anser_ordered
select count(*), null from _anser_ordered

-- name: stats_anser_paused
select count(*), null from _anser_paused

-- name: stats_anser_events_on
select count(*), null from _anser_events_on

-- name: stats_anser_fence
select count(*), null from _anser_fence

-- name: stats_anser_format
select count(*), null from _anser_format
