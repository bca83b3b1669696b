"""What the assistant learns, as an owner on Telegram sees it: kept, in effect at once, undone, and still there
tomorrow; and what nobody else gets to see."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from memory.files import locked
from tests.fakes.openai_server import Step
from tests.scenarios.telegram_inn import NOTE, OTHERS, PATIENCE, indexed, keeps, patches, telegram_inn

GUIDANCE = "Memory: keep with the memory tool"
BOTH_OFF = {"memory": {"memory_enabled": False, "user_profile_enabled": False}}
QUIET = {"display": {"memory_notifications": "off"}}
"""No line beside the answers: they are what these scenarios read."""

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
    async with telegram_inn(tmp_path, **QUIET) as inn:
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
            assert TEA in shown
            history = await inn.says("/memory history")
            assert history.count(BIKE) == 2, "what came, and what was taken back"


async def test_remember_and_undo_by_a_tap(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        kept = await inn.says(f"/remember {TEA}")
        assert kept.startswith(f"💾 Kept in USER.md: «{TEA}»")
        await inn.says("/remember memory: The router is at .1")
        assert (inn.file("USER.md"), inn.file("MEMORY.md")) == (TEA, "The router is at .1")
        assert (await inn.says(f"/remember {TEA}")).startswith("Nothing was added")
        assert "would make it 1,394" in await inn.says(f"/remember {'x' * 1370}")
        undone = await inn.presses("Undo")
        assert "Removed from MEMORY.md: «The router is at .1»" in undone
        assert inn.file("MEMORY.md") == ""
        assert inn.host.chats == [], "no model was asked"


async def test_a_remembered_fact_counts_in_the_very_next_message(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        await inn.says("Hello", "Hello.")
        await inn.says(f"/remember {TEA}")
        await inn.says("/remember memory: The router is at .1")
        await inn.says("Well?", "Well.")
        assert f"- memory, new: The router is at .1\n- user, new: {TEA}\nWell?" in inn.said


async def test_forget_one_entry_or_ask_which(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("USER.md", f"{TEA}\n§\n{BIKE}")
        inn.write("MEMORY.md", "The router is at .1")
        which = await inn.says("/forget Ada")
        assert all(f"USER.md: {entry}" in which for entry in (TEA, BIKE))
        assert (await inn.says("/forget the moon")).startswith("No entry holds 'the moon'.")
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"
        gone = await inn.says("/forget bicycle")
        assert f"Removed from USER.md: «{BIKE}»" in gone
        assert "/forget --everywhere" in gone
        assert inn.file("USER.md") == TEA
        await inn.presses("Undo")
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"


async def test_the_same_entry_in_both_files_is_forgotten_where_the_person_says(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("USER.md", TEA)
        inn.write("MEMORY.md", TEA)
        which = await inn.says(f"/forget {TEA}")
        assert f"MEMORY.md: {TEA}" in which
        assert f"USER.md: {TEA}" in which
        await inn.says(f"/forget memory: {TEA}")
        assert (inn.file("MEMORY.md"), inn.file("USER.md")) == ("", TEA)


async def test_forget_all_asks_first_and_can_be_undone(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("USER.md", f"{TEA}\n§\n{BIKE}")
        asked = await inn.says("/forget all")
        assert asked == "Forget all entries (2 in USER.md)?"
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"
        gone = await inn.presses("Forget all")
        assert gone.count("Removed from USER.md") == 2
        assert "Nothing had to be changed" not in gone
        assert inn.file("USER.md") == ""
        await inn.presses("Undo")
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"
        await inn.presses("Forget all")
        assert await inn.says("/forget all") == "Nothing is remembered."


async def test_forget_everywhere_leaves_no_trace_and_the_conversation_goes_on(tmp_path: Path) -> None:
    secret = "Ada's locker has the code 7391."
    async with telegram_inn(tmp_path, **QUIET) as inn:
        async with inn.open() as app:
            await inn.says("Hello", "Hello.")
            await inn.says(f"By the way: {secret}", keeps("user", secret), f"I keep it: {secret}")
            await inn.says("/new")
            await inn.says("Hello", "Hello.")
            await inn.says(f"/remember {BIKE}")
            assert secret in inn.prompt
            await indexed(app)
            asked = await inn.says("/forget --everywhere code 7391")
            assert asked.startswith("Erase 'code 7391' for good? It takes 1 entry, 1 text in the journal, ")
            assert "backup" not in asked
            assert f"USER.md: {secret}" in asked
            assert secret in inn.file("USER.md"), "nothing is gone before the answer"
            told = await inn.presses("Erase it")
            assert told.startswith("🗑 Erased: 1 entry, 2 texts in the journal, "), "its removal is one more"
            assert "cannot be undone" in told
            await inn.says("Still there?", "Still here.")
            assert "locker" not in str(inn.request)
            assert inn.file("USER.md") == BIKE
        assert [path.name for path in tmp_path.rglob("*") if path.is_file() and b"locker" in path.read_bytes()] == []
        async with inn.open():
            await inn.says("And after a restart?", "Still here.")


async def test_erasing_everywhere_asks_for_more_of_what_is_in_several_entries_or_in_every_word(
    tmp_path: Path,
) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("USER.md", f"{TEA}\n§\n{BIKE}")
        which = await inn.says("/forget --everywhere Ada ")
        assert "at least 4 characters" in which
        which = await inn.says("/forget --everywhere Ada r")
        assert which.startswith("Erase 'Ada r' for good?")
        inn.write("USER.md", f"{TEA}\n§\n{TEA} Often.\n§\n{BIKE}")
        which = await inn.says("/forget --everywhere green tea")
        assert "is in several entries" in which
        inn.write("USER.md", f"{TEA}\n§\n{BIKE}\n§\nAda repairs clocks.")
        assert "is in several entries" in await inn.presses("Erase it"), "others may mean the same by now"
        assert "too old" in await inn.says("/forget --everywhere! 999")
        assert "too old" in await inn.says("/forget --everywhere! green tea")
        assert inn.file("USER.md").count("§") == 2


@pytest.mark.parametrize("word", ["user", "text", "memory", "entries", "name", "telegram", "success", "chat"])
async def test_erasing_a_common_word_breaks_nothing(tmp_path: Path, word: str) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn:
        async with inn.open():
            inn.write("USER.md", TEA)
            await inn.says("Hello", keeps("user", BIKE), "Hello.")
            await inn.says(f"/forget --everywhere {word}")
            await inn.presses("Erase it")
            assert await inn.says("Still there?", "Still here.") == "Still here."
        async with inn.open():
            assert await inn.says("And now?", "Still here.") == "Still here."
            assert "USER.md" in await inn.says("/memory")


async def test_what_is_remembered_and_how_it_came_about(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        await inn.says(f"/remember {TEA}")
        await inn.says("I moved to black tea.", patches("user", "green", "black"), "Noted.")
        shown = await inn.says("/memory")
        assert "USER.md [1% — 21/1,375 chars]" in shown
        assert "Ada drinks black tea." in shown
        assert await inn.says("/memory show") == shown
        history = await inn.says("/memory history")
        assert re.search(r"user, foreground", history)
        assert re.search(r"user, command by telegram:111", history)
        assert f"was: {TEA}\nnow: Ada drinks black tea." in history
        only = await inn.says("/memory history 1")
        assert "by telegram:111" not in only
        first = re.findall(r"(?m)^([0-9a-f]{8}) ", history)[-1]
        refused = await inn.says(f"/memory undo {first}")
        assert "changed since" in refused
        assert inn.file("USER.md") == "Ada drinks black tea."
        await inn.says("/memory undo")
        assert inn.file("USER.md") == TEA
        assert "scan|history|undo|why|doctor" in await inn.says("/memory nonsense")


async def test_the_doctor_goes_through_the_causes(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        await inn.says("I cycle.", "I will!")
        said = await inn.says("/memory doctor")
        assert "the model never called the memory tool" in said
        assert "/remember" in said
        assert str(tmp_path / "memories" / "USER.md") in said
        await inn.says("Do it.", keeps("user", " ".join(map(str, range(500)))), "I could not.")
        assert "1 refused. The last: The text alone has" in await inn.says("/memory doctor")
        await inn.says(f"/remember {BIKE}")
        assert "older than 1 entry" in await inn.says("/memory doctor")
        await inn.says("/new")
        await inn.says("Hello", "Hello.")
        assert "Everything that is kept stands in this session's prompt." in await inn.says("/memory doctor")


async def test_a_file_that_cannot_be_read_is_said_everywhere_and_left_alone(tmp_path: Path) -> None:
    broken = b"Ada drinks \xff tea."
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("MEMORY.md", "The router is at .1")
        inn.write("USER.md", TEA)
        await inn.says("Hello", "Hello.")
        inn.write("USER.md", broken)
        for order in ("/memory", "/memory doctor", "/forget tea", "/forget all", "/remember x"):
            told = await inn.says(order)
            assert "USER.md is not UTF-8 text" in told, order
            assert "put aside" not in told, order
        assert "The router is at .1" in await inn.says("/memory"), "the other file is shown all the same"
        await inn.says("Well?", "Well.")
        assert NOTE not in inn.said, "nobody knows that an entry is gone"
        assert "MEMORY.md 1 entry" in await inn.says("/new")
        await inn.says("Hello", "Hello.")
        assert "The router is at .1" in inn.prompt
        inn.write("USER.md", TEA)
        await inn.says("Well?", "Well.")
        assert f"- user, new: {TEA}" in inn.said


async def test_with_both_stores_off_there_is_no_tool_no_guidance_and_no_block(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn:
        inn.write("USER.md", TEA)
        async with inn.open():
            await inn.says("Hello", "Hello.")
            assert inn.tools == ["cronjob", "memory", *OTHERS[1:]]
            assert GUIDANCE in inn.prompt
            assert TEA in inn.prompt
            await inn.says("/new")
        inn.settle(**BOTH_OFF)
        async with inn.open():
            await inn.says("Hello", "Hello.")
            assert inn.tools == OTHERS
            assert GUIDANCE not in inn.prompt
            assert TEA not in inn.prompt
            assert "switched off" in await inn.says("/remember x")
            assert "Memory is off." in await inn.says("/memory")
            assert "Switched off: memory, user" in await inn.says("/memory doctor")
            await inn.says("Well?", "Well.")
            assert NOTE not in inn.said
        assert inn.file("USER.md") == TEA


async def test_one_store_off_narrows_everything_to_the_other(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, memory={"user_profile_enabled": False}) as inn, inn.open():
        inn.write("USER.md", TEA)
        inn.write("MEMORY.md", "The router is at .1")
        await inn.says("Hello", keeps("user", BIKE), "Hello.")
        assert inn.tools == ["cronjob", "memory", *OTHERS[1:]]
        target = inn.request["tools"][1]["function"]["parameters"]["properties"]["target"]
        assert target["enum"] == ["memory"]
        assert "The router is at .1" in inn.prompt
        assert TEA not in inn.prompt
        assert 'must be one of "memory", not "user"' in inn.said
        assert inn.file("USER.md") == TEA


async def test_a_group_and_a_strangers_chat_have_no_memory_and_no_tool(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn:
        telegram = {"token": inn.server.token, "base_url": inn.server.root, "allowed_users": [111, 222]}
        inn.settle(platforms={"telegram": telegram}, access={"owners": ["telegram:111"]})
        bob = inn.server.user(222, "Bob")
        inn.write("USER.md", TEA)
        async with inn.open():
            group = inn.server.group(-100777)
            await inn.says("@inn_bot hello", "Hello.", chat=group)
            assert (inn.tools, TEA in inn.prompt, GUIDANCE in inn.prompt) == (OTHERS, False, False)
            for order in ("/memory", "/memory history", "/memory doctor", "/remember x", "/forget all"):
                assert "direct chat" in await inn.says(order, chat=group), order
            assert TEA not in " ".join(group.texts())
            await inn.says("Hello", "Hello.", by=bob)
            assert (inn.tools, TEA in inn.prompt, GUIDANCE in inn.prompt) == (OTHERS, False, False)
            for order in ("/memory", "/memory history", "/remember x", "/forget tea", "/memory undo"):
                assert "owner" in await inn.says(order, by=bob), order
            assert TEA not in " ".join(bob.texts())
            assert await inn.says("Call it anyway", keeps("user", "x"), "I cannot.", by=bob) == "I cannot."
            await inn.says(f"/remember {BIKE}")
            await inn.says("Well?", "Well.", by=bob)
            assert BIKE not in str(inn.request)
            assert "without memory" in await inn.says("/new", by=bob)
            await inn.says("Hello", "Hello.")
            assert TEA in inn.prompt
        assert inn.file("USER.md") == f"{TEA}\n§\n{BIKE}"


async def test_what_people_write_into_the_file_counts_and_stays_as_they_wrote_it(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        await inn.says(f"/remember {TEA}")
        await inn.says("Hello", "Hello.")
        inn.write("USER.md", f"\ufeffAda drinks black tea.\r\n§\r\n{BIKE}\r\n")
        await inn.says("Well?", "Well.")
        assert f"- user, new: {BIKE}" in inn.said
        assert f"- user, changed: Ada drinks black tea. (was: {TEA})" in inn.said
        by_hand = f"Ada drinks black tea.\n§\n{BIKE}\n"
        inn.write("USER.md", by_hand)
        await inn.says("Well?", "Well.")
        assert NOTE not in inn.said, "the same entries"
        await inn.says("/remember Ada sings.")
        await inn.presses("Undo")
        assert inn.file("USER.md") == by_hand, "the line end that editors put there is no change of ours"
        inn.write("USER.md", "")
        await inn.says("Well?", "Well.")
        assert f"- user, withdrawn: {TEA}" in inn.said
        inn.write("USER.md", TEA)
        await inn.says("Well?", "Well.")
        assert "Memory is again as it was when this conversation began." in inn.said


async def test_notes_can_be_switched_off(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, memory={"session_notes": False}) as inn, inn.open():
        await inn.says("Hello", "Hello.")
        await inn.says(f"/remember {TEA}")
        await inn.says("Well?", "Well.")
        assert TEA not in str(inn.request)


async def test_a_summary_does_not_swallow_the_note(tmp_path: Path) -> None:
    def answer(given: dict[str, Any]) -> Step:
        summing_up = given["messages"][0]["content"].startswith("You summarise")
        return Step(text="They talked at length." if summing_up else "Noted.")

    async with telegram_inn(tmp_path, window=3500) as inn, inn.open():
        inn.host.otherwise = answer
        await inn.says("Hello")
        frozen = inn.prompt
        await inn.says(f"/remember {TEA}")
        await inn.says("Well?")
        assert f"- user, new: {TEA}" in inn.said
        for number in range(40):
            await inn.says(f"{number}: {'word ' * 150}")
            if "They talked at length." in str([each.json() for each in inn.host.chats[-3:]]):
                break
        else:
            raise AssertionError("the conversation was never summarised")
        await inn.says("And now?")
        await inn.server.until(lambda: "And now?" in str(inn.request), PATIENCE)  # a passing line may come first
        assert f"- user, new: {TEA}" in str(inn.request)
        assert inn.prompt == frozen


async def test_a_session_that_begins_now_holds_what_was_remembered_a_moment_ago(tmp_path: Path) -> None:
    async with telegram_inn(tmp_path, **QUIET) as inn, inn.open():
        inn.write("USER.md", TEA)
        await inn.says("Hello", "Hello.")
        inn.host.script.append(Step(text="Well."))
        with locked(tmp_path / "memories" / ".lock", 1):  # another process writes just now
            for text in (f"/remember {BIKE}", "/new", "Well?"):
                inn.ada.says(text)
            await inn.server.until_confirmed()
            await asyncio.sleep(0.1)
        await inn.server.until(lambda: "Well." in inn.ada.texts(), PATIENCE)
        assert "USER.md 2 entries" in next(text for text in inn.ada.texts() if "Carried over" in text)
        assert block(TEA, BIKE) in inn.prompt
