"""The server as a process: `python -m tests.fakes.telegram --port 0` prints a line of JSON and serves."""

from __future__ import annotations

import argparse
import asyncio
import json

from tests.fakes.telegram.server import TOKEN, BotApi


async def serve(port: int, token: str) -> None:
    """Serve for ever. The line says where: `{"base_url", "control", "token"}`."""
    server = BotApi(token)
    await server.open(port)
    where = {"base_url": server.root, "control": f"{server.root}/control", "token": token}
    print(json.dumps(where), flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A Bot API server on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--token", default=TOKEN)
    given = parser.parse_args()
    try:
        asyncio.run(serve(given.port, given.token))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
