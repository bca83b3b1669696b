"""What the house does around a review: on which host it would run, whether that is idle, what must be over first.

Answers the queue's questions. Which reviews there are, and doing them, are others' matters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from gateway.agent.limits import over_budget
from gateway.clock import Clock
from gateway.config.schema import BackgroundReview, Settings
from gateway.errors import ConfigurationError
from gateway.events import Event, SessionClosed, TurnFinished, TurnStarted
from gateway.models.client import ModelClient
from gateway.models.errors import ModelError
from gateway.models.host_state import REVIEW
from gateway.models.idleness import HostState, Idleness, Sight
from gateway.reviews.queue import Patience
from gateway.state.protocols import Store
from gateway.state.records import Session
from gateway.state.review_records import QueuedReview

UNREACHABLE = (30.0, 120.0, 600.0)
"""Seconds for which a host that did not answer is left alone: after the first time, the second, each further one."""

LOOKS_AHEAD = 3.0
"""Seconds before the end of the quiet time at which a host is looked at for the first time: so long it has to be seen
idle, and a little more."""

OFF = "automatic reviews are switched off"
GONE = "its conversation is gone"
TAKEN = "another review is at work on its model host"


class Hosts(Protocol):
    """The model hosts, by name. Raises ConfigurationError for one that is not configured."""

    def resolve(self, name: str | None = None, *, fallbacks: bool = True) -> ModelClient: ...


class Watch(Protocol):
    """What `gateway.models.host_state.HostWatch` tells of hosts."""

    async def look(self, client: ModelClient) -> Sight: ...

    def pause(self, client: ModelClient) -> float: ...

    def defers(self, client: ModelClient, setting: Literal["auto", "never", "always"]) -> bool: ...

    async def wanted(self, client: ModelClient) -> None: ...


@dataclass(frozen=True, slots=True)
class Site:
    """Where a review runs. `same`: on the conversation's own model; `main`: that is the main model, too."""

    client: ModelClient
    same: bool
    main: bool = False

    @property
    def host(self) -> str:
        return self.client.host


