"""The vocabulary: a chat and its key say the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from platforms.messages import ChatRef

IDS = st.text(st.sampled_from("ab:#%235A/ é"), min_size=1)


@pytest.mark.parametrize("key", ["telegram:-100", "telegram:-100:5", "discord:42", "console:desk", "console:50 %"])
def test_a_key_as_people_write_it(key: str) -> None:
    platform, chat_id, *thread = key.split(":")
    assert ChatRef.parse(key) == ChatRef(platform, chat_id, thread[0] if thread else None)


@given(st.sampled_from(["telegram", "x"]), IDS, st.none() | IDS)
def test_a_key_names_one_chat(platform: str, chat_id: str, thread_id: str | None) -> None:
    chat = ChatRef(platform, chat_id, thread_id)
    assert ChatRef.parse(chat.key) == chat
    assert "#" not in chat.key


@pytest.mark.parametrize("key", ["", "telegram", "telegram:", ":5", "::"])
def test_what_names_no_chat_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="platform:chat"):
        ChatRef.parse(key)
