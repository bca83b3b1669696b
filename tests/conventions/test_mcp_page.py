"""The page about MCP servers: its example is run as it stands, and its keys are those that there are."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from gateway.config.expand import Variables
from gateway.config.extensions import Extensions
from gateway.config.lines import parse
from gateway.config.load import loaded
from gateway.config.mcp import McpServer
from tests.conventions.source import ROOT
from tests.fakes.openai_server import Step
from tests.scenarios.far_tools import answers, calls, far_inn, opened, waiting
from tests.scenarios.gate import carded, pressed

PAGE = (ROOT / "gateway/docs/mcp.md").read_text("utf-8")
(EXAMPLE,) = re.findall(r"^```yaml\n# config\.yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def servers(repository: Path) -> dict[str, Any]:
    """The example, with this Python for the one of whoever reads it."""
    variables = Variables({"REPOSITORY": str(repository)})
    assert loaded(parse(EXAMPLE), variables, Extensions()).settings.mcp_servers["git"].rule("git_commit") == "ask"
    found: dict[str, Any] = yaml.safe_load(EXAMPLE.replace("${REPOSITORY}", str(repository)))["mcp_servers"]
    return {name: {**each, "command": sys.executable} for name, each in found.items()}


async def test_its_example_reads_asks_and_commits(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    git = ["git", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    for key, value in (("user.email", "ada@inn.example"), ("user.name", "Ada")):
        subprocess.run([*git, "config", key, value], check=True)
    (repository / "guests.txt").write_text("Ada\n")
    subprocess.run([*git, "add", "guests.txt"], check=True)
    async with far_inn(tmp_path, servers(repository)) as inn:
        async with opened(inn):
            await inn.says(
                "What time is it in Tokyo? And commit the guests.",
                calls("mcp_time_get_current_time", timezone="Asia/Tokyo"),
                calls("mcp_git_git_status", repo_path=str(repository)),
                calls("mcp_git_git_commit", repo_path=str(repository), message="Guests"),
                "Late; and I asked for a yes.",
            )
            assert "mcp_git_git_reset" not in inn.tools
            time, status, commit = answers(inn)
            assert "Asia/Tokyo" in time
            assert "guests.txt" in status
            assert "It waits for a yes" in commit
            assert [each["payload"]["tool"] for each in waiting(tmp_path)] == ["git_commit"]
            inn.host.script.append(Step(text="Committed."))
            await pressed(inn, inn.ada.chat, await carded(inn, inn.ada.chat), "✅ Approve")
            await inn.server.until(lambda: "Committed." in inn.ada.chat.texts(), 20)
    said = subprocess.run([*git, "log", "--format=%s"], check=True, capture_output=True, text=True)
    assert said.stdout == "Guests\n"


def test_its_keys_are_those_of_the_schema() -> None:
    table = PAGE.split("## Keys")[1].split("## Names")[0]
    rows = [line.split("|")[1] for line in table.split("\n") if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == set(McpServer.model_fields)
