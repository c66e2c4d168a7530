"""The door: TCP and TLS, who may come in, limits on bytes and time. QuickFIX never sees a stranger."""
