"""All that goes on beside the jobs: schedules and their leader, locks, limits, notifications, events, streams."""

from __future__ import annotations

from random import Random

from anser.ops import (
    EventRead,
    EventsOn,
    LimitGet,
    LockAcquire,
    LockList,
    LockRelease,
    LockRenew,
    NotificationLast,
    NotificationRead,
    Notify,
    RateLimitTry,
    SchedulePause,
    ScheduleRegister,
    ScheduleResume,
    ScheduleRunNow,
    ScheduleSoonest,
    ScheduleTick,
    ScheduleUpdate,
    StreamAck,
    StreamClaim,
    StreamForget,
    StreamGetOffset,
    StreamLag,
    StreamPublish,
    StreamReadSince,
    StreamSaveOffset,
    TokenBucketTry,
)
from anser.types import SCHEDULER_LOCK, Held, Lock, Misfire, Overlap
from anser_spec.churn.both import Both
from anser_spec.churn.plan import EVENTS_KEEP, LOCK_TTL_S, MINUTE_S, Plan

__all__ = ["Rest"]

LEADER_S = 90
TICKS_MAX = 20  # of one minute; the tick after an outage says that there is more
ZONES = ("UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland")
CRONS = (
    "*/10 * * * *",
    "*/15 * * * *",
    "@every 17m",
    "0 * * * *",
    "30 1-3 * * *",
    "20 */2 * * *",
    "*/20 8-18 * * *",
    "0 0 * * *",
    "45 6 * * SUN",
)
CRONS_OF_MINUTES = ("* * * * *", "*/2 * * * *", "@every 150s")  # the first schedules
SLOW_MIN = 45  # so seldom that what is kept for half an hour is gone meanwhile


