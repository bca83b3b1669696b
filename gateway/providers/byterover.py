"""ByteRover: knowledge in files on this machine, by way of its command-line tool `brv` (npm package byterover-cli).

Each subject has a folder that is a project of its own. Searching needs no model; keeping does: brv hands the turn to
the model that it was connected with. Its daemon, which brv starts and ends by itself, is no business of the house.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import Field

from gateway.config.environment import process_environment
from gateway.providers.one_text import one_text
from gateway.providers.places import place
from gateway.providers.program import Ran, ran
from gateway.providers.texts import dialogue, new_entries, plain
from gateway.state.codec import clean
from memory.providers.protocol import (
    OWNER,
    Conversation,
    Exchange,
    Patience,
    ProviderContext,
    ProviderManifest,
    ProviderTool,
    Question,
    Refused,
    Silent,
    Unreachable,
    Write,
)
from platforms.settings import Section

LONGEST_FACT = 2_000
LONGEST_QUESTION = 4_000
LONGEST_TURN = 100_000
"""Bytes of what is handed over in one argument; Linux takes 128 KiB."""

PASSED_ON = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TMPDIR", "NODE_EXTRA_CA_CERTS"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
        *("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"),
    )
)
QUIET = MappingProxyType({"BRV_DISABLE_AUTOUPDATE": "1", "NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"})
PREAMBLE = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
"""What brv's files begin with: dates and lists for itself."""

FOR_A_PERSON = ("no provider connected", "api key is missing", "reconnect", "not authenticated", "credit", "billing")
"""Complaints that nobody but a person can do something about."""


class ByteroverSettings(Section):
    """What stands under memory.providers.byterover in config.yaml."""

    command: Annotated[str, Field(min_length=1)] = "brv"
    """The program, by name or path."""
    most: Annotated[int, Field(ge=1, le=50)] = 8
    """Pieces of knowledge that are recalled at most."""


