-- Jobs that are worked on one after another.

-- name: ordered_table
-- A row for each live job with an order key. `run_at` is when it is due once it is its turn (ORD-2): while it waits,
-- its live row has one that no clock reaches.
create table if not exists _anser_ordered (
    job_id integer primary key,
    queue text not null,
    order_key text not null,
    run_at integer not null
)
