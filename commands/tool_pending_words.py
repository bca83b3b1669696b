"""How a call that waits is shown: which tool of which program, and all of its arguments to the letter; its buttons.
Pure.

Cards, `/tools pending`, `/tools show` and replies to decisions use the same words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from commands.pending_words import card_of, fenced, head, literal, moment
from memory.pending.call_model import PendingCall
from platforms.messages import Button


def in_full(call: PendingCall, now: float) -> str:
    """Everything that a person decides by."""
    return "\n".join([head(call, _place(call), now), fenced(call.shown)])


def asking(call: PendingCall) -> str:
    """The question, where somebody sits."""
    return f"🔏 May {literal(call.tool)} of {literal(call.server)} be called with this?\n{fenced(call.shown)}"


def buttons(calls: Sequence[PendingCall]) -> tuple[tuple[Button, ...], ...]:
    """Approve, Reject, Later; numbered when there are several."""
    if len(calls) == 1:
        name = calls[0].id
        return (
            (Button("✅ Approve", f"/tools approve {name}"), Button("❌ Reject", f"/tools reject {name}")),
            (Button("🕓 Later", f"/tools later {name}"),),
        )
    rows = [
        (Button(f"✅ {number}", f"/tools approve {each.id}"), Button(f"❌ {number}", f"/tools reject {each.id}"))
        for number, each in enumerate(calls, 1)
    ]
    return (*rows, (Button("🕓 Later", "/tools later"),))


def session_buttons(call: PendingCall) -> tuple[tuple[Button, ...], ...]:
    """Allow once, allow for this session, deny."""
    return (
        (
            Button("✅ Allow once", f"/tools approve {call.id}"),
            Button("✅ This session", f"/tools session {call.id}"),
        ),
        (Button("❌ Deny", f"/tools reject {call.id}"), Button("🕓 Later", f"/tools later {call.id}")),
    )


def card(calls: Sequence[PendingCall], now: float) -> str:
    """One card about one or several calls."""
    return card_of("call", "calls", "of a tool", [in_full(each, now) for each in calls])


def as_data(call: PendingCall) -> dict[str, Any]:
    """A pending call for `--json`."""
    return {
        "id": call.id,
        "action": "call",
        "server": call.server,
        "tool": call.tool,
        "origin": call.author.origin.value,
        "gist": call.gist,
        "arguments": call.arguments,
        "created_at": moment(call.created_at),
        "flags": list(call.flags),
    }


def _place(call: PendingCall) -> str:
    return f"{literal(call.tool)} of {literal(call.server)}"
