"""The owner's day at the shell: start, mistakes in the settings, a second start, a broken file, a crash."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest

from tests.fakes.openai_server import OpenAIServer
from tests.scenarios.shell import Home

MISTAKES = """\
memroy: {write_approval: true}
memory: {write_approval: 'false', memory_char_limit: many}
platforms:
  telegram: {allowed_users: '[1, 2]'}
gateway: {busy: quickly}
"""


async def test_five_mistakes_are_five_lines_and_exit_code_two(tmp_path: Path) -> None:
    said = await Home(tmp_path / "home", MISTAKES).innkeeper("run")
    assert said.code == 2
    lines = said.err.strip().splitlines()
    assert len(lines) == 5
    for number, line in zip((1, 2, 2, 4, 5), sorted(lines), strict=True):
        assert line.startswith(f"config.yaml:{number} "), line
    assert "did you mean memory" in lines[0] + lines[1] + lines[2] + lines[3] + lines[4]


async def test_a_question_through_a_pipe_is_answered(tmp_path: Path) -> None:
    async with OpenAIServer() as host:
        home = Home(tmp_path / "home", f"model: {{base_url: {host.base_url}, model: fake}}\n")
        said = await home.innkeeper("ask", stdin="hello #7")
        assert said.code == 0, said.err
        assert "#7" in said.out
        as_data = json.loads((await home.innkeeper("ask", "--json", "--chat", "desk", "and #8?")).out)
        assert "#8" in as_data["reply"]
        assert set(as_data) == {"session_id", "reply", "usage", "notices"}
        again = json.loads((await home.innkeeper("ask", "--json", "--chat", "desk", "go on #9")).out)
        assert again["session_id"] == as_data["session_id"]


async def test_a_second_gateway_names_the_first_and_windows_attach_to_it(tmp_path: Path) -> None:
    async with OpenAIServer() as host:
        home = Home(tmp_path / "home", f"model: {{base_url: {host.base_url}, model: fake}}\n")
        async with home.gateway() as first:
            second = await home.innkeeper("run")
            assert second.code == 2
            assert str(first.pid) in second.err
            said = await home.innkeeper("ask", "hello #1")
            assert said.code == 0
            assert "#1" in said.out
            assert str(first.pid) in (await home.innkeeper("status")).out


async def test_a_file_broken_during_a_run_keeps_the_old_rules_and_says_so(tmp_path: Path) -> None:
    async with OpenAIServer() as host:
        good = f"model: {{base_url: {host.base_url}, model: fake}}\n"
        home = Home(tmp_path / "home", good)
        async with home.gateway() as gateway:
            home.configure("broken: [unclosed\n")
            gateway.send_signal(signal.SIGHUP)
            assert gateway.stderr is not None
            told = await asyncio.wait_for(gateway.stderr.readline(), 30)
            assert "the rules from before stay in force" in told.decode()
            assert "#2" in (await home.innkeeper("ask", "hello #2")).out  # a window needs no settings of its own
            home.configure(good + "gateway: {busy: steer}\n")
            gateway.send_signal(signal.SIGHUP)
            rest = b""
            while b"gateway.busy" not in rest:
                rest += await asyncio.wait_for(gateway.stderr.readline(), 30)
            assert "#3" in (await home.innkeeper("ask", "hello #3")).out


async def test_a_killed_gateway_gives_its_profile_back(tmp_path: Path) -> None:
    async with OpenAIServer() as host:
        home = Home(tmp_path / "home", f"model: {{base_url: {host.base_url}, model: fake}}\n")
        async with home.gateway() as gateway:
            gateway.kill()
            await gateway.communicate()
        said = await home.innkeeper("ask", "hello #4")
        assert said.code == 0, said.err
        assert "#4" in said.out


async def test_no_secret_comes_to_rest_in_the_home(tmp_path: Path) -> None:
    key = "sk-" + "proj-abcdefghijklmnop0123456789"
    async with OpenAIServer() as host:
        model = f"{{base_url: {host.base_url}, model: fake, api_key: '${{DESK_KEY}}'}}"
        home = Home(tmp_path / "home", f"model: {model}\n")
        home.environment["DESK_KEY"] = key
        assert (await home.innkeeper("ask", "hello #5")).code == 0
        async with home.gateway():
            assert (await home.innkeeper("ask", "hello #6")).code == 0
        assert key not in (await home.innkeeper("config", "check")).out
    for path in (each for each in home.folder.rglob("*") if each.is_file()):
        assert key.encode() not in path.read_bytes(), path


EASY = (
    ("What is the capital of France?", ("paris",)),
    ("What color is the sky on a clear day?", ("blue",)),
    ("How many days are in a week?", ("7", "seven")),
)


async def answers(home: Home, question: str, right: tuple[str, ...]) -> bool:
    """Ask; whether the answer is right. Each question costs a process of its own and a load of the model."""
    said = await home.innkeeper("ask", question)
    assert said.code == 0, said.err
    assert said.out.strip()
    return any(word in said.out.lower() for word in right)


@pytest.mark.model
async def test_the_embedded_model_answers_with_nothing_configured(tmp_path: Path, weights: Path) -> None:
    home = Home(tmp_path / "home", models=weights.parent)
    for question, right in EASY:
        if await answers(home, question, right):
            break
    else:
        raise AssertionError("not one right answer")
    assert "smollm2" in (await home.innkeeper("status")).out


@pytest.mark.soak
@pytest.mark.model
async def test_the_embedded_model_is_right_more_often_than_not(tmp_path: Path, weights: Path) -> None:
    home = Home(tmp_path / "home", models=weights.parent)
    assert sum([await answers(home, question, right) for question, right in EASY]) >= 2
