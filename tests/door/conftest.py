from tests.venue.conftest import market, next_market

__all__ = ["market", "next_market"]
