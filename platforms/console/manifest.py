"""The console in the register: always there, no settings, no token."""

from platforms.manifest import PlatformManifest

manifest = PlatformManifest(
    name="console",
    adapter="platforms.console.adapter:ConsoleAdapter",
    always_on=True,
    prompt_hint="The person reads in a terminal: Markdown is rendered, wide tables are not.",
)
