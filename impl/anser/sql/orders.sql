-- Jobs that run one after another. A trigger lets the next go when one leaves the live table, by whichever binding.

-- name: order_waits
select job_id from _anser_ordered
where queue = :queue and order_key = :order_key
limit 1

-- name: order_join
insert into _anser_ordered (job_id, queue, order_key, run_at)
values (:id, :queue, :order_key, :run_at)
