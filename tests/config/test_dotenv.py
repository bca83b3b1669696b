"""Secrets in .env: read as people write them, changed without touching the other lines."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from gateway.config.dotenv import parse_env, read_env, set_env
from gateway.errors import ConfigurationError


def test_what_people_write_is_understood() -> None:
    text = """\
# comment
A=1
export B = two
C='sin gle # not a comment'
D="dou\\"ble\\n" # comment
E=half#full # comment
F=
G=a=b==
"""
    variables, problems = parse_env(text)
    assert problems == []
    assert variables == {
        "A": "1",
        "B": "two",
        "C": "sin gle # not a comment",
        "D": 'dou"ble\n',
        "E": "half#full",
        "F": "",
        "G": "a=b==",
    }


@pytest.mark.parametrize(
    "value", ["plain", "two words", 'quo"te', "back\\slash", "line\nend", "$HOME", "#x", " edge ", ""]
)
def test_what_is_written_is_read_back(tmp_path: Path, value: str) -> None:
    path = tmp_path / ".env"
    path.write_text("# mine\nKEEP='as it is'\nA=old\n")
    path.chmod(0o644)
    set_env(path, {"A": value, "B": value})
    assert read_env(path) == {"KEEP": "as it is", "A": value, "B": value}
    assert path.read_text().startswith("# mine\nKEEP='as it is'\nA=")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_cannot_be_understood_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ".env"
    path.write_text("no assignment\n")
    with pytest.raises(ConfigurationError):
        set_env(path, {"A": "1"})
    assert path.read_text() == "no assignment\n"
