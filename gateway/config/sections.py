"""The sections of config.yaml about what people see and what is learnt: memory, skills, notices, sessions, care."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field, SerializeAsAny, field_validator

from gateway.config.values import (
    Approval,
    Count,
    Folder,
    Hour,
    MemoryProvider,
    Notices,
    PlatformName,
    Positive,
    Quiet,
    Zone,
)
from platforms.settings import OnOff, Section, Texts, Truth, WebAddress


class Memory(Section):
    """The two small files that the assistant keeps."""

    memory_enabled: Truth = True
    """Keep MEMORY.md, the assistant's own notes."""
    user_profile_enabled: Truth = True
    """Keep USER.md, who the person is."""
    memory_char_limit: Positive = 2200
    """Characters that MEMORY.md may hold."""
    user_char_limit: Positive = 1375
    """Characters that USER.md may hold."""
    write_approval: Approval = False
    """false writes freely, true lets every write wait for a yes, auto waits on messengers and not on the console."""
    hold_doubtful: OnOff = True
    """Let what reads like an order to the assistant rather than a note wait for a yes, whatever the gate says."""
    nudge_interval: Count = 10
    """A review of memory after so many messages; 0 turns it off."""
    scope: Literal["owner", "person", "room"] = "owner"
    """Whose memory exists: only the owner's, one for each person, or one for each room as well."""
    share: Truth = False
    """Let MEMORY.md (never USER.md) into every chat, for a bot of a team."""
    session_notes: OnOff = True
    """Tell a running session what changed in memory since it began."""
    provider: MemoryProvider | None = None
    """An external memory beside the files, such as retaindb or byterover; null means none."""
    providers: dict[str, SerializeAsAny[BaseModel]] = Field(default_factory=dict)
    """Settings of outside memories by name, such as {retaindb: {base_url: …}}; each has keys of its own."""
    prefetch_spill_enabled: Truth = False
    """Put large recalls of the provider into a file and show head, tail and path."""


class Skills(Section):
    """Procedures that the assistant learnt."""

    write_approval: Approval = False
    """false writes freely, true lets every change wait for a yes, auto waits on messengers."""
    creation_nudge_interval: Count = 10
    """A review for skills after so many tool calls; 0 turns it off."""
    guard_agent_created: Truth = False
    """Scan the assistant's own skills as strictly as installed ones."""
    external_dirs: Texts = ()
    """Further folders with skills; they are read, never changed."""
    indexes: Texts = ()
    """Index files of skills that may be installed: paths or https addresses that end in .json."""


class PlatformDisplay(Section):
    """Notices and signs on one platform."""

    memory_notifications: Notices | None = None
    """off, on or verbose on this platform; null follows the general setting."""
    reactions: OnOff = False
    """Whether a message that is being answered carries a sign (👀) meanwhile, where the platform has reactions."""


class Display(Section):
    """What is said unasked."""

    memory_notifications: Notices = "on"
    """A line when memory or a skill was changed: off, on, or verbose with previews."""
    platforms: dict[PlatformName, PlatformDisplay] = Field(default_factory=dict)
    """Exceptions by platform, such as {telegram: {memory_notifications: verbose}}."""

    def notices_on(self, platform: str) -> Literal["off", "on", "verbose"]:
        """The rule for one platform."""
        own = self.platforms.get(platform)
        return (
            self.memory_notifications if own is None or own.memory_notifications is None else own.memory_notifications
        )

    def reacts_on(self, platform: str) -> bool:
        """Whether messages of one platform get a sign while they are answered."""
        own = self.platforms.get(platform)
        return own is not None and own.reactions


class Reset(Section):
    """When a session ends by itself."""

    mode: Literal["none", "idle", "daily", "both"] = "none"
    """none (never), idle (after idle_minutes), daily (at at_hour), or both."""
    idle_minutes: Positive = 1440
    """Minutes without a message, for idle and both."""
    at_hour: Hour = 4
    """The hour of the day (0 to 23), for daily and both."""


