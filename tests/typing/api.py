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
    def deliver(message: anser.Message) -> None:
        assert_type(message.id, int)

    webhooks = db.outbox("webhooks", {"shop": deliver})
    assert_type(webhooks, anser.Outbox)
    with db.transaction() as tx:
        assert_type(webhooks.send({"order": 42}, destination="shop", order_key="ann", tx=tx), int)
    assert_type(webhooks.deliver_batch("worker-1"), anser.Delivered)
    assert_type(webhooks.queue("shop"), anser.Queue)
    webhooks.run("worker-1", stop=lambda: True)


def acked_with_its_own_writes(db: anser.Database, emails: anser.Queue) -> None:
    job = emails.claim_one("worker-1")
    if job is not None:
        with db.transaction() as tx:
            tx.execute("update orders set mailed = 1 where id = ?", (42,))
            job.ack(tx=tx)
