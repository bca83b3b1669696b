"""Every key of config.yaml with its default: the root `Settings`, and the sections about models, access and work.

The sections about what people see and what is learnt are in sections.py; the platforms bring their own. Reading
the file, naming lines and filling in secrets belong to load.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, SerializeAsAny

from gateway.config.mcp import Mcp, McpServer
from gateway.config.sections import (
    Attachments,
    Curator,
    Dashboard,
    Display,
    Gateway,
    Hooks,
    Jobs,
    Memory,
    Sessions,
    Skills,
)
from gateway.config.values import (
    Count,
    Effort,
    HostKind,
    HostModels,
    HostName,
    McpName,
    Positive,
    Provider,
    References,
    TrueFalseAuto,
)
from platforms.settings import Secret, Section, Texts, Truth, WebAddress


class Model(Section):
    """Which model answers in every chat that did not pick another."""

    provider: Provider = "auto"
    """openai, anthropic, openrouter, local, a name under hosts, or auto: the host of base_url or of api_key, else the
    first under hosts, else the small model on this machine."""
    model: str = "auto"
    """The model's name at that host; auto takes the one it serves, on this machine the small one."""
    base_url: WebAddress | None = None
    """The server's address, for any OpenAI-compatible server; null means the provider's own."""
    api_key: Secret | None = Field(None, repr=False)
    """The key; null takes the provider's usual variable, such as OPENAI_API_KEY."""
    context_window: Positive | None = None
    """Tokens that the model can read at once; null asks the host."""
    reasoning_effort: Effort | None = None
    """How long this model may think (none, minimal, low, medium, high, xhigh, max); null leaves it to the host."""
    local: TrueFalseAuto = "auto"
    """Whether the host shares its machine with others who wait; auto: true when it runs on this machine."""
    sees: TrueFalseAuto = "auto"
    """Whether the model takes pictures; auto: as its host says, else by its name."""
    fallbacks: HostModels = ()
    """Models as host/model, tried in order when the host is down, refuses or is out of quota."""


class Host(Section):
    """One model host under `hosts`, to be named in `provider`, in fallbacks and in `/model`."""

    kind: HostKind = "openai"
    """How to talk to it: openai (any OpenAI-compatible server), anthropic, or local (started by Innkeeper)."""
    base_url: WebAddress | None = None
    """The server's address; null means the kind's own."""
    api_key: Secret | None = Field(None, repr=False)
    """The key; null takes the kind's usual variable when base_url is null too."""
    context_window: Positive | None = None
    """Tokens that its model can read at once; null asks the host."""
    local: TrueFalseAuto = "auto"
    """Whether reviews should wait until it is idle; auto: true when it runs on this machine."""
    sees: TrueFalseAuto = "auto"
    """Whether its model takes pictures; auto: as the host says, else by the model's name."""
    concurrency: Positive | None = None
    """Requests that it may answer at once; null does not limit. The kind local answers one at a time."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What a kind that a plugin brings wants to know besides."""


class Access(Section):
    """Who may decide and who may change settings. Who may talk is set for each platform."""

    owners: References = ()
    """People as platform:id who may change settings; empty makes everybody allowed by an explicit id an owner."""
    operators: References = ()
    """People as platform:id who may approve and reject what waits."""
    home_chats: References = ()
    """Chats as platform:id in which notices and cards for operators are shown."""


class BackgroundReview(Section):
    """Looking back at a conversation for what is worth keeping."""

    enabled: Truth = True
    """false stops automatic reviews; /refine still works."""
    provider: Provider = "auto"
    """The host of the review's model; auto means the conversation's own."""
    model: str = "auto"
    """The review's model, or host/model; auto means the conversation's own."""
    reasoning_effort: Effort | None = None
    """Acts only on another model than the conversation's; null leaves it to the host."""
    max_input_tokens: int | None = None
    """Tokens that one review may read in all; null: 75 % of the window; 0 or less: no limit."""
    extra_tools: Texts = ()
    """Further tools that a review may use, of those that the conversation has."""
    defer: Literal["auto", "never", "always"] = "auto"
    """Whether reviews wait until the host is idle; auto: on hosts that are local."""
    defer_max_age_s: Count = 1800
    """Seconds after which a waiting review starts although the host is busy."""
    quiet_s: Count = 15
    """Seconds without a turn before a waiting review may start."""


