"""What was sent under which nonce, over restarts: Discord forgets nonces, and a channel's history does not show them.

A part whose end is unknown is found again by what it read when it was sent, among the bot's newest messages that
belong to no other part. Owns the journal in the profile's cache folder; looking into the history is the adapter's.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discord.utils import snowflake_time

KEPT = 1000
"""Sends that are remembered; the file grows to twice as many lines before it is written anew."""

MARGIN = 300.0
"""Seconds by which this machine's clock may differ from Discord's."""

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Send:
    channel: int
    mark: str
    at: float
    message: int | None = None


def mark_of(text: str, sizes: Iterable[int] = ()) -> str:
    """A message's content and the bytes of its files, as a digest. Discord drops white space at the ends, and gives
    files other names."""
    return hashlib.sha256("\0".join([text.strip(), *map(str, sizes)]).encode("utf-8", "replace")).hexdigest()[:32]


class Sent:
    """The journal. Nothing is read or written before the first send."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sends: dict[str, _Send] = {}
        self._lines = 0
        self._loaded = False

    def begin(self, nonce: str, channel: int, mark: str, at: float) -> None:
        """A part is about to be sent, or to be sent once more."""
        self._load()
        known = self._sends.pop(nonce, None)
        first = known.at if known is not None and known.channel == channel else at
        self._keep(nonce, _Send(channel, mark, first, known.message if known is not None else None))

    def ended(self, nonce: str, message: int) -> None:
        """A part is known to be this message."""
        self._load()
        known = self._sends.get(nonce)
        if known is not None and known.message != message:
            known.message = message
            self._keep(nonce, known)

    def message(self, nonce: str) -> int | None:
        """The message that a part is known to be."""
        self._load()
        known = self._sends.get(nonce)
        return known.message if known is not None else None

    def sought(self, nonce: str, history: Iterable[Mapping[str, Any]], me: int) -> int | None:
        """The part's message among those of a channel; None when it is not there, or was never sent."""
        known = self._sends.get(nonce)
        if known is None:
            return None
        taken = {each.message for name, each in self._sends.items() if name != nonce}
        for message in sorted(history, key=lambda each: int(each["id"])):
            number = int(message["id"])
            mine = message["author"]["id"] == str(me) and number not in taken
            sizes = [int(each["size"]) for each in message.get("attachments") or []]
            if mine and _moment(number) >= known.at - MARGIN and mark_of(message["content"], sizes) == known.mark:
                return number
        return None

    def _keep(self, nonce: str, send: _Send) -> None:
        self._sends[nonce] = send
        while len(self._sends) > KEPT:
            del self._sends[next(iter(self._sends))]
        try:
            if self._lines >= 2 * KEPT:
                self._path.write_text("".join(map(_line, self._sends, self._sends.values())), encoding="utf-8")
                self._lines = len(self._sends)
                return
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8") as file:
                file.write(_line(nonce, send))
            self._lines += 1
        except OSError as error:
            _LOG.warning("what is sent to Discord cannot be written down: %s", error.strerror)

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError):
            return
        self._lines = len(lines)
        for each in lines:
            try:
                nonce, channel, mark, at, message = json.loads(each)
                self._sends.pop(nonce, None)
                self._sends[nonce] = _Send(int(channel), str(mark), float(at), message)
            except (ValueError, TypeError):
                continue  # a line that a crash cut off
        for nonce in list(self._sends)[:-KEPT]:
            del self._sends[nonce]


def _line(nonce: str, send: _Send) -> str:
    return json.dumps([nonce, send.channel, send.mark, send.at, send.message]) + "\n"


def _moment(number: int) -> float:
    return snowflake_time(number).timestamp()
