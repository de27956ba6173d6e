-- What is added to honker's table of results.

-- name: _honker_results__queue
-- Whose queue a result is of; null where a binding saved it that does not say (RES-7).
alter table _honker_results add column queue text

-- name: results_expiring_index
create index if not exists _anser_results_expiring
on _honker_results (expires_at, job_id)
where expires_at is not null

-- name: results_endless_index
-- The oldest of those without an end are its first rows (RES-12).
create index if not exists _anser_results_endless
on _honker_results (created_at, job_id)
where expires_at is null
