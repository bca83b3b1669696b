"""A pretended `brv`, written from the help and the answers of byterover-cli 3.14: providers, search, curate, query.

It keeps what it is told as files of the project that the working folder lies in, found by walking up, as the true one
does. `temper` in the folder of the program says how it behaves; `calls.jsonl` beside it has each call.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

FLAGS = {"providers": (), "search": ("--limit", "--scope"), "curate": ("--timeout",), "query": ("--timeout",)}
NO_PROVIDER = 'No provider connected. Run "brv providers connect byterover" to use the free built-in provider.'


def installed(folder: Path, temper: str = "good") -> Path:
    """A program `brv` in this folder."""
    program = folder / "brv"
    root = Path(__file__).parent.parent.parent
    program.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(root)!r})\n" + RUN)
    program.chmod(0o755)
    become(folder, temper)
    return program


RUN = "from tests.fakes.byterover_cli import main\nfrom pathlib import Path\nmain(Path(__file__).parent)\n"


def become(folder: Path, temper: str) -> None:
    (folder / "temper").write_text(temper)


def calls(folder: Path) -> list[dict[str, Any]]:
    """What it was called with: `words`, `folder`, the names of the variables it saw, and its process."""
    file = folder / "calls.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def main(home: Path) -> None:
    words = sys.argv[1:]
    with (home / "calls.jsonl").open("a") as file:
        seen = {"words": words, "folder": str(Path.cwd()), "variables": sorted(os.environ), "pid": os.getpid()}
        file.write(json.dumps(seen) + "\n")
    temper = (home / "temper").read_text()
    if temper == "hangs":
        time.sleep(600)
    if temper == "garbage":
        print("<html>not JSON</html>")
        return
    if temper == "crashes":
        print("TypeError: cannot read properties of undefined", file=sys.stderr)
        sys.exit(1)
    command, options, text = parsed(words)
    answer(command, temper, options, text)


def parsed(words: list[str]) -> tuple[str, dict[str, str], str]:
    """As oclif reads them: what begins with a hyphen before `--` is a flag, and an unknown flag is an error."""
    command, rest = words[0], words[1:]
    options: dict[str, str] = {}
    text: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            text += rest
            break
        if word.startswith("-"):
            if word not in ("--format", *FLAGS[command]):
                print(f" ›   Error: Nonexistent flag: {word}", file=sys.stderr)
                sys.exit(2)
            options[word] = rest.pop(0)
        else:
            text.append(word)
    return command, options, " ".join(text[:1])


def answer(command: str, temper: str, options: dict[str, str], text: str) -> None:
    if temper == "unconnected":
        if command == "providers":
            say(command, {"providerId": "", "providerName": ""})
        elif command != "search":
            say(command, {"error": NO_PROVIDER, "status": "error"}, well=False)
        return
    if temper == "offline":
        say(command, {"error": "Network error: Unable to connect", "status": "error"}, well=False)
        return
    tree = project() / ".brv" / "context-tree"
    tree.mkdir(exist_ok=True)
    match command:
        case "providers":
            say(command, {"activeModel": "m", "providerId": "openai-compatible", "providerName": "OpenAI Compatible"})
        case "curate" if temper == "newer":
            say(command, {"ok": True, "status": "needs-llm-step", "step": "generate-html", "sessionId": "s-1"})
        case "curate":
            (tree / f"{len(list(tree.iterdir())):04}.md").write_text(text, encoding="utf-8")
            say(command, {"event": "thinking", "taskId": "t-1"})
            say(command, {"event": "completed", "message": "Context curated successfully", "status": "completed"})
        case "search":
            found = [
                each.read_text("utf-8")
                for each in sorted(tree.iterdir())
                if said(text) & said(each.read_text("utf-8"))
            ]
            results = [{"excerpt": each, "path": "a.md", "score": 0.8, "title": "Kept"} for each in found]
            say(command, {"results": results[: int(options["--limit"])], "status": "completed"})
        case "query":
            say(
                command,
                {
                    "event": "completed",
                    "result": f"Of {len(list(tree.iterdir()))} notes: yes.",
                    "status": "completed",
                },
            )


def project() -> Path:
    """The next folder above that is marked as a project; the working folder where there is none."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".brv" / "config.json").exists():
            return folder
    (here / ".brv").mkdir(exist_ok=True)
    (here / ".brv" / "config.json").write_text("{}")
    return here


def say(command: str, data: dict[str, Any], well: bool = True) -> None:
    line = {"command": command, "data": data, "success": well, "timestamp": "2026-11-30T16:15:28.144Z"}
    print(json.dumps(line), flush=True)


def said(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{4,}", text.lower())}
