"""Figures of one process: counted here for `/status` and the bench, and handed to OpenTelemetry where it is set up.

Without the SDK (extra `otel`) the second half costs next to nothing. Labels name platforms, hosts, models and tasks;
never a chat or a person.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.metrics import Meter

REMEMBERED = 1_000
"""Durations behind the percentiles: the latest ones."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Durations in seconds. `count` and `total` since the start; the percentiles over the latest thousand."""

    count: int = 0
    total: float = 0.0
    p50: float = 0.0
    p99: float = 0.0


@dataclass(frozen=True, slots=True)
class Figures:
    """The state of all counters at one moment. Keys are labels: a platform, or `host/model task`."""

    inbound: Mapping[str, int]
    delivered: Mapping[str, int]
    undelivered: Mapping[str, int]
    turns: Spread
    failed_turns: int
    model_calls: Mapping[str, int]
    failed_model_calls: Mapping[str, int]
    model_seconds: Spread
    input_tokens: int
    cached_tokens: int
    output_tokens: int


class _Durations:
    """Durations as they come in, with the latest kept."""

    __slots__ = ("count", "latest", "total")

    def __init__(self) -> None:
        self.count, self.total = 0, 0.0
        self.latest: deque[float] = deque(maxlen=REMEMBERED)

    def add(self, seconds: float) -> None:
        self.count += 1
        self.total += seconds
        self.latest.append(seconds)

    def spread(self) -> Spread:
        if not self.latest:
            return Spread()
        ordered = sorted(self.latest)
        last = len(ordered) - 1
        return Spread(self.count, self.total, ordered[round(last * 0.50)], ordered[round(last * 0.99)])


class Metrics:
    """One per process, handed to whoever counts. May be called from any thread; no method raises or waits."""

    def __init__(self, meter: Meter | None = None) -> None:
        if meter is None:
            from opentelemetry import metrics

            meter = metrics.get_meter("innkeeper")
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str]] = Counter()
        self._turns, self._calls = _Durations(), _Durations()
        self._inbound = meter.create_counter("innkeeper.inbound", "1", "Events accepted from platforms")
        self._delivered = meter.create_counter("innkeeper.delivered", "1", "Parts that platforms were given")
        self._turn = meter.create_histogram("innkeeper.turn.duration", "s", "Message taken up to final reply")
        self._call = meter.create_histogram("innkeeper.model.duration", "s", "One model call, request to end")
        self._tokens = meter.create_counter("innkeeper.model.tokens", "1", "Tokens by kind")

    def inbound(self, platform: str) -> None:
        """An event was stored."""
        self._count("inbound", platform)
        self._inbound.add(1, {"platform": platform})

    def turn(self, seconds: float, *, ok: bool = True) -> None:
        """A turn ended; `ok` False when it ended with a reason instead of an answer."""
        with self._lock:
            self._turns.add(seconds)
            self._counts["failed_turns", ""] += not ok
        self._turn.record(seconds, {"ok": ok})

    def delivered(self, platform: str, *, ok: bool = True) -> None:
        """A part reached its final state: with the platform, or given up."""
        self._count("delivered" if ok else "undelivered", platform)
        self._delivered.add(1, {"platform": platform, "ok": ok})

    def model_call(
        self,
        *,
        host: str,
        model: str,
        task: str,
        seconds: float,
        input: int = 0,
        cached: int = 0,
        output: int = 0,
        ok: bool = True,
    ) -> None:
        """A request to a model host ended. `cached` tokens are part of `input`."""
        with self._lock:
            self._calls.add(seconds)
            self._counts["model_calls" if ok else "failed_model_calls", f"{host}/{model} {task}"] += 1
            for kind, amount in (("input", input), ("cached", cached), ("output", output)):
                self._counts["tokens", kind] += amount
        labels = {"host": host, "model": model, "task": task}
        self._call.record(seconds, {**labels, "ok": ok})
        for kind, amount in (("input", input), ("cached", cached), ("output", output)):
            self._tokens.add(amount, {**labels, "kind": kind})

    def snapshot(self) -> Figures:
        """All figures at this moment; the caller may keep them."""
        with self._lock:
            tokens = self._group("tokens")
            return Figures(
                inbound=self._group("inbound"),
                delivered=self._group("delivered"),
                undelivered=self._group("undelivered"),
                turns=self._turns.spread(),
                failed_turns=self._counts["failed_turns", ""],
                model_calls=self._group("model_calls"),
                failed_model_calls=self._group("failed_model_calls"),
                model_seconds=self._calls.spread(),
                input_tokens=tokens.get("input", 0),
                cached_tokens=tokens.get("cached", 0),
                output_tokens=tokens.get("output", 0),
            )

    def _count(self, name: str, label: str) -> None:
        with self._lock:
            self._counts[name, label] += 1

    def _group(self, name: str) -> dict[str, int]:
        return {label: count for (group, label), count in self._counts.items() if group == name}
