"""The one transcript: twelve scenes between Ada, who owns the inn's bot, and the bot. It is the same wherever they
meet; a scene that a platform has no means for says which means it needs."""

from __future__ import annotations

from tests.fakes.openai_server import Step
from tests.scenarios.player.player import HOME, ROOM, TOPIC, Player, Scene
from tests.scenarios.player.props import (
    CODE,
    PICTURE_NAME,
    PLAN,
    PLAN_WORDS,
    POEM,
    TEA,
    code_of,
    columns_of,
    gives,
    keeps,
    picture,
    streamed,
    words_of,
)
from tests.scenarios.player.stage import Ability, File


async def greeting(chat: Player) -> None:
    await chat.says("Good evening!", "Good evening, **Ada**. The _lamp_ is lit, room `7` is warm.")
    await chat.reads("Good evening, Ada. The lamp is lit, room 7 is warm.")


async def long_answer(chat: Player) -> None:
    await chat.says("What is the plan?", streamed(PLAN, pieces=12, delay=0.05))
    shown = await chat.reads_until("That is the plan.")
    assert words_of(shown) == PLAN_WORDS, "all of it, in order, once, and no markup left"
    assert code_of(shown) == CODE, "every line of code in type of one width"
    assert all(len(places) == 1 for places in columns_of(shown)), "columns that stand straight"
    assert all(0 < each.units <= chat.stage.limit for each in shown), [each.units for each in shown]


async def boundary(chat: Player) -> None:
    await chat.says("/new")
    await chat.reads("🆕 A fresh session. Nothing is remembered yet. Back to the last one: /resume …")
    await chat.says("What did I ask?", "Nothing yet.")
    await chat.reads("Nothing yet.")
    assert len(chat.heard()) == 1


async def a_write_waits_for_a_yes(chat: Player) -> None:
    await chat.says("Green tea is what I drink.", keeps(TEA), "Green tea it is.")
    asked = (
        f"🔏 A write to memory waits for you: … add «{TEA}» → USER.md, wished for in a conversation by "
        f"{chat.stage.owner} in {chat.stage.name}:…, a moment ago New entry: {TEA}"
    )
    card = await chat.finds(asked)
    assert TEA in "\n".join(card.fixed), "to the letter"
    assert card.buttons == ("✅ Approve", "❌ Reject", "✏️ Edit", "🕓 Later")
    if not chat.stage.asks_at_once:
        await chat.reads("Green tea it is.", "🕓 Memory is unchanged · waits: 1")
    assert chat.kept("USER.md") == ""
    await chat.presses("✅ Approve")
    await chat.finds(f"✅ … approved; in USER.md, 1% — {len(TEA)}/1,375 chars. New entry: {TEA}")
    assert chat.kept("USER.md") == TEA
    if chat.stage.asks_at_once:
        await chat.reads("Green tea it is.", "💾 Memory updated")


async def stop(chat: Player) -> None:
    story = Step(pieces=["Once upon a time ", "there was an inn.", " And"], hang_after=2)
    await chat.says("A story!", story)
    await chat.glimpses("there was an inn.")
    await chat.says("/stop", meanwhile=True)
    await chat.reads("Once upon a time there was an inn.", "⏹ Stopped.")
    assert chat.host.chats[-1].abandoned
    await chat.says("Thank you.", "Sleep well.")
    await chat.reads("Sleep well.")


async def picture_in(chat: Player) -> None:
    await chat.gives_picture(PICTURE_NAME, picture(), "What is this?", "A lamp, I think.")
    await chat.reads("A lamp, I think.")
    assert chat.pictures() == [picture()]
    assert "What is this?" in chat.heard()[-1]


async def file_out(chat: Player) -> None:
    await chat.says("The poem, as a file.", gives("poem.txt", POEM), "Here it is.")
    _, shown = await chat.reads("Here it is.", "📎 poem.txt")
    assert shown.files == (File("poem.txt", POEM.encode()),)


async def topic(chat: Player) -> None:
    await chat.says("What do we store here?", "Wine.", where=TOPIC, named=True)
    await chat.reads("Wine.", where=TOPIC)
    assert len(chat.heard()) == 1, "a chat of its own knows nothing of the others"
    await chat.says("What was it again?", "Still wine.", where=TOPIC, named=True)
    await chat.reads("Still wine.", where=TOPIC)
    assert len(chat.heard()) == 2
    assert chat.new(HOME) == []


async def mention(chat: Player) -> None:
    before = len(chat.requests)
    await chat.says("Does anybody know the way?", where=ROOM)
    await chat.says("Who keeps the inn?", "Ada does.", where=ROOM, named=True)
    await chat.reads("Ada does.", where=ROOM)
    assert len(chat.requests) == before + 1, "what is said to others is not answered"
    assert chat.heard()[-1].endswith("Ada: Who keeps the inn?"), "the bot's own name is left out"


async def edit(chat: Player) -> None:
    await chat.says("Two beds, please.", "Two beds it is.")
    await chat.reads("Two beds it is.")
    await chat.edits("Two beds, please.", "Three beds, please.")
    (offer,) = await chat.reads("✏️ You changed a message that I had read already.")
    assert offer.buttons == ("Answer the new text",)
    await chat.presses("Answer the new text", "Three beds it is.")
    await chat.reads("Three beds it is.")
    assert "Three beds, please." in chat.heard()[-1]


async def retry(chat: Player) -> None:
    await chat.says("How late is it?", "Late.")
    await chat.reads("Late.")
    before = len(chat.requests)
    await chat.says("/retry")
    await chat.reads("Late.")
    assert len(chat.requests) == before, "what was said is sent again, not thought again"


async def status(chat: Player) -> None:
    await chat.says("/status")
    name = chat.stage.name.title()
    await chat.reads(
        f"Gateway: up for 0 min, 0 turns running {name}: listening… Model: openai/m This chat: session …, … messages "
        "Waits for a yes: nothing Undelivered: nothing Put aside: nothing Database: … MB Tokens today: chat … "
        "Since the start: … events in, … parts out, … turns (half of them within … s), … model calls"
    )


TRANSCRIPT = (
    Scene("greeting", greeting),
    Scene("a long answer with a table and code", long_answer),
    Scene("/new", boundary),
    Scene("a staged write, approved by button", a_write_waits_for_a_yes),
    Scene("/stop in the middle of an answer", stop),
    Scene("a picture in", picture_in),
    Scene("a file out", file_out),
    Scene("a topic", topic),
    Scene("a mention among others", mention, Ability.ROOMS),
    Scene("an edit", edit, Ability.EDIT),
    Scene("/retry", retry),
    Scene("/status", status),
)
