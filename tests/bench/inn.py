"""A guesthouse whose model and platform write down when they were reached; shared by the benches."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from gateway.models.client import Request
from platforms.adapter import Capabilities
from platforms.in_process import InProcess
from platforms.messages import Outbound
from tests.fakes.scripted_model import ScriptedModel


@dataclass
class Times:
    """Moments by message text (perf_counter seconds)."""

    said: dict[str, float] = field(default_factory=dict)
    asked: dict[str, float] = field(default_factory=dict)
    answered: dict[str, float] = field(default_factory=dict)
    sent: dict[str, float] = field(default_factory=dict)

    def to_model(self) -> list[float]:
        """Event handed to the sink → request at the model."""
        return [self.asked[key] - self.said[key] for key in self.asked if key in self.said]

    def to_platform(self) -> list[float]:
        """Last word from the model → message handed to the platform."""
        return [self.sent[key] - self.answered[key] for key in self.sent if key in self.answered]


class TimedPlatform(InProcess):
    """Notes the moment at which each reply is handed over."""

    def __init__(self, times: Times) -> None:
        super().__init__(capabilities=Capabilities(limit=4096, unit="utf16", edit_seconds=1.0))
        self._times = times

    async def send(self, message: Outbound) -> str:
        self._times.sent.setdefault(message.text.removeprefix("re: "), time.perf_counter())
        return await super().send(message)


def timed_model(times: Times) -> ScriptedModel:
    """Answers `re: TEXT` at once and notes both moments."""

    def answer(request: Request) -> str:
        said = request.messages[-1].content.rpartition("\n")[2]
        times.asked[said] = time.perf_counter()
        times.answered[said] = time.perf_counter()
        return f"re: {said}"

    return ScriptedModel(answer)
