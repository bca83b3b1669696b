"""What can go wrong at a model host, by meaning. `str(error)` names the host and says what to do, without secrets."""

from __future__ import annotations

from gateway.errors import InnkeeperError


class ModelError(InnkeeperError):
    """The root. `fallback` says whether another host may be asked instead."""

    fallback = True


class HostDown(ModelError):
    """Nothing answers there, or the connection broke before the first token."""


class HostLoading(ModelError):
    """The host is up and still loads its model: wait."""


class HostBusy(ModelError):
    """Too many requests. `retry_after` in seconds, None when the host did not say."""

    def __init__(self, text: str, retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = retry_after


class QuotaExhausted(ModelError):
    """The account has no money or quota left."""


class KeyRefused(ModelError):
    """The host does not accept the key, or the model is not this account's."""


class ModelMissing(ModelError):
    """The host does not know the model."""


class RequestRefused(ModelError):
    """The host understood and refused the request itself (malformed, unsafe): asking again is pointless."""


class ContextTooLong(ModelError):
    """The prompt does not fit the window."""

    fallback = False


class StreamBroken(ModelError):
    """The answer broke off after it had begun, or its tokens stopped coming."""

    fallback = False


class FirstTokenLate(ModelError):
    """Patience for the first token ran out; the request was cancelled on the wire."""
