"""Which numbers the venue's process writes, and where: each is said once, here. Places are those of
fixgw.store.pulse, times in nanoseconds."""

from typing import Final, NamedTuple
from zlib import crc32

from fixgw.codec.refusals import REASONS
from fixgw.metrics import buckets
from fixgw.store.pulse import FIRST_FREE, PLACES

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
STAGES = POLL, DECODE, ENGINE, RECORD, COMMIT, SEND = "poll", "decode", "engine", "record", "commit", "send"
SLOW_FSYNC: Final = "slow fsync"
SLOW_COMMIT: Final = "slow database commit"
GC_PAUSE: Final = "GC pause"
LONG_REPLAY: Final = "long replay"
LONG_TURN: Final = "long turn"
LONG_TICK: Final = "long tick"
SNAPSHOT: Final = "snapshot"
LONG_START: Final = "long start"
KINDS = SLOW_FSYNC, SLOW_COMMIT, GC_PAUSE, LONG_REPLAY, LONG_TURN, LONG_TICK, SNAPSHOT, LONG_START
"""of spans, in the order of their numbers, from 1 on"""
UNNAMED = "unnamed"
CAUSES = UNNAMED, *KINDS
SHARDS = 16
"""that have places"""
SHARD_NAME = 32
"""characters, in four places"""


class Family(NamedTuple):
    """`values`: of the label, one place (or histogram) each."""

    name: str
    """after `fixgw_`; of times the unit is told in seconds"""
    kind: str
    help: str
    label: str = ""
    values: tuple[str, ...] = ("",)


# fmt: off
FAMILIES = (
    Family("cycle_seconds", HISTOGRAM, "Turns that decided or journaled something, from begin to sent"),
    Family("cycle_stage_seconds", HISTOGRAM,
        "Their stages; decode, engine and record are measured in one turn of 16, which counts 16 times",
        "stage", STAGES),
    Family("fsync_seconds", HISTOGRAM, "Waits of turns for the disk: writing to the tail and fdatasync"),
    Family("database_commit_seconds", HISTOGRAM, "Commits of the database, behind the turns"),
    Family("gc_pause_seconds", HISTOGRAM, "Garbage collections of the venue's process", "generation",
        ("0", "1", "2")),
    Family("replay_seconds", HISTOGRAM, "Answers to ResendRequests, from first to last message"),
    Family("tick_seconds", HISTOGRAM, "Timers of a fifth of the sessions, ten times a second"),
    Family("cycles", COUNTER, "Turns that decided messages or journaled commands"),
    Family("turns", COUNTER, "All turns of the loop"),
    Family("messages_in", COUNTER, "Application messages decided"),
    Family("messages_out", COUNTER, "Application messages given a MsgSeqNum and kept"),
    Family("rejects", COUNTER, "Messages the front end refused", "reason", REASONS),
    Family("session_rejects", COUNTER, "Reject(3) and BusinessMessageReject(j) on the session level"),
    Family("resend_requests", COUNTER, "ResendRequests(2) of clients"),
    Family("received_bytes", COUNTER, "From connections that are a session's"),
    Family("sent_bytes", COUNTER, "To connections that are a session's"),
    Family("connections", COUNTER, "Connections accepted, over TCP and TLS"),
    Family("logons", COUNTER, "Connections that became a session's"),
    Family("cuts", COUNTER, "Connections of sessions that the venue ended at once"),
    Family("record_reads", COUNTER, "Users the record was asked for"),
    Family("record_writes", COUNTER, "Users written to the record"),
    Family("spans", COUNTER, "What took longer than it should, by name, and each snapshot", "span", KINDS),
    Family("spans_seconds", COUNTER, "How long they took together", "span", KINDS),
    Family("long_turn_causes", COUNTER, "Long turns, by the longest named span in them", "cause", CAUSES),
    Family("spans_longest_seconds", GAUGE, "The longest since the venue has started", "span", KINDS),
    Family("start_time_seconds", GAUGE, "When the venue has started, since the epoch"),
    Family("recovery_seconds", GAUGE, "What its start took to replay the journal"),
    Family("sessions", GAUGE, "Sessions in the settings"),
    Family("sessions_logged_on", GAUGE, "Sessions whose client is there"),
    Family("backlog_sessions", GAUGE, "Sessions with more to do than the last turn had time for"),
    Family("inbox_bytes", GAUGE, "Received and not given to QuickFIX yet, all sessions"),
    Family("unread_bytes", GAUGE, "Due for clients and not taken by their sockets, all sessions"),
    Family("unread_bytes_most", GAUGE, "The same of the client that is furthest behind"),
    Family("parked_messages", GAUGE, "Messages that wait for an account to be read from the record"),
    Family("record_writing", GAUGE, "Users being written to the record"),
    Family("record_trouble", GAUGE, "1 while the record cannot be used"),
    Family("store_full", GAUGE, "1 while new orders are refused for lack of room"),
    Family("snapshot_running", GAUGE, "1 while a snapshot is made beside the venue"),
    Family("shards", GAUGE, "Shards; the first 16 are told by name"),
)
# fmt: on
OF_SHARDS = (
    Family("residents", GAUGE, "Users in memory"),
    Family("residents_leaving", GAUGE, "Users being written back, to leave memory"),
    Family("open_orders", GAUGE, "Open orders of the users of the shard"),
)
"""with the label `shard`: SHARDS times the name and one place each"""
SHARD_SIZE = SHARD_NAME // 8 + len(OF_SHARDS)
SPAN_SIZE = 4
"""kind, begin (nanoseconds since the epoch), duration, detail"""
RING = 64
"""spans that are kept, the last ones"""


def _lay_out() -> tuple[dict[tuple[str, str], int], int]:
    found, at = {}, FIRST_FREE + 1
    for family in FAMILIES:
        for value in family.values:
            found[family.name, value] = at
            at += buckets.SIZE if family.kind == HISTOGRAM else 1
    return found, at


_PLACE, SHARDS_AT = _lay_out()
LAYOUT = FIRST_FREE
"""place of LAYOUT_NUMBER: of another release the numbers mean something else"""
LAYOUT_NUMBER = crc32(repr((FAMILIES, OF_SHARDS, buckets.BOUNDS, SHARDS, RING)).encode())
SPANS = SHARDS_AT + SHARDS * SHARD_SIZE
"""how many there were; the ring follows"""
END = SPANS + 1 + RING * SPAN_SIZE
assert END <= PLACES, f"{END} places are needed, the page has {PLACES}"


def place(name: str, value: str = "") -> int:
    """Of a number, or the first one of a histogram."""
    return _PLACE[name, value]
