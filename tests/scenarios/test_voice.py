"""A voice message is what its transcript says; without somebody who listens it is not guessed at."""

from __future__ import annotations

from pathlib import Path

from gateway.attachments.wording import NO_EARS
from gateway.config.sections import Memory
from gateway.errors import ConfigurationError
from gateway.models.client import Request
from gateway.models.errors import HostDown
from tests.fakes.files import given
from tests.fakes.guesthouse import Guesthouse, guesthouse, settings
from tests.fakes.scripted_model import Script, Turn
from tests.scenarios.gate import waiting

KEEPS = Turn(calls=[("memory", {"target": "user", "action": "add", "content": "Drinks tea."})])


class Listener:
    """Writes down the same words for every recording, or fails."""

    def __init__(self, words: str = "Remember that I drink tea.", error: Exception | None = None) -> None:
        self.words = words
        self.error = error
        self.heard: list[tuple[bytes, str]] = []

    async def transcribe(self, data: bytes, name: str) -> str:
        self.heard.append((data, name))
        if self.error is not None:
            raise self.error
        return self.words


def fine(request: Request) -> str:
    return "Fine."


async def spoken(house: Guesthouse, text: str = "") -> list[str]:
    """Somebody sends a voice message; everything that answers it."""
    before, ends = set(house.adapter.transcript()), len(house.adapter.summaries())
    await house.adapter.say(text, attachments=(given(house.adapter, "note.ogg", b"OggS", "voice"),))
    await house.adapter.until(lambda: len(house.adapter.summaries()) > ends)
    return [seen.text for seen in house.adapter.transcript() if seen not in before]


async def test_the_transcript_is_the_persons_words_and_is_shown(tmp_path: Path) -> None:
    ears = Listener()
    free = settings(memory=Memory(write_approval=False))
    script: Script = [KEEPS, "Noted."]
    async with guesthouse(tmp_path, script, with_settings=free, with_memory=True, ears=lambda: ears) as house:
        said = await spoken(house)
        assert said[0] == "🎤 Heard: Remember that I drink tea."
        assert said[1] == "Noted."
        assert "Drinks tea." in said[2]  # the receipt that everybody gets who asks in writing
        assert house.model.requests[0].messages[-1].content.endswith("]\nRemember that I drink tea.")
        assert ears.heard == [(b"OggS", "note.ogg")]
        assert waiting(tmp_path) == []


async def test_without_a_listener_the_model_is_not_asked(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, []) as house:
        assert await spoken(house) == [NO_EARS]
        assert house.adapter.summaries()[-1].reply == NO_EARS
    async with guesthouse(tmp_path, []) as house:  # and it is no turn that a restart would take up
        assert house.adapter.texts() == []


async def test_words_beside_it_are_answered_all_the_same(tmp_path: Path) -> None:
    async with guesthouse(tmp_path, fine) as house:
        assert await spoken(house, "What do I say here?") == [NO_EARS, "Fine."]
        content = house.model.requests[0].messages[-1].content
        assert "What do I say here?\n[voice message: note.ogg, which cannot be listened to here]" in content


async def test_a_listener_that_fails_or_hears_nothing_is_said_plainly(tmp_path: Path) -> None:
    ears = Listener(error=HostDown("whisper does not answer"))
    async with guesthouse(tmp_path, [], ears=lambda: ears) as house:
        (said,) = await spoken(house)
        assert "could not be understood (whisper does not answer)" in said
        ears.error, ears.words = None, " "
        (said,) = await spoken(house)
        assert "no words were heard" in said


async def test_a_listener_that_is_configured_wrongly(tmp_path: Path) -> None:
    def ears() -> Listener:
        raise ConfigurationError(["auxiliary.transcription.provider: local is no host of kind openai"])

    async with guesthouse(tmp_path, [], ears=ears) as house:
        (said,) = await spoken(house)
        assert "local is no host of kind openai" in said
