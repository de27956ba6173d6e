-- The file itself: format, columns, the write lock.

-- name: storage_format
select version from _anser_format

-- name: storage_has_format
select count(*) from sqlite_master where type = 'table' and name = '_anser_format'

-- name: storage_columns
select name from pragma_table_info(:table)

-- name: storage_stamp
insert or replace into _anser_format (one, version) values (1, :version)

-- name: storage_file
-- Not the function of the same name: that would begin a snapshot in the caller's transaction, and SQLite waits for no
-- lock behind one.
pragma database_list

-- name: storage_lock
-- Takes the write lock inside a caller's transaction and changes nothing (STO-7).
update _anser_fence set fence = fence where one = 0
