"""`platforms.telegram` in config.yaml: its keys and defaults, checked before the Telegram library is imported."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, ValidationInfo, field_validator

from platforms.settings import Allowlist, Secret, Section, Truth, WebAddress


class TelegramSettings(Section):
    """How the bot connects to Telegram, and who may talk to it there."""

    token: Secret | None = Field(None, repr=False)
    """The bot's token from @BotFather; null takes TELEGRAM_BOT_TOKEN. The platform is on when it has a token."""
    base_url: WebAddress | None = None
    """Another Bot API server, without `/bot`; null means Telegram's own."""
    mode: Literal["polling", "webhook"] = "polling"
    """How updates arrive: `polling` asks for them, `webhook` lets Telegram call `webhook_url`."""
    webhook_url: WebAddress | None = Field(None, validate_default=True)
    """The public address that Telegram calls; required in webhook mode."""
    webhook_secret: Secret | None = Field(None, repr=False, validate_default=True)
    """The word that proves a call came from Telegram (letters, digits, _ and -); required in webhook mode."""
    webhook_listen: str = "127.0.0.1:8443"
    """Where to listen for Telegram's calls in webhook mode, as host:port; a proxy brings them from `webhook_url`."""
    allowed_users: Allowlist = ()
    """Ids of people who may talk to the bot; "*" lets everybody in."""
    allowed_chats: Allowlist = ()
    """Ids of groups in which the bot answers; "*" means any."""
    require_mention: Truth = True
    """In groups, answer only when mentioned or replied to."""

    @field_validator("webhook_url", "webhook_secret")
    @classmethod
    def _webhook_is_complete(cls, value: str | None, info: ValidationInfo) -> str | None:
        if info.data.get("mode") == "webhook" and not value:
            raise ValueError("is required when mode is webhook")
        return value

    @field_validator("webhook_listen")
    @classmethod
    def _can_be_listened_at(cls, value: str) -> str:
        host, _, port = value.strip().rpartition(":")
        if not host or not port.isdecimal() or not 1 <= int(port) <= 65535:
            raise ValueError("must be host:port, such as 127.0.0.1:8443 or 0.0.0.0:8443")
        return value.strip()

    @field_validator("webhook_secret")
    @classmethod
    def _secret_fits_a_header(cls, value: str | None) -> str | None:
        # The Bot API's own rule for secret_token.
        if value is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", value):
            raise ValueError("must be 1 to 256 letters, digits, _ or -")
        return value
