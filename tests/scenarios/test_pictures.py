"""A picture reaches a model that sees, and is told of in words to one that does not."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from gateway.clock import SystemClock
from gateway.models.client import HostInfo, Request
from gateway.models.errors import RequestRefused
from gateway.models.openai_compatible import OpenAICompatible
from tests.fakes.clock import FakeClock
from tests.fakes.files import given, jpeg, png
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.scripted_model import Script, ScriptedModel, Turn
from tests.scenarios.props import later

SEEING = HostInfo(window=8192, sees=True)


@pytest.fixture
async def host() -> AsyncIterator[OpenAIServer]:
    async with OpenAIServer(sees=True) as server:
        yield server


def client(host: OpenAIServer, **options: Any) -> OpenAICompatible:
    return OpenAICompatible("fake", "m", host.base_url, None, clock=SystemClock(), **options)


def refusing(request: Request) -> Turn | str:
    if any(message.pictures for message in request.messages):
        return Turn(error=RequestRefused("scripted refused the request (status 400): bad image"))
    return "I see nothing."


async def sent(house: Guesthouse, text: str, name: str = "holiday.png", data: bytes | None = None) -> str:
    """Somebody sends a picture; the newest of what answers it."""
    before = len(house.adapter.summaries())
    picture = given(house.adapter, name, png() if data is None else data, "picture")
    await house.adapter.say(text, attachments=(picture,))
    await house.adapter.until(lambda: len(house.adapter.summaries()) > before)
    return house.adapter.texts()[-1]


def people(host: OpenAIServer, request: int = -1) -> list[Any]:
    """What people said, as the host got it."""
    messages = host.chats[request].json()["messages"]
    return [each["content"] for each in messages if each["role"] == "user"]


async def test_a_host_that_sees_gets_the_picture(tmp_path: Path, host: OpenAIServer) -> None:
    async with guesthouse(tmp_path, hosts=[client(host)]) as house:
        await sent(house, "What is this?")
        (content,) = people(host)
    words, image = content
    assert words["text"].endswith(f"What is this?\n[picture: holiday.png, 4x3, {len(png())} bytes]")
    address = image["image_url"]["url"]
    assert address.startswith("data:image/png;base64,")
    assert base64.b64decode(address.partition(",")[2]) == png()


async def test_later_requests_begin_with_the_same_bytes(tmp_path: Path, host: OpenAIServer) -> None:
    """Across a restart, too: a host's cache goes by the prefix."""
    async with guesthouse(tmp_path, hosts=[client(host)]) as house:
        await sent(house, "What is this?")
    async with guesthouse(tmp_path, hosts=[client(host)]) as house:
        await house.adapter.reply_to("And now?")
    first, second = (request.body.rstrip(b"]}") for request in host.chats)
    assert second.startswith(first)


async def test_a_picture_that_was_cleaned_up_leaves_its_words(tmp_path: Path, host: OpenAIServer) -> None:
    async with guesthouse(tmp_path, hosts=[client(host)]) as house:
        await sent(house, "What is this?")
        for file in (tmp_path / "cache" / "attachments").rglob("*.png"):
            file.unlink()
        await house.adapter.reply_to("And now?")
        assert "[picture: holiday.png" in people(host)[0]


async def test_a_host_that_does_not_see_gets_words_and_the_person_is_told_once(
    tmp_path: Path, host: OpenAIServer
) -> None:
    host.sees = False
    async with guesthouse(tmp_path, hosts=[client(host)]) as house:
        said = await sent(house, "What is this?")
        assert "fake/m cannot look at pictures" in said
        assert "/model" in said
        assert "model.sees" in said
        assert people(host)[0].endswith("bytes]")
        assert "cannot look" not in await sent(house, "And this?", "more.png")
        await house.adapter.reply_to("/new")
        assert "cannot look" in await sent(house, "Once more?")


