"""Words about a lease, which is named by the job and the worker."""

from __future__ import annotations

from typing import Any

from anser_spec.drivers.honker.calls import Call, Family, function, held, queue_method


def _heard(raw: Any, by_s: int) -> None:
    held(raw, by_s)


FAMILY = Family(
    calls={
        "ack": Call(
            by_function=function("honker_ack", "id worker"),
            by_method=queue_method("ack", "id worker"),
            tell=_heard,
        ),
        "ack_batch": Call(
            by_function=function("honker_ack_batch", "ids worker"),
            by_method=queue_method("ack_batch", "ids worker"),
        ),
        "heartbeat": Call(
            by_function=function("honker_heartbeat", "id worker lease_s"),
            by_method=queue_method("heartbeat", "id worker lease_s"),
            tell=_heard,
        ),
        "retry": Call(
            by_function=function("honker_retry", "id worker delay_s error"),
            by_method=queue_method("retry", "id worker delay_s error"),
            tell=_heard,
        ),
        "fail": Call(
            by_function=function("honker_fail", "id worker error"),
            by_method=queue_method("fail", "id worker error"),
            tell=_heard,
        ),
    },
)
