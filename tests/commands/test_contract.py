"""Every command of the house passes the suite that plugins' commands pass."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from commands.context import Context
from commands.contract import CommandContract, ordered
from commands.registry import built_in
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec


@pytest.fixture(params=[each for each in built_in([]) if not each.hidden], ids=lambda spec: spec.name)
def spec(request: pytest.FixtureRequest) -> CommandSpec:
    given: CommandSpec = request.param
    return given


class TestCommandsOfTheHouse(CommandContract):
    async def test_a_word_that_is_missing_is_a_reply_and_no_fault(self, spec: CommandSpec) -> None:
        """The grammar refuses such orders before a handler of the house is asked, which needs its ports anyway."""


async def _echo(context: Context, arguments: Arguments) -> CommandReply:
    return CommandReply(arguments.get("word"))


async def test_an_order_is_read_as_in_a_chat() -> None:
    echo = CommandSpec("echo", "says it again", _echo, (Argument("word", "what", required=True),))
    assert (await ordered(echo, "hello")).text == "hello"
    with pytest.raises(AssertionError, match="word"):
        await ordered(echo)


@pytest.mark.parametrize(
    "test",
    [
        CommandContract.test_its_names_can_be_typed,
        CommandContract.test_it_says_what_it_does_in_a_line,
        CommandContract.test_it_can_be_ordered,
        CommandContract.test_its_arguments_can_be_told_apart,
    ],
    ids=lambda test: test.__name__,
)
def test_the_suite_finds_what_is_wrong(test: Callable[[CommandContract, CommandSpec], None]) -> None:
    odd = (Argument("all", "the rest", rest=True), Argument("all", "", required=True))
    with pytest.raises(AssertionError):
        test(CommandContract(), CommandSpec("odd", "two\nlines", None, odd, aliases=("Not typed",)))