class Rest:
    """The other families of a day, each with a few who use it well and a few who do not."""

    def __init__(self, both: Both, plan: Plan, random: Random) -> None:
        self._both, self._plan, self._random = both, plan, random
        self._leader: Lock | None = None
        self._deposed: Lock | None = None
        self._heard: dict[tuple[str, str], int] = {}
        self._event_id = 0

    def begin(self) -> None:
        """Events are told, and schedules of many kinds are registered."""
        self._both.run(EventsOn(keep=EVENTS_KEEP))
        for place in range(self._plan.schedules):
            self._both.run(self._schedule(place))

    def _schedule(self, place: int) -> ScheduleRegister:
        crons = CRONS_OF_MINUTES if place < self._plan.fires_each_minute else CRONS
        return ScheduleRegister(
            schedule=f"schedule-{place:02}",
            queue=f"queue-{place % self._plan.queues}",
            cron=crons[place % len(crons)],
            tz=ZONES[place % len(ZONES)],
            payload={"schedule": place},
            misfire=tuple(Misfire)[place % len(Misfire)],
            overlap=tuple(Overlap)[place // len(Misfire) % len(Overlap)],
            expires_s=1_200 if place % 7 == 0 else None,
            jitter_s=30 if place % 5 == 0 else 0,
            max_fires=10 if place % 16 == 11 else None,
        )

    # --- schedules

    def tick(self, minute: int) -> None:
        """The leader ticks until there is no more. Now and then one dies, and the next one leads when its lock is over.

        The one that was deposed ticks once more, and must be refused.
        """
        self._lead(minute)
        if self._leader is not None:
            owner, fence = self._leader.owner, self._leader.fence
            for _ in range(TICKS_MAX):
                ticked = self._both.run(ScheduleTick(owner=owner, fence=fence, limit=100))
                if not getattr(ticked, "more", False):
                    break
        if self._deposed is not None and self._leader is not None:
            self._both.run(ScheduleTick(owner=self._deposed.owner, fence=self._deposed.fence))
            self._deposed = None
        self._both.run(ScheduleSoonest())
        if minute % 30 == 7:
            self._change(minute)

    def _lead(self, minute: int) -> None:
        if self._leader is not None and minute % 97 != 50:
            renew = LockRenew(lock=SCHEDULER_LOCK, owner=self._leader.owner, fence=self._leader.fence, ttl_s=LEADER_S)
            if isinstance(self._both.run(renew), int):
                return
        if self._leader is not None:
            self._deposed, self._leader = self._leader, None
        lock = self._both.run(LockAcquire(lock=SCHEDULER_LOCK, owner=f"leader-{minute}", ttl_s=LEADER_S))
        self._leader = lock if isinstance(lock, Lock) else None

    def _change(self, minute: int) -> None:
        """Somebody runs, changes and registers a schedule; another is paused, and resumed half an hour later."""
        place = self._random.randrange(self._plan.schedules)
        name = f"schedule-{place:02}"
        self._both.run(ScheduleRunNow(schedule=name))
        self._both.run(ScheduleUpdate(schedule=name, changes={"priority": minute // 60}))
        self._both.run(self._schedule(place))
        paused = f"schedule-{minute // 60 % self._plan.schedules:02}"
        self._both.run((SchedulePause if minute % 60 == 7 else ScheduleResume)(schedule=paused))

    # --- locks and limits

    def locks(self, minute: int) -> None:
        """Two who want the same lock; one who forgets a lock that nobody wants again."""
        name, draw = f"lock-{self._random.randrange(self._plan.keys)}", self._random
        for owner in ("ann", "bob"):
            lock = self._both.run(LockAcquire(lock=name, owner=owner, ttl_s=draw.randrange(30, 200)))
            if isinstance(lock, Lock) and draw.random() < 0.6:
                self._both.run(LockRelease(lock=name, owner=owner, fence=lock.fence))
        self._both.run(LockAcquire(lock=f"lock of minute {minute}", owner="eve", ttl_s=draw.randrange(10, LOCK_TTL_S)))
        if minute % 10 == 4:
            self._both.run(LockList())

    def limits(self, minute: int) -> None:
        draw = self._random
        for _ in range(self._plan.limit_tries_a_minute):
            key = f"limit-{draw.randrange(self._plan.keys)}"
            self._both.run(RateLimitTry(key=key, limit=2, per_s=MINUTE_S))
            self._both.run(TokenBucketTry(key=key, limit=5, per_s=600, n=draw.randint(1, 3)))
        self._both.run(TokenBucketTry(key=f"limit of minute {minute}", limit=2, per_s=60))
        self._both.run(LimitGet(key=f"slots-{draw.randrange(self._plan.keys)}"))

    # --- what is told

    def tell(self, minute: int) -> None:
        for _ in range(self._plan.notifications_a_minute):
            self._both.run(Notify(channel=f"channel-{self._random.randrange(self._plan.channels)}", payload=minute))

    def hear(self, minute: int) -> None:
        """One listener of each channel comes in turn, one so late that it must be told what is gone."""
        channel = f"channel-{minute % self._plan.channels}"
        self._listen("fast", channel)
        self._both.run(NotificationLast(channel=channel))
        if minute % SLOW_MIN == 0:
            self._listen("slow", channel)
        page = self._both.run(EventRead(after_id=self._event_id))
        if page.events:
            self._event_id = page.events[-1].id

    def _listen(self, listener: str, channel: str) -> None:
        after_id = self._heard.get((listener, channel), 0)
        heard = self._both.run(NotificationRead(channel=channel, after_id=after_id))
        if heard.notifications:
            self._heard[listener, channel] = heard.notifications[-1].id

    # --- streams

    def publish(self, minute: int) -> None:
        for place in range(self._plan.published_a_minute):
            topic = f"topic-{self._random.randrange(self._plan.topics)}"
            self._both.run(StreamPublish(topic=topic, payload={"minute": minute}, key=f"key-{place}"))

    def follow(self, minute: int) -> None:
        """A consumer who keeps up, one who comes too late, one who stays for an hour; and a group."""
        topic = f"topic-{minute % self._plan.topics}"
        self._read(topic, "fast")
        if minute % SLOW_MIN == 0:
            self._read(topic, "slow")
        guest = f"guest of hour {minute // 60}"
        if minute % 60 < self._plan.topics:
            self._read(topic, guest)
            self._both.run(StreamLag(topic=topic, consumer=guest))
        elif minute % 60 >= 60 - self._plan.topics:
            self._both.run(StreamForget(topic=topic, consumer=guest))
        self._share(topic)

    def _read(self, topic: str, consumer: str) -> None:
        offset = self._both.run(StreamGetOffset(topic=topic, consumer=consumer))
        page = self._both.run(StreamReadSince(topic=topic, offset=offset))
        if page.entries:
            last = page.entries[-1].offset
            self._both.run(StreamSaveOffset(topic=topic, consumer=consumer, offset=last))

    def _share(self, topic: str) -> None:
        """Two workers of the group: one acks what it is given, the other does only nearly always."""
        for worker, is_careful in (("careful", True), ("careless", False)):
            claimed = self._both.run(StreamClaim(topic=topic, group="group", worker=worker, n=10, lease_s=90))
            held = [Held(one.entry.offset, one.fence) for one in claimed if is_careful or self._random.random() < 0.8]
            if held:
                self._both.run(StreamAck(topic=topic, group="group", worker=worker, held=tuple(held)))
        self._both.run(StreamLag(topic=topic, group="group"))
