-- What is added to the table of notifications.

-- name: notifications_recent_index
-- honker's own, under its name: it makes the same one when it opens the file.
create index if not exists _honker_notifications_recent on _honker_notifications (channel, id)

-- name: notifications_age_index
-- What is old is found without a walk over what is young (NTF-7).
create index if not exists _anser_notifications_age on _honker_notifications (channel, created_at)

-- name: pruned_trigger
-- Whoever forgets a notification, be it another binding, lets the file remember that it is gone (NTF-4, NTF-10).
create trigger if not exists _anser_pruned
after delete on _honker_notifications
begin
    insert into _anser_channels (channel, pruned_id)
    values (old.channel, old.id)
    on conflict (channel) do update
    set pruned_id = max(pruned_id, excluded.pruned_id);
end
