"""The project's own files as the convention tests see them: found on disk, parsed once."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("gateway", "platforms", "memory", "commands")
ROOT_FILES = (
    ".gitignore",
    ".pre-commit-config.yaml",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "config.example.yaml",
    "pyproject.toml",
)


@dataclass(frozen=True)
class Module:
    """One Python file: `name` is its path from the root, with slashes."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        with _without_cleaning():
            return ast.parse(self.text, self.name)

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All that is in the tree, gone through once."""
        with _without_cleaning():
            return tuple(ast.walk(self.tree))

    def forget(self) -> None:
        """Let the tree go. Those of all files fill half a gigabyte, through which Python would look for rubbish."""
        for name in ("tree", "nodes"):
            vars(self).pop(name, None)

    @property
    def packaged(self) -> bool:
        return not self.name.startswith("tests/")

    def at(self, node: ast.stmt | ast.expr | ast.excepthandler) -> str:
        return f"{self.name}:{node.lineno}"


@contextmanager
def _without_cleaning() -> Iterator[None]:
    """Trees stay, and looking through them for rubbish while they grow takes longer than to build them."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def modules() -> Iterator[Module]:
    for package in (*PACKAGES, "tests"):
        for path in sorted((ROOT / package).rglob("*.py")):
            yield Module(path)


def texts() -> Iterator[tuple[str, str]]:
    """Name and text of every text file of the project, whatever its kind."""
    folders = [ROOT / folder for folder in (*PACKAGES, "tests", ".ci")]
    paths = [ROOT / name for name in ROOT_FILES]
    paths += [path for folder in folders for path in sorted(folder.rglob("*"))]
    for path in paths:
        if not path.is_file() or "__pycache__" in path.parts:
            continue
        data = path.read_bytes()
        if b"\x00" not in data:
            yield path.relative_to(ROOT).as_posix(), data.decode("utf-8")
