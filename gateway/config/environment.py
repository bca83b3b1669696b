"""The process's environment: the one place that reads it; everything else is handed a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping


def process_environment() -> Mapping[str, str]:
    """The variables of this process, as they are now."""
    return dict(os.environ)