class SideModel(Section):
    """The model for a side task."""

    provider: Provider = "auto"
    """The host; auto means the main model's."""
    model: str = "auto"
    """The model, or host/model; auto means the main model."""


class Transcription(Section):
    """The host that writes down what voice messages say."""

    provider: Provider | None = None
    """A host of kind openai that has /audio/transcriptions; null: voice messages cannot be listened to."""
    model: str = "auto"
    """The model's name there; auto: whisper-1 at OpenAI, elsewhere the one that sounds like it."""


class Auxiliary(Section):
    """Models for work beside the chat."""

    background_review: BackgroundReview = BackgroundReview()
    """Reviews of conversations."""
    curator: SideModel = SideModel()
    """Merging of skills."""
    compaction: SideModel = SideModel()
    """Summaries of long conversations."""
    title: SideModel = SideModel()
    """Titles of conversations."""
    transcription: Transcription = Transcription()
    """Voice messages as text."""


class Agent(Section):
    """What the assistant may use in a turn."""

    disabled_toolsets: Texts = ()
    """Names of toolsets that are not offered, such as memory, skills, files."""
    max_iterations: Positive = 30
    """Model calls in one turn, at most."""
    file_roots: Texts = ()
    """Folders that the file tools may touch; without any, only what was too large to be shown whole is read on."""


class Installed(Section):
    """What is installed beside the house."""

    disabled: Texts = ()
    """Plugins that are left alone, by their names or by those of their packages."""


class Settings(Section):
    """The whole of config.yaml, checked. `platforms` holds each platform's own settings model, by name."""

    model: Model = Model()
    """The main model."""
    hosts: dict[HostName, Host] = Field(default_factory=dict)
    """Model hosts by name."""
    platforms: dict[str, SerializeAsAny[BaseModel]] = Field(default_factory=dict)
    """Chat platforms by name."""
    access: Access = Access()
    """Roles."""
    memory: Memory = Memory()
    """Curated memory."""
    skills: Skills = Skills()
    """Skills."""
    display: Display = Display()
    """Notices."""
    auxiliary: Auxiliary = Auxiliary()
    """Models for side tasks."""
    sessions: Sessions = Sessions()
    """Where a session ends."""
    attachments: Attachments = Attachments()
    """Files that people send."""
    gateway: Gateway = Gateway()
    """The running gateway."""
    curator: Curator = Curator()
    """Care of skills."""
    jobs: Jobs = Jobs()
    """What is done by itself at its time."""
    agent: Agent = Agent()
    """Tools in a turn."""
    hooks: Hooks = Hooks()
    """Large outputs."""
    dashboard: Dashboard = Dashboard()
    """The web page."""
    mcp_servers: dict[McpName, McpServer] = Field(default_factory=dict)
    """MCP servers by name."""
    mcp: Mcp = Mcp()
    """The tools of MCP servers."""
    plugins: Installed = Installed()
    """Plugins."""

    def platform(self, name: str) -> Mapping[str, Any]:
        """A platform's settings as plain values; empty when it has none."""
        found = self.platforms.get(name)
        return {} if found is None else found.model_dump()


def flattened(settings: Settings) -> Iterator[tuple[str, Any]]:
    """Every effective value as (dotted key, plain value), in the order of the schema. Empty groups are `{}`."""
    yield from _flat("", settings.model_dump(mode="json"))


def _flat(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and (value or not path):
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner)
    else:
        yield path, value
