"""Discord is known to the house before its library is paid for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from platforms.discord.manifest import manifest
from platforms.discord.settings import DiscordSettings
from platforms.manifest import AdapterContext
from platforms.registry import load_adapter, manifests


def test_settings_and_manifest_need_no_library() -> None:
    look = "import platforms.discord.manifest, platforms.discord.settings, sys; print('discord' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout == "False\n"


async def test_the_manifest_leads_to_the_adapter(tmp_path: Path) -> None:
    settings = DiscordSettings(token="MTEyMjMzNDQ1NTY2Nzc4ODk5.GFakeT.something")
    adapter = load_adapter(manifest, AdapterContext(settings.model_dump(), "default", str(tmp_path)))
    assert (adapter.name, adapter.account) == ("discord", "112233445566778899")
    assert (adapter.capabilities.limit, adapter.capabilities.unit) == (2000, "codepoint")
    assert adapter.capabilities.finds
    await adapter.close()


def test_it_is_registered() -> None:
    assert manifests()["discord"] == manifest
