-- What is asked of a file that may be sick. None of these writes, and none needs more than the table that it names.

-- name: doctor_tables
select name from sqlite_master
where type = 'table' and (name glob '_honker_*' or name glob '_anser_*')
order by name

-- name: doctor_strays
-- As `claim_strays`, in all queues: rows that no claim hands out.
select count(*) from _honker_live indexed by _anser_strays
where state not in ('pending', 'processing')
or typeof(run_at) <> 'integer'
or typeof(priority) <> 'integer'
or typeof(claim_expires_at) not in ('integer', 'null')

-- name: doctor_schedules
-- Those that a tick could not read (SCH).
select name from _anser_schedules
where error is not null
order by name
limit 20
