"""Rules for German, French, Spanish, Portuguese and Russian: the families that matter most."""

from __future__ import annotations

from memory.scan.rule import Rule

OTHER_FAMILIES: dict[str, str] = {}
OTHER: tuple[Rule, ...] = ()
CYRILLIC: tuple[Rule, ...] = ()
