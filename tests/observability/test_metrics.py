"""Figures that /status and the bench read, without and with somebody who listens through OpenTelemetry."""

from __future__ import annotations

import threading
from typing import Any

from opentelemetry.metrics import NoOpMeter

from gateway.observability.metrics import Metrics, Spread


class HeardMeter(NoOpMeter):
    """Keeps what an exporter would be given: instrument, amount, labels."""

    def __init__(self) -> None:
        super().__init__("heard")
        self.heard: list[tuple[str, float, dict[str, Any]]] = []

    def create_counter(self, name: str, *rest: Any, **more: Any) -> Any:
        return HeardInstrument(name, self.heard)

    def create_histogram(self, name: str, *rest: Any, **more: Any) -> Any:
        return HeardInstrument(name, self.heard)


class HeardInstrument:
    def __init__(self, name: str, heard: list[tuple[str, float, dict[str, Any]]]) -> None:
        self.name, self.heard = name, heard

    def add(self, amount: float, labels: dict[str, Any]) -> None:
        self.heard.append((self.name, amount, labels))

    record = add


def test_a_fresh_process_has_counted_nothing() -> None:
    figures = Metrics().snapshot()
    assert figures.turns == Spread(count=0, total=0.0, p50=0.0, p99=0.0)
    assert figures.inbound == {}
    assert figures.input_tokens == 0


def test_everything_that_happens_is_counted() -> None:
    metrics = Metrics()
    metrics.inbound("telegram")
    metrics.inbound("telegram")
    metrics.inbound("discord")
    metrics.delivered("telegram")
    metrics.delivered("discord", ok=False)
    metrics.turn(2.0)
    metrics.turn(4.0, ok=False)
    metrics.model_call(host="local", model="small", task="chat", seconds=1.5, input=100, cached=80, output=7)
    metrics.model_call(host="local", model="small", task="background_review", seconds=0.5, ok=False)

    figures = metrics.snapshot()
    assert figures.inbound == {"telegram": 2, "discord": 1}
    assert figures.delivered == {"telegram": 1}
    assert figures.undelivered == {"discord": 1}
    assert (figures.turns.count, figures.turns.total, figures.failed_turns) == (2, 6.0, 1)
    assert figures.model_calls == {"local/small chat": 1}
    assert figures.failed_model_calls == {"local/small background_review": 1}
    assert (figures.input_tokens, figures.cached_tokens, figures.output_tokens) == (100, 80, 7)
    assert figures.model_seconds.total == 2.0


def test_percentiles_are_of_the_latest_thousand() -> None:
    metrics = Metrics()
    for _ in range(500):
        metrics.turn(1_000.0)
    for hundredths in range(1_000):
        metrics.turn(hundredths / 100)
    turns = metrics.snapshot().turns
    assert turns.count == 1_500
    assert turns.p50 == 5.0
    assert turns.p99 == 9.89


def test_counting_from_several_threads_loses_nothing() -> None:
    metrics = Metrics()

    def count() -> None:
        for _ in range(500):
            metrics.inbound("console")

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert metrics.snapshot().inbound == {"console": 2_000}


def test_a_listener_gets_names_and_labels_and_never_a_chat() -> None:
    meter = HeardMeter()
    metrics = Metrics(meter)
    metrics.inbound("telegram")
    metrics.turn(2.0)
    metrics.model_call(host="h", model="m", task="chat", seconds=1.0, input=5)
    assert ("innkeeper.inbound", 1, {"platform": "telegram"}) in meter.heard
    assert ("innkeeper.turn.duration", 2.0, {"ok": True}) in meter.heard
    assert ("innkeeper.model.tokens", 5, {"host": "h", "model": "m", "task": "chat", "kind": "input"}) in meter.heard
    labels = {key for _, _, labels in meter.heard for key in labels}
    assert labels == {"platform", "ok", "host", "model", "task", "kind"}
