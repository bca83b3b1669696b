"""Who may talk and in which role, by everything that may stand in the settings; and the words of the start line."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from commands.authority import role_of
from commands.spec import Role
from gateway.config.schema import Settings
from gateway.engine.arrival.session_key import access_rules, effective_rule, invites, may_talk
from platforms.messages import ChatKind, ChatRef, Inbound, Sender
from platforms.settings import Section
from platforms.telegram.settings import TelegramSettings
from tests.fakes.guesthouse import settings

OWNER, STRANGER = "123", "999"
ASKS = "nobody yet; strangers in a direct chat get a pairing code"


class PluginDoor(Section):
    """Settings of a platform that somebody else wrote, and checked less."""

    allowed_users: Any = None
    allowed_channels: Any = None


def event(
    person: str, kind: ChatKind = ChatKind.DIRECT, *, bot: bool = False, pressed: bool = False, text: str = "Hello"
) -> Inbound:
    chat = ChatRef("telegram", person or "-100" if kind is ChatKind.DIRECT else "-100")
    return Inbound("bot", "e1", chat, kind, Sender(person, "X", bot), text, 0.0, pressed=pressed)


def held(section: Section, **access: tuple[str, ...]) -> Settings:
    return settings(platforms={"telegram": section}, access=access)


def role(person: str, chosen: Settings) -> Role:
    return role_of("telegram", person, access_rules(chosen))


MATRIX: list[tuple[Any, bool, bool, bool]] = [
    # as written, the owner may talk, a stranger may, strangers may ask to be let in
    (None, False, False, True),
    ([], False, False, True),
    ([123], True, False, False),
    (["123"], True, False, False),
    (["123 "], True, False, False),
    ([123, "*"], True, True, False),
    (["*"], True, True, False),
]


@pytest.mark.parametrize(("written", "owner", "stranger", "asks"), MATRIX)
def test_what_is_written_lets_in_who_is_named(written: Any, owner: bool, stranger: bool, asks: bool) -> None:
    chosen = held(TelegramSettings.model_validate({"allowed_users": written}))
    assert (may_talk(event(OWNER), chosen), may_talk(event(STRANGER), chosen)) == (owner, stranger)
    assert invites("telegram", chosen) is asks
    named = written is not None and bool({123, "123", "123 "} & set(written))
    assert role(OWNER, chosen) is (Role.OWNER if named else Role.USER)
    assert role(STRANGER, chosen) is Role.USER


@pytest.mark.parametrize("written", ["123", 123, [""], [" "], ["[123]"], ["1,2"], [True], [1.5], {"a": 1}])
def test_what_names_nobody_clearly_is_refused(written: Any) -> None:
    with pytest.raises(ValidationError):
        TelegramSettings.model_validate({"allowed_users": written})


@pytest.mark.parametrize(
    ("written", "owner", "asks"),
    [
        (None, False, True),
        ("", False, True),
        ((), False, True),
        (("",), False, True),
        ((" ", None), False, True),
        ("123", True, False),
        (123, True, False),
        ((123,), True, False),
        (("123 ",), True, False),
    ],
)
def test_another_platforms_settings_are_read_as_strictly(written: Any, owner: bool, asks: bool) -> None:
    chosen = held(PluginDoor(allowed_users=written))
    assert (may_talk(event(OWNER), chosen), invites("telegram", chosen)) == (owner, asks)
    for nobody in (STRANGER, "1", "2", ""):
        assert not may_talk(event(nobody), chosen)
    assert role(OWNER, chosen) is (Role.OWNER if owner else Role.USER)


@pytest.mark.parametrize("users", [("*",), ("*", "123")])
@pytest.mark.parametrize("kind", list(ChatKind))
def test_who_has_no_id_and_who_is_a_bot_never_talks(users: tuple[str, ...], kind: ChatKind) -> None:
    door = TelegramSettings(allowed_users=users, allowed_chats=("*", "-100"), require_mention=False)
    chosen = held(door, owners=("telegram:123",))
    for pressed in (False, True):
        assert may_talk(event(OWNER, kind, pressed=pressed), chosen)
        assert not may_talk(event("", kind, pressed=pressed), chosen)
        assert not may_talk(event(OWNER, kind, bot=True, pressed=pressed), chosen)


@pytest.mark.parametrize(
    ("access", "roles"),
    [
        ({}, (Role.OWNER, Role.OWNER, Role.USER)),
        ({"operators": ("telegram:222",)}, (Role.OWNER, Role.OWNER, Role.USER)),
        ({"operators": ("telegram:333",)}, (Role.OWNER, Role.OWNER, Role.OPERATOR)),
        ({"owners": ("telegram:111",)}, (Role.OWNER, Role.USER, Role.USER)),
        ({"owners": ("telegram:111",), "operators": ("telegram:222",)}, (Role.OWNER, Role.OPERATOR, Role.USER)),
        ({"owners": ("discord:111",)}, (Role.USER, Role.USER, Role.USER)),
        ({"owners": ("discord:1",), "operators": ("telegram:333",)}, (Role.USER, Role.USER, Role.OPERATOR)),
    ],
)
def test_roles(access: dict[str, tuple[str, ...]], roles: tuple[Role, ...]) -> None:
    chosen = held(TelegramSettings(allowed_users=("111", "222", "*")), **access)
    assert tuple(role(person, chosen) for person in ("111", "222", "333")) == roles
    assert role("*", chosen) is role("", chosen) is Role.USER


def test_an_operator_needs_no_other_list() -> None:
    chosen = held(TelegramSettings(), operators=("telegram:222",))
    assert may_talk(event("222"), chosen)
    assert role("222", chosen) is Role.OPERATOR
    assert not invites("telegram", chosen)


@pytest.mark.parametrize(
    ("users", "owners", "operators", "words"),
    [
        ((), (), (), ASKS),
        (("1",), (), (), "1 allowed person; 1 owner"),
        ((), ("telegram:1",), (), "1 allowed person; 1 owner"),
        (("1",), ("telegram:1",), ("telegram:2", "discord:3"), "2 allowed people; 1 owner, 1 operator"),
        ((), ("telegram:1", "telegram:2"), ("telegram:2",), "2 allowed people; 2 owners"),
        ((), (), ("telegram:2", "telegram:3"), "2 allowed people; no owner, 2 operators"),
        (("1",), ("discord:3",), (), "1 allowed person; no owner"),
        ((), ("discord:3",), (), ASKS),
        (("*",), ("telegram:1",), (), "everybody (because of *); 1 owner"),
        (("*",), (), (), "everybody (because of *); no owner"),
    ],
)
def test_owners_and_operators_count(
    users: tuple[str, ...], owners: tuple[str, ...], operators: tuple[str, ...], words: str
) -> None:
    chosen = held(TelegramSettings(allowed_users=users), owners=owners, operators=operators)
    assert effective_rule("telegram", chosen) == words


@pytest.mark.parametrize(
    ("users", "rooms", "paired", "words"),
    [
        ((), (), 2, "2 paired people; strangers in a direct chat get a pairing code"),
        (("1",), (), 1, "1 allowed person, 1 paired person; 1 owner"),
        ((), ("-100",), 0, "0 allowed people, 1 allowed room; no owner"),
        (("1",), ("*",), 0, "1 allowed person, any room; 1 owner"),
        (("*",), ("-100",), 3, "everybody (because of *); no owner"),
    ],
)
def test_rooms_and_guests_count(users: tuple[str, ...], rooms: tuple[str, ...], paired: int, words: str) -> None:
    chosen = held(TelegramSettings(allowed_users=users, allowed_chats=rooms))
    assert effective_rule("telegram", chosen, paired) == words


def test_the_console_is_its_folders() -> None:
    assert effective_rule("console", settings()) == "whoever can open this profile's folder"
    assert not invites("console", settings())
