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