class Around:
    """`queue.Surroundings`. Hears of turns on the bus: `heard` is to be subscribed. One for the house."""

    def __init__(
        self, store: Store, hosts: Hosts, watch: Watch, settings: Callable[[], Settings], clock: Clock
    ) -> None:
        self._store = store
        self._hosts = hosts
        self._watch = watch
        self._settings = settings
        self._clock = clock
        self._since = clock.monotonic()
        self._turns: dict[int, tuple[str, str]] = {}
        self._ended: dict[str, float] = {}
        self._idle: dict[str, Idleness] = {}
        self._sites: dict[str, Site | str] = {}
        self._at_work: list[str] = []
        self._lost: dict[str, tuple[int, float]] = {}
        self._spent = ""

    def heard(self, event: Event) -> None:
        """A turn needs its host from its start to its end."""
        match event:
            case TurnStarted(turn_id, session_id, host=host):
                self._turns[turn_id] = (session_id, host)
            case TurnFinished(turn_id):
                self._over(turn_id)
            case SessionClosed(session_id):  # a turn that would not end was let go with it
                for turn_id in [each for each, (session, _) in self._turns.items() if session == session_id]:
                    self._over(turn_id)
            case _:
                pass

    def _over(self, turn_id: int) -> None:
        if (turn := self._turns.pop(turn_id, None)) is not None:
            self._ended[turn[1]] = self._clock.monotonic()

    # Where

    async def site(self, session: Session) -> Site:
        """Where a review of this session runs: no fallback is asked, so that a review costs what was expected and
        where it was. Raises ConfigurationError, ModelError."""
        chosen = self._review
        main = self._hosts.resolve(None, fallbacks=False)
        name = await self._store.facts.get(session.chat.key, "model")
        own = main if name is None else self._hosts.resolve(name, fallbacks=False)
        other = main
        if chosen.provider != "auto" or chosen.model != "auto":
            other = self._hosts.resolve(_named(chosen), fallbacks=False)
        if alike(other, main) or alike(other, own):
            return Site(own, same=True, main=alike(own, main))
        return Site(other, same=False)

    async def refresh(self) -> None:
        """Before the queue is gone through: what is spent of the day's budget."""
        budgets = {str(each): bound for each, bound in self._settings().gateway.budgets.items()}
        spent = await self._store.usage.tokens_today(self._clock.now()) if budgets else {}
        self._spent = over_budget(budgets, spent, REVIEW) or ""

    # The queue's questions

    def patience(self, review: QueuedReview) -> Patience:
        chosen, site = self._review, self._sites.get(review.session_id)
        deferred = not isinstance(site, Site) or self._watch.defers(site.client, chosen.defer)
        return Patience(
            deferred=deferred,
            quiet_s=float(chosen.quiet_s),
            max_age_s=float(chosen.defer_max_age_s),
            behind=self._behind(site),
        )

    async def host_idle_for(self, review: QueuedReview) -> float | None:
        site = await self.site_of(review)
        if not isinstance(site, Site) or not self._watch.defers(site.client, self._review.defer):
            return None
        quiet = self.turns_quiet_for(review)
        if quiet is None or quiet < self._review.quiet_s - LOOKS_AHEAD:
            return None  # it cannot start yet, so nobody is asked
        sight, now = await self._watch.look(site.client), self._clock.monotonic()
        idleness = self._idle.setdefault(site.host, Idleness(0.0))
        idleness.observe(sight.state, now, sight.used_at)
        if sight.state is not HostState.IDLE or sight.asleep or idleness.since is None:
            return None  # what sleeps is woken by a person, or by what has waited long enough
        return now - idleness.since

    def turns_quiet_for(self, review: QueuedReview) -> float | None:
        site = self._sites.get(review.session_id)
        if not isinstance(site, Site):
            return None
        if any(host == site.host for _, host in self._turns.values()):
            return None
        return self._clock.monotonic() - max(self._since, self._ended.get(site.host, 0.0))

    # For the worker

    def pause(self) -> float | None:
        """Seconds until a host that was looked at is worth another look; None when none was."""
        sites = {each.host: each.client for each in self._sites.values() if isinstance(each, Site)}
        return min((self._watch.pause(sites[host]) for host in self._idle if host in sites), default=None)

    def forget(self, but: frozenset[str]) -> None:
        """Of sessions whose reviews wait no longer, nothing is remembered; `but` are those that do."""
        for session_id in [each for each in self._sites if each not in but]:
            del self._sites[session_id]
        if not self._sites:
            self._idle.clear()

    def begins(self, host: str) -> None:
        """A review begins there."""
        self._at_work.append(host)

    def ends(self, host: str, *, reached: bool | None) -> None:
        """A review there is over; whether its host answered, None when it was not asked."""
        self._at_work.remove(host)
        if reached:
            self._lost.pop(host, None)
        elif reached is not None:
            times = self._lost.get(host, (0, 0.0))[0]
            pause = UNREACHABLE[min(times, len(UNREACHABLE) - 1)]
            self._lost[host] = (times + 1, self._clock.monotonic() + pause)

    @property
    def _review(self) -> BackgroundReview:
        return self._settings().auxiliary.background_review

    def known(self, review: QueuedReview) -> Site | str:
        """Where it would run, as it was found last, or why nowhere."""
        return self._sites.get(review.session_id, GONE)

    async def site_of(self, review: QueuedReview) -> Site | str:
        """Where it would run now, or why nowhere."""
        found: Site | str = GONE
        session = await self._store.sessions.get(review.session_id)
        if session is not None:
            try:
                found = await self.site(session)
            except (ConfigurationError, ModelError) as error:
                found = f"its model cannot be had: {error}"
        self._sites[review.session_id] = found
        return found

    def _behind(self, site: Site | str | None) -> str:
        if not self._review.enabled:
            return OFF
        if not isinstance(site, Site):
            return site or ""
        if self._spent:
            return self._spent
        if self._clock.monotonic() < self._lost.get(site.host, (0, 0.0))[1]:
            return "its model host did not answer"
        return TAKEN if site.host in self._at_work else ""


def alike(one: ModelClient, other: ModelClient) -> bool:
    """Whether both are the same model on the same host."""
    return (one.host, one.model) == (other.host, other.model)


def idle_effort(settings: Settings, hosts: Hosts) -> str | None:
    """Why `auxiliary.background_review.reasoning_effort` does nothing, for whoever set it; None when it acts or is
    not set."""
    chosen = settings.auxiliary.background_review
    if chosen.reasoning_effort is None:
        return None
    if chosen.provider != "auto" or chosen.model != "auto":
        try:
            main = hosts.resolve(None, fallbacks=False)
            if not alike(hosts.resolve(_named(chosen), fallbacks=False), main):
                return None
        except (ConfigurationError, ModelError):
            return None  # that they cannot be had is said elsewhere
    return (
        "auxiliary.background_review.reasoning_effort is set, and does nothing: reviews run on the conversation's own"
        " model, and think as it does"
    )


def _named(chosen: BackgroundReview) -> str:
    """`host/model` of the configured model."""
    if chosen.provider == "auto":
        return chosen.model
    same = chosen.model.partition("/")[0] == chosen.provider
    return chosen.model if same else f"{chosen.provider}/{chosen.model}"
