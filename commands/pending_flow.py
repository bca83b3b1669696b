"""Deciding what waits, for every kind of write: pending, show ID, approve, reject, later, approval. One flow for
buttons, typed commands and the shell.

Who may decide is a role; from a button, it must also be a button of ours in that very chat. How a write of one kind
is worded is the kind's own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, assert_never

from commands.context import Context
from commands.ports import Gatehouse, Ports
from commands.reply import CommandReply, NamedText
from commands.spec import Action, Argument, Arguments, Handler, Role
from memory.files import FileTrouble
from memory.pending.folder import Broken, PendingFolder, W
from memory.pending.outcomes import Approved, Decided, Edited, Kept, Rejected, Resolved, Unknown
from platforms.messages import Button

NOTHING = "Nothing waits."
NOT_HERE = CommandReply("Others may read along here: decide in a direct chat or in a home chat.", ok=False)
RULES: Mapping[str, bool | str] = {"on": True, "off": False, "auto": "auto"}
NAMED = Argument("id", "its id, or the beginning of it")
SEEN = Argument("seen", "what was shown, as `PendingFolder.mark` names it: if it is another by now, it waits on")

SHOWN = 5
"""Writes in a list that get a button."""

Made = TypeVar("Made")
GateHandler = Callable[[Context, Gatehouse[W, Made], Arguments], Awaitable[CommandReply]]
Step = Callable[[str, str, str], Resolved[W, Made]]
"""Decides: takes an id, who says it, and the mark of what was shown."""


@dataclass(frozen=True, slots=True)
class Carried:
    """An approval in words; `change` is the id that the journal has it under, empty when nothing had to change.
    `file` has what was overwritten or removed, when that is too long for words."""

    text: str
    change: str = ""
    buttons: tuple[tuple[Button, ...], ...] = ()
    file: NamedText | None = None


@dataclass(frozen=True, slots=True)
class Kind(Generic[W, Made]):
    """A kind of writes in words. `command` is where it is decided (`memory`), `off` the answer where there is no
    gate; `at(profile folder, now)` opens what waits. `listed` and `in_full` take a write and the time; `approved`
    says what carrying it out did; `ruled`, what `write_approval` means."""

    command: str
    off: CommandReply
    gate: Callable[[Ports], Gatehouse[W, Made] | None]
    at: Callable[[Path, float], PendingFolder[W]]
    listed: Callable[[W, float], str]
    in_full: Callable[[W, float], str]
    as_data: Callable[[W], dict[str, Any]]
    buttons: Callable[[Sequence[W]], tuple[tuple[Button, ...], ...]]
    approved: Callable[[str, W, Made], Carried]
    ruled: Callable[[bool | str], str]


class Flow(Generic[W, Made]):
    """The handlers of one kind."""

    def __init__(self, kind: Kind[W, Made]) -> None:
        self._kind = kind
        self._strange = CommandReply(
            "This button is from another chat, or too old. Nothing was decided; "
            f"/{kind.command} pending lists what waits.",
            ok=False,
        )

    def at_the_gate(self, handler: GateHandler[W, Made]) -> Handler:
        """The handler, where what waits may be seen, and for a button of ours."""

        async def handle(context: Context, arguments: Arguments) -> CommandReply:
            gate = self._kind.gate(context.ports)
            if gate is None:
                return self._kind.off
            if context.surface == "chat" and not context.direct and not context.home:
                return NOT_HERE
            if context.pressed is not None and not await _offered(context, gate):
                return self._strange
            try:
                return await handler(context, gate, arguments)
            except FileTrouble as error:
                return CommandReply(f"⚠️ {error}", ok=False)

        return handle

    @property
    def actions(self) -> tuple[Action, ...]:
        """What every kind has, `show` excepted."""
        rule = Argument("rule", "on, off or auto", choices=tuple(RULES))
        gated, least = self.at_the_gate, Role.OPERATOR
        return (
            Action("pending", "what waits for a yes", gated(self.waiting), role=least, quick=self.quick),
            Action(
                "approve", "carry it out; `all` for everything", gated(self.approve), (NAMED,), least, web=(SEEN,)
            ),
            Action("reject", "let it go; `all` for everything", gated(self.reject), (NAMED,), least, web=(SEEN,)),
            Action("later", "decide another time", gated(self.later), (NAMED,), least),
            Action("approval", "which writes wait: on, off or auto", gated(self.approval), (rule,), least),
        )

    async def waiting(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """What waits, the oldest first."""
        return await asyncio.to_thread(self._waiting, gate.resolver.pendings, gate.now())

    def quick(self, folder: Path, now: float) -> CommandReply:
        """The same, from a profile's folder."""
        return self._waiting(self._kind.at(folder, now), now)

    def _waiting(self, pendings: PendingFolder[W], now: float) -> CommandReply:
        kind, writes = self._kind, pendings.waiting()
        lines = [kind.listed(each, now) for each in writes]
        lines += [self._unusable(each) for each in pendings.broken()]
        if not lines:
            return CommandReply(NOTHING, data=[])
        rows = tuple((Button(f"Show {each.id}", f"/{kind.command} show {each.id}"),) for each in writes[:SHOWN])
        return CommandReply("\n\n".join(lines), data=[kind.as_data(each) for each in writes], buttons=rows)

    async def show(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """One pending write in full."""
        write = await self.wanted(gate, arguments.get("id"))
        if isinstance(write, CommandReply):
            return write
        text = self._kind.in_full(write, gate.now())
        return CommandReply(text, data=self._kind.as_data(write), buttons=self._kind.buttons([write]))

    async def approve(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """Carry out one, or all of them."""
        return await self._decide(context, gate, arguments, gate.resolver.approve)

    async def reject(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """Let one go, or all of them."""
        return await self._decide(context, gate, arguments, gate.resolver.reject)

    async def later(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """Decide another time; whoever waits for it on the console goes on."""
        name = ""
        if wish := arguments.get("id"):
            write = await self.wanted(gate, wish)
            if isinstance(write, CommandReply):
                return write
            name = write.id
        gate.put_off(name)
        return CommandReply(f"🕓 It waits. /{self._kind.command} pending shows what does.")

    async def approval(self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments) -> CommandReply:
        """Which writes wait: say it, or set it."""
        wish = arguments.get("rule")
        if not wish:
            return CommandReply(self._kind.ruled(gate.rule()), data={"write_approval": gate.rule()})
        if context.role < Role.OWNER:
            words = f"/{self._kind.command} approval on|off|auto is for an owner of this bot."
            return CommandReply(words, ok=False)
        rule = RULES[wish]
        if problem := await gate.set_rule(str(rule).lower()):
            return CommandReply(f"⚠️ {problem}", ok=False)
        return CommandReply(f"Set. {self._kind.ruled(rule)}", data={"write_approval": rule})

    async def one(self, gate: Gatehouse[W, Made], prefix: str) -> str | CommandReply:
        """The id that a prefix names; the only one that waits when none is given. A full id of something decided
        already is taken as it is: the answer says who decided."""
        ids = await asyncio.to_thread(gate.resolver.pendings.ids)
        if not prefix:
            if len(ids) == 1:
                return ids[0]
            writes = await asyncio.to_thread(gate.resolver.pendings.waiting)
            listed = [self._kind.listed(each, gate.now()) for each in writes]
            text = "\n".join([f"{len(ids)} writes wait; say which:", *listed])
            return CommandReply(text if ids else NOTHING, ok=False)
        found = [each for each in ids if each.startswith(prefix.lower())]
        if len(found) > 1:
            return CommandReply(f"{prefix} stands for {len(found)} writes: {', '.join(found)}", ok=False)
        return found[0] if found else prefix.lower()

    async def wanted(self, gate: Gatehouse[W, Made], prefix: str) -> W | CommandReply:
        """The write that waits under this id, or the beginning of it; else what became of it."""
        name = await self.one(gate, prefix)
        if isinstance(name, CommandReply):
            return name
        write = await asyncio.to_thread(gate.resolver.pendings.get, name)
        if isinstance(write, Broken):
            return CommandReply(self._unusable(write), ok=False)
        if write is not None:
            return write
        return self._told(name, await asyncio.to_thread(gate.resolver.became, name), gate)

    def reply(
        self,
        done: Sequence[tuple[str, Resolved[W, Made]]],
        gate: Gatehouse[W, Made],
        *,
        several: bool = False,
    ) -> CommandReply:
        """What became of one decision, or of several."""
        told = [self._told(name, resolution, gate) for name, resolution in done]
        data = [dict(each.data) for each in told if isinstance(each.data, Mapping)]
        rows = tuple(row for each in told for row in each.buttons) if not several else ()
        text = "\n\n".join(each.text for each in told)
        if several:
            text = f"{sum(each.ok for each in told)} of {len(told)} done.\n\n{text}"
        ok, files = all(each.ok for each in told), [each.file for each in told if each.file is not None]
        file = NamedText(files[0].name, "\n".join(each.text for each in files)) if files else None
        return CommandReply(text, data=data if several else data[0], buttons=rows, ok=ok, file=file)

    async def _decide(
        self, context: Context, gate: Gatehouse[W, Made], arguments: Arguments, step: Step[W, Made]
    ) -> CommandReply:
        wish, shown = arguments.get("id"), arguments.get(SEEN.name)
        names = await self._meant(context, gate, wish)
        if isinstance(names, CommandReply):
            return names
        done: list[tuple[str, Resolved[W, Made]]] = []
        for name in names:
            resolution = await asyncio.to_thread(step, name, context.who, shown)
            await gate.decided(name, resolution)
            done.append((name, resolution))
        return self.reply(done, gate, several=wish == "all")

    async def _meant(self, context: Context, gate: Gatehouse[W, Made], wish: str) -> Sequence[str] | CommandReply:
        """The ids that an order means. When it is carried out once more, after a crash, it means the same ones, and
        not what was put aside since."""
        if context.item_id and (before := await gate.meant(context.item_id)):
            return before
        if wish == "all":
            names = [each.id for each in await asyncio.to_thread(gate.resolver.pendings.waiting)]
            if not names:
                return CommandReply(NOTHING, data=[])
        else:
            found = await self.one(gate, wish)
            if isinstance(found, CommandReply):
                return replace(found, data={"id": wish, "result": "unknown", "detail": found.text})
            names = [found]
        if context.item_id and names != [wish]:
            await gate.meant(context.item_id, names)
        return names

    def _unusable(self, broken: Broken) -> str:
        return f"`{broken.id}` cannot be carried out: {broken.why}. /{self._kind.command} reject {broken.id}"

    def _told(self, name: str, resolution: Resolved[W, Made], gate: Gatehouse[W, Made]) -> CommandReply:
        """What became of one decision, with the full text of everything overwritten or removed."""

        def data(result: str, detail: str = "") -> dict[str, Any]:
            return {"id": name, "result": result, "detail": detail}

        match resolution:
            case Approved(write, outcome):
                told = self._kind.approved(name, write, outcome)
                return CommandReply(
                    told.text, data=data("approved", told.change), buttons=told.buttons, file=told.file
                )
            case Rejected():
                return CommandReply(f"❌ `{name}` rejected. Nothing was changed.", data=data("rejected"))
            case Edited(write=write):
                text = f"✏️ It waits as:\n{self._kind.in_full(write, gate.now())}"
                return CommandReply(text, data=data("edited", write.id), buttons=self._kind.buttons([write]))
            case Kept(why=why):
                return CommandReply(f"⚠️ `{name}` waits on: {why}", data=data("refused", why), ok=False)
            case Decided(receipt):
                words = f"`{name}` was {receipt.result} already, by {receipt.who}"
                words += f"; it waits as `{receipt.detail}` now." if receipt.result == "edited" else "."
                return CommandReply(words, data=data("decided", words), ok=False)
            case Unknown():
                text = f"Nothing waits as `{name}`. /{self._kind.command} pending lists what does."
                return CommandReply(text, data=data("unknown"), ok=False)
            case _:
                assert_never(resolution)


async def _offered(context: Context, gate: Gatehouse[W, Made]) -> bool:
    """Whether the pressed button is one of ours in this chat. Who presses has been judged already."""
    return context.chat is not None and await gate.offered(context.chat, context.pressed or "", context.said)
