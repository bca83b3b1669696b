"""What the running house counts of itself, as /status shows it."""

from __future__ import annotations

from pathlib import Path

from gateway.models.errors import KeyRefused
from platforms.adapter import Capabilities
from platforms.errors import Refused
from platforms.in_process import InProcess
from tests.fakes.guesthouse import guesthouse
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.props import counter


async def test_events_parts_turns_and_calls_are_counted(tmp_path: Path) -> None:
    script: Script = [Turn(calls=[("count", {"word": "a"})]), "Counted.", KeyRefused("no key"), "Soup."]
    plain = InProcess(capabilities=Capabilities(limit=4096, edits=False))
    async with guesthouse(tmp_path, script, adapter=plain, tools=[counter([])], full_status=True):
        assert await plain.reply_to("count") == "Counted."
        assert "no key" in await plain.reply_to("and now?")
        plain.fail_next(send=Refused("no soup here"))
        assert await plain.reply_to("what is for lunch?") == ""
        line = next(each for each in (await plain.reply_to("/status")).splitlines() if "Since" in each)
        assert "4 events in, 2 parts out, 3 turns (half of them within " in line
        assert line.endswith("3 model calls and 1 that failed")
