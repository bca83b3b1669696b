"""The network of the kill rounds is a platform like any other: its adapter passes the suite too."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from platforms.contract import AdapterContract
from platforms.manifest import AdapterContext
from platforms.messages import ChatRef
from tests.fakes.postal.adapter import PostAdapter
from tests.fakes.postal.office import PostOffice
from tests.fakes.postal.settings import PostSettings


class PostStage:
    """A chat by post."""

    def __init__(self, office: PostOffice, adapter: PostAdapter, listening: asyncio.Event) -> None:
        self.adapter = adapter
        self.chat = ChatRef("post", "c1")
        self._office = office
        self._listening = listening

    async def opened(self) -> None:
        await self._listening.wait()

    async def say(self, text: str) -> None:
        self._office.post("c1", text)

    async def press(self, label: str) -> None:
        raise LookupError("there are no buttons here")

    async def redeliver(self) -> bool:
        return True  # the office does so by itself, see the fixture

    async def shows(self) -> Sequence[str]:
        return [letter.text for letter in self._office.box("c1").letters.values()]

    async def labels(self) -> Sequence[str]:
        return []


class PostContract(AdapterContract):
    """Both kinds of network."""

    nonce_seconds, finds = 0.0, False

    @pytest.fixture
    async def stage(self, request: pytest.FixtureRequest) -> AsyncIterator[PostStage]:
        listening = asyncio.Event()
        twice = 0.0 if "comes_again" in request.node.name else None
        async with PostOffice(
            lambda what: listening.set() if what == "listening" else None,
            nonce_seconds=self.nonce_seconds,
            again_after=lambda: twice,
        ) as office:
            settings = PostSettings(port=office.port, nonce_seconds=self.nonce_seconds, finds=self.finds)
            adapter = PostAdapter(AdapterContext(settings.model_dump(), "default", ""))
            yield PostStage(office, adapter, listening)


class TestBlindPost(PostContract):
    """As Telegram."""


class TestPostWithNonces(PostContract):
    """As Discord."""

    nonce_seconds, finds = 60.0, True
