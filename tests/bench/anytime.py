"""How soon /status, /stop and another chat are answered while a long answer streams."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from gateway.models.client import Request
from tests.bench.figures import milliseconds
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import ScriptedModel, Turn

ROUNDS = 20


async def rows() -> list[tuple[str, str]]:
    taken: dict[str, list[float]] = {"/status": [], "a message in another chat": [], "/stop": []}
    with tempfile.TemporaryDirectory() as folder:
        never = asyncio.Event()

        def answer(request: Request) -> Turn | str:
            return Turn(["It was a long ", never]) if request.messages[-1].content.endswith("long") else "short"

        async with guesthouse(Path(folder), ScriptedModel(answer)) as house:
            for number in range(ROUNDS):
                chat = f"c{number}"
                await house.adapter.say("long", chat=chat)
                await house.model.arrived(2 * number + 1)
                for what, text, where in (
                    ("/status", "/status", chat),
                    ("a message in another chat", "hello", f"other{number}"),
                    ("/stop", "/stop", chat),
                ):
                    began = time.perf_counter()
                    await house.adapter.reply_to(text, chat=where)
                    taken[what].append(time.perf_counter() - began)
    return [(f"{what} answered while a long answer streams", milliseconds(times)) for what, times in taken.items()]
