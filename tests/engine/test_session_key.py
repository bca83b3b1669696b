"""The words of the start line: who may talk on a platform."""

from __future__ import annotations

import pytest

from gateway.engine.session_key import effective_rule
from platforms.telegram.settings import TelegramSettings
from tests.fakes.guesthouse import settings


@pytest.mark.parametrize(
    ("users", "owners", "operators", "words"),
    [
        ((), (), (), "nobody (no allowed_users)"),
        (("1",), (), (), "1 allowed person"),
        ((), ("telegram:1",), (), "1 allowed person"),
        (("1",), ("telegram:1",), ("telegram:2", "discord:3"), "2 allowed people"),
        ((), ("discord:3",), (), "nobody (no allowed_users)"),
        (("*",), ("telegram:1",), (), "everybody (because of *)"),
    ],
)
def test_owners_and_operators_count(
    users: tuple[str, ...], owners: tuple[str, ...], operators: tuple[str, ...], words: str
) -> None:
    platforms = {"telegram": TelegramSettings(allowed_users=users)}
    held = settings(platforms=platforms, access={"owners": owners, "operators": operators})
    assert effective_rule("telegram", held) == words
