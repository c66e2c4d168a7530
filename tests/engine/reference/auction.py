"""Clause 8: one price for all, looked for by trying every tick."""

from __future__ import annotations

from tests.engine.reference.continuous import fill
from tests.engine.reference.world import Open, World


def bid(world: World, symbol: str, price: int) -> list[Open]:
    """Who buys at this price, the first one first."""
    return [order for order in world.queue(symbol, "1") if order.limit >= price]


def offered(world: World, symbol: str, price: int) -> list[Open]:
    return [order for order in world.queue(symbol, "2") if order.limit <= price]


def surplus(world: World, symbol: str, price: int) -> int:
    """What is bid beyond what is offered; less than 0 if more is offered."""
    return sum(o.left for o in bid(world, symbol, price)) - sum(o.left for o in offered(world, symbol, price))


def volume(world: World, symbol: str, price: int) -> int:
    return min(
        sum(o.left for o in bid(world, symbol, price)), sum(o.left for o in offered(world, symbol, price))
    )


def considered(world: World, symbol: str) -> list[int]:
    book = world.queue(symbol, "1") + world.queue(symbol, "2")
    prices = [order.price for order in book if order.price]
    reference = world.reference_price(symbol)
    if not prices and reference:
        prices = [reference]  # 8.3
    all_prices = list(range(min(prices), max(prices) + 1)) if prices else []
    return all_prices


def auction_price(world: World, symbol: str) -> int:
    """8.1, word by word. 0: nothing would trade."""
    prices = considered(world, symbol)
    most = max((volume(world, symbol, price) for price in prices), default=0)
    if most == 0:
        return 0
    prices = [price for price in prices if volume(world, symbol, price) == most]
    least = min(abs(surplus(world, symbol, price)) for price in prices)
    prices = [price for price in prices if abs(surplus(world, symbol, price)) == least]
    if all(surplus(world, symbol, price) > 0 for price in prices):
        return max(prices)
    if all(surplus(world, symbol, price) < 0 for price in prices):
        return min(prices)
    reference = world.reference_price(symbol)
    if not reference:
        return min(prices)
    nearest = min(abs(price - reference) for price in prices)
    return min(price for price in prices if abs(price - reference) == nearest)


def hold(world: World, symbol: str) -> None:
    """8.2: the auction itself."""
    price = auction_price(world, symbol)
    if not price:
        return
    while (bids := bid(world, symbol, price)) and (offers := offered(world, symbol, price)):
        buyer, seller = bids[0], offers[0]
        fill(world, {buyer: "auction", seller: "auction"}, min(buyer.shown, seller.shown), price)
    world.dynamic[symbol] = price


def tell(world: World, symbol: str) -> None:
    """8.4."""
    price = auction_price(world, symbol)
    quantity = volume(world, symbol, price) if price else 0
    left_over = surplus(world, symbol, price) if price else 0
    world.tell("Indicative", symbol=symbol, price=price, quantity=quantity, surplus=left_over)
