"""The public types, used as an application uses them. Never run: `make check` reads it with mypy."""

from __future__ import annotations

from typing import assert_type

import anser


def opened() -> None:
    db = anser.open("app.db")
    assert_type(db, anser.Database)
    assert_type(db.queue("emails"), anser.Queue)


def enqueued(db: anser.Database, emails: anser.Queue) -> None:
    assert_type(emails.enqueue({"to": "alice@example.com"}), anser.Enqueued)
    emails.enqueue([1, "two", None], delay_s=60, priority=5, max_attempts=3)
    emails.enqueue("text", run_at=1_700_000_000, unique_key="order-42", order_key="ann")

    with db.transaction() as tx:
        tx.execute("insert into orders (id, total) values (?, ?)", (42, 99))
        emails.enqueue({"order_id": 42}, tx=tx)


def claimed_one(emails: anser.Queue) -> None:
    job = emails.claim_one("worker-1")
    if job is None:
        return
    job.heartbeat()
    job.ack()


def claimed_in_a_batch(emails: anser.Queue) -> None:
    for job in emails.claim_batch("worker-1", 10):
        if job.attempts == 1:
            job.retry(delay_s=30, error="mail server said no")
        elif job.attempts == 2:
            job.release()
        else:
            job.fail("no such address")


def locked(db: anser.Database) -> None:
    with db.lock("nightly", ttl_s=60, owner="host-1", renew_s=20) as held:
        assert_type(held, anser.NamedLock)
        assert_type(held.fence, int)
        assert_type(held.renew(ttl_s=120), int)
        assert_type(held.lost, bool)
    assert_type(db.lock_get("nightly"), anser.Lock | None)
    assert_type(db.lock_list(), tuple[anser.Lock, ...])
    assert_type(db.lock_sweep(), int)


def sent(db: anser.Database) -> None:
    def deliver(message: anser.OutboxMessage) -> None:
        assert_type(message.id, int)

    webhooks = db.outbox("webhooks", {"shop": deliver})
    assert_type(webhooks, anser.Outbox)
    with db.transaction() as tx:
        assert_type(webhooks.send({"order": 42}, destination="shop", order_key="ann", tx=tx), int)
    assert_type(webhooks.deliver_batch("worker-1"), anser.Delivered)
    assert_type(webhooks.queue("shop"), anser.Queue)
    webhooks.run("worker-1", stop=lambda: True)


def told_and_heard(db: anser.Database) -> None:
    assert_type(db.notify("orders", {"id": 42}), int)
    for heard in db.listen("orders", after_id=7, timeout_s=0.5):
        if isinstance(heard, anser.Lost):
            assert_type(heard.through_id, int)
        else:
            assert_type(heard, anser.Message)
    assert_type(db.notification_read("orders", after_id=0).notifications, tuple[anser.Notification, ...])
    assert_type(db.notification_prune(keep=100), int)


async def heard_in_an_event_loop(db: anser.Database) -> None:
    async for heard in db.listen("orders"):
        assert_type(heard, anser.Message | anser.Lost)


def told_and_forgotten(db: anser.Database) -> None:
    assert_type(db.events.on(keep=10_000), bool)
    page = db.events.read(after_id=7)
    assert_type(page.events, tuple[anser.Event, ...])
    assert_type(page.lost_through_id, int | None)
    assert_type(db.events.off(), bool)
    assert_type(db.maintain(anser.Retention(dead_s=None, events_s=3_600)), anser.Maintained)
    assert_type(db.stats(), tuple[anser.TableStats, ...])


