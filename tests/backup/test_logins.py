"""A backup that is put back lets nobody into the dashboard who was logged out since."""

from __future__ import annotations

import zipfile
from pathlib import Path

from gateway.backup.restoring import restore
from tests.backup.house import backed_up, furnished
from tests.fakes.clock import FakeClock


async def test_the_key_that_signs_cookies_is_in_no_backup_and_goes_with_a_restore(tmp_path: Path) -> None:
    profile = await furnished(tmp_path)
    profile.dashboard_key.parent.mkdir(exist_ok=True)
    profile.dashboard_key.write_text("a" * 64)
    made = backed_up(profile)
    with zipfile.ZipFile(made.backup.path) as archive:
        assert "state.db" in archive.namelist()
        assert [name for name in archive.namelist() if b"a" * 64 in archive.read(name) or name.endswith(".key")] == []
    restore(made.backup.path, profile, FakeClock(), force=True)
    assert not profile.dashboard_key.exists()
