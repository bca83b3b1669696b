"""The command-line tool `ov` for tests, written from the help and the answers of the real one (0.5): it reads its
configuration under HOME, hands the order to a server on loopback, and prints what the real one prints.

Run as a program; tests/fakes/openviking_server.py is the other side.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

CODES = {
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ALREADY_EXISTS",
    429: "RATE_LIMITED",
}


def main() -> int:
    settings = Path.home() / ".openviking"
    if not (settings / "ovcli.settings.conf").is_file():
        print("OpenViking needs a display language before running commands.\nRun one of:\n  ov language en")
        return 1
    written = json.loads((settings / "ovcli.conf").read_text("utf-8"))
    request = urllib.request.Request(
        f"{written['url']}/order",
        data=json.dumps({"arguments": sys.argv[1:]}).encode(),
        headers={"Authorization": f"Bearer {written.get('api_key', '')}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=written["timeout"]) as answer:
            said = answer.read().decode()
    except urllib.error.HTTPError as error:
        words = json.loads(error.read())["detail"]
        return _failed(CODES.get(error.code, "INTERNAL"), words)
    except OSError as error:
        return _failed("UNAVAILABLE", f"Network error: HTTP request failed: {error}")
    print(said)
    return 0


def _failed(code: str, words: str) -> int:
    told = {"ok": False, "error": {"code": code, "message": words}}
    print(json.dumps(told), file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
