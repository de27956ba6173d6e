-- name: ordered_line_index
create index if not exists _anser_ordered_line on _anser_ordered (queue, order_key, job_id)

-- name: next_turn_trigger
-- The first that is left of the order key gets its turn (ORD-2), if it does not have it already (ORD-4).
create trigger if not exists _anser_next_turn
after delete on _honker_live
when exists (select 1 from _anser_ordered where job_id = old.id)
begin
    update _honker_live
    set run_at = (select run_at from _anser_ordered where job_id = _honker_live.id)
    where run_at > 253402300799
    and id = (
        select other.job_id
        from _anser_ordered as gone, _anser_ordered as other
        where gone.job_id = old.id
        and other.queue = gone.queue and other.order_key = gone.order_key and other.job_id <> gone.job_id
        order by other.job_id
        limit 1
    );
    delete from _anser_ordered where job_id = old.id;
end
