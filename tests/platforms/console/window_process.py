"""A house and a window in one process, for tests that need a real terminal: `python -m … FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from platforms.console.client import Window
from platforms.console.terminal import converse
from tests.platforms.console.house import open_house


async def main(folder: Path) -> int:
    async with open_house(folder), Window(folder, "desk") as window:
        return await converse(
            window,
            stdin=sys.stdin,
            stdout=sys.stdout,
            stderr=sys.stderr,
            commands={"memory": "what is kept", "new": "a boundary"},
            history=folder / "cache" / "history",
            greeting="The inn is open.",
        )


if __name__ == "__main__":
    sys.exit(asyncio.run(main(Path(sys.argv[1]))))
