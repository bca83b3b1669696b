"""Houses with an outside memory, for tests that read like chats: the parrot (tests/fakes/parrot.py) unless told
otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from gateway.config.schema import Settings
from gateway.config.sections import Memory
from gateway.models.client import HostInfo
from tests.fakes.clock import FakeClock
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.parrot import ParrotSettings, heard, register
from tests.fakes.scripted_model import Script, ScriptedModel
from tests.providers.waiting import until


@asynccontextmanager
async def inn(
    folder: Path, script: Script | ScriptedModel, with_settings: Settings | None = None, **more: Any
) -> AsyncIterator[Guesthouse]:
    """A house whose outside memory was started, or could not be. Its clock stands still: no deadline passes, however
    long the machine takes, unless a test moves it."""
    model = script if isinstance(script, ScriptedModel) else roomy(script)
    own: Any = {
        "clock": FakeClock(),
        "providers": register(),
        "with_settings": with_settings or with_parrot(),
        **more,
    }
    async with guesthouse(folder, model, with_memory=True, **own) as house:
        outside = house.house.outside
        assert outside is not None
        await until(lambda: "being started" not in outside.words)
        yield house


def roomy(script: Script) -> ScriptedModel:
    """A model whose window limits no recall."""
    return ScriptedModel(script, info=HostInfo(window=None))


def with_parrot(memory: dict[str, Any] | None = None, **own: Any) -> Settings:
    """Settings that name a parrot with these of its own, and others of `memory`."""
    return settings(memory=Memory(provider="parrot", providers={"parrot": ParrotSettings(**own)}, **memory or {}))


def parrot(folder: Path, *kinds: str) -> list[dict[str, Any]]:
    """What the parrot of this profile was asked and handed; only of these kinds, when given."""
    return heard(folder / "providers/parrot", *kinds)


def read(house: Guesthouse, number: int = -1) -> list[str]:
    """What people said, as the model read it with one request."""
    return [each.content for each in house.model.requests[number].messages if each.role == "user"]
