"""Windows in the hands of scripts: lines from a pipe, and `ask`."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from io import StringIO
from pathlib import Path

from platforms.console.client import Window
from platforms.console.oneshot import ask
from platforms.console.terminal import converse
from platforms.contract import eventually
from tests.platforms.console.house import STORY, open_house


async def pipe(folder: Path, text: str) -> tuple[int, str]:
    out = StringIO()
    async with open_house(folder), Window(folder, "desk") as window:
        code = await converse(window, stdin=StringIO(text), stdout=out, stderr=StringIO(), commands={})
    return code, out.getvalue()


async def test_piped_lines_are_answered_in_order_until_the_end_of_the_input(tmp_path: Path) -> None:
    assert await pipe(tmp_path, "hello\n\nworld") == (0, "echo: hello\necho: world\n")


async def test_quit_ends_a_pipe_after_the_last_answer(tmp_path: Path) -> None:
    assert await pipe(tmp_path, "story\n/quit\nnever said\n") == (0, f"{STORY}\n")


async def test_a_piped_line_takes_a_choice(tmp_path: Path) -> None:
    code, printed = await pipe(tmp_path, "remember\n1\n1\n")
    assert code == 0
    assert printed == "Save **tea**?\n[1] Allow\n[2] Deny\necho: /memory approve 1a2b\necho: 1\n"


async def test_ask_prints_the_reply_and_its_notices_beside_it(tmp_path: Path) -> None:
    out, err = StringIO(), StringIO()
    async with open_house(tmp_path), Window(tmp_path, "once", "ask") as window:
        assert await ask(window, "notice", stdout=out, stderr=err) == 0
    assert (out.getvalue(), err.getvalue()) == ("echo: notice\n", "Memory updated\n")


async def test_ask_json_gives_session_reply_usage_and_notices(tmp_path: Path) -> None:
    out = StringIO()
    async with open_house(tmp_path), Window(tmp_path, "once", "ask") as window:
        assert await ask(window, "notice", stdout=out, stderr=StringIO(), as_json=True) == 0
    assert json.loads(out.getvalue()) == {
        "session_id": "s-1",
        "reply": "echo: notice",
        "usage": {"input": 12, "output": 3, "cost": None},
        "notices": ["Memory updated"],
    }


async def test_ask_is_not_attended_and_fails_when_the_turn_failed(tmp_path: Path) -> None:
    out = StringIO()
    async with open_house(tmp_path) as house, Window(tmp_path, "once", "ask") as window:
        assert await ask(window, "fail", stdout=out, stderr=StringIO()) == 1
        assert not house.adapter.attended(house.attached[0])
    assert out.getvalue() == "The model host is down.\n"


async def test_control_c_in_ask_stops_the_turn_and_exits_130(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house, Window(tmp_path, "once", "ask") as window:
        asking = asyncio.create_task(ask(window, "slow", stdout=StringIO(), stderr=StringIO()))
        await eventually(lambda: bool(house.heard))
        os.kill(os.getpid(), signal.SIGINT)
        assert await asking == 130
        assert [event.text for event in house.heard] == ["slow", "/stop"]


async def test_ask_says_so_when_the_gateway_goes_away_for_good(tmp_path: Path) -> None:
    err = StringIO()
    async with open_house(tmp_path) as house:
        window = await Window(tmp_path, "once", "ask", patience=0.0).__aenter__()
        asking = asyncio.create_task(ask(window, "slow", stdout=StringIO(), stderr=err))
        await eventually(lambda: bool(house.heard))
    assert await asking == 1
    assert err.getvalue() == "the gateway went away and did not come back\n"
    await window.__aexit__(None, None, None)
