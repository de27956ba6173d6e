-- Notifications. What goes is told to the listeners by the trigger `pruned_trigger`, whoever takes it away (NTF-4).

-- name: notify
insert into _honker_notifications (channel, payload, created_at)
values (:channel, :payload, :now)

-- name: notification_read
select id, channel, payload, created_at
from _honker_notifications
where channel = :channel and id > :after_id
order by id
limit :limit

-- name: notification_lost
select pruned_id
from _anser_channels
where channel = :channel and pruned_id > :after_id

-- name: notification_last
-- Also what is gone was told: a listener that begins here has lost nothing (NTF-5).
select max(
    coalesce((select max(id) from _honker_notifications where channel = :channel), 0),
    coalesce((select max(pruned_id) from _anser_channels where channel = :channel), 0)
)

-- name: notification_first_channel
select min(channel) from _honker_notifications

-- name: notification_next_channel
select min(channel) from _honker_notifications where channel > :channel

-- name: notification_beyond
-- The newest of those that are not among the newest `keep`: all from it on backwards are as many too many (NTF-6).
select id
from _honker_notifications
where channel = :channel
order by id desc
limit 1 offset :keep

-- name: notification_prune_beyond
delete from _honker_notifications
where id in (
    select id from _honker_notifications
    where channel = :channel and id <= :through_id
    order by id
    limit :limit
)
returning id

-- name: notification_prune_old
delete from _honker_notifications
where id in (
    select id from _honker_notifications
    where channel = :channel and created_at <= :before
    order by created_at, id
    limit :limit
)
returning id
