"""What was said in a house with a dashboard: sessions of several people, long and short ones, and hostile ones."""

from __future__ import annotations

import json
import time

from commands.cron_ports import JobWish
from gateway.state.records import KeptFile, Row
from gateway.transcript import ToolCall, Usage
from platforms.messages import ChatRef
from tests.fakes.past import Talk, had
from tests.web.stage import OWNER, Stage

BUDGETS = {"gateway": {"drain_seconds": 1, "budgets": {"chat": 200_000, "total": 150_000}}}
"""Settings under which some of a day's tokens are left."""

EVIL = "<script>window.hacked=1</script>"
EVIL_CHAT = ChatRef("console", "<img src=x onerror=window.hacked=1>")

ADAS, BOBS, MALLORYS = "20261101-ada", "20261120-bob", "20261121-mal"
LONG, HOSTILE = "20261129-long", "20261119-evil"
SAID = "Descale the espresso"

ROWS = 80
ANSWER = json.dumps({"rows": [{"number": number, "text": "a line of it"} for number in range(ROWS)]})


async def talked(stage: Stage) -> None:
    """Ada asked about a machine; Bob and Mallory had talks of their own; one talk is long and goes on."""
    call = ToolCall("c9", "session_search", '{"query":"espresso","limit":3}')
    rows = (
        Row("assistant", "", tool_calls=(call,), model="m"),
        Row("tool", ANSWER, tool_call_id="c9", untrusted="web"),
    )
    file = KeptFile("document", "manual <b>.pdf", "application/pdf", "/nowhere")
    await had(
        stage.app.engine.house.store,
        Talk(
            ADAS, 3, title="The espresso machine", pinned=True, rows=rows, files=(file,), say="Descale the espresso"
        ),
        Talk(BOBS, 9, chat=ChatRef("telegram", "222"), title="Bob's talk", say="espresso for Bob"),
        Talk(MALLORYS, 8, chat=ChatRef("telegram", "333"), title="Mallory's talk", say="espresso for Mallory"),
        Talk(LONG, None, chat=ChatRef("telegram", "-5"), turns=90, title="A long one", say="word {turn} of many"),
        Talk(HOSTILE, 10, chat=EVIL_CHAT, title=f"{EVIL} title", say=f"{EVIL} evil words"),
    )


async def furnished(stage: Stage) -> None:
    """Talks, a job, and a day's usage."""
    await talked(stage)
    house = stage.app.engine.house
    assert house.cron is not None
    wish = JobWish(when="weekdays at 9:00", prompt="Say what is new.", name="morning notes", chat="telegram:111")
    await house.cron.add(wish, OWNER)
    used = Usage(input=120_000, cached=90_000, output=4_000, calls=31)
    await house.store.usage.add(ADAS, "local", "qwen3-8b", "chat", used, time.time())
