"""How things stand, in words and as data, from the store and, where one runs, from the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

from commands.ports import StatusView
from gateway.clock import Clock
from gateway.config.schema import Settings
from gateway.engine.desks.figures import in_words
from gateway.engine.turns.grades import FALSE_CLAIMS, Grades
from gateway.models.trial import Grade
from gateway.observability.metrics import Figures
from gateway.state.protocols import Store


class Outside(Protocol):
    """An outside memory's state."""

    @property
    def words(self) -> str: ...

    @property
    def data(self) -> Mapping[str, object]: ...


class Platform(Protocol):
    """One platform's state."""

    @property
    def up(self) -> bool: ...

    @property
    def words(self) -> str: ...


HEARD = "heard"
"""The fact that says when a platform was last heard, in seconds since the epoch; its scope is `platform:NAME`."""


@dataclass(frozen=True, slots=True)
class Live:
    """What only a running engine knows. `turns` counts running turns, `waiting` what waits behind them; `figures`
    are the process's counters."""

    started_at: float
    platforms: Callable[[], Mapping[str, Platform]]
    turns: Callable[[], int]
    waiting: Callable[[str], int]
    figures: Callable[[], Figures]


class HouseStatus:
    """`commands.ports.Status`. `model` names the main model; `live` is None where no engine runs in this process."""

    def __init__(
        self,
        store: Store,
        database: Path,
        clock: Clock,
        settings: Callable[[], Settings],
        model: Callable[[], str],
        live: Live | None = None,
        gateway: str = "",
        pending: Callable[[], int] = lambda: 0,
        pending_skills: Callable[[], int] = lambda: 0,
        outside: Outside | None = None,
        servers: Outside | None = None,
        pending_calls: Callable[[], int] = lambda: 0,
    ) -> None:
        """`pending`, `pending_skills` and `pending_calls` count what waits for a yes; they read folders. `servers`
        says how MCP servers are doing."""
        self._store = store
        self._database = database
        self._clock = clock
        self._settings = settings
        self._model = model
        self._live = live
        self._gateway = gateway
        self._pending = pending
        self._pending_skills = pending_skills
        self._outside = outside
        self._servers = servers
        self._pending_calls = pending_calls

    async def view(self, key: str | None) -> StatusView:
        lines: list[tuple[str, str]] = [("Gateway", self._gateway_words())]
        model = self._model()
        grade = (await Grades(self._store.facts).of([model])).get(model)
        data: dict[str, object] = {
            "gateway": self._gateway_words(),
            "model": model,
            "grade": None if grade is None else grade.to_dict(),
        }
        if self._live is not None:
            states = self._live.platforms()
            lines += [(name.title(), each.words) for name, each in states.items()]
            data["figures"] = asdict(self._live.figures())
            data["platforms"] = {name: {"up": each.up, "state": each.words} for name, each in states.items()}
        lines.append(("Model", model if grade is None else f"{model} ({_tried(grade)})"))
        if key is not None:
            await self._chat(key, lines, data)
        parts = await self._parts()
        undelivered = sum(parts.values())
        dead = len(await self._store.inbox.dead())
        data |= await self._queue()
        size = sum(each.stat().st_size for each in (self._database, self._wal()) if each.exists())
        waits = await asyncio.to_thread(self._pending)
        skills = await asyncio.to_thread(self._pending_skills)
        calls = await asyncio.to_thread(self._pending_calls)
        claims = await self._store.facts.everywhere(FALSE_CLAIMS)
        lines.append(("Waits for a yes", _waiting(waits, skills, calls)))
        if self._servers is not None:
            lines.append(("MCP servers", self._servers.words))
            data |= {"mcp_servers": dict(self._servers.data), "pending_calls": calls}
        if self._outside is not None:
            lines.append(("Outside memory", self._outside.words))
            data["outside_memory"] = dict(self._outside.data)
        if claims:
            told = ", ".join(f"{scope.removeprefix('model:')} {count}" for scope, count in sorted(claims.items()))
            lines.append(("Claimed to have saved, and had not", told))
        data |= {"pending": waits, "pending_skills": skills}
        data |= {"false_claims": {scope.removeprefix("model:"): n for scope, n in claims.items()}}
        lines += [
            ("Undelivered", f"{undelivered} parts" if undelivered else "nothing"),
            ("Put aside", f"{dead} messages that could not be handled" if dead else "nothing"),
            ("Database", f"{size / 1e6:.1f} MB"),
            ("Tokens today", await self._tokens()),
        ]
        if self._live is not None:
            lines.append(("Since the start", in_words(self._live.figures())))
        data |= {"undelivered": undelivered, "undelivered_on": parts, "dead_letters": dead, "database_bytes": size}
        return StatusView(lines, data)

    def _gateway_words(self) -> str:
        if self._live is None:
            return self._gateway or "not running"
        minutes = int(self._clock.now() - self._live.started_at) // 60
        turns = self._live.turns()
        up = f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
        return f"up for {up}, {turns} turn{'s' if turns != 1 else ''} running"

    async def _chat(self, key: str, lines: list[tuple[str, str]], data: dict[str, object]) -> None:
        session = await self._store.sessions.current(key)
        waiting = self._live.waiting(key) if self._live is not None else 0
        if session is None:
            lines.append(("This chat", "no session yet"))
            return
        line = await self._store.sessions.line(session.id)
        count = line.messages if line is not None else 0
        behind = f", {waiting} waiting" if waiting else ""
        lines.append(("This chat", f"session `{session.id}`, {count} messages{behind}"))
        data["session"] = {"id": session.id, "messages": count, "waiting": waiting}

    async def _parts(self) -> dict[str, int]:
        """What is still to be sent, by platform."""
        found: dict[str, int] = {}
        for chat in await self._store.outbox.chats():
            found[chat.platform] = found.get(chat.platform, 0) + len(await self._store.outbox.queued(chat))
        return found

    async def _queue(self) -> dict[str, object]:
        """What waits for an answer and what runs (None: no engine is here that would know), when platforms were last
        heard as far as that was noted, and what is spent today of which budget."""
        heard = await self._store.facts.everywhere(HEARD)
        return {
            "waiting": len(await self._store.inbox.open_items()),
            "turns": self._live.turns() if self._live is not None else None,
            "heard": {scope.removeprefix("platform:"): at for scope, at in heard.items()},
            "tokens_today": await self._store.usage.tokens_today(self._clock.now()),
            "budgets": self._budgets(),
        }

    def _budgets(self) -> dict[str, int]:
        return {str(task): bound for task, bound in self._settings().gateway.budgets.items()}

    async def _tokens(self) -> str:
        spent = await self._store.usage.tokens_today(self._clock.now())
        budgets = self._budgets()
        tasks = sorted({*spent, *budgets} - {"total"})
        words = [
            f"{task} {spent.get(task, 0):,}" + (f" of {budgets[task]:,}" if task in budgets else "") for task in tasks
        ]
        if "total" in budgets:
            words.append(f"in total {sum(spent.values()):,} of {budgets['total']:,}")
        return ", ".join(words) or "none"

    def _wal(self) -> Path:
        return self._database.with_name(self._database.name + "-wal")


def _waiting(writes: int, skills: int, calls: int = 0) -> str:
    """What waits for a yes, and where it is decided."""
    told = [f"{writes} write{'' if writes == 1 else 's'}: /memory pending"] if writes else []
    told += [f"{skills} change{'' if skills == 1 else 's'} of skills: /skills pending"] if skills else []
    told += [f"{calls} call{'' if calls == 1 else 's'} of tools: /tools pending"] if calls else []
    return "; ".join(told) or "nothing"


def _tried(grade: Grade) -> str:
    return f"{'calls tools' if grade.tools else 'assisted'}, tested {grade.at[:10]}"