async def waited_for_a_result(db: anser.Database, emails: anser.Queue) -> None:
    job = emails.claim_one("worker-1")
    if job is not None:
        assert_type(job.result_save({"sent": 1}, ttl_s=60), int)
        job.ack(result={"sent": 2}, result_ttl_s=3_600)
    assert_type(emails.result_get(1), anser.Result)
    assert_type(emails.result_get(1).state, anser.ResultState)
    emails.wait_result(1, timeout_s=0.5)
    try:
        await emails.await_result(1)
    except anser.JobDead as dead:
        assert_type(dead.error, str | None)
    assert_type(db.result_sweep(), int)
    assert_type(db.result_prune(older_than_s=60), int)


def scheduled(db: anser.Database) -> None:
    registered = db.schedules.register(
        "nightly", queue="reports", cron="0 3 * * *", tz="Europe/Paris", payload={"n": 1}, misfire=anser.Misfire.ALL
    )
    assert_type(registered, anser.Registered)
    assert_type(registered.change, anser.Change)
    assert_type(db.schedules.update("nightly", cron="0 4 * * *", end_at=None), anser.Registered)
    assert_type(db.schedules.pause("nightly"), bool)
    assert_type(db.schedules.resume("nightly"), bool)
    assert_type(db.schedules.run_now("nightly"), int | None)
    assert_type(db.schedules.get("nightly"), anser.Schedule | None)
    assert_type(db.schedules.list(limit=5), tuple[anser.Schedule, ...])
    assert_type(db.schedules.soonest(), int | None)
    assert_type(db.schedules.tick(), anser.Ticked)
    assert_type(db.schedules.adopt("hourly", tz="UTC"), anser.Registered)
    assert_type(db.schedules.unregister("nightly"), bool)


def scheduling(db: anser.Database) -> None:
    scheduler = anser.Scheduler(db, owner="host-1", ttl_s=60)
    assert_type(scheduler.tick(), anser.Ticked | None)
    assert_type(scheduler.leads, bool)
    scheduler.run(stop=lambda: True)
    scheduler.resign()


def limited(db: anser.Database, emails: anser.Queue) -> None:
    assert_type(db.rate_limit("sms", limit=100, per_s=60).try_acquire(), anser.Allowance)
    allowance = db.token_bucket("api", limit=10, per_s=1).try_acquire(2)
    assert_type((allowance.allowed, allowance.remaining, allowance.retry_at), tuple[bool, int, int | None])
    assert_type(db.rate_limit_sweep(older_than_s=86_400), int)
    job = emails.claim_one("worker-1")
    if job is not None:
        with job.limit("smtp", limit=3) as slot:
            assert_type(slot, anser.JobLimit)
        assert_type(job.limit("smtp", limit=3).acquire(), bool)
    assert_type((db.limit_get("smtp"), db.limit_sweep()), tuple[int, int])


def published_and_read(db: anser.Database) -> None:
    orders = db.stream("orders")
    assert_type(orders, anser.Stream)
    assert_type(orders.publish({"id": 42}, key="42"), int)
    with orders.subscribe("mailer", save_every_s=0.5, timeout_s=1) as subscription:
        for seen in subscription:
            if isinstance(seen, anser.TrimmedUnseen):
                assert_type(seen.through_offset, int)
            else:
                assert_type(seen, anser.Entry)
    for entry in orders.group("packers").claim("worker-1", 10, lease_s=60):
        assert_type(entry.deliveries, int)
        entry.ack()
    assert_type(orders.read_since(7).entries, tuple[anser.StreamEntry, ...])
    assert_type(orders.lag(group="packers"), int)
    assert_type(orders.trim(keep=1_000, older_than_s=3_600), int)


async def subscribed_in_an_event_loop(db: anser.Database) -> None:
    async with db.stream("orders").subscribe("mailer") as subscription:
        async for seen in subscription:
            assert_type(seen, anser.Entry | anser.TrimmedUnseen)


def acked_with_its_own_writes(db: anser.Database, emails: anser.Queue) -> None:
    job = emails.claim_one("worker-1")
    if job is not None:
        with db.transaction() as tx:
            tx.execute("update orders set mailed = 1 where id = ?", (42,))
            job.ack(tx=tx)
