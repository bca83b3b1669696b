"""The wording of everything that Innkeeper says of itself: receipts, reasons, hints, reports to the owner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from gateway.models.errors import (
    ContextTooLong,
    FirstTokenLate,
    HostBusy,
    HostDown,
    HostLoading,
    KeyRefused,
    ModelError,
    ModelMissing,
    QuotaExhausted,
    StreamBroken,
)
from platforms.messages import Button

ONLY_A_SKILL = "Memory itself is unchanged."
NO_MEMORY_HERE = "⚠️ Nothing was saved: memory is off in this chat."
NO_SKILLS_WRITTEN = "The assistant cannot write skills here: they are among the disabled toolsets."
Kind = Literal["memory", "skills", "tools"]
SHOW = ((Button("Show", "/memory pending"),),)
SHOW_SKILLS = ((Button("Show skills", "/skills pending"),),)
SHOW_CALLS = ((Button("Show calls", "/tools pending"),),)
"""Under a line about what waits."""

_WAITS: Mapping[Kind, tuple[str, str]] = {
    "memory": ("write to memory", "writes to memory"),
    "skills": ("change of a skill", "changes of skills"),
    "tools": ("call of a tool", "calls of tools"),
}

CUT_SHORT = "Part of my last reply may not have arrived. /retry sends it again."
TWICE = "The beginning of my last reply may stand here twice: the connection broke while I wrote it."


def file_lost(name: str, why: str) -> str:
    """For whoever was to get a file that cannot be sent."""
    return f"⚠️ The file {gist(name)} could not be sent: {why}"


def not_yours(name: str) -> str:
    """For whoever presses a button without being allowed to talk to the assistant."""
    return f"🔒 {gist(name) or 'Somebody'} may not use this bot's buttons: nothing was done."


NOT_FOR_YOU = "🔒 You may not use this bot here: nothing was done."
"""For whoever gave an order without being allowed to talk to the assistant, where nobody else reads it."""

CODE_IS_OPEN = (
    "I gave you a code already. It holds for one hour, and I do not repeat it; if it is lost, write again when the "
    "hour is over."
)
LET_IN = "You may talk to me now."


def pairing_code(code: str) -> str:
    """For an unknown person in a direct chat: what to do with the code."""
    return (
        f"I do not know you yet. Give this code to the owner of this bot: {code} (valid for one hour). "
        f"They let you in with `innkeeper pairing approve {code}`."
    )


def queued(waiting: int) -> str:
    """The receipt for a message that waits behind a turn."""
    return f"⏳ Noted, after the current answer ({waiting} waiting). /stop ends it."


def interrupting() -> str:
    return "⏳ Noted; the current answer ends here."


def steering() -> str:
    return "⏳ Noted; taken in at the next step."


def blind(model: str) -> str:
    """For who sends a picture to a model that does not see: what can be done about it."""
    return (
        f"{model} cannot look at pictures: it was told only that one came. /model picks another model for this chat; "
        "if this one sees after all, set model.sees to true."
    )


def picture_refused(model: str) -> str:
    """The same for a host that refused them."""
    return (
        f"{model} did not take the picture, and answered without it; in this conversation it gets none from now on. "
        "/new begins another, /model picks another model."
    )


CHANGED = "✏️ You changed a message that I had read already."
EDIT_IS_NO_COMMAND = "✏️ An edited message does not run as a command; please send it as a new one."


def gist(text: str, limit: int = 60) -> str:
    """The first words of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def backlog(texts: list[str], oldest: str) -> str:
    """The one question about messages that waited while the process was down."""
    listed = "\n".join(f"- {gist(each)}" for each in texts[:10])
    more = f"\n- and {len(texts) - 10} more" if len(texts) > 10 else ""
    return (
        f"I was away, and {_messages(len(texts))} came in meanwhile (the first {oldest}):\n{listed}{more}\n\n"
        "Shall I answer now?"
    )


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count} messages"


def reason(error: ModelError) -> str:
    """Why there is no answer, and what to do."""
    match error:
        case ContextTooLong():
            hint = "/new starts afresh; what was learnt stays."
        case KeyRefused() | QuotaExhausted() | ModelMissing():
            hint = "The owner can check it with `innkeeper doctor`; /model picks another."
        case HostDown() | HostLoading() | HostBusy() | FirstTokenLate():
            hint = "/retry asks again; /model picks another host."
        case StreamBroken():
            hint = "/retry asks again."
        case _:
            hint = "/retry asks again; /new starts afresh."
    return f"⚠️ {str(error).rstrip('.')}. {hint}"


