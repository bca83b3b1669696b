"""The house's own jobs in the application itself: the scheduler does them in a gateway, a window in a window."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from gateway.app import running
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import prepare
from tests.cli.shell import Shell
from tests.maintenance.test_by_hand import NAMES


@pytest.mark.parametrize("only", [(), ("console",)])
async def test_what_is_asked_for_is_done(tmp_path: Path, only: tuple[str, ...]) -> None:
    profile = prepare(Profile("default", tmp_path, tmp_path))
    profile.config.write_text("model: {base_url: 'http://127.0.0.1:1/v1', model: big}\n")
    async with running(profile, load_settings(profile, {}), {}, only=only) as app:
        maintenance = app.engine.ports.maintenance
        assert maintenance is not None
        assert [each.name for each in await maintenance.tasks()] == NAMES
        for name in NAMES:
            _, came = await maintenance.run(name, "shell", dry=False)
            assert came.state == "done", came
    assert len(list(profile.backups.glob("*.zip"))) == 1
    result = await asyncio.to_thread(Shell(tmp_path), "maintenance", "list", "--json")
    listed = json.loads(result.stdout)
    assert [each["last"]["result"] for each in listed] == ["done"] * len(NAMES)
