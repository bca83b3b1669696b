"""The command about people who ask to be let in: /pairing list, approve, revoke."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from commands.context import Context
from commands.ports import GuestView, Pairing
from commands.reply import CommandReply
from commands.spec import Action, Argument, Arguments, CommandSpec, Role

NOT_HERE = CommandReply("There is nobody to let in here.", ok=False)


async def listed(context: Context, arguments: Arguments) -> CommandReply:
    """Who asks, and who was let in."""
    if (pairing := context.ports.pairing) is None:
        return NOT_HERE
    asking, guests = await pairing.asking(), await pairing.guests()
    lines = [
        *(["**Asking, with a code:**"] if asking else []),
        *(f"- {_who(each)}, asked {_when(each.since)}, until {_when(each.until or 0)}" for each in asking),
        *(["**Let in:**"] if guests else []),
        *(f"- {_who(each)}, since {_when(each.since)}, by {each.who}" for each in guests),
    ]
    data = [*(as_data(each, "asking") for each in asking), *(as_data(each, "paired") for each in guests)]
    return CommandReply("\n".join(lines) or "Nobody asks, and nobody was let in with a code.", data=data)


async def approve(context: Context, arguments: Arguments) -> CommandReply:
    """Let in whoever was given this code."""
    if (pairing := context.ports.pairing) is None:
        return NOT_HERE
    try:
        guest = await pairing.approve(arguments.get("code"), context.who)
    except LookupError as error:
        return CommandReply(str(error.args[0]), ok=False)
    text = f"🔓 {_who(guest)} may talk to me now, in direct chats. `/pairing revoke {guest.id}` ends that."
    return CommandReply(text, data=as_data(guest, "paired"))


async def revoke(context: Context, arguments: Arguments) -> CommandReply:
    """Put somebody out again."""
    if (pairing := context.ports.pairing) is None:
        return NOT_HERE
    found = await _meant(pairing, arguments.get("id"))
    if len(found) > 1:
        several = "\n".join(f"- {_who(each)}" for each in found)
        return CommandReply(f"{arguments.get('id')!r} fits several:\n{several}", ok=False)
    if not found or not await pairing.revoke(found[0].id):
        said = arguments.get("id")
        return CommandReply(f"Nobody was let in with a code as {said!r}. `/pairing list` lists them.", ok=False)
    return CommandReply(f"🔒 {_who(found[0])} may not talk to me any more.", data=as_data(found[0], "revoked"))


async def _meant(pairing: Pairing, said: str) -> list[GuestView]:
    """The people that an id, a name, or the beginning of one may mean; what is exact comes before what begins so."""
    guests, folded = await pairing.guests(), said.casefold()
    exact = [each for each in guests if said == each.id] or [each for each in guests if folded in _names(each)]
    begun = [each for each in guests if any(name.startswith(folded) for name in _names(each))]
    return exact or (begun if folded else [])


def _names(guest: GuestView) -> tuple[str, ...]:
    return (guest.id.casefold(), guest.id.partition(":")[2].casefold(), guest.name.casefold())


def as_data(guest: GuestView, state: str) -> dict[str, Any]:
    """Somebody for `--json`."""
    return {
        "id": guest.id,
        "state": state,
        "name": guest.name,
        "chat": guest.chat,
        "since": _iso(guest.since),
        "until": _iso(guest.until) if guest.until is not None else None,
        "by": guest.who or None,
    }


def _who(guest: GuestView) -> str:
    return f"`{guest.id}`" + (f" «{guest.name}»" if guest.name else "")


def _when(moment: float) -> str:
    return f"{datetime.fromtimestamp(moment).astimezone():%Y-%m-%d %H:%M}"


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().isoformat(timespec="seconds")


SPECS = (
    CommandSpec(
        "pairing", "people who ask to be let in with a code, and those who were", listed, role=Role.OPERATOR,
        when="anytime",
        actions=(
            Action("list", "who asks, and who was let in", listed),
            Action("approve", "let in whoever was given this code", approve,
                   (Argument("code", "8 letters", required=True),)),
            Action("revoke", "put somebody out again", revoke,
                   (Argument("id", "platform:person, a name, or its beginning", required=True),)),
        ),
    ),
)  # fmt: skip
