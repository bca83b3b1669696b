"""The one table of model hosts that need no description: each cloud's wire, address and usual key, and the local one.

What a client does with them is in gateway/models; further hosts are described under `hosts` in config.yaml.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LOCAL = "local"
"""The host that Innkeeper starts itself."""


@dataclass(frozen=True, slots=True)
class Cloud:
    """`kind` is the wire that it speaks, `variable` where its key usually is."""

    kind: str
    address: str
    variable: str


CLOUDS: Mapping[str, Cloud] = {
    "openai": Cloud("openai", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    "anthropic": Cloud("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    "openrouter": Cloud("openai", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
}
KINDS = frozenset({LOCAL, *(cloud.kind for cloud in CLOUDS.values())})
PREDEFINED = frozenset({LOCAL, *CLOUDS})