async def test_the_owner_knows_better_than_the_host(tmp_path: Path, host: OpenAIServer) -> None:
    host.sees = False
    async with guesthouse(tmp_path, hosts=[client(host, sees=True)]) as house:
        assert "cannot look" not in await sent(house, "What is this?")
        assert len(people(host)[0]) == 2


async def test_a_host_that_refuses_pictures_answers_without_them(tmp_path: Path) -> None:
    """One picture that a host takes for broken must not end the conversation."""
    async with guesthouse(tmp_path, ScriptedModel(refusing, info=SEEING)) as house:
        said = await sent(house, "What is this?")
        assert "I see nothing." in said
        assert "did not take the picture" in said
        assert await house.adapter.reply_to("And now?") == "I see nothing."
        assert len(house.model.requests) == 3


async def test_a_refusal_with_another_cause_costs_no_pictures(tmp_path: Path) -> None:
    script: Script = [RequestRefused("no"), RequestRefused("no"), "Fine."]
    async with guesthouse(tmp_path, ScriptedModel(script, info=SEEING)) as house:
        assert "did not take" not in await sent(house, "What is this?")
        await house.adapter.reply_to("And now?")
        assert house.model.requests[-1].messages[1].pictures != ()


async def test_another_model_gets_the_pictures_that_one_refused(tmp_path: Path) -> None:
    first = ScriptedModel(lambda request: refusing(request), model="first", info=SEEING)
    second = ScriptedModel(lambda request: "A lake.", model="second", info=SEEING)
    async with guesthouse(tmp_path, first, hosts=[first, second]) as house:
        await sent(house, "What is this?")
        await house.adapter.reply_to("/model scripted/second")
        await house.adapter.reply_to("And you?")
        assert second.requests[0].messages[1].pictures != ()


async def test_the_name_says_nothing_about_what_is_in_a_file(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ScriptedModel(lambda request: "Fine.", info=SEEING)) as house:
        await sent(house, "", "notes.txt", jpeg())
        await sent(house, "", "holiday.jpg", b"These are words.")
        messages = house.model.requests[-1].messages
        assert "[picture: notes.txt, 1280x720, " in messages[1].content
        assert [each.media_type for each in messages[1].pictures] == ["image/jpeg"]
        assert "[document: holiday.jpg, 16 bytes]" in messages[3].content
        assert messages[3].pictures == ()


async def test_an_album_is_one_turn_with_all_its_pictures_and_one_caption(tmp_path: Path) -> None:
    clock = FakeClock()
    model = ScriptedModel(lambda request: "Fine.", info=SEEING)
    async with guesthouse(tmp_path, model, clock=clock) as house:
        for number, caption in enumerate(("look at these", "", "")):
            picture = given(house.adapter, f"{number}.png", png(number + 1), "picture")
            await house.adapter.say(caption, attachments=(picture,), media_group="album")
        await later(clock, lambda: len(model.requests) == 1)
        said = model.requests[0].messages[-1]
        assert len(said.pictures) == 3
        assert said.content.count("look at these") == 1
        assert [f"{number}.png, {number + 1}x3" in said.content for number in range(3)] == [True] * 3


async def test_a_picture_that_is_too_large_for_models_is_told_of(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, ScriptedModel(lambda request: "Fine.", info=SEEING)) as house:
        await sent(house, "", "wall.png", png(1, 1).replace(b"IHDR\0\0\0\1", b"IHDR\0\0\x50\0"))
        said = house.model.requests[-1].messages[-1]
        assert said.pictures == ()
        assert "wall.png, 20480x1" in said.content
        assert "too large to be looked at" in said.content


async def test_retry_shows_the_picture_again(tmp_path: Path) -> None:
    script: Script = [RequestRefused("no"), RequestRefused("no"), "A lake."]
    async with guesthouse(tmp_path, ScriptedModel(script, info=SEEING), with_settings=settings()) as house:
        await sent(house, "What is this?")
        await house.adapter.reply_to("/retry")
        assert "What is this?\n[picture: holiday.png" in house.model.requests[-1].messages[-1].content
