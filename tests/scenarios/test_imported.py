"""A conversation that was held with another program is gone on with here: only when asked for, with its own words."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.cli.shell import Shell
from tests.fakes.guesthouse import guesthouse
from tests.importing.hermes import Hermes, call


async def test_going_on_with_it(tmp_path: Path) -> None:
    hermes = Hermes(tmp_path / "hermes")
    hermes.session("one", "inprocess", chat_id="c1", chat_type="dm")
    hermes.says("one", "user", "my colour is blue")
    hermes.says("one", "assistant", None, tool_calls=[call()])
    hermes.says("one", "tool", "noted", tool_call_id="call_1")
    hermes.says("one", "assistant", "Noted.")
    home = tmp_path / "home"
    home.mkdir()
    result = await asyncio.to_thread(Shell(home), "import", "hermes", "--home", str(hermes.folder))
    assert result.exit_code == 0
    async with guesthouse(home, ["Hi.", "Blue.", "Hi again."]) as house:
        await house.adapter.reply_to("hello")
        assert len(house.model.requests[0].messages) == 2
        (old,) = [each.session for each in await house.store.sessions.recent(9) if each.session.ended_at]
        assert "Back in" in await house.adapter.reply_to(f"/resume {old.id}")
        assert await house.adapter.reply_to("my colour?") == "Blue."
        sent = house.model.requests[1].messages
        assert [each.role for each in sent] == ["system", "user", "assistant", "tool", "assistant", "user"]
        assert "Hermes Agent" in sent[0].content
        assert "my colour is blue" in sent[1].content
        await house.adapter.reply_to("/new")
        assert await house.adapter.reply_to("hello") == "Hi again."
