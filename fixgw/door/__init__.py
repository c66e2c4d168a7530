"""The door: TCP, who may come in, limits on bytes and time. QuickFIX never sees a stranger."""
