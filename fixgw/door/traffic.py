"""What has passed the door since the venue has started; for who wants to look."""


class Traffic:
    __slots__ = ("connections", "cut", "logons", "received", "sent")

    def __init__(self) -> None:
        self.connections = 0
        """that were accepted"""
        self.logons = 0
        """that became a session's"""
        self.cut = 0
        """of sessions, that the venue has ended at once"""
        self.received = 0
        self.sent = 0
        """bytes, of connections that are a session's"""
