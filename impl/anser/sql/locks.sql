-- Locks. Each `where` is the refusal: name, owner, fence, and that the lock is not over (LCK-2, LCK-5).

-- name: lock_acquire_again
-- By the owner who holds it: never shorter, the fence as it was, and one release more to come (LCK-4).
update _honker_locks
set expires_at = max(expires_at, :expires_at), depth = depth + 1
where name = :lock and owner = :owner and expires_at > :now
returning name, owner, fence, acquired_at, expires_at, depth

-- name: lock_acquire
-- A new lock, or one that is over taken over (LCK-1). Its fence is the next of the file's counter, which `claim_fence`
-- then moves on: a lock that is refused spends none (LCK-3).
insert into _honker_locks (name, owner, fence, acquired_at, expires_at, depth)
values (:lock, :owner, (select fence + 1 from _anser_fence), :now, :expires_at, 1)
on conflict (name) do update
set
    owner = excluded.owner,
    fence = excluded.fence,
    acquired_at = excluded.acquired_at,
    expires_at = excluded.expires_at,
    depth = excluded.depth
where expires_at <= :now
returning name, owner, fence, acquired_at, expires_at, depth

-- name: lock_renew
update _honker_locks
set expires_at = :expires_at
where name = :lock and owner = :owner and fence = :fence and expires_at > :now
returning expires_at

-- name: lock_release_inner
-- An acquire within another is given back, and the outer one goes on (LCK-7).
update _honker_locks
set depth = depth - 1
where name = :lock and owner = :owner and fence = :fence and expires_at > :now and depth > 1
returning depth

-- name: lock_release
-- The outermost, after `lock_release_inner` found none.
delete from _honker_locks
where name = :lock and owner = :owner and fence = :fence and expires_at > :now
returning name

-- name: lock_get
select name, owner, fence, acquired_at, expires_at, depth
from _honker_locks
where name = :lock and expires_at > :now

-- name: lock_list
select name, owner, fence, acquired_at, expires_at, depth
from _honker_locks
where name > :after_name and expires_at > :now
order by name
limit :limit

-- name: lock_sweep
delete from _honker_locks
where name in (
    select name from _honker_locks
    where expires_at <= :now
    order by expires_at, name
    limit :limit
)
returning name
