"""Stands in for the local model's process: the same first line, the same HTTP, a slot that counts words, no model.

Run as `python -m tests.fakes.llama_host STAGE`. STAGE is a folder: `plan.json` lists one behaviour for each start
(the last one repeats), `starts.txt` gets the pid of each, `requests.txt` a line per chat completion, and the file
`go` releases whoever waits. Behaviours: see `BEHAVIOURS`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from gateway.models.local_child import answer_line, die_with

BEHAVIOURS = (
    "serve",
    "refuse",  # says why it cannot load
    "die loading",
    "babble",  # a first line that is no JSON
    "load slowly",  # loads when `go` is there
    "die before words",
    "die after words",
    "pause after words",  # until `go` is there
    "hang up once",  # on the first question, before a word
    "stubborn",  # does not end by itself
    "deaf",  # accepts everything and answers nothing
)


class Stage:
    """What a test prepared, and what it may look at afterwards."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        starts = folder / "starts.txt"
        before = len(starts.read_text().splitlines()) if starts.exists() else 0
        plan = json.loads((folder / "plan.json").read_text())
        self.behaviour = plan[min(before, len(plan) - 1)]
        assert self.behaviour in BEHAVIOURS, self.behaviour
        self.note("starts.txt", str(os.getpid()))

    def note(self, name: str, line: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(line + "\n")

    def wait_for_go(self) -> None:
        while not (self.folder / "go").exists():
            time.sleep(0.01)


class Handler(BaseHTTPRequestHandler):
    """One slot: `words` is what it holds, as words; another chat's words push it out, as in the real one without
    its cache in memory."""

    protocol_version = "HTTP/1.1"
    stage: Stage
    settings: dict[str, Any]
    words: list[str]

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        if self.stage.behaviour == "deaf":
            self.stage.wait_for_go()
        if self.path == "/props":
            caps = {"supports_tools": False}
            self._json({"default_generation_settings": {"n_ctx": 8192}, "chat_template_caps": caps})
        else:
            self._json({"status": "ok"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {self.settings['key']}":
            self._json({"error": "unauthorized"}, 401)
        elif self.stage.behaviour == "deaf":
            self.stage.wait_for_go()
        elif self.path.startswith("/slots/0"):
            self._slot(self.path.rpartition("=")[2], body["filename"])
        else:
            self._complete(body)

    def _slot(self, action: str, filename: str) -> None:
        path = Path(self.settings["slots"]) / filename
        self.stage.note("requests.txt", f"{action}")
        if action == "save":
            path.write_text(json.dumps(self.server.words))  # type: ignore[attr-defined]
            self._json({"n_saved": 1})
            return
        try:
            self.server.words = json.loads(path.read_text())  # type: ignore[attr-defined]
            self._json({"n_restored": 1})
        except (ValueError, FileNotFoundError):
            self._json({"error": "unable to restore"}, 400)

    def _complete(self, body: dict[str, Any]) -> None:
        self.stage.note("requests.txt", "ask " + body["messages"][-1]["content"])
        if self.stage.behaviour == "die before words":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.stage.behaviour == "hang up once":
            self.stage.behaviour = "serve"
            self.close_connection = True
            return
        prompt = " ".join(message["content"] for message in body["messages"]).split()
        held = self.server.words  # type: ignore[attr-defined]
        cached = next(
            (i for i, (a, b) in enumerate(zip(held, prompt, strict=False)) if a != b), min(len(held), len(prompt))
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")  # so that a break is not taken for the end
        self.end_headers()
        self._event({"choices": [{"delta": {"content": "You said "}}]})
        if self.stage.behaviour == "die after words":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.stage.behaviour == "pause after words":
            self.stage.wait_for_go()
        said = body["messages"][-1]["content"]
        self._event({"choices": [{"delta": {"content": said}, "finish_reason": "stop"}]})
        usage = {
            "prompt_tokens": len(prompt),
            "completion_tokens": 2,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        self.server.words = [*prompt, *f"You said {said}".split()]  # type: ignore[attr-defined]
        self._event({"choices": [], "usage": usage})
        self._chunk(b"data: [DONE]\n\n")
        self._chunk(b"")

    def _event(self, event: dict[str, Any]) -> None:
        self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        try:
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        except OSError:  # the reader went away
            self.close_connection = True

    def _json(self, answer: dict[str, Any], status: int = 200) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> int:
    stage = Stage(Path(sys.argv[1]))
    settings = json.loads(sys.stdin.readline())
    die_with(settings["parent"])
    Path(settings["slots"]).mkdir(parents=True, exist_ok=True)
    answer = os.dup(1)
    match stage.behaviour:
        case "refuse":
            answer_line(answer, {"error": "the file is no model"})
            return 1
        case "die loading":
            os.kill(os.getpid(), signal.SIGKILL)
        case "babble":
            os.write(answer, b"hello there\n")
            return 0
        case "load slowly":
            stage.wait_for_go()
        case _:
            pass
    handler = type("Bound", (Handler,), {"stage": stage, "settings": settings})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.words = []  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    answer_line(answer, {"address": f"http://127.0.0.1:{server.server_address[1]}"})
    while sys.stdin.readline():
        pass
    while stage.behaviour == "stubborn":
        time.sleep(1)
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
