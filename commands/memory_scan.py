"""The threat scan on demand: /memory scan TEXT, and `innkeeper memory scan --file F`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from commands.context import Context
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, Role
from memory.files import FileTrouble, read

if TYPE_CHECKING:
    from memory.scan.scanner import Finding

DOUBTFUL = "It reads like an order to the assistant rather than a note: it would wait for a yes."

LONGEST = 1_000_000
"""Characters of a file that are scanned; nothing that reaches a prompt is near that."""


async def scan(context: Context, arguments: Arguments) -> CommandReply:
    """What the scan finds in a text or a file, or else in the files of memory. Not ok when it finds something."""
    try:
        name, text = await asyncio.to_thread(_text, context, arguments)
    except FileTrouble as error:
        return CommandReply(f"⚠️ {error}", ok=False)
    found = await asyncio.to_thread(_findings, text)
    data = [{"rule": each.rule, "span": each.span, "why": each.why} for each in found]
    if not found:
        return CommandReply(f"Nothing found in {name}.", data=data)
    lines = [f"- **{each.rule}**: {each.why} «{each.span}»" for each in found]
    return CommandReply("\n".join([f"{len(found)} found in {name}:", *lines]), data=data, ok=False)


def _findings(text: str) -> list[Finding]:
    """What the rules find, and would refuse; else whether it is doubtful, and would wait."""
    from memory.scan.doubt import doubt
    from memory.scan.scanner import Finding, scan

    found = list(scan(text))
    doubtful = doubt(text) if not found else None
    return found if doubtful is None else [Finding("doubtful", doubtful.words, DOUBTFUL)]


def _text(context: Context, arguments: Arguments) -> tuple[str, str]:
    """What is to be scanned, with its name. Raises FileTrouble."""
    if arguments.get("text"):
        return "the text", arguments.get("text")
    if arguments.get("file"):
        path = Path(arguments.get("file")).expanduser()
        text = read(path)
        if text is None:
            raise FileTrouble(f"There is no file {path}.")
        return path.name, text[:LONGEST]
    memory = context.ports.memory
    if memory is None or not context.direct:
        raise FileTrouble("Say what is to be scanned: /memory scan TEXT")
    return "memory", "\n".join(each for target in memory.stores.enabled for each in memory.stores.entries(target))


ACTION = Action(
    "scan",
    "what the threat scan says of a text, a file, or memory itself",
    scan,
    (Argument("file", "a file to scan", option=True), Argument("text", "the text", rest=True)),
    Role.OWNER,
)
