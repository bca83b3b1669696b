"""Counts what the bus tells of, for `/status` and for OpenTelemetry;
the counters are observability/metrics.py's."""

from __future__ import annotations

from collections.abc import Callable

from gateway.events import Event, EventStored, ModelCalled, PartEnded, TurnFinished
from gateway.observability.metrics import Figures, Metrics


def counting(metrics: Metrics) -> Callable[[Event], None]:
    """A subscriber that counts into `metrics`."""

    def count(event: Event) -> None:
        match event:
            case EventStored(platform):
                metrics.inbound(platform)
            case PartEnded(platform, delivered):
                metrics.delivered(platform, ok=delivered)
            case TurnFinished():
                metrics.turn(event.seconds, ok=event.state == "answered")
            case ModelCalled(host, model, task, usage, answered):
                metrics.model_call(
                    host=host,
                    model=model,
                    task=task,
                    seconds=usage.seconds,
                    input=usage.input,
                    cached=usage.cached,
                    output=usage.output,
                    ok=answered,
                )
            case _:
                pass

    return count


def in_words(figures: Figures) -> str:
    """The process's figures on one line."""
    turns, calls = figures.turns, sum(figures.model_calls.values())
    failed = sum(figures.failed_model_calls.values())
    words = [
        f"{sum(figures.inbound.values()):,} events in",
        f"{sum(figures.delivered.values()):,} parts out",
        f"{turns.count:,} turns" + (f" (half of them within {turns.p50:.1f} s)" if turns.count else ""),
        f"{calls:,} model calls" + (f" and {failed:,} that failed" if failed else ""),
    ]
    return ", ".join(words)
