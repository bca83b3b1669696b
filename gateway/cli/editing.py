"""The person's own editor at the shell, and texts that were refused after they had been written there.

Which text is edited, and what becomes of it, is the commands' matter.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from commands.context import NotComposed

_ODD = re.compile(r"[^\w.-]+")


class Editor:
    """The editor that VISUAL or EDITOR names, at a terminal. Texts are laid aside in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def edited(self, text: str) -> str | None:
        """The text as the person left it; None when it was not saved. Raises NotComposed."""
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise NotComposed("An editor needs a terminal, and this is none")
        try:
            return click.edit(text, extension=".md", require_save=True)
        except click.ClickException as error:
            why = " ".join(error.message.split())
            raise NotComposed(f"{why}. VISUAL or EDITOR says which editor is opened") from None

    def keep(self, name: str, text: str) -> Path:
        """Lay a text aside, instead of the last one of that name. Raises OSError."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._place(name)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def let_go(self, name: str) -> None:
        """Take away what was laid aside under that name, if anything was."""
        try:
            self._place(name).unlink(missing_ok=True)
            self._folder.rmdir()
        except OSError:
            pass  # others lie there, or none ever did

    def _place(self, name: str) -> Path:
        return self._folder / f"{_ODD.sub('-', name)[:80]}.md"
