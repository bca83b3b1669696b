"""Jobs as Hermes Agent plans them, read into what can be planned here: a time in words, a chat, a prompt. Pure.

What a time means, and keeping jobs, is for others; whether one comes over is decided in `carry_jobs`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from platforms.messages import ChatRef

HERE = ("telegram", "discord")
"""Platforms whose chats have the same names there."""

_GENERAL = "1"
"""Telegram's topic that is no topic."""

_RUNS_CODE = ("script", "no_agent", "monitor_script", "monitor_url")


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it is planned there. `when` is for people; `words` can be read here, with `moment` for a time that is
    given exactly. `chat` is where its answers go, None for nowhere, and `home` names the platform whose home chat is
    meant. `why` says why it cannot come; `remarks` what is different here."""

    id: str
    name: str
    when: str
    prompt: str
    paused: bool = False
    words: str = ""
    moment: datetime | None = None
    chat: ChatRef | None = None
    home: str = ""
    skills: tuple[str, ...] = ()
    why: str = ""
    remarks: tuple[str, ...] = field(default=())


def job_of(held: Mapping[str, Any]) -> Job:
    """One entry of its file, whatever is in it."""
    name = line(held.get("name") or held.get("id") or "job")
    prompt, skills = str(held.get("prompt") or "").strip(), _skills(held)
    if not prompt and skills:
        prompt = f"Carry out the skill {skills[0]}."
    words, moment = _words(held)
    chat, home, told = _target(held)
    remarks = [told, *_remarks(held)]
    why = ""
    if str(held.get("state") or "") == "completed":
        why = "it is over"
    elif runs := [each for each in _RUNS_CODE if held.get(each)]:
        why = f"it runs or watches something of its own there ({runs[0]}), which no job here does"
    elif not prompt:
        why = "it has no prompt"
    return Job(
        id=line(held.get("id") or name),
        name=name,
        when=_shown(held),
        prompt=prompt,
        paused=held.get("enabled") is False or held.get("state") == "paused",
        words=words,
        moment=moment,
        chat=chat,
        home=home,
        skills=skills,
        why=why,
        remarks=tuple(each for each in remarks if each),
    )


def line(value: Any) -> str:
    """Anything on one line, not too long; what has parts, which may be without number, is a question mark."""
    return " ".join(str(value).split())[:200] if isinstance(value, str | int | float) else "?"


def _skills(held: Mapping[str, Any]) -> tuple[str, ...]:
    listed = held.get("skills") or held.get("skill") or ()
    return tuple(line(each) for each in ([listed] if isinstance(listed, str) else listed) if each)


def _words(held: Mapping[str, Any]) -> tuple[str, datetime | None]:
    plan = held.get("schedule")
    if not isinstance(plan, dict):
        return line(plan or held.get("schedule_display") or ""), None
    if plan.get("expr"):
        return line(plan["expr"]), None
    if plan.get("minutes"):
        return f"every {line(plan['minutes'])} minutes", None
    if at := plan.get("run_at"):
        try:
            return "", datetime.fromisoformat(str(at))
        except ValueError:
            return line(at), None
    return line(plan.get("display") or held.get("schedule_display") or ""), None


def _shown(held: Mapping[str, Any]) -> str:
    plan = held.get("schedule")
    if held.get("schedule_display"):
        return line(held["schedule_display"])
    if not isinstance(plan, dict):
        return line(plan or "unknown")
    minutes = f"every {plan['minutes']} minutes" if plan.get("minutes") else ""
    return line(plan.get("display") or plan.get("expr") or plan.get("run_at") or minutes or "unknown")


def _target(held: Mapping[str, Any]) -> tuple[ChatRef | None, str, str]:
    """The chat, or the platform whose home chat it is, and what is to be said of it."""
    given = held.get("deliver")
    targets = [
        line(each) for each in (given if isinstance(given, list) else str(given or "local").split(",")) if each
    ]
    first, more = targets[0] if targets else "local", len(targets) > 1
    several = f"its answers went to {', '.join(targets)}, and go to the first one" if more else ""
    if first == "local":
        return None, "", "its answers were kept in files there"
    if first == "origin":
        origin = held.get("origin")
        origin = origin if isinstance(origin, dict) else {}
        platform, chat = line(origin.get("platform") or ""), line(origin.get("chat_id") or "")
        thread = line(origin.get("thread_id") or "")
        named = f"{platform}:{chat}" if chat else "where it was made, which is not known"
    else:
        platform, _, rest = first.partition(":")
        chat, _, thread = rest.partition(":")
        named = first
    if platform not in HERE:
        return None, "", f"its answers went to {named}, which is no chat here"
    if not chat:
        return None, platform, several
    if not chat.lstrip("-").isdigit():
        return None, platform, f"its answers went to {named}, a name that only Hermes Agent knows"
    topic = None if not thread or (platform == "telegram" and thread == _GENERAL) else thread
    return ChatRef(platform, chat, topic if topic != chat else None), "", several


def _remarks(held: Mapping[str, Any]) -> list[str]:
    told = []
    repeat, plan = held.get("repeat"), held.get("schedule")
    once = isinstance(plan, dict) and plan.get("kind") == "once"
    if isinstance(repeat, dict) and repeat.get("times") and not once:
        told.append(f"it was to run {line(repeat['times'])} times in all, and here runs until it is removed")
    if held.get("model"):
        told.append(f"it was asked of the model {line(held['model'])}, and is asked of the main one here")
    if held.get("context_from"):
        told.append("it was given what other jobs had said")
    return told
