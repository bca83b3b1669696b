"""One run of the local model's process: start it, reach its slot, see it die, stop it.

When to start it and how often is decided in local.py; what the process itself does is in local_child.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gateway.models.errors import HostDown
from gateway.models.transport import transport_errors
from gateway.models.unused import loaded_now

if TYPE_CHECKING:
    import httpx

STOP_SECONDS = 1.0
SLOT_SECONDS = 60.0
PROBE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ChildSettings:
    """What the process is told. `window` in tokens, `cache_mib` the memory for caches of chats that left the slot."""

    model: str
    alias: str
    slots: str
    log: str
    window: int
    threads: int
    temperature: float | None = None
    cache_mib: int = 512


def default_command() -> tuple[str, ...]:
    """How the real process is started; `-m` needs `package_root()` as its working folder."""
    return (sys.executable, "-m", "gateway.models.local_child")


def spare_threads() -> int:
    """Threads for the model that leave the machine some room.

    llama.cpp's threads wait for each other by spinning. Where all cores are taken and something else runs as well,
    that costs nearly everything: on two busy cores one thread writes 35 tokens a second, two write 1.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1) if cores <= 4 else cores // 2


def package_root() -> Path:
    return Path(__file__).resolve().parents[2]


class Child:
    """A process that has loaded its model and listens at `address` (no path); `key` is what it wants to see."""

    def __init__(self, process: asyncio.subprocess.Process, address: str, key: str) -> None:
        self._process = process
        self.address = address
        self.key = key
        self._client: httpx.AsyncClient | None = None

    @classmethod
    async def start(cls, settings: ChildSettings, command: Sequence[str]) -> Child:
        """Start the process and wait until the model is loaded. Raises HostDown with the reason it gave.

        Loading a large model from a slow disk may take minutes, so there is no deadline here; cancelling stops it.
        """
        key = secrets.token_urlsafe(24)
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            cwd=package_root(),
            start_new_session=True,  # Ctrl-C in the terminal is not meant for it
        )
        try:
            answer = await _first_answer(process, {**asdict(settings), "key": key, "parent": os.getpid()})
            if "address" not in answer:
                raise HostDown(f"the local model did not start: {answer.get('error', 'no reason given')}")
        except BaseException:
            await _end(process, 0)  # one that loads hears nothing
            raise
        loaded_now(Path(settings.model))
        return cls(process, str(answer["address"]).rstrip("/"), key)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def died(self, within: float) -> bool:
        """Whether the process is gone; waits up to `within` seconds, since its sockets close a moment earlier."""
        try:
            async with asyncio.timeout(within):
                await self._process.wait()
        except TimeoutError:
            return False
        return True

    async def save_slot(self, filename: str) -> bool:
        """Write the slot's state to `filename` in the slots folder. False when refused; HostDown when unreachable."""
        return await self._slot("save", filename)

    async def restore_slot(self, filename: str) -> bool:
        """Replace the slot's state by the file's. What the slot held is gone, also from the cache in memory.

        False when the file is refused (broken, of another model); HostDown when the server is unreachable.
        """
        return await self._slot("restore", filename)

    async def properties(self) -> dict[str, Any]:
        """What the server says of its model (`/props`); empty when it does not answer."""
        failures: tuple[type[Exception], ...] = (ValueError, *transport_errors())
        try:
            answer = await self._http().get("/props", timeout=PROBE_SECONDS)
            loaded = answer.json() if answer.status_code == 200 else {}
        except failures:
            return {}
        return loaded if isinstance(loaded, dict) else {}

    async def healthy(self) -> bool:
        """Whether the server answers at all."""
        try:
            return bool((await self._http().get("/health", timeout=PROBE_SECONDS)).status_code == 200)
        except transport_errors():
            return False

    async def stop(self, within: float = STOP_SECONDS) -> None:
        """End the process: first by closing its stdin, after `within` seconds by force. Returns when it is gone."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None
        await _end(self._process, within)

    async def _slot(self, action: str, filename: str) -> bool:
        try:
            answer = await self._http().post(
                "/slots/0", params={"action": action}, json={"filename": filename}, timeout=SLOT_SECONDS
            )
        except transport_errors() as error:
            raise HostDown(f"the local model's process does not answer ({type(error).__name__})") from error
        return bool(answer.status_code == 200)

    def _http(self) -> httpx.AsyncClient:
        import httpx

        if self._client is None:
            self._client = httpx.AsyncClient(
                base_url=self.address,
                headers={"Authorization": f"Bearer {self.key}"},
                trust_env=False,  # a proxy configured for the world outside must not see loopback
                limits=httpx.Limits(max_keepalive_connections=0),  # the server closes kept ones when it likes
            )
        return self._client


async def _first_answer(process: asyncio.subprocess.Process, settings: dict[str, Any]) -> dict[str, Any]:
    assert process.stdin is not None  # both were asked for
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(settings).encode() + b"\n")
        await process.stdin.drain()
        line = await process.stdout.readline()
        answer = json.loads(line) if line else {}
    except (OSError, ValueError) as error:
        return {"error": f"its first words made no sense ({type(error).__name__})"}
    if not line:
        code = await process.wait()
        return {"error": f"its process ended with {_ending(code)} while loading; {settings['log']} may say why"}
    return answer if isinstance(answer, dict) else {}


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"code {code}"


async def _end(process: asyncio.subprocess.Process, within: float = STOP_SECONDS) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(within):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
