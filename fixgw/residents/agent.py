"""The persistence agent: reads users from the record and writes them back, while the cycle goes on. What it
has found out enters the cycle as commands."""

from collections.abc import Callable, Iterable

from engine.user_events import BeginDehydrate
from fixgw.cycle.operating import Operate
from fixgw.cycle.recorder import Recorder
from fixgw.record.record import Record
from fixgw.residents.contact import Contact
from fixgw.residents.reader import Reader
from fixgw.residents.writer import Writer


class Agent:
    def __init__(
        self,
        record: Record,
        recorder: Recorder,
        operate: Operate,
        arrived: Callable[[str, int], None],
        is_needed: Callable[[str], bool],
        unknown_seconds: Callable[[], int],
        recognize: Callable[[str], None],
    ) -> None:
        """As Reader and Contact have them."""
        self._venue = recorder.venue
        self.contact = Contact(record, recognize)
        self.reader = Reader(self.contact, recorder, operate, arrived, is_needed, unknown_seconds)
        self.writer = Writer(self.contact, operate, self.reader.look_for_places)

    def begin(self) -> None:
        """In the loop. What was to be written when the venue stopped is written again, and who was wanted is
        read."""
        self.contact.begun = True
        self.writer.begin()
        for shard in self._venue.shards.values():
            self.write(shard.flushing.values())
        self.reader.begin()

    async def close(self) -> None:
        await self.contact.close()

    def write(self, flushes: Iterable[BeginDehydrate]) -> None:
        """After the commit of the turn that asked for it: what the record has must be in the journal."""
        flushes = list(flushes)
        for flush in flushes:
            self.reader.is_written(flush.user)
        self.writer.write(flushes)
