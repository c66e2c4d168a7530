"""What leaves the venue besides a client's own reports; read from the store by other processes."""
