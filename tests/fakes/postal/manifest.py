"""The entry of the platform `post`, found by the gateway through an entry point like any plugin's."""

from __future__ import annotations

from platforms.manifest import PlatformManifest

manifest = PlatformManifest(
    "post",
    adapter="tests.fakes.postal.adapter:PostAdapter",
    settings="tests.fakes.postal.settings:PostSettings",
    prompt_hint="Your answers are read on paper.",
)
