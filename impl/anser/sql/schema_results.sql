-- Results of jobs: honker's table, to the letter.

-- name: results_table
create table if not exists _honker_results (
    job_id integer primary key,
    value text,
    created_at integer not null default (unixepoch()),
    expires_at integer
)