class Byterover(Silent):
    name = "byterover"

    def __init__(self, context: ProviderContext) -> None:
        self._command = str(context.settings["command"])
        self._most = int(context.settings["most"])
        self._folder = context.folder
        self._profile = context.profile
        self._now = context.now

    async def start(self) -> None:
        """Find the program, wake its daemon, and see that it has a model to keep things with."""
        active = await self._ran(OWNER, "providers")
        if not active.get("providerId"):
            raise Refused("brv has no model to keep things with: brv providers connect byterover, or another one")

    async def prefetch(self, question: Question) -> str:
        return await self._search(question.where, question.text)

    async def sync(self, exchange: Exchange) -> None:
        if text := dialogue(exchange):
            day = datetime.fromtimestamp(exchange.at, UTC).date().isoformat()
            await self._keep(
                exchange.where, f"What is worth knowing later from this conversation of {day}:\n\n{text}"
            )

    async def wrote(self, write: Write) -> None:
        """New entries of the built-in memory. What left it stays in brv's files."""
        for entry in new_entries(write):
            await self._keep(write.where, entry)

    def tools(self) -> Sequence[ProviderTool]:
        ask = "Ask a question that takes thinking about the knowledge that earlier conversations left. Slow."
        keep = "Keep a fact, decision or preference, as plain sentences with all that is needed to understand them."
        search = "Search the knowledge that earlier conversations left, by words."
        return (
            one_text("byterover_search", search, "query", LONGEST_FACT, self._search),
            one_text("byterover_ask", ask, "question", LONGEST_FACT, self._asked),
            one_text("byterover_remember", keep, "fact", LONGEST_FACT, self._keep, writes=True),
        )

    async def _asked(self, where: Conversation, question: str) -> str:
        answer = await self._ran(where.subject, "query", words=question)
        said = answer.get("result") or answer.get("content") or ""
        return said if isinstance(said, str) else ""

    async def _search(self, where: Conversation, text: str) -> str:
        words = " ".join(text.split())[:LONGEST_QUESTION]
        if not words:
            return ""
        answer = await self._ran(where.subject, "search", "--limit", str(self._most), words=words)
        results = answer.get("results")
        if not isinstance(results, list):
            raise Unreachable("brv answered a search without results")
        return "\n".join(dict.fromkeys(filter(None, map(excerpt, results))))

    async def _keep(self, where: Conversation, text: str) -> str:
        answer = await self._ran(where.subject, "curate", words=text)
        if answer.get("status") == "needs-llm-step":
            raise Refused("this brv leaves writing to its caller; the house works with byterover-cli 3.14")
        return "Kept."

    async def _ran(self, subject: str, command: str, *options: str, words: str = "") -> Mapping[str, Any]:
        """The `data` of the answer. Raises Unreachable and Refused."""
        folder = await asyncio.to_thread(self._project, subject)
        # After `--` nothing is an option, whatever a person's words begin with.
        said = ["--", shortened(words)] if words else []
        done = await self._run(folder, [command, "--format", "json", *options, *said])
        answer = last_answer(done.out)
        if answer is None:
            why = plain(done.complained or done.out or "no answer")
            raise Unreachable(f"brv {command} ended with {done.code}: {why}")
        data = answer.get("data")
        if not isinstance(data, dict):
            raise Unreachable(f"brv {command} answered without data")
        if answer.get("success") is not True:
            why = plain(data.get("error") or data.get("message") or "no reason given")
            kind = Refused if any(sign in why.lower() for sign in FOR_A_PERSON) else Unreachable
            raise kind(f"brv {command}: {why}")
        return data

    async def _run(self, folder: Path, arguments: Sequence[str]) -> Ran:
        """brv ends with the call, however that ends; its daemon stays."""
        try:
            return await ran([self._command, *arguments], environment(process_environment()), folder)
        except FileNotFoundError as error:
            raise Unreachable(
                f"the program {self._command} is not installed: npm install --global byterover-cli"
            ) from error
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            raise Unreachable(f"the program {self._command} cannot be started: {why}") from error

    def _project(self, subject: str) -> Path:
        """The subject's folder, marked as a project. Without the mark brv would take the next folder above that has
        one, and subjects would share it. Touches the disk."""
        folder = self._folder / place("of", subject, self._profile)
        mark = folder / ".brv" / "config.json"
        try:
            if not mark.exists():
                mark.parent.mkdir(parents=True, exist_ok=True)
                made = datetime.fromtimestamp(self._now(), UTC).isoformat(timespec="milliseconds")
                whole = {"createdAt": made.replace("+00:00", "Z"), "cwd": str(folder), "version": "0.0.1"}
                draft = mark.with_suffix(".part")
                draft.write_text(json.dumps(whole, indent=2), encoding="utf-8")
                draft.replace(mark)
        except OSError as error:
            raise Unreachable(f"{folder} cannot be written: {(error.strerror or str(error)).lower()}") from error
        return folder


def environment(whole: Mapping[str, str]) -> dict[str, str]:
    """What brv gets of the house's environment: its own variables, and what any program needs. No secrets."""
    return {**{name: value for name, value in whole.items() if name in PASSED_ON or name.startswith("BRV_")}, **QUIET}


def shortened(words: str) -> str:
    """Words that fit into one argument of a program."""
    text = clean(words).replace("\0", " ").strip()
    raw = text.encode()
    return text if len(raw) <= LONGEST_TURN else raw[:LONGEST_TURN].decode("utf-8", "ignore") + " […]"


def last_answer(out: str) -> Mapping[str, Any] | None:
    """Of lines of JSON, each an event, the last one that says whether it went well."""
    for line in reversed(out.splitlines()):
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict) and "success" in answer:
            return answer
    return None


def excerpt(result: object) -> str:
    """One piece of knowledge, in a line."""
    if not isinstance(result, dict):
        return ""
    title, text = (result.get(name) for name in ("title", "excerpt"))
    if not isinstance(text, str) or not text.strip():
        return ""
    text = PREAMBLE.sub("", text)
    name = f"{' '.join(title.split())}: " if isinstance(title, str) and title.strip() else ""
    return f"- {name}{' '.join(text.split())}"


manifest = ProviderManifest(
    name="byterover",
    provider="gateway.providers.byterover:Byterover",
    about="ByteRover: knowledge in files, by its command-line tool brv and the model that brv is connected with",
    settings="gateway.providers.byterover:ByteroverSettings",
    patience=Patience(start=45.0, prefetch=12.0, sync=120.0, tool=60.0),
)
