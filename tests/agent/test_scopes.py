"""The names of people's and rooms' files: no two places share one, and every file system takes it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.agent.scopes import LONGEST, NOWHERE, OWNERS, Place, Scope, person_file, room_file, scope_of, subset
from memory.model import Target
from platforms.messages import ChatRef

PLATFORMS = st.sampled_from(["telegram", "discord", "my-chat", "My", "my"])
IDS = st.text(min_size=1, max_size=12) | st.from_regex(r"\A-?[0-9a-c-]{1,6}\Z")
CHATS = st.builds(ChatRef, PLATFORMS, IDS, st.none() | IDS)
SAFE = re.compile(r"(?:people|rooms)/[a-z0-9_%~-]+\.md")


@pytest.mark.parametrize(
    ("chat", "name"),
    [
        (ChatRef("telegram", "-1001234"), "rooms/telegram--1001234.md"),
        (ChatRef("telegram", "-1001234", "7"), "rooms/telegram--1001234-7.md"),
        (ChatRef("discord", "99_a"), "rooms/discord-99_a.md"),
        (ChatRef("my-chat", "a-b", "c-d"), "rooms/my%2dchat-a%2db-c-d.md"),
        (ChatRef("x", "../é"), "rooms/x-%2e%2e%2f%c3%a9.md"),
    ],
)
def test_rooms(chat: ChatRef, name: str) -> None:
    assert room_file(chat) == name


def test_people() -> None:
    assert person_file("telegram", "7") == "people/telegram-7.md"
    assert person_file("telegram", "Ada") == "people/telegram-%41da.md"
    assert person_file("matrix", "@ada:house-1") == "people/matrix-%40ada%3ahouse-1.md"


@given(CHATS, CHATS)
def test_no_two_rooms_share_a_name(one: ChatRef, other: ChatRef) -> None:
    first, second = room_file(one), room_file(other)
    assert (first.lower() == second.lower()) == (one == other)
    assert SAFE.fullmatch(first)


@given(PLATFORMS, IDS, PLATFORMS, IDS)
def test_no_two_people_share_a_name(platform: str, person: str, other_platform: str, other: str) -> None:
    same = person_file(platform, person).lower() == person_file(other_platform, other).lower()
    assert same == ((platform, person) == (other_platform, other))


@pytest.mark.parametrize("tail", ["", "x"])
def test_a_long_name_ends_in_its_hash(tail: str) -> None:
    names = {person_file("p", "é" * 40 + tail), person_file("p", "é" * 41 + tail)}
    assert len(names) == 2
    for name in names:
        assert len(name.removeprefix("people/").removesuffix(".md")) == LONGEST
        assert SAFE.fullmatch(name)


def test_a_seal_is_the_same_for_all_who_share_a_session() -> None:
    chat = ChatRef("p", "g")
    ada, bob, several = (scope_of(Place(chat, who, False, False), "room", True) for who in ("ada", "bob", ""))
    assert ada.seal == bob.seal == several.seal
    assert ada.files != bob.files
    assert Target.USER not in several.files
    assert several.offered == {Target.MEMORY, Target.USER}


@pytest.mark.parametrize(
    ("scope", "of", "fits"),
    [(NOWHERE, OWNERS, True), (OWNERS, NOWHERE, False), (OWNERS, OWNERS, True)],
)
def test_what_may_be_shown_elsewhere(scope: Scope, of: Scope, fits: bool) -> None:
    assert subset(scope.seal, of) is fits
