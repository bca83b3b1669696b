"""Telegram is known to the house before its library is paid for."""

from __future__ import annotations

import subprocess
import sys

from platforms.manifest import AdapterContext
from platforms.registry import load_adapter
from platforms.telegram.manifest import manifest
from platforms.telegram.settings import TelegramSettings


def test_settings_and_manifest_need_no_library() -> None:
    look = "import platforms.telegram.manifest, platforms.telegram.settings, sys; print('telegram' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", look], capture_output=True, text=True).stdout == "False\n"


async def test_the_manifest_leads_to_the_adapter() -> None:
    settings = TelegramSettings(token="4294967311:AAsomething")
    adapter = load_adapter(manifest, AdapterContext(settings.model_dump(), "default", "."))
    assert (adapter.name, adapter.account) == ("telegram", "4294967311")
    assert (adapter.capabilities.limit, adapter.capabilities.unit) == (4096, "utf16")
    await adapter.close()
