"""The suite that every command passes, for this house and for authors of plugins.

Subclass `CommandContract` in a test module and give it a pytest fixture `spec`. Owns what is true of each command;
what one answers is its own tests' matter, for which `ordered` gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

from commands.context import Context
from commands.parse import Order, read, usage
from commands.ports import Ports
from commands.registry import Registry, built_in
from commands.reply import CommandReply
from commands.spec import Argument, Arguments, CommandSpec, Handler, Role

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def without_a_house(**parts: Any) -> Context:
    """A context for commands that ask nothing of the house; `parts` are ports that yours does ask."""
    given = {name: parts.pop(name, None) for name in ("archive", "books", "status", "models")}
    return Context(Role.OWNER, "chat", Ports(**cast(Any, given), **parts), Registry())


async def ordered(spec: CommandSpec, words: str = "", context: Context | None = None) -> CommandReply:
    """What the command answers when these words stand behind its name. Raises AssertionError where nobody understands
    them."""
    order = read(spec, words)
    assert isinstance(order, Order), order.text
    handler = order.action.handler if order.action is not None else order.spec.handler
    assert handler is not None, usage(spec, None)
    return await handler(context or without_a_house(), order.arguments)


class CommandContract:
    """What is true of every command."""

    def test_its_names_can_be_typed(self, spec: CommandSpec) -> None:
        names = [spec.name, *spec.aliases, *(each.name for each in spec.actions)]
        assert [each for each in names if not _NAME.fullmatch(each)] == []
        assert len(set(names)) == len(names)

    def test_it_takes_no_name_of_the_house(self, spec: CommandSpec) -> None:
        registry = built_in([])
        ours = {each.name for each in registry}
        registry.add(spec)
        assert spec.name in ours or registry.problems == []

    def test_it_says_what_it_does_in_a_line(self, spec: CommandSpec) -> None:
        helps = [spec.help, *(each.help for _, arguments in _orders(spec) for each in arguments)]
        helps += [each.help for each in spec.actions]
        assert [each for each in helps if not each.strip() or "\n" in each] == []
        assert len(spec.help) <= 100

    def test_it_can_be_ordered(self, spec: CommandSpec) -> None:
        assert spec.handler is not None or spec.actions or spec.said
        assert spec.chat or spec.shell

    def test_its_arguments_can_be_told_apart(self, spec: CommandSpec) -> None:
        for _, arguments in _orders(spec):
            names = [each.name for each in arguments]
            assert len(set(names)) == len(names)
            said = [each for each in arguments if not (each.option or each.flag)]
            assert [each.name for each in said[:-1] if each.rest] == [], "what follows a rest is never reached"
            needed = [each.required for each in said]
            assert needed == sorted(needed, reverse=True), "what must be there stands first"

    async def test_a_word_that_is_missing_is_a_reply_and_no_fault(self, spec: CommandSpec) -> None:
        for handler, arguments in _orders(spec):
            if handler is not None and any(each.required for each in arguments):
                reply = await handler(without_a_house(), Arguments())
                assert isinstance(reply, CommandReply)


def _orders(spec: CommandSpec) -> Iterator[tuple[Handler | None, tuple[Argument, ...]]]:
    """The command itself and each of its actions: who carries it out, and what it takes."""
    yield spec.handler, spec.arguments
    for action in spec.actions:
        yield action.handler, action.arguments
