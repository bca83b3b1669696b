"""`platforms.discord` in config.yaml: its keys and defaults, checked before the Discord library is imported."""

from __future__ import annotations

from pydantic import Field

from platforms.settings import Allowlist, Secret, Section, SocketAddress, Truth, WebAddress


class DiscordSettings(Section):
    """How the bot connects to Discord, and who may talk to it there."""

    token: Secret | None = Field(None, repr=False)
    """The bot's token; null takes DISCORD_BOT_TOKEN. The platform is on when it has a token."""
    api_url: WebAddress | None = None
    """Another REST server; null means Discord's own."""
    gateway_url: SocketAddress | None = None
    """Another gateway (ws:// or wss://); null means Discord's own."""
    allowed_users: Allowlist = ()
    """Ids of people who may talk to the bot; "*" lets everybody in."""
    allowed_channels: Allowlist = ()
    """Ids of channels in which the bot answers; "*" means any."""
    require_mention: Truth = True
    """In channels, answer only when mentioned or replied to."""
