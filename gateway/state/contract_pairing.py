"""The part of the suite that every store passes which is about codes for strangers, and people let in with one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from gateway.state.contract import NOON, ODD, ODD_READ
from gateway.state.protocols import Store
from gateway.state.records import Guest, PairingLocked, WrongCode
from platforms.messages import ChatRef

MINUTE, HOUR = 60.0, 3600.0


def stranger(person: str = "333", at: float = NOON, name: str = "Mallory") -> Guest:
    """Somebody who asks for a code."""
    return Guest("telegram", person, name, ChatRef("telegram", person), at)


class PairingContract:
    """Codes and the people they let in."""

    async def test_a_code_lets_its_asker_in_once(self, store: Store) -> None:
        assert await store.pairing.ask(stranger(), "ABCDEFGH") == "new"
        assert await store.pairing.asking(NOON + 1) == [stranger()]
        assert not await store.pairing.knows("telegram", "333")
        let_in = replace(stranger(at=NOON + 60), who="telegram:111")
        assert await store.pairing.approve("ABCDEFGH", "telegram:111", NOON + 60) == let_in
        assert await store.pairing.guests() == [let_in]
        assert await store.pairing.asking(NOON + 61) == []
        assert await store.pairing.knows("telegram", "333")
        for platform, person in (("telegram", "444"), ("discord", "333")):
            assert not await store.pairing.knows(platform, person)
        assert isinstance(await store.pairing.approve("ABCDEFGH", "telegram:111", NOON + 61), WrongCode)

    async def test_who_is_put_out_stays_out_until_let_in_again(self, store: Store) -> None:
        await store.pairing.ask(stranger(), "ABCDEFGH")
        await store.pairing.approve("ABCDEFGH", "shell", NOON)
        for person, was_in in (("444", False), ("333", True), ("333", False)):
            assert await store.pairing.revoke("telegram", person) is was_in
        assert not await store.pairing.knows("telegram", "333")
        assert await store.pairing.guests() == []
        assert await store.pairing.ask(stranger(at=NOON + 1), "JKMNPQRS") == "new"
        assert isinstance(await store.pairing.approve("ABCDEFGH", "shell", NOON + 2), WrongCode)
        assert isinstance(await store.pairing.approve("JKMNPQRS", "shell", NOON + 2), Guest)

    async def test_each_code_is_its_askers(self, store: Store) -> None:
        await store.pairing.ask(stranger("333"), "ABCDEFGH")
        await store.pairing.ask(stranger("444", NOON + 1), "JKMNPQRS")
        assert [each.person for each in await store.pairing.asking(NOON + 2)] == ["333", "444"]
        let_in = await store.pairing.approve("JKMNPQRS", "shell", NOON + 2)
        assert isinstance(let_in, Guest)
        assert let_in.id == "telegram:444"
        assert [each.person for each in await store.pairing.asking(NOON + 2)] == ["333"]

    async def test_asking_again_gives_no_second_code(self, store: Store) -> None:
        moments = (0, 1, 9 * MINUTE, 10 * MINUTE, 19 * MINUTE, 59 * MINUTE, 61 * MINUTE, 69 * MINUTE)
        said = []
        for number, after in enumerate(moments):
            guest = stranger(at=NOON + after)
            standing = await store.pairing.standing(guest)
            said.append(await store.pairing.ask(guest, f"CODE{number}"))
            assert said[-1] == standing
        assert said == ["new", "quiet", "quiet", "open", "quiet", "open", "quiet", "new"]
        for number in range(7):
            assert isinstance(await store.pairing.approve(f"CODE{number}", "shell", NOON + 70 * MINUTE), WrongCode)
        assert isinstance(await store.pairing.approve("CODE7", "shell", NOON + 70 * MINUTE), Guest)

    async def test_of_many_askings_at_once_one_is_kept(self, store: Store) -> None:
        said = await asyncio.gather(*(store.pairing.ask(stranger(), f"CODE{number}") for number in range(5)))
        assert sorted(said) == ["new", "quiet", "quiet", "quiet", "quiet"]
        assert len(await store.pairing.asking(NOON)) == 1

    async def test_a_code_holds_for_an_hour(self, store: Store) -> None:
        await store.pairing.ask(stranger(), "ABCDEFGH")
        assert await store.pairing.asking(NOON + HOUR) == []
        assert isinstance(await store.pairing.approve("ABCDEFGH", "shell", NOON + HOUR), WrongCode)

    async def test_a_code_that_never_arrived_is_taken_back(self, store: Store) -> None:
        await store.pairing.ask(stranger(), "ABCDEFGH")
        await store.pairing.withdraw("telegram", "333")
        assert isinstance(await store.pairing.approve("ABCDEFGH", "shell", NOON), WrongCode)
        assert await store.pairing.ask(stranger(), "JKMNPQRS") == "new"

    async def test_open_codes_are_bounded(self, store: Store) -> None:
        guests = [stranger(str(number)) for number in range(100)]
        said = await asyncio.gather(*(store.pairing.ask(each, f"CODE{each.person}") for each in guests))
        assert said == ["new"] * 100
        assert await store.pairing.ask(stranger("100", NOON + 1), "MORE") == "full"
        assert isinstance(await store.pairing.approve("MORE", "shell", NOON + 1), WrongCode)
        assert isinstance(await store.pairing.approve("CODE77", "shell", NOON + 1), Guest)
        assert await store.pairing.ask(stranger("100", NOON + 1), "MORE") == "new"
        assert await store.pairing.ask(stranger("101", NOON + HOUR), "LATER") == "new"
        assert len(await store.pairing.asking(NOON + HOUR)) == 2

    async def test_wrong_codes_lock(self, store: Store) -> None:
        await store.pairing.ask(stranger(), "ABCDEFGH")
        tried = [await store.pairing.approve(f"WRONG{number}", "x", NOON + number) for number in range(10)]
        locked = PairingLocked(NOON + 9 + HOUR)
        assert tried == [*(WrongCode(left) for left in range(9, 0, -1)), locked]
        assert await store.pairing.approve("WRONG", "x", NOON + 600) == locked
        assert await store.pairing.approve("ABCDEFGH", "x", NOON + 601) == locked
        assert await store.pairing.guests() == []
        assert await store.pairing.ask(stranger("444", NOON + HOUR), "JKMNPQRS") == "new"
        assert await store.pairing.approve("JKMNPQRS", "x", NOON + 8 + HOUR) == locked
        assert isinstance(await store.pairing.approve("JKMNPQRS", "x", NOON + 9 + HOUR), Guest)
        assert await store.pairing.approve("WRONG", "x", NOON + 9 + HOUR) == WrongCode(9)

    async def test_wrong_codes_at_once_are_all_counted(self, store: Store) -> None:
        tried = await asyncio.gather(*(store.pairing.approve(f"WRONG{number}", "x", NOON) for number in range(20)))
        assert sorted(each.left for each in tried if isinstance(each, WrongCode)) == list(range(1, 10))

    async def test_wrong_codes_now_and_then_lock_nothing(self, store: Store) -> None:
        for number in range(30):
            assert isinstance(await store.pairing.approve("WRONG", "x", NOON + number * 7 * MINUTE), WrongCode)

    async def test_names_hold_any_text(self, store: Store) -> None:
        await store.pairing.ask(stranger(name=ODD), "ABCDEFGH")
        assert [each.name for each in await store.pairing.asking(NOON)] == [ODD_READ]
        await store.pairing.approve("ABCDEFGH", ODD, NOON)
        assert [(each.name, each.who) for each in await store.pairing.guests()] == [(ODD_READ, ODD_READ)]
        assert isinstance(await store.pairing.approve(ODD, "x", NOON), WrongCode)
