"""The store: one LMDB environment per node, and a tail. One process writes them; any process may read what is
committed. Keys are big-endian so that order is byte order; values are msgspec msgpack.

A cycle's transaction is on disk when its record is in the tail: one write in place, one fsync. The database
is committed behind it, many cycles at a time. What was in the tail only when the process died is written
again at the next start, so a cycle holds as a whole or not at all, as if each were committed on its own."""
