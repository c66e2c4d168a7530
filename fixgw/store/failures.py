"""Why a data directory is refused."""


class StoreError(Exception):
    """The data directory cannot be used; the text says why and what would help."""
