"""The pretended host as a process of its own, as tests that kill the gateway use it; and the clock."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from gateway.models.client import Message, Request, ToolSchema
from gateway.models.contract import asked, heard
from gateway.models.openai_compatible import OpenAICompatible
from tests.fakes.clock import FakeClock

KEEP = ToolSchema("keep", "", {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]})


async def test_the_host_as_a_process_echoes_calls_tools_and_records(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"pieces": ["scripted ", "first"]}]), encoding="utf-8")
    record = tmp_path / "record.jsonl"
    options = ["--script", str(script), "--record", str(record), "--delay", "0.001"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.fakes.openai_server", *options, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = (await asyncio.wait_for(process.stdout.readline(), 30)).decode().strip()
        client = OpenAICompatible("fake", "auto", address, None, clock=FakeClock())
        assert (await heard(client))[0] == "scripted first"
        assert "#42" in (await heard(client, asked("What is #42?", tools=())))[0]
        question = Message("user", "[tool] keep #42")
        _, reply = await heard(client, Request((question,), (KEEP,)))
        [call] = reply.tool_calls
        assert (call.name, call.arguments) == ("keep", '{"key":"42"}')
        followed = (question, Message("assistant", "", (call,)), Message("tool", "kept", tool_call_id=call.id))
        seen, reply = await heard(client, Request(followed, (KEEP,)))
        assert "#42" in seen
        assert reply.tool_calls == ()
        await client.close()
        lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        assert [line["messages"][-1]["role"] for line in lines] == ["user", "user", "user", "tool"]
    finally:
        process.kill()
        await process.wait()


async def test_sleepers_wake_in_the_order_of_their_moments() -> None:
    clock = FakeClock(start=1000.0)
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, *naps: float) -> None:
        for nap in naps:
            await clock.sleep(nap)
            woken.append((name, clock.monotonic()))

    tasks = [asyncio.create_task(sleeper("a", 10, 10)), asyncio.create_task(sleeper("b", 5, 20))]
    await clock.advance(0)
    assert clock.sleepers == 2
    await clock.advance(21)
    assert woken == [("b", 5), ("a", 10), ("a", 20)]
    assert clock.now() == 1021.0
    await clock.advance(4)
    await asyncio.gather(*tasks)
    assert woken[-1] == ("b", 25)
