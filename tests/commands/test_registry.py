"""The commands that plugins add: good ones, broken ones, and those that want a taken name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from commands.context import Context
from commands.registry import GROUP, Registry, built_in
from commands.reply import CommandReply
from commands.spec import Arguments, CommandSpec


async def answer(context: Context, arguments: Arguments) -> CommandReply:
    return CommandReply("good")


weather = CommandSpec("weather", "how the sky is", answer)
thief = CommandSpec("help", "something else", answer)
nameless = CommandSpec(None, "has no name", answer)  # type: ignore[arg-type]
words = "weather"


def with_plugins(*names: str) -> Registry:
    return built_in([EntryPoint(name, f"{__name__}:{name}", GROUP) for name in names])


def test_a_plugins_command_is_one_of_the_house() -> None:
    registry = with_plugins("weather")
    assert registry.get("weather") is weather
    assert registry.problems == []


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("words", "command plugin words: a str, not a CommandSpec"),
        ("answer", "command plugin answer: a function, not a CommandSpec"),
        ("absent", "command plugin absent: AttributeError"),
        ("thief", "/help is taken"),
        ("nameless", "command plugin nameless: None is no name for a command"),
    ],
)
def test_a_bad_plugin_is_a_line_and_the_commands_are_all_there(name: str, why: str) -> None:
    registry = with_plugins(name, "weather")
    assert {spec.name for spec in registry} == {spec.name for spec in built_in([])} | {"weather"}
    assert registry.get("help") is built_in([]).get("help")
    (line,) = registry.problems
    assert line.startswith(why)
