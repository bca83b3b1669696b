"""The book of facts: what is kept once, what trust does, and what a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.state.connection import DatabaseFault
from gateway.state.fact_book import DAY, LEAST, MOST, Claim, Draft, FactBook, faded, lowered, raised, words_of

HOME = Claim("annika", "home", "uppsala")
NOW = 1_796_040_000.0


@pytest.fixture
def book(tmp_path: Path) -> Iterator[FactBook]:
    made = FactBook(tmp_path / "facts.db", half_life=10.0, most=100)
    yield made
    made.close()


def fact(text: str, claim: Claim | None = None, trust: float = 0.5, source: str = "said") -> Draft:
    return Draft(text, text.lower(), source, trust, claim or Claim(), ("bees",))


def trusts(book: FactBook, now: float = NOW, subject: str = "owner") -> dict[str, float]:
    return {each.text: round(each.trust, 3) for each in book.find(subject, ["annika"], now, 50)}


def test_what_is_said_again_is_one_fact_with_more_trust(book: FactBook) -> None:
    book.keep("owner", [fact("Annika keeps bees")], NOW, "turn:1")
    book.keep("owner", [fact("Annika keeps bees")], NOW, "turn:2")
    assert trusts(book) == {"Annika keeps bees": 0.6}


def test_a_turn_that_is_handed_over_twice_counts_once(book: FactBook) -> None:
    for _ in range(3):
        book.keep("owner", [fact("Annika keeps bees")], NOW, "turn:1")
    assert trusts(book) == {"Annika keeps bees": 0.5}


def test_a_new_fact_lowers_the_trust_in_what_it_excludes(book: FactBook) -> None:
    book.keep("owner", [fact("Annika lives in Uppsala", HOME)], NOW)
    book.keep("owner", [fact("Annika lives in Lund", Claim("annika", "home", "lund"))], NOW + 1)
    assert trusts(book) == {"Annika lives in Lund": 0.5, "Annika lives in Uppsala": 0.35}
    first = book.find("owner", ["uppsala"], NOW, 1)[0]
    assert [each.text for each in book.rivals("owner", first, NOW)] == ["Annika lives in Lund"]


@pytest.mark.parametrize(
    ("other", "excludes"),
    [
        (Claim("annika", "home", "lund"), True),
        (Claim("annika", "home", "uppsala", denied=True), True),
        (Claim("annika", "home", "lund", denied=True), False),
        (Claim("annika", "home", "uppsala sweden"), False),
        (Claim("annika", "employer", "lund"), False),
        (Claim("bo", "home", "lund"), False),
    ],
)
def test_which_claims_exclude_each_other(book: FactBook, other: Claim, excludes: bool) -> None:
    book.keep("owner", [fact("Annika one", HOME), fact("Annika two", other)], NOW)
    (one,) = [each for each in book.find("owner", ["one"], NOW, 5) if each.text == "Annika one"]
    assert bool(book.rivals("owner", one, NOW)) is excludes


def test_facts_of_one_are_not_found_changed_or_contradicted_for_another(book: FactBook) -> None:
    (number,) = book.keep("owner", [fact("Annika lives in Uppsala", HOME)], NOW, "turn:1")
    book.keep("people/bo", [fact("Annika lives in Lund", Claim("annika", "home", "lund"))], NOW, "turn:1")
    assert trusts(book) == {"Annika lives in Uppsala": 0.5}
    assert trusts(book, subject="people/bo") == {"Annika lives in Lund": 0.5}
    assert book.judge("people/bo", number, False, NOW) is None
    assert book.get("people/bo", number, NOW) is None


def test_age_takes_half_of_the_trust_at_most_and_use_refreshes_it(book: FactBook) -> None:
    (number,) = book.keep("owner", [fact("Annika keeps bees")], NOW)
    assert trusts(book, NOW + 10 * DAY) == {"Annika keeps bees": 0.375}
    assert trusts(book, NOW + 10_000 * DAY) == {"Annika keeps bees": 0.25}
    book.used([number], NOW + 10_000 * DAY)
    assert trusts(book, NOW + 10_000 * DAY) == {"Annika keeps bees": 0.51}
    book.used([number], NOW + 10_000 * DAY + 60)
    assert trusts(book, NOW + 10_000 * DAY + 60) == {"Annika keeps bees": 0.51}


def test_trust_stays_within_its_bounds() -> None:
    high = low = 0.5
    for _ in range(200):
        high, low = raised(high, 0.3), lowered(low, 0.5)
    assert (high, low) == (MOST, LEAST)
    assert faded(LEAST, 1e9, 1.0) == LEAST
    assert faded(0.5, 1e9, 0.0) == 0.5


def test_the_least_trusted_go_when_there_are_too_many(book: FactBook) -> None:
    book.keep("owner", [fact(f"Annika number{each}", trust=0.1 + each / 1000) for each in range(103)], NOW)
    assert [len(book.find("owner", [f"number{each}"], NOW, 1)) for each in (0, 1, 2, 3, 102)] == [0, 0, 0, 1, 1]


def test_scripts_without_spaces_and_tags_are_found(book: FactBook) -> None:
    book.keep(
        "owner",
        [fact("姉は京都で蜂を飼っている"), Draft("Likes it strong", "x", "told", 0.6, tags=("Green Tea",))],
        NOW,
    )
    assert [each.text for each in book.find("owner", words_of("京都"), NOW, 5)] == ["姉は京都で蜂を飼っている"]
    assert [each.text for each in book.find("owner", [], NOW, 5, "GREEN tea")] == ["Likes it strong"]
    assert [each.text for each in book.find("owner", ["tea"], NOW, 5)] == ["Likes it strong"]
    assert book.find("owner", ["tea"], NOW, 5, "bees") == []


def test_what_is_dropped_is_gone_from_the_index(book: FactBook) -> None:
    book.keep("owner", [fact("Annika keeps bees", source="memory")], NOW)
    book.drop("owner", ["annika keeps bees"], "said")
    assert trusts(book) == {"Annika keeps bees": 0.5}
    book.drop("owner", ["annika keeps bees"], "memory")
    assert trusts(book) == {}
    book.keep("owner", [fact("Bo keeps bees")], NOW)
    assert [each.text for each in book.find("owner", ["keeps"], NOW, 5)] == ["Bo keeps bees"]


def test_it_outlives_its_connection_and_is_private(tmp_path: Path, book: FactBook) -> None:
    book.keep("owner", [fact("Annika keeps bees")], NOW)
    book.close()
    again = FactBook(tmp_path / "facts.db")
    assert [each.text for each in again.find("owner", ["bees"], NOW, 5)] == ["Annika keeps bees"]
    again.close()
    assert (tmp_path / "facts.db").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["facts.db"]


def test_a_file_that_is_no_database_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_bytes(b"no database at all, " * 100)
    with pytest.raises(DatabaseFault, match="is not a database"):
        FactBook(tmp_path / "facts.db").open()


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\ufe0f"])
def test_invisible_signs_are_no_part_of_a_tag(book: FactBook, sign: str) -> None:
    book.keep("owner", [fact("Annika keeps bees")], NOW)
    assert (book.holding([sign * 4]), book.holding([f"be{sign}es"])) == (0, 1)
    assert book.erase([sign * 4]) == 0
    assert trusts(book) == {"Annika keeps bees": 0.5}
