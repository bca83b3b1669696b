"""The server as a process: `python -m tests.fakes.discord --port 0` prints a line of JSON and serves."""

from __future__ import annotations

import argparse
import asyncio
import json

from tests.fakes.discord.server import TOKEN, DiscordServer


async def serve(port: int, token: str) -> None:
    """Serve for ever. The line says where: `{"api_url", "gateway_url", "control", "token"}`."""
    server = DiscordServer(token)
    await server.open(port)
    where = {"api_url": server.api_url, "gateway_url": server.gateway_url}
    print(json.dumps(where | {"control": f"{server.root}/control", "token": token}), flush=True)
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A Discord server on loopback.")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--token", default=TOKEN)
    given = parser.parse_args()
    try:
        asyncio.run(serve(given.port, given.token))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
