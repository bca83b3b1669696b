"""Names, texts and faults on their way to and from services."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.providers.places import named
from gateway.providers.service import Line, Translation, missing, words_of
from gateway.providers.texts import asked_by, brief, pieces, sound
from memory.providers.protocol import Conversation, Exchange, Refused, Unreachable

ANY = st.text(st.characters(codec=None), max_size=200)


def translation() -> Translation:
    return Translation("The inn", ("sesame",), (OSError,), lambda error: (0, str(error)))


@given(ANY, ANY)
def test_different_subjects_have_different_names_of_plain_letters(one: str, other: str) -> None:
    names = [named(f"people/{text}") for text in (one, other)]
    assert (names[0] == names[1]) == (one == other)
    assert all(name.isascii() and len(name) < 80 and "/" not in name for name in names)


@given(ANY)
def test_every_text_becomes_one_that_services_take(text: str) -> None:
    taken = sound(text)
    assert "\0" not in taken
    assert taken.encode().decode() == taken


@given(st.text("ab \n記🐝", max_size=300), st.integers(1, 40))
def test_pieces_are_short_and_lose_no_word(text: str, longest: int) -> None:
    cut = pieces(text, longest)
    assert all(0 < len(piece) <= longest for piece in cut)
    assert "".join("".join(cut).split()) == "".join(text.split())


def test_a_question_is_cut_between_characters() -> None:
    assert brief("記憶を保つ", 7) == "記憶"
    assert brief("  short  ", 100) == "short"


@pytest.mark.parametrize(
    ("status", "kind", "says"),
    [
        (401, Refused, "The inn does not accept the key (401): no … here"),
        (403, Refused, "The inn does not accept the key (403)"),
        (402, Refused, "The inn refuses this (402)"),
        (413, Refused, "The inn refuses this (413)"),
        (429, Unreachable, "The inn has too much to do (429)"),
        (408, Unreachable, "The inn cannot answer now (408)"),
        (503, Unreachable, "The inn cannot answer now (503)"),
        (302, Unreachable, "The inn cannot answer now (302)"),
        (0, Unreachable, "The inn cannot be reached"),
    ],
)
def test_faults_are_told_apart(status: int, kind: type[Exception], says: str) -> None:
    fault = translation().fault(status, "no\n sesame  here")
    assert type(fault) is kind
    assert str(fault).startswith(says.replace("…", "[secret]"))
    assert "sesame" not in str(fault)


def test_errors_of_the_sdk_leave_as_faults() -> None:
    with pytest.raises(Unreachable, match="cannot be reached: nobody at the door"), translation()():
        raise OSError("nobody at the door")
    with pytest.raises(Unreachable, match=r"not understood \(KeyError\)"), translation()():
        raise KeyError("results")
    with pytest.raises(Refused, match=r"^as it was$"), translation()():
        raise Refused("as it was")


def test_in_rooms_it_is_told_who_spoke() -> None:
    room = Conversation("rooms/discord-5", "s", "discord:5")
    owner = Conversation("owner", "s", "telegram:1")
    assert asked_by(Exchange("1", room, "Hello.", "", 0.0, "discord:7")) == "discord:7: Hello."
    assert asked_by(Exchange("1", owner, "Hello.", "", 0.0, "telegram:1")) == "Hello."


def test_what_is_missing_can_be_installed() -> None:
    assert (
        str(missing("honcho-ai", "honcho"))
        == "the package honcho-ai is not installed: pip install 'innkeeper[honcho]'"
    )


def test_a_line_serves_from_its_opening_until_it_is_cut() -> None:
    line: Line[str] = Line("The inn")
    with pytest.raises(Unreachable, match=r"^The inn was not started$"), line():
        raise AssertionError("nobody is served")
    line.open("the porter", translation())
    with line() as client:
        assert client == "the porter"
    with pytest.raises(Unreachable, match="cannot be reached: the bell is broken"), line():
        raise OSError("the bell is broken")
    assert line.is_open
    assert line.cut() == "the porter"
    assert line.cut() is None
    with pytest.raises(Unreachable, match="was not started"), line():
        raise AssertionError("nobody is served")


def test_a_service_with_one_key_has_words_that_name_it() -> None:
    words = words_of("INN_KEY", away="cannot be reached at {address}{why}", misread="mumbles", busy="is full")
    told = Translation(
        "The inn",
        ("sesame",),
        (OSError,),
        lambda error: (0, str(error)),
        late=(TimeoutError,),
        address="http://127.0.0.1:1/{x}",
        words=words,
    )
    assert str(told.fault(401, "sesame")) == "The inn refused the key in INN_KEY"
    assert str(told.fault(425, "{later}")) == "The inn is full (425)"
    assert str(told.fault(418, "{tea}")) == "The inn answered 418: {tea}"
    with pytest.raises(Unreachable, match=r"^The inn did not answer in time$"), told():
        raise TimeoutError("sesame")
    with pytest.raises(Unreachable, match=r"^The inn cannot be reached at http://127.0.0.1:1/{x}: gone$"), told():
        raise OSError("gone")
    with pytest.raises(Unreachable, match=r"^The inn mumbles$"), told():
        raise ValueError("sesame")
