"""Discord in the register: known before its library is imported."""

from platforms.manifest import PlatformManifest

manifest = PlatformManifest(
    name="discord",
    adapter="platforms.discord.adapter:build",
    settings="platforms.discord.settings:DiscordSettings",
    token_variable="DISCORD_BOT_TOKEN",
    prompt_hint="The person reads on Discord: bold, italic, headings, lists, quotes and code show; tables do not.",
)
