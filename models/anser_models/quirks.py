"""The known defects of other builds as switches of the model.

`step(world, op, now, quirks)` with no quirks is what is right. With `HONKER_0_5` it is what the published honker 0.5
does, as far as this family reaches: then the register of defects *is* the difference between the two, and it is proven
by running both (`anser-spec run --target honker`).
"""

from __future__ import annotations

from enum import Enum

__all__ = ["HONKER_0_5", "PROCESS_TZ", "Quirk"]

PROCESS_TZ = "America/New_York"  # where the process of the build with these defects lives


class Quirk(Enum):
    """One defect of the register a member; the value is what goes wrong."""

    D02_ZOMBIE = "an expired job whose lease lapsed is neither claimed nor swept, and claims leave expired jobs lying"
    D03_DROPPED_BOUNDARIES = "a tick fires 64 boundaries of a schedule, goes on from now, and tells of no more"
    D04_ZONE_OF_PROCESS = "every schedule is read in the zone of the process, whatever zone it names"
    D06_LOCK_NOT_EXTENDED = "who acquires a lock again does not extend it; words name the owner alone; no sweep"
    D08_LAPSE_SPENDS_ATTEMPT = "a lapsed job is claimed where it stands, and that spends an attempt"
    D10_BLIND_GET_JOB = "get_job sees live jobs only, and no history is kept"
    D11_STRANDED_MOVE = "fail removes a job that is no text and files nothing; a dead job of its id stops any move"
    D12_IMPLICIT_STATE = "ack, ack_batch and fail do not look at the state, only at the lease columns"
    E02_UNREADABLE_BLOCKS = "a job that is no text makes claims and sweeps fail; retry and get_job see none"
    E04_NO_FENCE = "words about a lease name the worker alone"
    E07_CLAIM_SWEEPS_ALL = "every claim first moves all exhausted jobs of its queue"
    E08_NO_ATTEMPTS = "max_attempts below 1 is accepted, and such a job dies unrun"
    E11_REGISTER_RECOUNTS = "a schedule that is registered again counts its next boundary from now"
    E12_EXPIRES_FROM_TICK = "the expiry of a scheduled job counts from the tick, so that no boundary is too late"
    E13_RESUME_REPLAYS = "a schedule that is resumed fires what came due while it was paused"
    E14_BAD_STOPS_ALL = "one schedule that cannot be read makes the tick fail for all"
    E15_FIRST_PASS_SILENT = "in the repeated hour a schedule fires in the second pass alone"
    E16_GAPS_FIRE = "whatever time is skipped fires at the end of the gap"
    E17_OTHER_DIALECT = "both day fields must match; names and shorthands are refused, and some nonsense is taken"
    E18_LOCKS_REVIVE = "a lock takes no time or less; its inner release frees it; words about one that is over hold"
    E20_ID_ORDER = "a claim answers in the order of ids"
    E21_PAST_RUN_AT = "a run_at that has passed is kept, and overtakes; negative durations are accepted"
    E22_GLOBAL_IDS = "operations by id reach into other queues"
    E23_ERRORS_DISCARDED = "the error of a retry is not kept"
    E25_RESULTS_BY_ID = "whoever knows an id saves its result, also one without end; what became of the job is not told"
    E30_BORN_EXPIRED = "a job that expires before it is due is accepted"
    E31_PRUNES_TOO_MUCH = "notifications are kept by their rank over all channels; any age is taken, its edge is kept"
    E32_INTERVALS_DRIFT = "an interval counts on from now after a jump, or from whatever instant it is asked for"
    E33_UNCHECKED = "payloads that are no JSON are stored and handed out; a row in no known state cannot be cancelled"
    E35_DUE_IS_NEVER = "the next deadline leaves out work that is due already"


HONKER_0_5 = frozenset(Quirk)
