"""What can go wrong with a backup."""

from __future__ import annotations

from gateway.errors import InnkeeperError


class BackupFault(InnkeeperError):
    """It could not be made, read or put back; the text says why. What was there before is there still."""


class Damaged(BackupFault):
    """The file is no backup, or not as it was made."""


class Occupied(BackupFault):
    """The profile has something in it, and nobody said that it may be set aside."""
