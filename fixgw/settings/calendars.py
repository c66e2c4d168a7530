"""What the settings say of time: the trading day, and when sessions are."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from fixgw.calendar.schedule import Schedule
from fixgw.calendar.trading_day import TradingDay
from fixgw.settings.building import close
from fixgw.settings.reading import Mistake
from fixgw.settings.session import ALL_DAYS
from fixgw.settings.session import Schedule as ScheduleSettings
from fixgw.settings.structs import Settings

A_MONDAY = 1704067200 * 10**9
"""2024-01-01 00:00 UTC, nanoseconds since the epoch"""


def trading_day(settings: Settings) -> TradingDay:
    return TradingDay(settings.day.time_zone, settings.day.end)


def schedules(settings: Settings) -> dict[str, Schedule]:
    """By name. Only for settings that passed the checks."""
    return {name: _schedule(each, each.time_zone) for name, each in settings.schedules.items()}


def _schedule(settings: ScheduleSettings, time_zone: str) -> Schedule:
    return Schedule(
        time_zone,
        settings.start,
        settings.end,
        settings.days,
        settings.connect_from,
        settings.connect_until,
        settings.reset == "yes",
    )


def check_schedule(path: str, settings: ScheduleSettings) -> None:
    """Raises Mistake for one that contradicts itself or never lets a client in."""
    check_zone(f"{path}.time_zone", settings.time_zone)
    weekly, ends_weekly = " " in settings.start, " " in settings.end
    if weekly != ends_weekly:
        where, other = ("end", settings.start) if weekly else ("start", settings.end)
        raise Mistake(
            f"{path}.{where}", f"needs a day, such as Fri {getattr(settings, where)}, as the other is {other}"
        )
    if not settings.days:
        raise Mistake(f"{path}.days", "must name at least one day; leave it out to mean all of them")
    if weekly and set(settings.days) != set(ALL_DAYS):
        raise Mistake(f"{path}.days", f"is for daily sessions; this one is weekly, from {settings.start}")
    if bool(settings.connect_from) != bool(settings.connect_until):
        missing = "connect_until" if settings.connect_from else "connect_from"
        raise Mistake(f"{path}.{missing}", "is missing; give both ends of the connection window, or neither")
    if settings.connect_from and settings.connect_from == settings.connect_until:
        raise Mistake(f"{path}.connect_until", "is connect_from as well; leave both out to mean always")
    if _schedule(settings, "UTC").opens(A_MONDAY) is None:
        raise Mistake(f"{path}.connect_from", "there is no moment of a session in this connection window")


def check_zone(path: str, name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = close(name, sorted(available_timezones()))
        raise Mistake(path, f"{name} is not in the time zone database{hint}") from None
