"""One key changes, and nothing else does."""

from __future__ import annotations

import stat

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.config.lines import parse
from gateway.errors import ConfigurationError
from tests.config.house import House, telegram

FILE = """\
# the house
memory:   # what is kept
  write_approval: off     # the gate
  session_notes: on

gateway: {busy: queue, quiet_hours: [22:30, 07:00]}   # at night
platforms:
  telegram:
    token: abc
    # the family
    allowed_users:
      - 0123   # me
      - "222"
skills:
# nothing here
model:
  base_url:
  api_key: ~
  model: 'a: b'
"""


def changed_lines(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def test_a_value_is_replaced_and_comments_stay(house: House) -> None:
    house.write(FILE)
    edited = house.set("memory.write_approval", "auto")
    assert (edited.value, edited.restart, edited.changed) == ("auto", False, True)
    assert changed_lines(FILE, house.text) == (
        ["  write_approval: off     # the gate"],
        ["  write_approval: auto    # the gate"],
    )
    assert house.load().settings.memory.write_approval == "auto"


@pytest.mark.parametrize(
    ("key", "value", "gone", "new"),
    [
        ("skills.write_approval", "true", [], ["  write_approval: true"]),
        ("model.model", "null-ish", ["  model: 'a: b'"], ["  model: null-ish"]),
        ("model.base_url", "http://127.0.0.1:1/v1", ["  base_url:"], ["  base_url: http://127.0.0.1:1/v1"]),
        ("model.model", "*odd: #", ["  model: 'a: b'"], ['  model: "*odd: #"']),
        ("hosts.lab.kind", "openai", [], ["hosts:", "  lab:", "    kind: openai"]),
        (
            "sessions.reset",
            "{mode: idle, idle_minutes: 10}",
            [],
            ["sessions:", "  reset: {mode: idle, idle_minutes: 10}"],
        ),
    ],
)
def test_only_the_lines_that_must_change_do(
    house: House, key: str, value: str, gone: list[str], new: list[str]
) -> None:
    house.write(FILE)
    house.set(key, value)
    assert changed_lines(FILE, house.text) == (gone, new)


def test_lists_may_be_replaced(house: House) -> None:
    house.write(FILE).set("platforms.telegram.allowed_users", "[111, '*']")
    assert telegram(house.load())["allowed_users"] == ("111", "*")
    assert "# the family" in house.text


def test_a_new_file_and_one_of_comments_only(house: House) -> None:
    house.set("memory.scope", "room")
    assert house.text == "memory:\n  scope: room\n"
    assert stat.S_IMODE(house.profile.config.stat().st_mode) == 0o600
    house.write("# mine\n# alone").set("memory.scope", "room")
    assert house.text == "# mine\n# alone\nmemory:\n  scope: room\n"


def test_wide_indents_are_kept(house: House) -> None:
    text = "memory:\n    scope: room # r\naccess:\n    owners:\n    - telegram:1\n"
    house.write(text).set("memory.share", "true")
    assert changed_lines(text, house.text) == ([], ["    share: true"])


def test_line_ends_and_byte_order_mark_are_kept(house: House) -> None:
    house.profile.config.write_bytes(b"\xef\xbb\xbfmemory:\r\n  scope: room\r\n")
    house.set("memory.share", "true")
    assert house.profile.config.read_bytes() == b"\xef\xbb\xbfmemory:\r\n  scope: room\r\n  share: true\r\n"


def test_setting_what_is_set_changes_nothing(house: House) -> None:
    house.write("memory: {share: true}\n")
    before = house.profile.config.stat()
    assert not house.set("memory.share", "true").changed
    assert house.profile.config.stat().st_ino == before.st_ino


@pytest.mark.parametrize(
    ("text", "key", "value", "words"),
    [
        ("broken: [unclosed\n", "memory.share", "true", "not valid YAML"),
        ("memory: {scope: room}\nmemory: {share: true}\n", "memory.share", "true", "written twice"),
        ("memory: {scope: hall}\n", "memory.share", "true", "memory.scope"),
        (FILE, "memory.share", "yes please", "true or false"),
        (FILE, "memory.shar", "true", "did you mean share"),
        (FILE, "platforms.slack.token", "x", "unknown key"),
        (FILE, "platforms.telegram.allowed_users", "*", "must be a list"),
        (FILE, "model.api_key", "${NOPE}", "is not set"),
        (FILE, "memory", "3", "group of keys"),
        (FILE, "", "3", "unknown key"),
    ],
)
def test_a_refusal_leaves_the_bytes_alone(house: House, text: str, key: str, value: str, words: str) -> None:
    house.write(text)
    with pytest.raises(ConfigurationError, match=words):
        house.set(key, value)
    assert house.text == text
    assert [path.name for path in house.home.iterdir()] == ["config.yaml"]


def test_restart_is_said_where_it_is_needed(house: House) -> None:
    house.write("")
    wanted = {
        "platforms.telegram.token": ("abc", True),
        "platforms.telegram.allowed_users": ("[1]", False),
        "platforms.discord.require_mention": ("false", False),
        "hosts.lab.base_url": ("http://127.0.0.1:1", True),
        "model.model": ("m", True),
        "memory.provider": ("retaindb", True),
        "hooks.output_spill.enabled": ("false", True),
        "access.owners": ("[telegram:1]", False),
        "memory.write_approval": ("auto", False),
        "display.memory_notifications": ("verbose", False),
        "gateway.budgets.chat": ("10000", False),
    }
    assert {key: house.set(key, value).restart for key, (value, _) in wanted.items()} == {
        key: restart for key, (_, restart) in wanted.items()
    }


def test_a_link_to_the_file_stays_a_link(house: House) -> None:
    real = house.home / "elsewhere.yaml"
    real.write_text("memory: {share: false}\n")
    house.profile.config.symlink_to(real)
    house.set("memory.share", "true")
    assert house.profile.config.is_symlink()
    assert real.read_text() == "memory: {share: true}\n"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20).map(str.strip).filter(bool))
def test_any_text_that_is_set_is_read_back(house: House, text: str) -> None:
    house.write(FILE)
    try:
        edited = house.set("skills.external_dirs", f"[{text!r}]" if "'" not in text else text)
    except ConfigurationError:
        assert house.text == FILE
        return
    assert parse(house.text).values["skills"]["external_dirs"] == edited.value
