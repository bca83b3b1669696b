"""Flags: words with two hyphens that stand anywhere, also as phones write them."""

from __future__ import annotations

import pytest

from commands.context import Context
from commands.parse import Mistake, Order, read, usage
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec


async def nothing(context: Context, arguments: Arguments) -> CommandReply:
    return CommandReply("")


RUN = CommandSpec(
    "run",
    "runs",
    nothing,
    (Argument("dry_run", "only look", flag=True), Argument("name", "which")),
)


@pytest.mark.parametrize(
    ("rest", "values"),
    [
        ("--dry-run", {"dry_run": "yes"}),
        ("—dry-run", {"dry_run": "yes"}),
        ("deploy --dry-run", {"dry_run": "yes", "name": "deploy"}),
        ("--dry-run deploy", {"dry_run": "yes", "name": "deploy"}),
        ("deploy", {"name": "deploy"}),
        ("--dry-running", {"name": "--dry-running"}),
        ("", {}),
    ],
)
def test_a_flag_is_there_or_not(rest: str, values: dict[str, str]) -> None:
    order = read(RUN, rest)
    assert isinstance(order, Order)
    assert order.arguments.values == values


def test_too_much_is_still_too_much() -> None:
    assert isinstance(read(RUN, "a b --dry-run"), Mistake)
    assert usage(RUN, None) == "/run [--dry-run] [NAME]"
