"""The owner's time zone by its name: the one in the settings, else this machine's."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from gateway.config.schema import Settings

NAMELESS = "local"
"""What a zone is called that this machine has and cannot name."""


def own_zone(settings: Settings) -> ZoneInfo:
    """The zone for quiet hours, digests and jobs. A machine whose zone has no name counts as one in UTC."""
    if settings.gateway.timezone:
        return ZoneInfo(settings.gateway.timezone)
    from tzlocal import get_localzone

    try:
        found = get_localzone()
    except (LookupError, ValueError, OSError):
        return ZoneInfo("UTC")
    return found if found.key and found.key != NAMELESS else ZoneInfo("UTC")
