"""Structured lines for the log: a name for what happened, and fields. Masking and files are logging.py's."""

from __future__ import annotations

import logging


class LogReport:
    """Writes to one logger; `report.warning("turn.fault", error=…)`. What people write never goes into a field."""

    def __init__(self, name: str) -> None:
        self._log = logging.getLogger(name)

    def info(self, event: str, **fields: object) -> None:
        self._log.info(event, extra={"fields": fields})

    def warning(self, event: str, **fields: object) -> None:
        self._log.warning(event, extra={"fields": fields})

    def error(self, event: str, **fields: object) -> None:
        self._log.error(event, extra={"fields": fields})
