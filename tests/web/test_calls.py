"""Calls of other programs' tools on the dashboard: shown to the letter, decided as shown, and made by the gateway."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from httpx import Response

from commands.ports import Ports
from commands.registry import built_in
from commands.tool_ports import CallPending
from gateway.clock import SystemClock
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from gateway.observability.report import LogReport
from gateway.short_lived import stored_ports
from gateway.state.store import SqliteStore
from gateway.web.desk import DashboardDesk, Furniture
from gateway.web.pulse import Pulse
from memory.model import Author, Origin
from memory.pending.call_model import PendingCall
from memory.pending.call_store import Aside
from memory.pending.outcomes import Decided
from tests.fakes.clock import FakeClock
from tests.fakes.openai_server import OpenAIServer
from tests.scenarios.far_tools import server, until
from tests.tools.mcp.stand import log
from tests.web.stage import OPERATOR, OWNER, USER, Stage, Visitor, dashboard_stage, settings
from tests.web.wishes import wish_to_add

HOSTILE = '<script>alert("1")</script><img src=x onerror=alert(2)> {{ 7*7 }} "\'&'
UNSEEN = ("\u202e", "\u200b", "\u2028", "\U000e0041")
MADE_UP = {"word": "inn"}


def desk(ports: Ports) -> CallPending:
    assert ports.call_pending is not None
    return ports.call_pending


def put(gate: CallPending, arguments: dict[str, Any] = MADE_UP, tool: str = "write", far: str = "fake") -> str:
    """A call that waits; its id."""
    author = Author(Origin.FOREGROUND, "s1", "turn:3", chat=OWNER, flags=("untrusted:document",), speaker=OWNER)
    made = gate.resolver.calls.put(
        lambda name: PendingCall(name, author, gate.now() - 180, far, tool, f"mcp_{far}_{tool}", arguments)
    )
    assert isinstance(made, Aside)
    return made.id


def mark(gate: CallPending, name: str) -> str:
    """What a form says that it showed."""
    call = gate.resolver.calls.get(name)
    assert isinstance(call, PendingCall)
    return gate.resolver.calls.mark(call)


def text(answer: Response) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


@asynccontextmanager
async def far_stage(folder: Path, **config: Any) -> AsyncIterator[tuple[Stage, CallPending]]:
    """The running house, with a server that has the tools `echo` and `write`."""
    far = {"mcp_servers": {"fake": server(folder, **config)}}
    async with dashboard_stage(folder, config=far) as stage:
        remote = stage.app.engine.house.remote
        assert remote is not None
        await until(lambda: all(each.state == "ready" for each in remote.servers.all))
        yield stage, desk(stage.app.engine.ports)


@asynccontextmanager
async def asleep(folder: Path, **config: Any) -> AsyncIterator[tuple[Visitor, CallPending]]:
    """The pages as `innkeeper dashboard` serves them where no gateway runs, and the owner who looks."""
    profile = prepare(Profile("default", folder, folder))
    async with OpenAIServer() as host:
        profile.config.write_text(json.dumps(settings(host) | config))
        loaded, store = load_settings(profile, {}), await SqliteStore.open(profile.database)
        ports = stored_ports(profile, loaded, store, SystemClock(), "not running", {})
        pages = DashboardDesk(profile, lambda: loaded.settings, store, SystemClock(), LogReport("gateway.web"))
        pages.furnish(Furniture(ports, built_in(())))
        try:
            address, link = await pages.start(), await pages.link("shell", None)
            head = {"Origin": address}
            async with Visitor(base_url=address, headers=head, follow_redirects=True, trust_env=False) as visitor:
                assert (await visitor.login(link.url)).status_code == 200
                yield visitor, desk(ports)
        finally:
            await pages.close()
            await store.close()


async def test_a_call_is_shown_with_all_that_a_person_decides_by(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate, {"word": "inn", "deep": [{"a": 1}]})
        bob = await stage.client(OPERATOR)
        for path in ("/approvals", f"/pending/tools/{name}"):
            page = await bob.get(path)
            said = text(page)
            assert "Server fake Tool write , known to the assistant as mcp_fake_write" in said
            assert '{\n  "word": "inn",\n  "deep": [\n    {\n      "a": 1\n    }\n  ]\n}' in unescape(page.text)
            assert "wished for in a conversation, telegram:111, in a direct chat ·" in said
            assert "3 min ago" in said
            assert "reading text from outside (“document”) that nobody vouches for." in said
            assert "The gateway calls it once, and its conversation is told what came of it." in said
            assert "cannot be carried out" not in said
            assert f"/pending/tools/{name}/edit" not in page.text


async def test_an_approved_call_is_made_once_by_the_gateway_and_the_page_says_how_far_it_has_come(
    tmp_path: Path,
) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate)
        ada, shown = await stage.client(OWNER), mark(gate, name)
        answer = await ada.submit(f"/pending/tools/{name}/approve", seen=shown, back="/approvals")
        assert 'Approved: fake: write {"word": "inn"}. The gateway calls it once' in text(answer)
        await until(lambda: not gate.resolver.calls.decided.known(name))
        again = await ada.submit(f"/pending/tools/{name}/approve", seen=shown)
        assert f"{name} was approved already, by telegram:111." in text(again)
        assert f"The call {name} was approved by telegram:111" in text(again)
        assert "The gateway has taken it up." in text(again)
        assert log(tmp_path) == [{"tool": "write", "word": "inn"}]


async def test_a_rejected_call_is_not_made_and_its_conversation_hears_of_it(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate)
        bob = await stage.client(OPERATOR)
        answer = await bob.submit(f"/pending/tools/{name}/reject", seen=mark(gate, name))
        assert f"The call {name} was rejected by telegram:222" in text(answer)
        assert "It was not called." in text(answer)
        assert [each.who for each in gate.resolver.calls.decided.turned_down("s1")] == [OPERATOR]
        assert (log(tmp_path), gate.resolver.calls.decided.known(name)) == ([], False)


async def test_of_two_decisions_at_once_one_counts_and_both_pages_say_which(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate)
        ada, bob, shown = await stage.client(OWNER), await stage.client(OPERATOR), mark(gate, name)
        both = await asyncio.gather(
            ada.submit(f"/pending/tools/{name}/approve", seen=shown),
            bob.submit(f"/pending/tools/{name}/reject", seen=shown),
        )
        became = gate.resolver.became(name)
        assert isinstance(became, Decided)
        receipt = became.receipt
        assert receipt.who == (OWNER if receipt.result == "approved" else OPERATOR)
        assert all(f"was {receipt.result} by {receipt.who}" in text(each) for each in both)


@pytest.mark.parametrize("action", ["approve", "reject"])
async def test_only_what_was_shown_is_decided(tmp_path: Path, action: str) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate)
        ada, shown = await stage.client(OWNER), mark(gate, name)
        unsaid = await ada.submit(f"/pending/tools/{name}/{action}")
        assert "did not say what it showed" in unsaid.text
        file = stage.profile.pending / "calls" / f"{name}.json"
        held = json.loads(file.read_text())
        held["payload"]["arguments"]["word"] = "other"
        file.write_text(json.dumps(held))
        answer = await ada.submit(f"/pending/tools/{name}/{action}", seen=shown)
        assert "it changed since it was shown; look again" in answer.text
        assert (gate.resolver.calls.ids(), log(tmp_path)) == ([name], [])


async def test_a_call_cannot_be_edited(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate)
        ada, path = await stage.client(OWNER), f"/pending/tools/{name}/edit"
        for answer in (await ada.get(path), await ada.submit(path, seen=mark(gate, name), text="x")):
            assert (answer.status_code, "has no single text" in answer.text) == (200, True)
        assert gate.resolver.calls.ids() == [name]


async def test_what_stands_in_arguments_and_names_is_only_text_and_all_of_it_is_to_be_seen(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        hidden = "a\u202eb\u200bc\u2028d\U000e0041"
        name = put(gate, {HOSTILE: HOSTILE, "hidden": hidden}, f"{HOSTILE}\u202e", "\u200b<b>far</b>")
        ada = await stage.client(OWNER)
        pages = [await ada.get(path) for path in ("/", "/approvals", f"/pending/tools/{name}")]
        pages.append(await ada.submit(f"/pending/tools/{name}/reject", seen=mark(gate, name), back="/approvals"))
        for page in pages:
            assert not any(each in page.text for each in ("<script>alert", "<img", "<b>far", *UNSEEN))
            assert "\\u200b&lt;b&gt;far" in page.text
        for page in pages[1:3]:
            assert "a\\u202eb\\u200bc\\u2028d" in page.text
            assert json.dumps(HOSTILE) in unescape(page.text)


async def test_very_many_lines_are_decided_on_the_page_of_their_own(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate, {"numbers": list(range(2000))})
        ada, button = await stage.client(OWNER), f'action="/pending/tools/{name}/approve"'
        listed, own = (await ada.get("/approvals")).text, (await ada.get(f"/pending/tools/{name}")).text
        assert ("Read it and decide" in listed, button in listed) == (True, False)
        assert ("    1999\n" in own, button in own) == (True, True)


async def test_what_stands_in_its_way_is_said_before_it_is_approved(tmp_path: Path) -> None:
    async with far_stage(tmp_path, approvals={"write": "deny"}) as (stage, gate):
        denied, gone, strange = put(gate), put(gate, tool="fly"), put(gate, far="other")
        ada = await stage.client(OWNER)
        for name, why in (
            (denied, "This tool is denied by now."),
            (gone, "fake has no tool fly any more."),
            (strange, "There is no server other any more."),
        ):
            said = text(await ada.get(f"/pending/tools/{name}"))
            assert f"As things are it cannot be carried out: {why}" in said


async def test_the_first_page_counts_calls_and_its_stream_hears_of_them(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        ada, clock = await stage.client(OWNER), FakeClock()
        pulse = Pulse(stage.profile, lambda: asyncio.sleep(0, 1), lambda: asyncio.sleep(0, {}), clock)
        await pulse.begin()
        name = put(gate)
        assert await pulse.changed() == ["pending"]
        page = await ada.get("/")
        assert "1 for tools" in text(page)
        assert f'href="/pending/tools/{name}"' in page.text
        wish_to_add(stage, "She bakes.")
        assert "2 1 for memory, 1 for tools" in text(await ada.get("/"))
        assert "2 wait, the oldest first." in text(await ada.get("/approvals"))


async def test_who_is_no_operator_sees_and_decides_nothing(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        name = put(gate, {"word": "secret word"})
        mallory, here, shown = await stage.client(USER), f"/pending/tools/{name}", mark(gate, name)
        answers = [await mallory.get(path) for path in ("/approvals", here, f"{here}/edit", f"{here}/source")]
        answers += [await mallory.submit(f"{here}/{act}", seen=shown) for act in ("approve", "reject")]
        assert [each.status_code for each in answers] == [403] * 6
        assert not any("secret word" in each.text for each in [*answers, await mallory.get("/")])
        assert gate.resolver.calls.ids() == [name]


async def test_a_file_that_is_no_call_can_be_rejected_and_what_never_waited_is_not_found(tmp_path: Path) -> None:
    async with far_stage(tmp_path) as (stage, gate):
        (stage.profile.pending / "calls").mkdir(exist_ok=True)
        (stage.profile.pending / "calls" / "0badf11e.json").write_text("{}")
        ada = await stage.client(OWNER)
        assert "It cannot be carried out" in (await ada.get("/approvals")).text
        answer = await ada.submit("/pending/tools/0badf11e/reject", back="/approvals")
        assert "Nothing waits." in answer.text
        assert (await ada.get("/pending/tools/01234567")).status_code == 404
        assert gate.resolver.calls.ids() == []


async def test_without_a_gateway_an_approved_call_is_kept_until_one_runs(tmp_path: Path) -> None:
    later = "No gateway runs: it is called once, when the gateway runs"
    async with far_stage(tmp_path) as (_, gate):
        name, begun = put(gate), put(gate, {"word": "begun"})
    async with asleep(tmp_path, mcp_servers={"fake": server(tmp_path)}) as (shell, gate):
        page = await shell.get(f"/pending/tools/{name}")
        assert later in text(page)
        assert "cannot be carried out" not in text(page)
        answer = await shell.submit(f"/pending/tools/{name}/approve", seen=mark(gate, name))
        assert f"{later}, and its conversation is told what came of it." in text(answer)
        assert "It has not been called: the gateway does when it runs." in text(answer)
        decided = gate.resolver.calls.decided
        assert (decided.ids("json"), log(tmp_path)) == ([name], [])
        await shell.submit(f"/pending/tools/{begun}/approve", seen=mark(gate, begun))
        decided.take(begun)  # and there the gateway died
        assert "it is not called again" in text(await shell.get(f"/pending/tools/{begun}"))
    async with dashboard_stage(tmp_path, config={"mcp_servers": {"fake": server(tmp_path)}}) as stage:
        gate = desk(stage.app.engine.ports)
        await until(lambda: not any(map(gate.resolver.calls.decided.known, (name, begun))))
        assert log(tmp_path) == [{"tool": "write", "word": "inn"}]


async def test_without_a_gateway_and_without_servers_it_can_be_let_go(tmp_path: Path) -> None:
    async with asleep(tmp_path) as (shell, gate):
        name = put(gate)
        assert "No server is configured" in text(await shell.get(f"/pending/tools/{name}"))
        answer = await shell.submit(f"/pending/tools/{name}/reject", seen=mark(gate, name), back="/approvals")
        assert "Nothing waits." in text(answer)
