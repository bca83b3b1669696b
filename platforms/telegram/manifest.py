"""Telegram in the register: known before its library is imported."""

from platforms.manifest import PlatformManifest

manifest = PlatformManifest(
    name="telegram",
    adapter="platforms.telegram.adapter:build",
    settings="platforms.telegram.settings:TelegramSettings",
    token_variable="TELEGRAM_BOT_TOKEN",
    prompt_hint="The person reads on Telegram: bold, italic, lists, links, quotes and code show; wide tables do not.",
)
