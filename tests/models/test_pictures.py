"""Pictures on the wire: for hosts that see, the same bytes each time, and who counts as seeing."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from gateway.models.anthropic import AnthropicClient
from gateway.models.client import Message, Request
from gateway.models.contract import heard
from gateway.models.errors import HostDown, KeyRefused, RequestRefused
from gateway.models.openai_compatible import OpenAICompatible
from gateway.models.sight import sees_by_entry, sees_by_name
from gateway.models.tokens import estimate
from gateway.transcript import Picture
from tests.fakes.anthropic_server import AnthropicServer
from tests.fakes.clock import FakeClock
from tests.fakes.files import png
from tests.fakes.openai_server import OpenAIServer, Step

SEEN = base64.b64encode(png()).decode()


def shown(folder: Path) -> Request:
    path = folder / "a.png"
    path.write_bytes(png())
    pictures = (Picture("image/png", str(path)), Picture("image/png", str(folder / "gone.png")))
    return Request((Message("system", "s"), Message("user", "What is this?", pictures=pictures)))


@pytest.mark.parametrize("sees", [True, False])
async def test_an_openai_host_gets_parts_only_when_it_sees(tmp_path: Path, sees: bool) -> None:
    async with OpenAIServer(sees=sees) as server:
        client = OpenAICompatible("inn", "m", server.base_url, None, clock=FakeClock())
        await heard(client, shown(tmp_path))
        await client.close()
        content = server.chats[0].json()["messages"][1]["content"]
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{SEEN}"}}
    assert content == ([{"type": "text", "text": "What is this?"}, image] if sees else "What is this?")


@pytest.mark.parametrize("sees", [None, False])
async def test_anthropic_gets_blocks_before_the_words(tmp_path: Path, sees: bool | None) -> None:
    async with AnthropicServer() as server:
        client = AnthropicClient("claude", "opus", "k", clock=FakeClock(), base_url=server.root, sees=sees)
        await heard(client, shown(tmp_path))
        await client.close()
        *images, words = server.requests[-1].json()["messages"][0]["content"]
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": SEEN}}
    assert images == ([image] if sees is None else [])
    assert words["text"] == "What is this?"
    assert "cache_control" in words


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-4o", "gpt-4o-mini", "gpt-5.1", "openai/o3", "claude-3-5-sonnet-latest", "anthropic/claude-opus-4.1"),
        *("gemini-2.5-pro", "google/gemma-3-27b-it", "Qwen2.5-VL-7B-Instruct", "qwen3-vl:8b", "llava:13b"),
        *("meta-llama/llama-3.2-11b-vision-instruct", "llama4:scout", "pixtral-12b", "minicpm-v", "smolvlm2-2.2b"),
    ],
)
def test_names_that_see(name: str) -> None:
    assert sees_by_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-3.5-turbo", "o1-mini", "o3-mini", "gpt-oss-20b", "gpt-4o-transcribe", "claude-2.1", "gemma3:1b"),
        *("qwen3-8b", "llama-3.1-8b-instruct", "llama3.2:3b", "mistral-7b", "auto", "m", "deepseek-r1", "evl-7b"),
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not sees_by_name(name)


def test_what_a_list_of_models_says() -> None:
    assert sees_by_entry({"architecture": {"input_modalities": ["text", "image"]}}) is True
    assert sees_by_entry({"architecture": {"input_modalities": ["text"]}}) is False
    assert sees_by_entry({"type": "vlm"}) is True
    assert sees_by_entry({"type": "llm"}) is False
    assert sees_by_entry({"capabilities": ["completion", "vision"]}) is True
    assert sees_by_entry({"capabilities": ["completion"]}) is None
    assert sees_by_entry({"id": "m"}) is None


@pytest.mark.parametrize(
    ("model", "options", "sees"),
    [("gpt-4o", {}, True), ("gpt-4o", {"sees": False}, False), ("m", {}, False), ("m", {"sees": True}, True)],
)
async def test_a_host_that_says_nothing_goes_by_the_name_unless_the_owner_knows(
    model: str, options: dict[str, Any], sees: bool
) -> None:
    async with OpenAIServer(llama_cpp=False, model=model) as server:
        client = OpenAICompatible("inn", "auto", server.base_url, None, clock=FakeClock(), **options)
        assert (await client.info()).sees is sees
        await client.close()


def test_pictures_count_as_tokens(tmp_path: Path) -> None:
    with_pictures = shown(tmp_path).messages
    assert estimate(with_pictures) > estimate([Message("user", "What is this?")]) + 2000


async def test_a_recording_is_written_down() -> None:
    async with OpenAIServer(llama_cpp=False, model="whisper-large", hears="Good evening.") as server:
        client = OpenAICompatible("inn", "auto", server.base_url, "sk-1", clock=FakeClock())
        assert await client.transcribe(b"OggS", "note.ogg") == "Good evening."
        await client.close()
        sent = server.requests[-1]
    assert sent.path == "/v1/audio/transcriptions"
    assert b'filename="note.ogg"' in sent.body
    assert b"whisper-large" in sent.body
    assert b"OggS" in sent.body


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "image input is not supported - hint: you may need to provide the mmproj"),
        (404, "No endpoints found that support image input"),
        (400, "m is not a multimodal model"),
        (400, "Could not process image"),
    ],
)
async def test_a_host_that_takes_no_pictures_says_so_in_many_ways(tmp_path: Path, status: int, words: str) -> None:
    refusal = Step(status=status, body={"error": {"message": words}})
    async with OpenAIServer([refusal], sees=True) as server:
        client = OpenAICompatible("inn", "m", server.base_url, None, clock=FakeClock())
        with pytest.raises(RequestRefused, match="does not take the pictures"):
            await heard(client, shown(tmp_path))
        await client.close()


async def test_a_host_without_ears_says_so() -> None:
    async with OpenAIServer(llama_cpp=False) as server:
        client = OpenAICompatible("inn", "m", server.base_url, None, clock=FakeClock())
        with pytest.raises(Exception, match="does not know the model 'm'"):
            await client.transcribe(b"OggS", "note.ogg")
        await client.close()
    client = OpenAICompatible("inn", "m", server.base_url, None, clock=FakeClock())
    with pytest.raises((HostDown, KeyRefused)):
        await client.transcribe(b"OggS", "note.ogg")
    await client.close()