class Sessions(Section):
    """Where a session ends, who shares one, and how long the archive keeps it."""

    reset: Reset = Reset()
    """Boundaries without /new."""
    boundary_hint: OnOff = True
    """Offer a boundary in a quiet line when a session has grown long; at most once a day in a chat."""
    group_scope: Literal["chat", "person"] = "chat"
    """In groups, one session for the chat, or one for each person."""
    retention_days: Positive | None = None
    """Days after which ended sessions leave the archive; null keeps them."""


class Attachments(Section):
    """Files that people send: how much is taken in, and how long it is kept."""

    max_bytes: Positive = 20_000_000
    """The largest file that is fetched, in bytes; what a platform lets bots fetch may be less."""
    max_text_chars: Positive = 20_000
    """Characters of a message's documents that the model gets to read; the rest is left out, and said to be."""
    keep_days: Positive = 30
    """Days after which files leave the cache, but for those of conversations that go on."""
    max_cache_bytes: Positive = 2_000_000_000
    """Bytes that the cache of files may take; above it the oldest go first, with the same exception."""


class Gateway(Section):
    """The running gateway."""

    busy: Literal["queue", "interrupt", "steer"] = "queue"
    """What a further message does while a turn runs: waits, cancels it, or is handed to it."""
    backlog_minutes: Count = 60
    """Messages that waited longer while the gateway was down are answered with one question."""
    drain_seconds: Count = 20
    """Seconds that running turns get when the gateway is asked to stop."""
    quiet_hours: Quiet = None
    """No cards and digests in these hours, such as 22:30-07:00; null means never quiet."""
    timezone: Zone | None = None
    """The IANA zone for quiet hours, digest, resets and jobs; null means this machine's."""
    digest_hour: Hour = 9
    """The hour of the daily list of what waits (0 to 23)."""
    health_port: int | None = Field(None, ge=1, le=65535)
    """The port on this machine for probes (GET /healthz); null takes INNKEEPER_HEALTH_PORT, or opens none."""
    budgets: dict[Literal["total", "chat", "background_review", "compaction", "cron", "curator"], Count] = Field(
        default_factory=dict
    )
    """Tokens a day, by task or in total, such as {background_review: 20000}; what is not named has no limit."""


class Curator(Section):
    """The care of skills that nobody uses. Nothing is ever deleted."""

    enabled: Truth = True
    """Look through the skills now and then."""
    interval_hours: Positive = 168
    """Hours between two runs, at least."""
    min_idle_hours: Count = 2
    """Hours without a turn before a run."""
    stale_after_days: Positive = 30
    """Days without use after which a skill is called stale."""
    archive_after_days: Positive = 90
    """Days without use after which a skill is archived."""
    consolidate: Truth = False
    """Let the curator's model propose merges, as pending writes."""


class Jobs(Section):
    """What is done by itself at its time."""

    may_create_jobs: Truth = False
    """Let a job propose further jobs; each waits for a person's yes, as one from a conversation does."""


class OutputSpill(Section):
    """Large outputs of tools and hooks go to a file, and a preview stays."""

    enabled: Truth = True
    """Whether they do."""
    max_chars: Positive = 10000
    """Characters from which on an output is large."""
    preview_chars: Count = 2000
    """Characters that the preview shows."""
    directory: Folder | None = None
    """The folder for the files; null means the profile's cache."""


class Hooks(Section):
    """What happens around tool calls."""

    output_spill: OutputSpill = OutputSpill()
    """Large outputs."""


class Dashboard(Section):
    """The web page for what waits, sessions, journey and jobs."""

    host: str = "127.0.0.1"
    """The address to listen on."""
    port: int = Field(8765, ge=0, le=65535)
    """The port; 0 takes a free one."""
    public_url: WebAddress | None = None
    """The address under which others reach it, for links in chats: a name, and no path; null means host and port."""

    @field_validator("public_url")
    @classmethod
    def _a_name(cls, given: str | None) -> str | None:
        parts = urlsplit(given or "")
        if parts.path not in ("", "/") or parts.query or parts.fragment:
            raise ValueError("needs a name of its own, without a path: https://inn.example.org")
        return given