def budget(why: str) -> str:
    return f"⚠️ No answer: {why}. It begins anew at midnight UTC; an owner can change `gateway.budgets`."


def poison(kind: str) -> str:
    """What the person reads when a message or a command could not be handled; `kind` names the fault, no more."""
    return f"⚠️ I could not handle this message ({kind}). It was put aside, and the owner knows."


def poison_report(chat: str, error: str, text: str, tries: int) -> str:
    """The same for the owner; what was said stays out of it but for its length."""
    failed = f"failed {tries} times" if tries > 1 else "failed"
    return f"⚠️ A message in {chat} {failed} and was put aside: {error}. ({len(text)} characters)"


def unreadable(platform: str, why: str) -> str:
    """For the owner: an event that could not be read at all."""
    return f"⚠️ Something from {platform} could not be read and was put aside: {why}"


def allowlist_kept(old: str, new: str, why: str) -> str:
    """For the owner: a chat has a new id, and the settings could not follow."""
    return f"⚠️ {old} is now {new}. Put the new id into its allowlist by hand: {why}"


def expired(count: int) -> str:
    was = "was" if count == 1 else "were"
    return f"⚠️ {_messages(count)} of mine could not be delivered in time and {was} dropped."


def held_back(platform: str, seconds: float) -> str:
    """After an answer that came late because the platform would not take it."""
    return f"⏳ {platform.title()} made me wait {spell(seconds)} before I could write here again."


def spell(seconds: float) -> str:
    """A length of time in the two largest units that it needs."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min" + (f" {whole % 60} s" if whole % 60 and whole < 600 else "")
    hours, minutes = whole // 3600, whole % 3600 // 60
    return f"{hours} h" + (f" {minutes} min" if minutes else "")


def platform_trouble(platform: str, why: str, heard: str) -> str:
    """For the owner, on another platform. `heard` says when the platform was last heard of, if it ever was."""
    return f"⚠️ {platform.title()} does not work: {why.rstrip('.')}. {heard} I say so when it is back."


def platform_back(platform: str, since: str, until: str) -> str:
    """For the owner. The moments are as they read on a clock."""
    return f"✅ {platform.title()} works again. It did not from {since} to {until}."


def boundary_hint(why: str) -> str:
    return f"💡 {why} A fresh start is cheaper and keeps what was learnt:"


def configuration_kept(problems: list[str]) -> str:
    """A broken file during a run."""
    listed = "\n".join(problems)
    return f"⚠️ config.yaml cannot be used; the rules from before stay in force:\n{listed}"


def configuration_changed(changed: list[str], restart: list[str]) -> str:
    """A changed file during a run."""
    words = f"config.yaml was read again: {', '.join(changed) or 'nothing that acts now'}."
    return f"{words} After a restart only: {', '.join(restart)}." if restart else words


def saving_unknown(why: str) -> str:
    """A receipt where the journal or what waits cannot be read."""
    return f"⚠️ I cannot tell whether anything was saved: {why}"


def put_away(names: Sequence[str]) -> str:
    """After a run of the curator."""
    what = "A skill that nobody used is" if len(names) == 1 else f"{len(names)} skills that nobody used are"
    listed = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"🗄 {what} in the archive now: {listed}. /curator restore NAME brings one back."


def merging(calls: int, model: str) -> str:
    """Before the curator asks a model whether skills should be one."""
    what = "one call is expected" if calls == 1 else f"up to {calls} calls are expected"
    return f"🧹 The curator asks {model} whether skills that resemble each other should be one: {what}."


def waits(count: int, kind: Kind = "memory") -> str:
    """One line where no home chat hears of it."""
    one, many = _WAITS[kind]
    what = f"A {one} waits" if count == 1 else f"{count} {many} wait"
    return f"🔏 {what} for a yes: /{kind} pending. /sethome picks the chat that is told."


NOTHING_FOUND = "🔎 I looked back at this conversation and found nothing worth keeping."
DEALT_WITH = "🔎 I looked back at this conversation; what I found was decided or taken back already."


def review_unfinished(outcome: str, reason: str) -> str:
    """For somebody who asked for a review that did not come to a good end."""
    what = "was given up" if outcome == "dropped" else "came to no result"
    return f"⚠️ The review of this conversation {what}{f': {reason}' if reason else ''}."


def still_waiting(count: int, kind: Kind = "memory") -> str:
    one, many = _WAITS[kind]
    return f"🔏 1 {one} still waits:" if count == 1 else f"🔏 {count} {many} still wait:"
