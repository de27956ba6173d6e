-- What is added to the tables of schema.sql when a file is prepared (STO-1, STO-5). A section `table__column` is run
-- when the table lacks the column; the others can be run again.

-- name: _honker_live__expires_at
-- Asked for by the defect register (E28); no published honker was seen without it.
alter table _honker_live add column expires_at integer

-- name: _honker_live__fence
alter table _honker_live add column fence integer not null default 0

-- name: _honker_live__lapses
alter table _honker_live add column lapses integer not null default 0

-- name: _honker_live__max_lapses
alter table _honker_live add column max_lapses integer not null default 5

-- name: _honker_live__claimed_at
alter table _honker_live add column claimed_at integer

-- name: _honker_live__last_error
alter table _honker_live add column last_error text

-- name: _honker_live__unique_key
alter table _honker_live add column unique_key text

-- name: _honker_dead__run_at
alter table _honker_dead add column run_at integer not null default 0

-- name: _honker_dead__priority
alter table _honker_dead add column priority integer not null default 0

-- name: _honker_dead__max_attempts
alter table _honker_dead add column max_attempts integer not null default 0

-- name: _honker_dead__lapses
alter table _honker_dead add column lapses integer not null default 0

-- name: _honker_dead__max_lapses
alter table _honker_dead add column max_lapses integer not null default 5

-- name: _honker_dead__unique_key
alter table _honker_dead add column unique_key text

-- name: _honker_dead__reason
alter table _honker_dead add column reason text

-- name: _honker_locks__fence
alter table _honker_locks add column fence integer not null default 0

-- name: _honker_locks__depth
alter table _honker_locks add column depth integer not null default 1

-- name: _honker_locks__acquired_at
alter table _honker_locks add column acquired_at integer

-- name: honker_processing_deadline_index
-- The one of honker's indexes that our statements read too. Its others, for its claim and its next deadline, honker
-- makes when it opens the file; until then no insert and no claim has to write them.
-- Lapsed leases are its first rows: those in flight lie behind them and are not visited (CLM-16).
create index if not exists _honker_live_processing_deadline
on _honker_live (queue, claim_expires_at)
where state = 'processing'

-- name: ready_index
-- The line that a claim walks (CLM-1). Jobs in flight are not in it, delayed ones lie behind the due ones of their
-- priority.
create index if not exists _anser_ready
on _honker_live (queue, priority desc, run_at, id)
where state = 'pending'

-- name: expiring_index
create index if not exists _anser_expiring
on _honker_live (queue, expires_at)
where state = 'pending' and expires_at is not null

-- name: unique_key_index
create unique index if not exists _anser_unique_key
on _honker_live (queue, unique_key)
where unique_key is not null

-- name: strays_index
-- Rows that neither the line nor the deadlines show, for a column that means nothing (CLM-17). Usually empty.
-- Columns that only a claim reads are looked at there: each write of a row costs what this condition costs.
create index if not exists _anser_strays
on _honker_live (queue)
where state not in ('pending', 'processing')
or typeof(run_at) <> 'integer'
or typeof(priority) <> 'integer'
or typeof(claim_expires_at) not in ('integer', 'null')

-- name: dead_queue_index
create index if not exists _anser_dead_queue on _honker_dead (queue, id)

-- name: dead_died_index
create index if not exists _anser_dead_died on _honker_dead (queue, died_at)

-- name: foreign_claim_trigger
-- Another binding's claim does not know the fence, so the file moves it: the words of an older holder stay refused
-- (STO-4). A claim of Anser gives a new fence itself, so this does not fire.
create trigger if not exists _anser_foreign_claim
after update of attempts on _honker_live
when new.state = 'processing' and new.attempts > old.attempts and new.fence = old.fence
begin
    update _anser_fence set fence = fence + 1;
    update _honker_live
    set fence = (select fence from _anser_fence), claimed_at = null
    where id = new.id;
end

-- name: first_fence
insert or ignore into _anser_fence (one, fence) values (1, 0)

-- name: locks_expiring_index
create index if not exists _anser_locks_expiring on _honker_locks (expires_at, name)

-- name: locks_first_fence
-- Locks that were held when the file was extended: whoever holds one by Anser has to name a fence (LCK-10).
update _anser_fence set fence = fence + 1
where exists (select 1 from _honker_locks where fence = 0)

-- name: locks_first_fences
update _honker_locks set fence = (select fence from _anser_fence) where fence = 0

-- name: locks_endless
-- Locks whose end would never come: to SQLite a text is greater than any number (LCK-11).
update _honker_locks set expires_at = 0 where typeof(expires_at) <> 'integer'

-- name: endless_lock_trigger
create trigger if not exists _anser_endless_lock
after insert on _honker_locks
when typeof(new.expires_at) <> 'integer'
begin
    update _honker_locks set expires_at = 0 where name = new.name;
end

-- name: endless_lock_update_trigger
create trigger if not exists _anser_endless_lock_update
after update of expires_at on _honker_locks
when typeof(new.expires_at) <> 'integer'
begin
    update _honker_locks set expires_at = 0 where name = new.name;
end

-- name: foreign_acquire_trigger
-- Another binding's acquire does not know the fence, so the file gives one (LCK-10).
create trigger if not exists _anser_foreign_acquire
after insert on _honker_locks
when new.fence = 0
begin
    update _anser_fence set fence = fence + 1;
    update _honker_locks set fence = (select fence from _anser_fence) where name = new.name;
end
