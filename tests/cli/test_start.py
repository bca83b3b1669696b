"""What `innkeeper run` has loaded by the time it is ready with Telegram and Discord, and what it leaves for later."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

NOBODY = "http://127.0.0.1:9"
SETTINGS = {
    "model": {"provider": "openai", "model": "m", "base_url": f"{NOBODY}/v1", "api_key": "k"},
    "platforms": {
        "telegram": {"token": "1234567:AAbbCCddEEff", "base_url": NOBODY},
        "discord": {"token": "MTIzNDU2Nzg5.abcdef.ghijkl", "api_url": NOBODY, "gateway_url": "ws://127.0.0.1:9"},
    },
}

LATE = {
    *("starlette", "uvicorn", "jinja2", "itsdangerous", "gateway.web.app"),  # who opens the dashboard
    *("PIL", "gateway.drawing.picture"),  # who asks for the journey
    *("pypdf", "mammoth"),  # in a process apart
    "mcp",  # who has servers of tools
    *("anthropic", "xllamacpp", "huggingface_hub"),  # other hosts
    *("honcho", "hindsight_client", "supermemory", "mem0"),  # outside memories
    *("prompt_toolkit", "ruamel.yaml", "telegramify_markdown", "markdown_it"),  # who types, sets a key, answers
    *("gateway.backup.making", "gateway.maintenance.weights", "gateway.state.health"),  # jobs of the night
    "gateway.importing.carry",  # who moves in
}

RUN = f"""
import asyncio, sys
from pathlib import Path
from gateway.app import running
from gateway.config.load import load_settings
from gateway.config.paths import Profile
from gateway.config.profiles import furnish

async def main():
    profile = furnish(Profile("default", Path(sys.argv[1]), Path(sys.argv[1])))
    async with running(profile, load_settings(profile, {{}}), {{}}) as app:
        print(sorted(app.engine.house.adapters), sorted({LATE!r} & set(sys.modules)))

asyncio.run(main())
"""


def test_a_start_loads_nothing_that_only_later_things_need(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(json.dumps(SETTINGS), encoding="utf-8")  # JSON is YAML
    environment = {**os.environ, "HOME": str(tmp_path)}  # the locks on tokens lie there
    code = [sys.executable, "-c", RUN, str(tmp_path)]
    said = subprocess.run(code, capture_output=True, text=True, check=True, timeout=60, env=environment)
    assert said.stdout.strip() == "['console', 'discord', 'telegram'] []"
