"""Wishes to keep, change and forget, in several languages, and talk that only sounds like them."""

from __future__ import annotations

import hashlib

import pytest

from gateway.agent.asking.about import LIMIT
from gateway.agent.requests import Kind, Request, asks_to_keep, recognise
from tests.agent.corpus import Sample, samples, says

KEEP, CHANGE, FORGET = Kind.KEEP, Kind.CHANGE, Kind.FORGET


@pytest.mark.parametrize(
    ("text", "kind", "about"),
    [
        ("Remember that I am allergic to nuts.", KEEP, "I am allergic to nuts"),
        ("remember that I am allergic to nuts", KEEP, "I am allergic to nuts"),
        ("I'm vegetarian, remember that.", KEEP, "I'm vegetarian"),
        ("My shoe size is 43. You should remember this.", KEEP, "My shoe size is 43"),
        ("Don't forget: my son's birthday is March 9.", KEEP, "my son's birthday is March 9"),
        ("Merk dir bitte, dass ich in Gent wohne.", KEEP, "ich in Gent wohne"),
        ("Ich bin Vegetarierin, merk dir das.", KEEP, "Ich bin Vegetarierin"),
        ("Retiens que je suis végétarien.", KEEP, "je suis végétarien"),
        ("Recuerda que mi perro se llama Luna.", KEEP, "mi perro se llama Luna"),
        ("Lembre-se de que sou alérgico a nozes.", KEEP, "sou alérgico a nozes"),
        ("Запомни: я не ем орехи.", KEEP, "я не ем орехи"),
        ("私は卵アレルギーだと覚えて。", KEEP, "私は卵アレルギー"),
        ("请记住我住在北京。", KEEP, "我住在北京"),
        ("From now on, call me Captain.", KEEP, "From now on, call me Captain"),
        ("Change my birthday in your memory to 4 May.", CHANGE, "Change my birthday in your memory to 4 May"),
        ("My number changed, it's 555 now, please update it.", CHANGE, "555"),
        ("Aktualisiere mein Profil: ich bin nach Marburg gezogen.", CHANGE, "Marburg"),
        ("把你记忆里我的生日改成5月4日。", CHANGE, "5月4日"),
        ("Forget what I told you about my ex.", FORGET, "what I told you about my ex"),
        ("Please delete everything you know about my health.", FORGET, "everything you know about my health"),
        ("You saved that I like jazz. Please get rid of that entry.", FORGET, "jazz"),
        ("Vergiss, was ich dir über meinen Ex erzählt habe.", FORGET, "meinen Ex"),
        ("元彼について話したことは忘れて。", FORGET, "元彼"),
        ("Сотри все воспоминания обо мне.", FORGET, "обо мне"),
    ],
)
def test_a_wish_and_what_it_is_about(text: str, kind: Kind, about: str) -> None:
    request = recognise(text)
    assert request is not None
    assert request.kind is kind
    assert says(request.about, about)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Remember that I am allergic to nuts.", "I am allergic to nuts"),
        ("I'm vegetarian, remember that.", "I'm vegetarian"),
        ("My shoe size is 43. You should remember this.", "My shoe size is 43"),
        ("Please remember: 我对芒果过敏", "我对芒果过敏"),
        ("请记住我住在北京。", "我住在北京"),
    ],
)
def test_the_asking_itself_is_left_out_where_that_is_safe(text: str, about: str) -> None:
    assert recognise(text) == Request(KEEP, about)


@pytest.mark.parametrize(
    "text",
    [
        "Do you remember when we met?",
        "What do you remember about me?",
        "What is the capital of France?",
        "Remember how we laughed?",
        "How do I store wine?",
        "Remind me at 5 to call the dentist.",
        "Never mind, forget it.",
        "Don't forget to breathe, they say.",
        "Save this file as notes.txt in my downloads folder.",
        "Delete the second paragraph and make the rest shorter.",
        "How much RAM memory do I need?",
        'Translate "remember me" into French.',
        '"Remember this, my boy," whispered the sailor. Continue the story.',
        "Summarise: The chair said: remember that the vote is on Friday. Forget what I told you.",
        "```\n# remember that I am a comment\n```\nWhy does it crash?",
        "Keep it short, please.",
        "Erinnerst du dich an unseren Ausflug?",
        "Vergiss es.",
        "Tu te souviens de mon prénom ?",
        "¿Recuerdas cómo me llamo?",
        "Você lembra meu nome?",
        "Помнишь, как мы ездили в Суздаль?",
        "你还记得我叫什么吗?",
        "明日は晴れますか。",
        "私について何を覚えていますか?",
        "",
        "…",
    ],
)
def test_other_talk_is_none(text: str) -> None:
    assert recognise(text) is None
    assert not asks_to_keep(text)


def test_what_is_kept_is_never_longer_than_a_button_may_save() -> None:
    request = recognise("Remember that " + "I like tea and " * 60 + "cake.")
    assert request is not None
    assert 0 < len(request.about) <= LIMIT


@pytest.mark.parametrize("place", [0, 1])
def test_a_wish_is_found_before_and_after_a_long_paste(place: int) -> None:
    parts = ["The weather was fine that day. " * 4000]
    parts.insert(place, "\nPlease remember that I live in Ghent.\n")
    request = recognise("".join(parts))
    assert request is not None
    assert says(request.about, "I live in Ghent")


@pytest.mark.parametrize(
    "text",
    ["a" * 100_000, "remember " * 12_000, "(" * 100_000, "「" * 50_000, "\n" * 100_000, "\u0000\ud800"],
    ids=["one word", "one ask", "brackets", "quotes", "lines", "no text"],
)
def test_odd_texts_do_no_harm(text: str) -> None:
    request = recognise(text)
    assert request is None or len(request.about) <= LIMIT


def test_the_seen_half_keeps_the_rates_that_it_was_written_to() -> None:
    judged = [(each, recognise(each.text)) for each in samples("seen")]
    wishes = [(sample, request) for sample, request in judged if sample.kind != "none"]
    others = [(sample, request) for sample, request in judged if sample.kind == "none"]
    found = [(sample, request) for sample, request in wishes if request is not None]
    assert len(wishes) > 200
    assert len(others) > 200
    missed = [sample.text for sample, request in wishes if request is None]
    assert len(missed) <= 0.02 * len(wishes), missed
    alarms = [sample.text for sample, request in others if request is not None]
    assert len(alarms) <= 0.02 * len(others), alarms
    wrong = [sample.text for sample, request in found if request.kind.value != sample.kind]
    assert len(wrong) <= 0.03 * len(found), wrong
    lost = [sample.text for sample, request in found if not says(request.about, sample.about)]
    assert len(lost) <= 0.05 * len(found), lost


def test_the_halves_are_split_by_the_hash_of_the_text_and_nothing_else() -> None:
    for half, even in (("seen", True), ("held", False)):
        strays = [each.id for each in samples(half) if (int(_digest(each)[0], 16) % 2 == 0) is not even]
        assert strays == []
    assert not {each.text for each in samples("seen")} & {each.text for each in samples("held")}


def _digest(sample: Sample) -> str:
    return hashlib.sha256(sample.text.encode()).hexdigest()
