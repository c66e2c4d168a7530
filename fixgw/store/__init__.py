"""The store: one LMDB environment per node. One process writes it, one transaction per cycle; any process
may read it meanwhile. Keys are big-endian so that order is byte order; values are msgspec msgpack."""
