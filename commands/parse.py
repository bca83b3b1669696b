"""From what was typed to a command with its arguments, or to words that say what is wrong. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from commands.registry import Registry
from commands.spec import Action, Argument, Arguments, CommandSpec

NAME = re.compile(r"/([A-Za-z][A-Za-z0-9_-]*)(?:@\w+)?(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Order:
    """A command that can be carried out."""

    spec: CommandSpec
    action: Action | None
    arguments: Arguments


@dataclass(frozen=True, slots=True)
class Mistake:
    """It was meant as a command and is none; `text` says what is wrong and what is right."""

    text: str


def parse(text: str, registry: Registry) -> Order | Mistake | None:
    """None for text that is no command: without a slash, or a path such as `/etc/hosts`."""
    stripped = text.strip()
    named = NAME.match(stripped)
    if named is None:
        return None
    spec = registry.get(named[1])
    if spec is None or not spec.chat:
        return unknown(named[1], registry)
    return read(spec, stripped[named.end() :].strip())


def unknown(name: str, registry: Registry, skills: Collection[str] = ()) -> Mistake:
    """What is said to a name that is none, a command's or one of these skills'."""
    near = registry.nearest(name, skills)
    hint = f" Did you mean /{near}?" if near else ""
    if not skills:
        return Mistake(f"There is no command /{name}.{hint} /help lists them all.")
    return Mistake(f"There is no command /{name}, and no skill.{hint} /help lists the commands, /skills the skills.")


def read(spec: CommandSpec, rest: str) -> Order | Mistake:
    """A command's action and arguments from the text after its name."""
    first, _, tail = rest.partition(" ")
    action = spec.action(first.lower()) if spec.actions else None
    if action is None and spec.handler is None:
        return Mistake(usage(spec, None))
    words = tail.strip() if action is not None else rest
    arguments = action.arguments if action is not None else spec.arguments
    values, wrong = _take(arguments, words)
    if wrong is not None:
        return Mistake(f"{wrong}\n{usage(spec, action)}")
    return Order(spec, action, Arguments(values))


def usage(spec: CommandSpec, action: Action | None) -> str:
    """How a command is written."""
    if action is None and spec.actions and spec.handler is None:
        return f"/{spec.name} " + " | ".join(each.name for each in spec.actions)
    arguments = action.arguments if action is not None else spec.arguments
    if action is None and spec.actions and not arguments:
        return f"/{spec.name} [{'|'.join(each.name for each in spec.actions)}]"
    shown = " ".join(_shown(each) for each in arguments if not each.option)
    return f"/{spec.name} {action.name + ' ' if action else ''}{shown}".rstrip()


def _shown(argument: Argument) -> str:
    if argument.flag:
        return f"[{argument.switch}]"
    if argument.shown:
        return argument.shown
    words = "|".join(argument.choices) or argument.name.upper()
    return words if argument.required else f"[{words}]"


def _take(arguments: tuple[Argument, ...], words: str) -> tuple[dict[str, str], str | None]:
    values: dict[str, str] = {}
    for flag in (each for each in arguments if each.flag):
        words, there = _without(flag, words)
        values |= {flag.name: "yes"} if there else {}
    for argument in (each for each in arguments if not each.option and not each.flag):
        value, words = (words, "") if argument.rest else _word(words)
        if not value:
            if argument.required:
                return values, f"{argument.name} is missing."
            continue
        if argument.choices and value.lower() not in argument.choices:
            return values, f"{argument.name} is one of {', '.join(argument.choices)}, not {value!r}."
        values[argument.name] = value.lower() if argument.choices else value
    return values, f"Too much: {words!r}." if words else None


def _without(flag: Argument, words: str) -> tuple[str, bool]:
    """The words without a flag, and whether it stood among them. Phones make a dash of two hyphens."""
    pattern = rf"(?<!\S)(?:--|—|–){re.escape(flag.switch[2:])}(?!\S)\s*"
    left, count = re.subn(pattern, "", words)
    return left.strip(), bool(count)


def _word(words: str) -> tuple[str, str]:
    first, _, rest = words.partition(" ")
    return first, rest.strip()
