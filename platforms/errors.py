"""What can become of a send, by meaning. Adapters translate their SDK's errors into these, once."""

from __future__ import annotations


class DeliveryError(Exception):
    """The root of every failed send, edit or look-up. `str(error)` is fit for a person; it holds no secrets."""


class Refused(DeliveryError):
    """The platform understood and said no for good (blocked, deleted, malformed): do not try again."""


class RetryAfter(DeliveryError):
    """The platform asks to be left alone in this chat for `seconds`; nothing was sent."""

    def __init__(self, seconds: float, text: str = "the platform asked to wait") -> None:
        super().__init__(text)
        self.seconds = seconds


class NotSent(DeliveryError):
    """The request never reached the platform (connection refused, name not found): safe to try again."""


class Absent(NotSent):
    """Nobody is there who could be shown it (no window is open), as happens every day: it waits for them."""


class Uncertain(DeliveryError):
    """The request left and no answer came: the message may be there. Never repeat it blindly."""


class Gone(DeliveryError):
    """The chat moved. `new_chat_id` is where it is now, or None when it is gone for good."""

    def __init__(self, new_chat_id: str | None, text: str = "the chat moved") -> None:
        super().__init__(text)
        self.new_chat_id = new_chat_id


class PlatformDown(Exception):
    """An adapter cannot run: a refused token, a missing permission. One clear line; other platforms go on."""


# What a module that somebody else wrote may raise while it is imported. Not every exception: an interrupt or the end
# of memory is not the plugin's doing.
PLUGIN_FAULTS = (
    ImportError,
    SyntaxError,
    AttributeError,
    NameError,
    TypeError,
    ValueError,
    LookupError,
    ArithmeticError,
    AssertionError,
    OSError,
    RuntimeError,
)
