"""A shop's orders, told as it happens: one file, three worker processes, one of them killed in the middle of a job.

`make demo` runs it. Every line that begins with "·" is checked; the story stops with an error where one does not hold.
"""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import anser

ORDERS = 12
LEASE_S = 2
WAIT_S = 30
POLL_S = 0.05
VERSION_TEXT = f"SQLite {sqlite3.sqlite_version}, Python {sys.version.split()[0]}"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "shop.db")
        print(f"A fresh file, {path} ({VERSION_TEXT}).\n")
        with anser.open(path) as db:
            shipping = db.queue("shipping")
            take_orders(db, shipping)
            lose_an_order(db, shipping)
            work_through_a_kill(db, shipping)
            bring_back_the_dead(db, shipping)
            tally(db, shipping)
    print("\nAnd is this build what the rules say? `anser-spec run --target sqlite`, in a short form.")
    print("Without --summary it tells every rule.\n", flush=True)
    command = [sys.executable, "-m", "anser_spec.cli", "run", "--target", "sqlite"]
    subprocess.run([*command, "--summary", "--transitions", "20000", "--examples", "60"], check=True)


def take_orders(db: anser.Database, shipping: anser.Queue) -> None:
    """The order and its job are rows of one commit."""
    with db.transaction() as tx:
        tx.execute("create table orders (id integer primary key, address text)")
        tx.execute("create table shipped (order_id integer, worker text)")
        for order in range(1, ORDERS + 1):
            tx.execute("insert into orders values (?, ?)", (order, None if order == 7 else f"{order} Main Street"))
            shipping.enqueue({"order": order}, tx=tx)
    check("orders and jobs, one commit", value(db, "select count(*) from orders"), ORDERS)
    check("jobs that wait", shipping.count_jobs().pending, ORDERS)


def lose_an_order(db: anser.Database, shipping: anser.Queue) -> None:
    """What is rolled back never was, neither the order nor its job."""
    try:
        with db.transaction() as tx:
            tx.execute("insert into orders values (99, 'nowhere')")
            shipping.enqueue({"order": 99}, tx=tx)
            raise ConnectionError("the card was declined")
    except ConnectionError as error:
        print(f"\nOrder 99 fails: {error}. The transaction rolls back.")
    check("orders", value(db, "select count(*) from orders"), ORDERS)
    check("jobs", shipping.count_jobs().pending, ORDERS)


def work_through_a_kill(db: anser.Database, shipping: anser.Queue) -> None:
    """Three workers; the first is killed while it holds a job, and somebody else finishes the job."""
    print(f"\nThree worker processes start; each claim is a lease of {LEASE_S} s.")
    victim = start(db.path, "worker-1", "--hang")
    held = wait_for(lambda: shipping.list_jobs(anser.State.PROCESSING), "worker-1 claims a job")[0]
    others = [start(db.path, f"worker-{place}") for place in (2, 3)]
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    print(f"worker-1 holds job {held.id} with fence {held.lease.fence if held.lease else '?'} and gets a SIGKILL.")
    wait_for(lambda: shipping.count_jobs().pending + shipping.count_jobs().processing == 0, "the queue is empty")
    for other in others:
        other.terminate()
        other.wait()
    order = held.id  # orders and jobs were numbered together
    worker = value(db, f"select worker from shipped where order_id = {order}")
    print(f"When the lease was over, {worker} took job {held.id} and shipped order {order}.")
    check("times that order was shipped", value(db, f"select count(*) from shipped where order_id = {order}"), 1)


def bring_back_the_dead(db: anser.Database, shipping: anser.Queue) -> None:
    """Order 7 has no address: its job uses up its attempts, is dead, is looked at, mended, and requeued."""
    (dead,) = shipping.dead_list()
    print(f"\nJob {dead.id} is dead after {dead.attempts} attempts: {dead.reason}: {dead.last_error}")
    with db.transaction() as tx:
        tx.execute("update orders set address = '7 Found Lane' where id = 7")
        shipping.dead_requeue(dead.id, tx=tx)
    print(f"The address is mended and job {dead.id} requeued, in one commit.")
    worker = start(db.path, "worker-4")
    wait_for(lambda: shipping.count_jobs().pending + shipping.count_jobs().processing == 0, "the queue is empty")
    worker.terminate()
    worker.wait()
    check("dead jobs", shipping.count_jobs().dead, 0)


def tally(db: anser.Database, shipping: anser.Queue) -> None:
    print("\nIn the end")
    check("orders shipped", value(db, "select count(distinct order_id) from shipped"), ORDERS)
    check("shipments, so none was made twice", value(db, "select count(*) from shipped"), ORDERS)
    check("jobs whose history says done", sum(_done(shipping, id) for id in range(1, ORDERS + 1)), ORDERS)


def _done(shipping: anser.Queue, id: int) -> bool:
    job = shipping.get_job(id)
    return isinstance(job, anser.Finished) and job.state is anser.State.DONE


# --- a worker process


def work(path: str, name: str, *, hang: bool) -> None:
    """Claim, ship, ack, until told to stop. The effect and the ack are one commit."""
    with anser.open(path) as db:
        shipping = db.queue("shipping", lease_s=LEASE_S, backoff=anser.Backoff(base=0))
        while True:
            job = shipping.claim_one(name)
            if job is None:
                time.sleep(POLL_S)
                continue
            if hang:
                signal.pause()
            try:
                with job, db.transaction() as tx:
                    ship(tx, job.payload["order"], name)
                    job.ack(tx=tx)
            except ValueError as error:
                print(f"  {name}: job {job.id}, attempt {job.attempts}: {error}", flush=True)


def ship(tx: anser.Transaction, order: int, worker: str) -> None:
    ((address,),) = tx.execute("select address from orders where id = ?", (order,)).fetchall()
    if address is None:
        raise ValueError(f"order {order} has no address")
    tx.execute("insert into shipped values (?, ?)", (order, worker))


# --- telling and checking


def start(path: str, name: str, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, __file__, "--worker", path, name, *options])


def value(db: anser.Database, sql: str) -> Any:
    """The application's own look at its tables, on a connection of its own."""
    with closing(sqlite3.connect(db.path)) as connection:
        ((found,),) = connection.execute(sql).fetchall()
    return found


def check(what: str, found: int, wanted: int) -> None:
    if found != wanted:
        raise SystemExit(f"{what}: {found}, but it should be {wanted}")
    print(f"  · {what}: {found}")


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """The first truthy answer."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(POLL_S)
    raise SystemExit(f"{what}: not within {WAIT_S} s")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], sys.argv[3], hang="--hang" in sys.argv)
    else:
        main()
