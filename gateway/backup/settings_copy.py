"""The settings' part of a backup: config.yaml without its secrets, and the names of what .env holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gateway.backup.gathering import digested
from gateway.backup.manifest import KeptFile
from gateway.config.dotenv import read_env
from gateway.config.expand import Variables, configured_secrets, worth_masking
from gateway.config.extensions import Extensions
from gateway.config.hosts import CLOUDS
from gateway.config.lines import decoded, parse
from gateway.config.paths import Profile
from gateway.config.without_secrets import Taken, without_secrets
from gateway.errors import ConfigurationError
from gateway.observability.redact import Redactor


@dataclass(frozen=True, slots=True)
class SettingsCopy:
    """`variables` are the names in .env; `left_out` says why config.yaml is not among the files, if it is not."""

    files: tuple[KeptFile, ...] = ()
    taken: tuple[Taken, ...] = ()
    variables: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def usual_variables(extensions: Extensions) -> dict[str, str]:
    """By dotted key, the variable that a secret is usually in."""
    tokens = {
        f"platforms.{name}.token": each.token_variable
        for name, each in extensions.manifests().items()
        if each.token_variable
    }
    return {**tokens, **{f"hosts.{name}.api_key": each.variable for name, each in CLOUDS.items()}}


def copy_settings(profile: Profile, target: Path, variables: Mapping[str, str]) -> SettingsCopy:
    """Write config.yaml without secrets into the folder. A file that cannot be understood is left out as a whole."""
    left_out: list[str] = []
    env: dict[str, str] = {}
    try:
        env = read_env(profile.env)
    except ConfigurationError as error:
        left_out.append(f".env could not be read, so its names are not known: {error.problems[0]}")
    names = tuple(sorted(env))
    try:
        text = decoded(profile.config.read_bytes(), profile.config.name)
    except FileNotFoundError:
        return SettingsCopy(variables=names, left_out=tuple(left_out))
    except (OSError, ConfigurationError) as error:
        return SettingsCopy(variables=names, left_out=(*left_out, _without(error)))
    try:
        known = {*Variables({}, env).secrets(), *configured_secrets(parse(text).values)}
        portable = without_secrets(text, Redactor(worth_masking(_plain(known))), variables)
    except ConfigurationError as error:
        return SettingsCopy(variables=names, left_out=(*left_out, _without(error)))
    goal = target / profile.config.name
    goal.write_text(portable.text, encoding="utf-8", newline="")
    goal.chmod(0o600)
    return SettingsCopy((digested(goal, profile.config.name),), portable.taken, names, tuple(left_out))


def _plain(values: set[str]) -> set[str]:
    """Without references, which stand in the file and are no secrets."""
    return {each for each in values if not each.startswith("${")}


def _without(error: Exception) -> str:
    return f"config.yaml is left out, since nobody can tell what in it is secret: {error}".splitlines()[0]
