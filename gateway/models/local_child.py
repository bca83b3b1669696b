"""The process that runs the local model: llama.cpp's own HTTP server, loaded through xllamacpp.

Owns loading, listening on loopback and dying with its parent. Starting, watching and stopping it is the business of
local_process.py. It stands alone on purpose: it imports nothing of the house and can abort without harming it.

Protocol: the first line on stdin is a JSON object (see `main`), kept off the command line since it holds a key. The
answer is one JSON line on stdout, `{"address": "http://127.0.0.1:PORT"}` or `{"error": "why"}`. End of stdin means
stop.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

LOG_BYTES = 1 << 20
LOG_CHECK_SECONDS = 60.0
READ_AT_ONCE = 64
"""Tokens read in one step: a closed stream stops the reading of a prompt one or two steps later, so small steps. What
gives way to people is sent in portions of one step (portions.py), so that it stops after one.

No smaller, since below 64 llama.cpp reads by another way, which costs half as much again. With the smallest model a
token costs 7.1, 7.3, 7.3, 11.5 and 11.1 ms of processor time in steps of 256, 128, 64, 48 and 32. So a step of 64
takes 0.5 seconds, one of 48 no less, one of 32 0.4; one of 128 takes 0.9 of the second that a message may wait for a
review to let go. A message that met a review at its reading had its first word 0.5 seconds later than without, on
cores that were free, and 0.6 to 0.9 where others took half of each; without the portions 0.7 to 2.0 there, and no
less in steps of 32.
"""


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent dies (Linux; elsewhere the end of stdin does it)."""
    if sys.platform.startswith("linux"):
        import ctypes

        pr_set_pdeathsig = 1
        ctypes.CDLL(None, use_errno=True).prctl(pr_set_pdeathsig, signal.SIGKILL)
    if os.getppid() != parent:  # it died before we could ask
        os._exit(0)


def bound_log(path: Path, limit: int = LOG_BYTES) -> None:
    """Keep the log below `limit` bytes, the older part in one `.1` file. Safe while it is open for appending."""
    if path.exists() and path.stat().st_size > limit:
        path.with_name(path.name + ".1").write_bytes(path.read_bytes())
        os.truncate(path, 0)


def watch_log(path: Path) -> None:
    """Bound the log for as long as the process lives."""
    while True:
        time.sleep(LOG_CHECK_SECONDS)
        bound_log(path)


def redirect_output(path: Path) -> int:
    """Send stdout and stderr to the log, C++ included, and return a descriptor of the real stdout."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bound_log(path)
    answer = os.dup(1)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    return answer


def parameters(settings: dict[str, Any]) -> Any:
    """The settings under which chats that share a prompt keep their caches, and a closed stream stops quickly.

    One slot and no choice of slots by similarity: otherwise chats with a common system prompt take each other's
    cache. What leaves the slot goes to memory (`cache_ram_mib`).
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.model_alias = {settings["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [settings["key"]]
    params.n_ctx = settings["window"]
    params.n_parallel = 1
    params.slot_prompt_similarity = 0.0
    params.cache_ram_mib = settings["cache_mib"]
    params.n_batch = params.n_ubatch = READ_AT_ONCE
    params.use_jinja = True
    params.endpoint_slots = params.endpoint_props = params.endpoint_metrics = True
    params.slot_save_path = str(Path(settings["slots"])) + os.sep
    params.ui = False
    params.verbosity = 2  # warnings and errors
    params.cpuparams.n_threads = settings["threads"]
    if settings.get("temperature") is not None:
        params.sampling.temp = settings["temperature"]
    return params


def answer_line(descriptor: int, answer: dict[str, str]) -> None:
    """Write the one line that the parent waits for."""
    os.write(descriptor, json.dumps(answer).encode() + b"\n")
    os.close(descriptor)


def load(settings: dict[str, Any]) -> Any:
    """Load the model and listen. Raises RuntimeError, or ImportError when xllamacpp is not installed."""
    import xllamacpp

    return xllamacpp.Server(parameters(settings))


def main() -> int:
    """Serve until stdin ends.

    The settings: `model` (path), `alias`, `key`, `window` (tokens), `cache_mib`, `threads`, `slots` (folder),
    `log` (path), `parent` (pid), and optionally `temperature`.
    """
    settings = json.loads(sys.stdin.readline())
    os.putenv("GGML_NO_BACKTRACE", "1")  # an abort would run a debugger for seconds before it ends
    os.umask(0o077)  # the saved slots and the log hold what people said
    die_with(settings["parent"])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to judge
    log = Path(settings["log"])
    answer = redirect_output(log)
    Path(settings["slots"]).mkdir(parents=True, exist_ok=True)
    threading.Thread(target=watch_log, args=(log,), daemon=True).start()
    try:
        server = load(settings)
    except ImportError:
        answer_line(answer, {"error": "xllamacpp is not installed: pip install 'innkeeper[local]'"})
        return 1
    except RuntimeError:
        answer_line(answer, {"error": f"llama.cpp could not load {settings['model']}; {log} says why"})
        return 1
    answer_line(answer, {"address": server.listening_address})
    while sys.stdin.readline():
        pass
    os._exit(0)  # the server's threads may be in the middle of a prompt: there is nothing to wait for


if __name__ == "__main__":
    sys.exit(main())
