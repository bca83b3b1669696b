"""What pages about the house need of its model hosts, as a protocol."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class HostView:
    """A model that may be asked, as `host/model`, and what its host does now: `why` says it in words. `tools`:
    whether a trial saw it call tools, None when it was never tried; `tried` is the day of the trial."""

    name: str
    main: bool
    state: Literal["idle", "busy", "unknown"]
    why: str
    tools: bool | None = None
    tried: str = ""


class HostStates(Protocol):
    """The model hosts that are configured."""

    async def states(self) -> Sequence[HostView]:
        """The main model first. Hosts are asked, for a few seconds at most; no model is woken."""
