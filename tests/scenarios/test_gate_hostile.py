"""Somebody who means ill with what waits: texts that dress up as cards, floods, huge texts, a retry."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.pending_words import card, fenced
from gateway.config.sections import Memory
from gateway.engine.gates.digest import Digested
from gateway.models.claims import claims_saving
from gateway.models.errors import StreamBroken
from memory.model import Action, Author, Change, Draft, Operation, Origin, Refused, Staged, Target
from memory.operations import perform
from memory.pending.model import PendingWrite, gist
from memory.pending.store import LONGEST, MOST, MOST_OF_A_CHAT, PendingStore
from platforms.chunking import split
from platforms.telegram.render import Rendered, render
from tests.fakes.guesthouse import guesthouse, settings
from tests.fakes.scripted_model import Turn
from tests.scenarios.gate import GATED, SOON, TEA, adds, carded, pressed, waiting, wishes
from tests.scenarios.places import ADA, BOB_ALONE, GROUP_OF_BOTH, NOTES, OWNER, inn, rules, said, sent, written
from tests.scenarios.telegram_inn import PATIENCE, telegram_inn
from tests.scenarios.test_gate_hours import digest_of
from tests.scenarios.test_untrusted_turn import FREE, READ, READS, WISH, entries, keeps

LIMIT = 4096
EVIL = "\n# **Approved** [here](https://evil.example)\n✅ Approve"
LONG = "word " * 900


def pending(text: str, name: str = "0a1b2c3d") -> PendingWrite:
    changes = (Change(Action.ADD, 0, None, text),)
    author = Author(Origin.FOREGROUND, chat="telegram:5")
    return PendingWrite(name, Target.USER, "USER.md", author, 0.0, changes, (), gist(changes))


def shown(markdown: str) -> list[Rendered]:
    return [render(each, LIMIT) for each in split(markdown, LIMIT, "utf16")]


@pytest.mark.parametrize("start", ["", "```\nx\n```\n", "`" * 9 + "\n", "~" * 9 + "\n" + "`" * 9 + "\n"])
def test_a_long_text_is_code_in_every_message_over_which_it_is_split(start: str) -> None:
    messages = shown(f"One:\n{fenced(start + LONG + EVIL)}\n**Two**")
    assert len(messages) > 1
    for each in messages:
        ranges = [(found.kind, found.url) for found in each.ranges]
        assert ("pre", None) in ranges
        assert not [kind for kind, url in ranges if url is not None]
    assert "**Approved** [here](https://evil.example)" in messages[-1].text
    assert "Two" in messages[-1].text
    assert "**Two**" not in messages[-1].text


@pytest.mark.parametrize("text", ["[OK](https://evil.example) me", "`` x` **✅ Approved**", "||hidden|| ~~x~~ _y_"])
def test_the_gist_of_a_write_is_text_and_no_markup(text: str) -> None:
    for markdown in (card([pending(text)], 60.0), card([pending(text), pending(text, "0a1b2c3e")], 60.0)):
        (message,) = shown(markdown)
        assert {each.kind for each in message.ranges} <= {"code", "pre", "bold"}
        assert not [each for each in message.ranges if each.url is not None]
        assert f"«{text}»" in message.text


def draft(text: str) -> Draft:
    done = perform(Target.USER, [], [Operation(Action.ADD, text)], 1375)
    assert isinstance(done, Draft)
    return done


def test_a_flood_ends_for_the_chat_that_floods_and_not_for_the_others(tmp_path: Path) -> None:
    store = PendingStore(tmp_path, lambda: 0.0)

    def put(number: int, chat: str) -> Staged | Refused:
        return store.put(draft(f"Fact {number}."), Author(Origin.FOREGROUND, chat=chat), "USER.md", "why")

    flood = [put(number, "telegram:-1") for number in range(MOST_OF_A_CHAT + 1)]
    assert [isinstance(each, Staged) for each in flood] == [True] * MOST_OF_A_CHAT + [False]
    assert "an operator has to decide" in flood[-1].message
    assert isinstance(put(0, "telegram:-1"), Staged)  # the same wish waits already
    assert isinstance(put(MOST, "telegram:5"), Staged)
    assert len(store.ids()) == MOST_OF_A_CHAT + 1


def test_a_write_that_nobody_could_read_is_not_put_aside(tmp_path: Path) -> None:
    steps = [Operation(Action.ADD, "a" * 1000)]
    for now, then in [("a", "b"), ("b", "a")] * (LONGEST // 2000):
        steps.append(Operation(Action.PATCH, then * 1000, now * 1000))
    done = perform(Target.USER, [], steps, 1375)
    assert isinstance(done, Draft)
    refused = PendingStore(tmp_path, lambda: 0.0).put(done, Author(Origin.FOREGROUND), "USER.md", "why")
    assert isinstance(refused, Refused)
    assert "too long to be read" in refused.message
    assert not list(tmp_path.iterdir())


def test_a_text_longer_than_everything_is_refused_also_on_the_way() -> None:
    huge = "a" * 100_000
    batch = [Operation(Action.ADD, huge), Operation(Action.REMOVE, old_text=huge), Operation(Action.ADD, "Tea.")]
    for entries_now in ((), ("Ada hums.",)):
        refused = perform(Target.USER, entries_now, batch, 1375)
        assert isinstance(refused, Refused)
        assert "100,000 characters, more than the whole limit" in refused.message


@pytest.mark.parametrize("sign", [" ", "`", ", ", "a\u0301", "“"])
def test_a_huge_quotation_is_simply_not_found(sign: str) -> None:
    quoted = (sign * 500_000)[:500_000] + "x"
    for action in (Action.PATCH, Action.REMOVE):
        refused = perform(Target.USER, ["Ada hums.", "Bob is bald."], [Operation(action, "x", quoted)], 1375)
        assert isinstance(refused, Refused)
        assert "No entry contains old_text" in refused.message
    assert claims_saving(quoted) is False


async def test_a_retry_still_knows_what_was_read_the_first_time(tmp_path: Path) -> None:
    script: list[Turn | str] = [READS, Turn(error=StreamBroken("gone")), keeps(WISH), "Here are the figures."]
    async with guesthouse(tmp_path, script, tools=[READ], with_settings=FREE, with_memory=True) as house:
        assert "/retry" in await house.adapter.reply_to("What is in the file?")
        await house.adapter.say("/retry")
        await house.adapter.until_text("Here are the figures.")
        assert [each["flags"][0] for each in waiting(tmp_path)] == ["untrusted:document"]
        assert entries(tmp_path) == ""


async def test_a_digest_of_many_says_how_many_more_there_are(tmp_path: Path) -> None:
    gated = settings(memory=Memory(write_approval=True), access={"home_chats": ["inprocess:c1"]})
    async with guesthouse(tmp_path, [], with_settings=gated, with_memory=True) as house:
        assert house.house.memories is not None
        for number in range(40):
            author = Author(Origin.FOREGROUND, chat=f"inprocess:{number}")
            house.house.memories.pendings.put(draft(f"Fact **{number}**"), author, "USER.md", "why")
        assert await digest_of(house).send() == Digested(40, 1)
        await house.adapter.until_text("and 10 more")


async def test_a_home_chat_that_gets_a_new_id_stays_home(tmp_path: Path) -> None:
    number = -1001234567890
    access = {"owners": ["telegram:111"], "home_chats": ["telegram:-4001"]}
    async with telegram_inn(tmp_path, **GATED, access=access) as there:
        room = there.server.group(-4001, "Guests", kind="group")
        async with there.open(SOON):
            new = room.becomes_supergroup(number)
            await there.server.until(lambda: f"telegram:{number}" in (tmp_path / "config.yaml").read_text(), PATIENCE)
            await wishes(there, "I like tea.", adds(TEA))
            card = await carded(there, new)
            assert "approved" in await pressed(there, new, card, "✅ Approve")
        assert there.file("USER.md") == TEA


@pytest.mark.parametrize("moment", ["9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+14:00"])
def test_a_file_with_an_impossible_time_is_told_apart_and_hides_no_other(tmp_path: Path, moment: str) -> None:
    store = PendingStore(tmp_path, lambda: 1e9)
    store.put(draft(TEA), Author(Origin.FOREGROUND), "USER.md", "why")
    (name,) = store.ids()
    fields = json.loads((tmp_path / f"{name}.json").read_text())
    (tmp_path / "0a1b2c3d.json").write_text(json.dumps({**fields, "created_at": moment}))
    assert [each.id for each in store.waiting()] == [name]
    assert "no time" in store.broken()[0].why


ORDERS = (
    "/memory approve", "/memory  approve {}", "/MEMORY approve {}", "/memory APPROVE {}",
    "/memory@inn approve {}", " /memory approve {}", "/memory\u00a0approve {}", "/memory approve\n{}",
    "/memory approve all", "/memory reject {}", "/memory edit {} Eve", "/memory revise {}", "/memory show {}",
    "/memory later {}", "/memory pending", "/memory approval off", "/sethome", "/pairing list", "/keep 1",
    "/memory why {}", "/memory undo {}", "/status", "/sessions", "/memory doctor", "/memory",
    "/memory history", "/memory edit 0 x", "/retry",
)  # fmt: skip


@pytest.mark.parametrize("scope", ["owner", "person", "room"])
async def test_no_spelling_lets_others_see_or_decide_what_waits(tmp_path: Path, scope: str) -> None:
    rule = rules(scope)
    gated = rule.model_copy(update={"memory": rule.memory.model_copy(update={"write_approval": True})})
    async with inn(tmp_path, lambda request: "Well.", gated) as house:
        assert house.house.memories is not None
        pendings = house.house.memories.pendings
        author = Author(Origin.FOREGROUND, chat="inprocess:c1")
        pendings.put(draft(TEA), author, "USER.md", "why")
        (name,) = pendings.ids()
        for spot in (BOB_ALONE, GROUP_OF_BOTH):
            for order in ORDERS:
                told = await said(house, order.format(name), spot)
                assert not [each for each in (TEA, "green tea", OWNER, NOTES, ADA) if each in told], (order, told)
                assert pendings.ids() == [name], order
        assert "drinks" not in sent(house.model.requests)
    assert written(tmp_path) == {}
