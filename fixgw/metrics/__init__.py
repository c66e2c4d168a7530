"""Numbers for Prometheus: what the venue's process writes while it works, and who serves them."""
