"""The cached share on the real local server: what a turn does not read again of its session's previous request."""

from __future__ import annotations

import tempfile
from pathlib import Path

from gateway.clock import SystemClock
from gateway.models.catalogue import DEFAULT_MODEL
from gateway.models.client import Message, Reply, Request
from gateway.models.local import LocalHost
from gateway.models.pull import ensure_weights

PERSONA = "You are the assistant of an inn. " + "Answer briefly and exactly, in the language of the guest. " * 12


async def rows() -> list[tuple[str, str]]:
    weights = ensure_weights(Path.home() / ".cache" / "innkeeper-tests" / "models", DEFAULT_MODEL, lambda a, b: None)
    with tempfile.TemporaryDirectory() as folder:
        talk = _Talk(weights, Path(folder))
        await talk.say("ada", "My name is Ada and I came by train.")
        second = await talk.say("ada", "What is my name?")
        await talk.say("bob", "I am Bob. I like tea.")
        other = await talk.say("ada", "And how did I come?")
        await talk.restart()
        again = await talk.say("ada", "Say hello.")
        bob = await talk.say("bob", "What do I like?")
        await talk.host.close()
    return [
        ("cached share, second turn (embedded model)", second),
        ("cached share, a turn after another chat used the host", other),
        ("cached share, first turn after a restart", again),
        ("cached share, first turn of the other chat after it", bob),
    ]


class _Talk:
    """Sessions on one host, with the size of each one's last prompt."""

    def __init__(self, weights: Path, folder: Path) -> None:
        self._weights, self._folder = weights, folder
        self._said: dict[str, tuple[Message, ...]] = {}
        self._last: dict[str, int] = {}
        self.host = self._open()

    def _open(self) -> LocalHost:
        return LocalHost(self._weights, self._folder, clock=SystemClock(), temperature=0.0)

    async def restart(self) -> None:
        await self.host.close()
        self.host = self._open()

    async def say(self, session: str, text: str) -> str:
        before = self._said.get(session, (Message("system", PERSONA),))
        messages = (*before, Message("user", text))
        request = Request(messages, session=session, max_tokens=40)
        reply: Reply | None = None
        async for delta in self.host.stream(request):
            reply = delta if isinstance(delta, Reply) else reply
        assert reply is not None
        former = self._last.get(session)
        self._said[session] = (*messages, Message("assistant", reply.text))
        self._last[session] = reply.usage.input
        if not former:
            return "first"
        return f"{100 * reply.usage.cached / former:.1f} % ({reply.usage.cached} of {former} tokens)"
