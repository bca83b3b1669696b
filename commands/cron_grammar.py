"""What people write behind `/cron add` and `/cron edit`, cut into its parts, and how such an order is written, in a
chat or at the shell. Pure; what a time means is not known.

A bar or a new line ends a part: `weekdays at 9am | to: here | summarise my notes`. What is no option is the prompt,
kept to the letter.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Mapping

from commands.cron_ports import JobWish

OPTIONS: Mapping[str, str] = {
    "name": "name",
    "to": "to",
    "chat": "to",
    "zone": "zone",
    "tz": "zone",
    "time zone": "zone",
    "timezone": "zone",
    "skills": "skills",
    "skill": "skills",
    "model": "model",
    "silent unless": "silent_unless",
    "silent-unless": "silent_unless",
    "silent_unless": "silent_unless",
    "budget": "budget",
}
WORDS = {**OPTIONS, "when": "when", "prompt": "prompt"}
"""What may stand before a colon, and what it names."""

LISTED = "name, to, zone, skills, model, silent unless, budget"
SWITCHES = "--name, --to, --tz, --skills, --model, --silent-unless, --budget"
EXAMPLE = ("weekdays at 9am", "summarise my unread notes")
NOTHING = ("none", "nothing", "no", "off", "-")

_CUT = re.compile(r"[ \t]*[|\n][ \t\n]*")
_KEY = re.compile(r"([A-Za-z][A-Za-z _-]{0,19}):\s*")
_TRAILING = re.compile(r"\s*\|\s*([^|\n]*)\Z")
_AMOUNT = re.compile(r"(\d{1,9}|\d{1,3}(?:[,_']\d{3})+) ?(k?)")

Parts = dict[str, str]


class Unclear(Exception):
    """What was written cannot be read; the text says what to write."""


def adding(when: str, prompt: str, *, shell: bool) -> str:
    """The order that adds a job: a bar in a chat, quotes at the shell."""
    return shlex.join(("/cron", "add", when, prompt)) if shell else f"/cron add {when} | {prompt}"


def editing(job: int, when: str = "", prompt: str = "", *, shell: bool) -> str:
    """The order that gives a job another time, or else another prompt."""
    if shell:
        return shlex.join(("/cron", "edit", str(job), *(("--when", when) if when else ("--prompt", prompt))))
    return f"/cron edit {job} | {when or f'prompt: {prompt}'}"


def how_to_add(*, shell: bool) -> str:
    """Advice with an example."""
    parts = "in quotes, and" if shell else ", a bar or a new line, and"
    return f"Write the time{' ' if shell else ''}{parts} what is to be done:\n`{adding(*EXAMPLE, shell=shell)}`"


def how_to_edit(*, shell: bool) -> str:
    """Advice with examples."""
    examples = (
        editing(3, "weekdays at 10am", shell=shell),
        editing(3, prompt="summarise my unread mail", shell=shell),
    )
    lines = ["Write which job, and what is to be different:", *(f"`{each}`" for each in examples)]
    return "\n".join([*lines, f"Also {SWITCHES if shell else LISTED}; `none` takes one away."])


def added(text: str) -> Parts:
    """`when`, `prompt` and options, by name. Raises Unclear."""
    first, rest = cut(text)
    if not first:
        raise Unclear(f"When, and what? {how_to_add(shell=False)}")
    key, value = _valued(first)
    parts: Parts = {"when": value if key == "when" else first}
    while rest:
        part, behind = cut(rest)
        key, value = _valued(part)
        if key is None or key not in OPTIONS.values():
            _near_miss(part, more=bool(behind))
            prompt, options = _without_trailing(rest)
            said = _KEY.sub("", prompt, count=1) if key == "prompt" else prompt
            parts |= {"prompt": said} if said else {}
            for name, chosen in options:
                _put(parts, name, chosen)
            break
        _put(parts, key, value)
        rest = behind
    return parts


def edited(text: str) -> Parts:
    """What is to be different: parts with a name, and one without, which is the time. Raises Unclear."""
    parts: Parts = {}
    rest = text.strip()
    while rest:
        part, behind = cut(rest)
        key, value = _valued(part)
        if key == "prompt":
            _put(parts, key, rest[len(part) - len(value) :] if value else behind)
            break
        if key is None:
            _near_miss(part, more=True)
            key, value = "when", part
        _put(parts, key, value)
        rest = behind
    return parts


def cut(text: str) -> tuple[str, str]:
    """The first part, and what is behind the bar or new line that ends it."""
    found = _CUT.search(text := text.strip())
    return (text, "") if found is None else (text[: found.start()].strip(), text[found.end() :].strip())


def wish(parts: Mapping[str, str], here: str) -> JobWish:
    """The parts as they are meant. `here` is the key of the chat, empty where there is none. Raises Unclear."""
    return JobWish(
        when=parts.get("when"),
        prompt=parts.get("prompt"),
        name=parts.get("name"),
        zone=parts.get("zone"),
        skills=_skills(parts["skills"]) if "skills" in parts else None,
        model=_or_nothing(parts["model"], "default", "auto") if "model" in parts else None,
        chat=_chat(parts["to"], here) if "to" in parts else None,
        silent_unless=_or_nothing(parts["silent_unless"]) if "silent_unless" in parts else None,
        budget=_budget(parts["budget"]) if "budget" in parts else None,
    )


def _put(parts: Parts, key: str, value: str) -> None:
    shown = key.replace("_", " ")
    if key in parts:
        raise Unclear(f"{shown} stands there twice.")
    if not value:
        raise Unclear(f"{shown}: what? Write it behind the colon" + (", or `none`." if key in OPTIONS else "."))
    parts[key] = value


def _valued(part: str) -> tuple[str | None, str]:
    """The name of an option and its value; no name for a part that is none."""
    found = _KEY.match(part)
    key = WORDS.get(" ".join(found[1].casefold().split())) if found else None
    return (key, part[found.end() :].strip()) if found and key else (None, part)


def _near_miss(part: str, *, more: bool) -> None:
    """A name of an option that is mistyped is no prompt, if more follows."""
    found = _KEY.match(part)
    if not more or found is None or (word := " ".join(found[1].casefold().split())) in WORDS:
        return
    near = difflib.get_close_matches(word, WORDS, n=1, cutoff=0.75)
    if near:
        raise Unclear(f"There is no option `{word}`, did you mean `{near[0]}:`? There are {LISTED}.")


def _without_trailing(text: str) -> tuple[str, list[tuple[str, str]]]:
    """A prompt, and the options that stand behind a bar at its end."""
    options: list[tuple[str, str]] = []
    while (found := _TRAILING.search(text)) is not None:
        key, value = _valued(found[1])
        if key is None or key not in OPTIONS.values():
            break
        options.insert(0, (key, value))
        text = text[: found.start()]
    return text.strip(), options


def _or_nothing(value: str, *words: str) -> str:
    return "" if value.casefold() in (*NOTHING, *words) else value


def _skills(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.lstrip("/") for each in re.split(r"[,\s]+", _or_nothing(value)) if each))


def _chat(value: str, here: str) -> str:
    if value.casefold() not in ("here", "this chat"):
        return _or_nothing(value, "nowhere")
    if not here:
        raise Unclear("There is no chat here; write its key, such as telegram:111.")
    return here


def _budget(value: str) -> int:
    if not _or_nothing(value, "unlimited"):
        return 0
    found = _AMOUNT.fullmatch(value.casefold().removesuffix("tokens").strip())
    amount = int(re.sub(r"\D", "", found[1])) * (1000 if found[2] else 1) if found else 0
    if amount <= 0:
        raise Unclear(f"budget is a number of tokens, such as 20000 or 20k, or `none`, not {value!r}.")
    return amount
