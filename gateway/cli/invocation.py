"""What every subcommand gets: which profile is meant, and its settings, read when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the short path (`innkeeper --help`) pays for none of this
    from commands.registry import Registry
    from gateway.config.extensions import Extensions
    from gateway.config.load import Loaded
    from gateway.config.paths import Profile
    from gateway.config.plugins import Plugins


USAGE = 2
"""Exit code for wrong usage or configuration."""
FAILED = 1
"""Exit code for what could not be done."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """The global options of one call. It is `click.Context.obj`."""

    profile_name: str | None
    environment: Mapping[str, str] = field(repr=False)

    def profile(self) -> Profile:
        """The profile meant; its folders may not exist yet. Raises ConfigurationError when there is no such one."""
        from gateway.config.profiles import resolve

        return resolve(self.profile_name, self.environment)

    def prepared(self) -> Profile:
        """The same, with its folders made."""
        from gateway.config.profiles import prepare

        return prepare(self.profile())

    def plugins(self) -> Plugins:
        """The plugins that are announced, without what the profile turns off. Imports none of them."""
        from gateway.config.plugins import installed

        return installed(self.profile())

    def commands(self) -> Registry:
        """The commands of the house and of plugins."""
        from commands.registry import built_in
        from gateway.config.plugins import COMMAND

        return built_in(self.plugins().points(COMMAND))

    def extensions(self) -> Extensions:
        """The platforms, kinds of model hosts and outside memories that plugins add to the settings."""
        from gateway.config.extensions import Extensions

        return Extensions.of(self.plugins())

    def settings(self) -> Loaded:
        """The profile's settings. Raises ConfigurationError with every problem."""
        from gateway.config.load import load_settings

        return load_settings(self.profile(), self.environment, self.extensions())
