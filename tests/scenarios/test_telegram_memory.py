"""What the assistant learns, as an owner on Telegram sees it: kept, in effect at once, undone, and still there
tomorrow; and what nobody else gets to see."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.scenarios.telegram_inn import NOTE, PERSONA, Inn, keeps, telegram_inn

GUIDANCE = "Memory: keep with the memory tool"
BOTH_OFF = {"memory": {"memory_enabled": False, "user_profile_enabled": False}}
TEA = "Ada drinks green tea."
BIKE = "Ada rides a bicycle to work."


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock of the bot's token lies in the user's cache folder."""
    monkeypatch.setenv("HOME", str(tmp_path_factory.mktemp("user")))


def block(*entries: str) -> str:
    """The last lines of a block in the prompt."""
    return f"\n{'═' * 46}\n" + "\n§\n".join(entries)


async def test_a_fact_is_kept_told_shown_undone_and_still_there_after_a_restart(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path) as inn:
        async with inn.open():
            assert await inn.says("Good morning", "Good morning, Ada.") == "Good morning, Ada."
            assert NOTE not in inn.said
            frozen = inn.prompt

            answer = await inn.says("I drink green tea.", keeps("user", TEA), "Green tea it is.")
            assert answer == "Green tea it is."
            assert inn.tool_answer()["success"] is True
            assert inn.file("USER.md") == TEA

            await inn.says("What else?", "Nothing.")
            assert f"{NOTE} In effect now:\n- user, new: {TEA}" in inn.said
            assert inn.said.endswith("What else?")
            assert inn.prompt == frozen, "the prompt of a session never changes"
            await inn.says("Really?", "Really.")
            assert NOTE not in inn.said, "it is told once"

            carried = await inn.says("/new")
            assert "Carried over: USER.md 1 entry" in carried
            await inn.says("Hello again", "Hello.")
            assert block(TEA) in inn.prompt
            assert NOTE not in inn.said

            before = inn.file("USER.md")
            await inn.says("I cycle.", keeps("user", BIKE), "Noted.")
            assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"
            undone = await inn.says("/memory undo")
            assert f"Removed from USER.md: «{BIKE}»" in undone
            assert inn.file("USER.md") == before
        async with inn.open():
            await inn.says("And now?", "As before.")
            assert block(TEA) in inn.prompt
            assert BIKE not in inn.prompt
            assert f"- user, new: {BIKE}" not in inn.said
            assert inn.file("USER.md") == before
            shown = await inn.says("/memory")
            assert f"- {TEA}" in shown.replace("•", "-").replace("⦁", "-")
            history = await inn.says("/memory history")
            assert history.count(BIKE) == 2, "what came, and what was taken back"
