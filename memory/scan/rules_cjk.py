"""Rules for Japanese and Chinese."""

from __future__ import annotations

from memory.scan.rule import Rule

CJK_FAMILIES: dict[str, str] = {"NIX": "(?!)"}
CJK: tuple[Rule, ...] = ()
