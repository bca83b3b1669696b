"""Rate limits: what each route's bucket has left. Nothing is limited until a test says so."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from hashlib import blake2s

from tests.fakes.discord.faults import rate_limited

GENEROUS = 1000
"""What a bucket without a limit says that it has."""


class Limits:
    """Buckets are kept apart by operation and by channel, guild or token."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._rules: dict[str, tuple[int, float]] = {}
        self._taken: dict[str, deque[float]] = {}

    def set(self, operation: str, calls: int, seconds: float) -> None:
        """From now on an operation may be called so often in so many seconds, for each channel; then comes 429."""
        self._rules[operation] = (calls, seconds)

    def lift(self, operation: str) -> None:
        self._rules.pop(operation, None)

    def take(self, bucket: str, operation: str) -> None:
        """Count one call. Raises Refusal when there is none left."""
        if operation not in self._rules:
            return
        calls, seconds = self._rules[operation]
        taken = self._recent(bucket, seconds)
        if len(taken) >= calls:
            raise rate_limited(round(max(taken[0] + seconds - self._now(), 0.001), 3))
        taken.append(self._now())

    def headers(self, bucket: str) -> dict[str, str]:
        """What the answer to the next call says of its bucket, that call counted."""
        operation = bucket.partition(":")[0]
        calls, seconds = self._rules.get(operation, (GENEROUS, 1.0))
        taken = self._recent(bucket, seconds) if operation in self._rules else deque[float]()
        rest = max(taken[0] + seconds - self._now(), 0.001) if taken else seconds
        return {
            "X-RateLimit-Limit": str(calls),
            "X-RateLimit-Remaining": str(max(calls - len(taken) - 1, 0)),
            "X-RateLimit-Reset": f"{self._now() + rest:.3f}",
            "X-RateLimit-Reset-After": f"{rest:.3f}",
            "X-RateLimit-Bucket": blake2s(operation.encode(), digest_size=16).hexdigest(),
        }

    def _recent(self, bucket: str, seconds: float) -> deque[float]:
        taken = self._taken.setdefault(bucket, deque())
        while taken and self._now() - taken[0] >= seconds:
            taken.popleft()
        return taken
