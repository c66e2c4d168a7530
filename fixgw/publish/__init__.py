"""What leaves the venue besides a client's own reports; read from the log by other processes.

`read_events` is for programs of others: docs/log.md."""

from fixgw.publish.reading import read_events
from fixgw.publish.records import Record

__all__ = ["Record", "read_events"]
