"""A small trading client: `fixgw order` and `fixgw demo`. It knows the venue only through FIX."""
