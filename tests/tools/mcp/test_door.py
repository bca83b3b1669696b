"""Tools offered one by one, or found by a search: what is offered, what can be called, and which name is whose."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tools.mcp.stand import fake, log, stand

MANY = [
    {"name": f"make_{number}", "description": f"Makes thing {number}.", "inputSchema": {"type": "object"}}
    for number in range(30)
]


async def test_few_are_offered_and_many_are_looked_for(tmp_path: Path) -> None:
    async with stand(tmp_path, {"fake": fake(tmp_path, told={"tools": MANY})}, room=100_000) as place:
        assert len(place.names()) == 30
    async with stand(tmp_path, {"fake": fake(tmp_path)}, room=500) as place:
        assert place.names() == ["tools_call", "tools_search"]
        found = json.loads((await place.call("tools_search", query="thing make_7")).text)
        assert found["tools"][0]["name"] == "mcp_fake_make_7"
        assert len(found["tools"]) == 8
        assert len(found["more"]) == 22
        assert found["tools"][0]["parameters"] == {"type": "object", "properties": {}}
        assert len(json.loads((await place.call("tools_search", query="")).text)["tools"]) == 30
        assert "nothing fits" in (await place.call("tools_search", query="zebra")).text
        assert (await place.call("tools_call", name="mcp_fake_make_7", arguments={})).ok
        assert not (await place.call("tools_call", name="make_7", arguments={})).ok
        assert not (await place.call("tools_call", name="mcp_fake_make_7", arguments="{}")).ok
        assert (await place.call("mcp_fake_make_8")).ok, "a session that began with it may still call it"
        assert [each["tool"] for each in log(tmp_path)] == ["make_7", "make_8"]


async def test_a_house_without_tools_offers_no_search(tmp_path: Path) -> None:
    async with stand(tmp_path, {"fake": fake(tmp_path, told={"tools": []})}, room=0) as place:
        assert place.names() == []


async def test_only_what_is_wanted_is_offered(tmp_path: Path) -> None:
    rules = {
        "one": fake(tmp_path, "one", tools={"allow": ["echo", "write"], "deny": ["write"]}),
        "two": fake(tmp_path, "two", tools={"deny": ["echo"]}, approvals={"write": "deny"}),
    }
    async with stand(tmp_path, rules) as place:
        names = place.names()
        assert [each for each in names if each.startswith("mcp_one")] == ["mcp_one_echo"]
        assert not {"mcp_two_echo", "mcp_two_write"} & set(names)
        assert "mcp_two_fail" in names
        assert "there is no tool" in (await place.call("mcp_one_write", word="a")).text


async def test_a_name_that_two_servers_have_is_the_first_ones(tmp_path: Path) -> None:
    tools = [{"name": "b_c", "description": "One.", "inputSchema": {"type": "object"}}]
    others = [{"name": "c", "description": "Two.", "inputSchema": {"type": "object"}}]
    servers = {"a": fake(tmp_path, "a", told={"tools": tools}), "a_b": fake(tmp_path, "a_b", told={"tools": others})}
    async with stand(tmp_path, servers) as place:
        assert place.names() == ["mcp_a_b_c"]
        assert place.servers.problems == ["a_b: the name mcp_a_b_c is taken by a"]
        assert (await place.call("mcp_a_b_c")).ok
        assert (log(tmp_path, "a"), log(tmp_path, "a_b")) == ([{"tool": "b_c"}], [])
