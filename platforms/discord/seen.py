"""How far each channel was heard, over restarts: a small file in the profile's cache folder.

What is lost of it only makes more be fetched again, and the inbox knows each event by its id.
"""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

from discord.utils import DISCORD_EPOCH

MOST = 2000
"""Channels that are kept; beyond, those that were silent longest are forgotten."""

MARGIN = 60.0
"""Seconds by which this machine's clock may differ from Discord's."""

_STEP = int(MARGIN * 1000) << 22
"""How far the floor moves at a time, so that a quiet hour is not written down every few seconds."""

_LOG = logging.getLogger(__name__)


def snowflake(moment: float) -> int:
    """The smallest id that Discord gives at a moment (seconds since the epoch)."""
    return max(int(moment * 1000) - int(DISCORD_EPOCH), 0) << 22


class Seen:
    """The newest message that was stored, by channel. `floor` is the id up to which everything was heard in guild
    channels that are not listed; None when nothing was ever heard. In direct chats that are not listed nothing was
    heard since `began`: Discord tells of them when somebody writes there, and at no other time."""

    def __init__(self, path: Path, pause: float) -> None:
        self._path = path
        self._met = path.with_suffix(".met")  # what came since the last saving; putting a file in its place is slow
        self._pause = pause
        self._saved_at = 0.0
        self._changed = False
        self._channels: dict[int, int] = {}
        self._direct: set[int] = set()
        self.floor: int | None = None
        self.began: int | None = None
        self._load()

    def after(self, channel: int, *, direct: bool = False) -> int | None:
        """The id after which messages of a channel may have been missed; None when nothing was ever heard."""
        return self._channels.get(channel, self.began if direct else self.floor)

    def is_direct(self, channel: int) -> bool:
        return channel in self._direct

    def direct(self, most: int) -> list[int]:
        """The direct channels heard of last."""
        return sorted(self._direct & self._channels.keys(), key=lambda each: -self._channels[each])[:most]

    def meet(self, channel: int, message: int, *, direct: bool) -> None:
        """A message of a channel is about to be stored: from now on the channel is known, whatever happens."""
        if direct and channel not in self._direct:
            self._direct.add(channel)
            self._channels.setdefault(channel, message - 1)
            self._changed = True
            try:
                with self._met.open("a", encoding="utf-8") as file:
                    file.write(f"{channel} {self._channels[channel]}\n")
            except OSError as error:
                _LOG.warning("a new chat on Discord cannot be written down: %s", error.strerror)

    def stored(self, channel: int, message: int) -> None:
        """Everything of a channel up to this message is stored, or nobody's business."""
        if message > self._channels.get(channel, 0):
            self._channels.pop(channel, None)  # the last one in is the last one heard
            self._channels[channel] = message
            self._changed = True

    def heard(self, moment: float) -> None:
        """Nothing is missing up to this moment in channels that are not listed."""
        floor = snowflake(moment - MARGIN)
        if self.began is None:
            self.began = floor
        if self.floor is None or floor - self.floor >= _STEP:
            self.floor = floor
            self._changed = True

    def save(self, *, now: bool = False) -> None:
        """Write it down, if it changed; unless `now`, not more often than seldom."""
        if not now and (not self._changed or time.monotonic() - self._saved_at < self._pause):
            return
        while len(self._channels) > MOST:
            oldest = next(iter(self._channels))
            del self._channels[oldest]
            self._direct.discard(oldest)
        about = {
            "floor": self.floor,
            "began": self.began,
            "channels": {str(channel): message for channel, message in self._channels.items()},
            "direct": sorted(self._direct),
        }
        beside = self._path.with_suffix(f".{os.getpid()}")
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            beside.write_text(json.dumps(about), encoding="utf-8")
            beside.replace(self._path)
            self._met.unlink(missing_ok=True)
        except OSError as error:
            _LOG.warning("what was heard on Discord cannot be written down: %s", error.strerror)
        self._saved_at, self._changed = time.monotonic(), False

    def _load(self) -> None:
        try:
            about = json.loads(self._path.read_bytes())
            channels = {int(channel): int(message) for channel, message in about["channels"].items()}
            direct = {int(channel) for channel in about["direct"]}
            floor, began = (None if each is None else int(each) for each in (about["floor"], about["began"]))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return
        self._channels, self._direct, self.floor, self.began = channels, direct, floor, began
        try:
            lines = self._met.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return
        for line in lines:
            channel, _, message = line.partition(" ")
            if channel.isdecimal() and message.isdecimal():
                self._direct.add(int(channel))
                self._channels.setdefault(int(channel), int(message))
