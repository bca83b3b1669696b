"""The key that signs cookies: made once, for this account alone, and replaced when it is no key."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gateway.web.secret import signing_key


def test_it_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "dashboard.key"
    with ThreadPoolExecutor(8) as threads:
        made = set(threads.map(lambda _: signing_key(path), range(8)))
    assert len(made) == 1
    assert made == {signing_key(path)}
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["dashboard.key"]


@pytest.mark.parametrize("left", ["", "abc", "x" * 64, "\u00e9" * 64])
def test_what_is_no_key_is_replaced(tmp_path: Path, left: str) -> None:
    path = tmp_path / "dashboard.key"
    path.write_text(left)
    key = signing_key(path)
    assert (len(key), key != left, signing_key(path)) == (64, True, key)


def test_rights_that_somebody_widened_are_narrowed(tmp_path: Path) -> None:
    path = tmp_path / "dashboard.key"
    key = signing_key(path)
    path.chmod(0o644)
    assert signing_key(path) == key
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_in_its_place_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "dashboard.key").mkdir()
    with pytest.raises(OSError, match=r"dashboard\.key"):
        signing_key(tmp_path / "dashboard.key")
