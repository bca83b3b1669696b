"""Wishes to remember, change and forget, in several languages, and sentences that only sound like it."""

from __future__ import annotations

import pytest

from gateway.agent.requests import asks_to_keep


@pytest.mark.parametrize(
    "text",
    [
        "Please remember that I am allergic to nuts.",
        "Don't forget: my train leaves at nine.",
        "My name is Ada. Keep that in mind.",
        "Forget that I like tea.",
        "Change my address in your notes.",
        "Merke dir, dass ich in Gent wohne.",
        "Retiens que je suis végétarien.",
        "Recuerda que mi perro se llama Luna.",
        "Onthoud dat ik om acht uur begin.",
        "Запомни: я не ем орехи.",
        "私は卵アレルギーだと覚えて。",
        "请记住我住在北京。",
    ],
)
def test_a_wish_is_recognised(text: str) -> None:
    assert asks_to_keep(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember when we met?",
        "What is the capital of France?",
        "How many days are in a week?",
        "Remember how we laughed?",
        "How do I store wine?",
        "明日は晴れますか。",
    ],
)
def test_small_talk_is_none(text: str) -> None:
    assert not asks_to_keep(text)
