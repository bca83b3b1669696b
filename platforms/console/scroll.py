"""What a chat window has printed, and what it still holds back because it may change.

Owns the step from messages that are edited while they are written to lines that scroll up and never change: whole
blocks are printed as soon as they are settled, the rest is the `tail`. Pure; the terminal prints what it returns.
"""

from __future__ import annotations

from dataclasses import dataclass

from platforms.console.protocol import Buttons
from platforms.console.render import Choice, Painter, choices, settled

_REMEMBERED = 200  # finished messages whose text is kept, to see what an edit changes


@dataclass(slots=True)
class _Growing:
    """The newest message, printed up to `printed` characters."""

    id: str
    text: str
    buttons: Buttons
    printed: int = 0


class Scroll:
    """One window's screen. Every method returns what is to be printed now, often nothing."""

    def __init__(self, painter: Painter) -> None:
        self._painter = painter
        self._growing: _Growing | None = None
        self._finished: dict[str, tuple[str, Buttons]] = {}
        self._offered: list[Choice] = []

    @property
    def tail(self) -> str:
        """The part of the newest message that is not printed yet."""
        return self._growing.text[self._growing.printed :] if self._growing else ""

    def message(self, message_id: str, text: str, buttons: Buttons) -> str:
        """A new message. One with buttons is printed whole at once: somebody is asked something."""
        before = self.finish()
        self._offered = []
        self._growing = _Growing(message_id, text, buttons)
        return before + (self.finish() if buttons else self._grow())

    def edit(self, message_id: str, text: str, buttons: Buttons) -> str:
        """A message reads differently. What was printed stays; what is new, or the whole if it differs, follows."""
        growing = self._growing
        if growing is not None and growing.id == message_id:
            rewritten = not text.startswith(growing.text[: growing.printed])
            mark = self._painter.dim("(rewritten)") if rewritten else ""
            growing.text, growing.buttons = text, buttons
            growing.printed = 0 if rewritten else growing.printed
            return mark + (self.finish() if buttons else self._grow())
        if message_id not in self._finished:
            return self.message(message_id, text, buttons)
        return self._edit_finished(message_id, text, buttons)

    def delete(self, message_id: str) -> str:
        """A message was taken back: forgotten when unprinted, else said."""
        self._offered = [choice for choice in self._offered if choice.message_id != message_id]
        if self._growing is not None and self._growing.id == message_id:
            printed, self._growing = self._growing.printed, None
            return self._painter.dim("(withdrawn)") if printed else ""
        return self._painter.dim("(withdrawn)") if self._finished.pop(message_id, None) else ""

    def finish(self) -> str:
        """Nothing more comes for now: print what was held back."""
        growing, self._growing = self._growing, None
        if growing is None:
            return ""
        self._remember(growing.id, growing.text, growing.buttons)
        rest = self._painter.markdown(growing.text[growing.printed :])
        return rest + ("\n" if rest else "") + self._offer(growing.id, growing.buttons)

    def chosen(self, typed: str) -> Choice | None:
        """The choice that `typed` names by number or label, as long as its message is the last one said.

        A leading blank keeps a number an ordinary message.
        """
        for choice in self._offered:
            if typed.rstrip() == str(choice.number) or typed.rstrip().casefold() == choice.button.label.casefold():
                return choice
        return None

    def said(self) -> None:
        """The person said something else: what was offered is over."""
        self._offered = []

    def _grow(self) -> str:
        growing = self._growing
        if growing is None:
            return ""
        end = settled(growing.text)
        if end <= growing.printed:
            return ""
        block = self._painter.markdown(growing.text[growing.printed : end])
        growing.printed = end
        return block + "\n" if block else ""

    def _edit_finished(self, message_id: str, text: str, buttons: Buttons) -> str:
        old_text, old_buttons = self._finished[message_id]
        self._remember(message_id, text, buttons)
        if buttons != old_buttons:
            self._offered = [choice for choice in self._offered if choice.message_id != message_id]
        new = text[len(old_text) :] if text.startswith(old_text) else text
        shown = self._painter.markdown(new)
        return shown + ("\n" if shown else "") + (self._offer(message_id, buttons) if buttons != old_buttons else "")

    def _offer(self, message_id: str, buttons: Buttons) -> str:
        if not buttons:
            return ""
        self._offered = choices(buttons, message_id)
        return self._painter.offered(self._offered)

    def _remember(self, message_id: str, text: str, buttons: Buttons) -> None:
        self._finished[message_id] = (text, buttons)
        if len(self._finished) > _REMEMBERED:
            del self._finished[next(iter(self._finished))]
