"""Where a provider runs: a thread and a loop of its own, so that one that blocks holds up nobody, under deadlines.

Owns calling into it, giving up on calls, and its end. What to call, and what a fault means, is attendant.py's matter.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

from gateway.clock import Clock

END_SECONDS = 2.0
"""How long the thread may take to end, in seconds; one that blocks is left behind, and dies with the process."""

HANDS = 8
"""Threads at most for what the provider itself does in threads (`asyncio.to_thread`)."""


class Late(Exception):
    """A call took longer than it may."""


class Gone(Exception):
    """The quarters are closed."""


class Quarters:
    """One provider's. The thread begins with the first call."""

    def __init__(self, name: str, clock: Clock) -> None:
        self._name = name
        self._clock = clock
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._inside: set[object] = set()
        self._given_up: set[object] = set()

    @property
    def stuck(self) -> bool:
        """Whether a call that was given up still runs: its cancellation was not heeded, or the thread is blocked."""
        return bool(self._given_up & self._inside)

    async def call(self, step: Callable[[], Awaitable[Any]], seconds: float) -> Any:
        """The result of a call that may take so many seconds. Raises Late, Gone, and what the call raises, which is
        an Exception in any case; a cancellation goes through to it. Whatever the call does with that, this returns
        at once."""
        if self._closed:
            raise Gone(self._name)
        token = object()
        self._inside.add(token)
        running = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._within(step, token), self._begun()))
        late: asyncio.Future[None] = asyncio.ensure_future(self._clock.sleep(seconds))
        try:
            await asyncio.wait({running, late}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                return running.result()
            raise Late(f"did not answer within {seconds:g} s")
        finally:
            late.cancel()
            if not running.done():
                self._given_up.add(token)
                running.cancel()

    async def _within(self, step: Callable[[], Awaitable[Any]], token: object) -> Any:
        try:
            return await step()
        except asyncio.CancelledError as error:
            if token in self._given_up:
                raise
            raise RuntimeError("it cancelled itself") from error  # this must not look like a person's stop
        except Exception:
            raise
        except BaseException as error:  # an exit, or a panic of a native part: no business of a plugin's
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
        finally:
            self._inside.discard(token)
            self._given_up.discard(token)

    def _begun(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._loop.set_default_executor(_Hands(self._name))
            self._thread = threading.Thread(target=self._run, name=f"provider-{self._name}", daemon=True)
            self._thread.start()
        return self._loop

    def _run(self) -> None:
        loop = self._loop
        assert loop is not None, "the thread begins with it"
        asyncio.set_event_loop(loop)
        try:
            _until_stopped(loop)
            left = asyncio.all_tasks(loop)
            for task in left:
                task.cancel()
            if left:
                with suppress(TimeoutError):
                    loop.run_until_complete(asyncio.wait_for(asyncio.wait(left), END_SECONDS / 2))
            loop.run_until_complete(loop.shutdown_asyncgens())
        finally:
            asyncio.set_event_loop(None)
            loop.close()

    async def close(self) -> bool:
        """End the thread; False when it would not end."""
        self._closed = True
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return True
        loop.call_soon_threadsafe(loop.stop)
        await asyncio.to_thread(thread.join, END_SECONDS)
        return not thread.is_alive()


class _Hands(ThreadPoolExecutor):
    """Threads for what the provider blocks in. Python waits at its end for those of its own pools; for these nobody
    waits."""

    def __init__(self, name: str) -> None:
        super().__init__(max_workers=1)  # which never begins
        self._called = f"provider-{name}-hand"
        self._steps: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._free = threading.Semaphore(0)
        self._hands = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self._steps.put((future, partial(fn, *args, **kwargs)))
        if not self._free.acquire(blocking=False) and self._hands < HANDS:
            self._hands += 1
            threading.Thread(target=self._serve, name=self._called, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let those end that have nothing to do; the others end after what they do."""
        for _ in range(self._hands):
            self._steps.put(None)

    def _serve(self) -> None:
        while (taken := self._steps.get()) is not None:
            future, step = taken
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(step())
                except BaseException as error:  # noqa: BLE001 - carried to the coroutine that asked, and raised there
                    future.set_exception(error)
            del taken, future, step
            self._free.release()


def _until_stopped(loop: asyncio.AbstractEventLoop) -> None:
    """An exit that a task in the background asks for ends the loop's round, and nothing else."""
    while True:
        try:
            return loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            continue
