"""Reading a profile's settings: file, variables, checks, and for every value where it came from.

All problems are reported at once. A missing config.yaml means defaults; a broken one never does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from gateway.config.dotenv import read_env
from gateway.config.expand import Expansion, Variables, configured_secrets, is_secret, masked, worth_masking
from gateway.config.extensions import MEMORY_PROVIDERS, Extensions
from gateway.config.hosts import CLOUDS, KINDS, PREDEFINED
from gateway.config.keys import PROVIDERS, Models, unknown
from gateway.config.lines import Document, Key, dotted, read, scalar
from gateway.config.paths import Profile
from gateway.config.problems import wording
from gateway.config.schema import Settings, flattened
from gateway.config.values import Known
from gateway.errors import ConfigurationError
from memory.providers.registry import BrokenProvider

Problem = tuple[Key, str]

HEALTH_PORT = "INNKEEPER_HEALTH_PORT"
"""The variable that gives gateway.health_port where the file gives none."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings in force. `origins` says for each dotted key where its value came from; keys not in it are defaults.

    `secrets` are all configured secret values, for masking. `keys` holds the usual API keys that are set, by
    provider. `variables` is the environment over `.env`, for parts that name variables of their own.
    """

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)

    def origin(self, key: str) -> str:
        """`config.yaml:LINE`, `environment NAME`, `.env NAME` or `default`."""
        while key not in self.origins and "." in key:
            key = key.rpartition(".")[0]
        return self.origins.get(key, "default")


def load_settings(profile: Profile, environment: Mapping[str, str], extensions: Extensions | None = None) -> Loaded:
    """The profile's settings. Raises ConfigurationError with every problem, each `config.yaml:LINE key: what`."""
    problems: list[str] = []
    document, file = Document(), {}
    try:
        document = read(profile.config)
    except ConfigurationError as error:
        problems += error.problems
    try:
        file = read_env(profile.env)
    except ConfigurationError as error:
        problems += error.problems
    if problems:
        raise ConfigurationError(problems)
    return loaded(document, Variables(environment, file), extensions or Extensions(), profile.config.name)


def loaded(document: Document, variables: Variables, extensions: Extensions, name: str = "config.yaml") -> Loaded:
    """The same for a document that is already read."""
    reading = _Reading(document, variables, extensions)
    settings = reading.settings()
    secrets = worth_masking({*reading.secrets(), *variables.secrets()})
    if settings is None:
        lines = sorted({(document.line(key), f"{dotted(key)}: {text}") for key, text in reading.problems})
        lines = sorted({*lines, *document.problems})
        raise ConfigurationError([masked(f"{name}:{line} {text}", secrets) for line, text in lines])
    return Loaded(
        settings,
        reading.origins(settings, name),
        secrets,
        {name: found[0] for name, cloud in CLOUDS.items() if (found := variables.find(cloud.variable))},
        {**variables.file, **{key: value for key, value in variables.environment.items() if value}},
    )


class _Reading:
    """One pass from a document to settings."""

    def __init__(self, document: Document, variables: Variables, extensions: Extensions) -> None:
        self.document = document
        self.variables = variables
        self.extensions = extensions
        self.models: Models = extensions.platform_models()
        self.expansion = Expansion()
        self.values: dict[str, Any] = self.expansion.value(document.values, (), variables)
        self.filled: dict[Key, str] = {}
        self.problems: list[Problem] = []
        self.named = _named_providers(self.values)
        self.providers: Models = extensions.provider_models(self.named)

    def settings(self) -> Settings | None:
        """The settings, or None with `problems` saying why."""
        self._fill_tokens()
        self._fill_keys()
        self._fill_health_port()
        settings, problems = self._checked()
        again = [key for key, _ in problems if key in self.expansion.whole and key in self.document.spelled]
        if again:
            # An unquoted ${NAME} may stand for a number or a switch; text is tried first, so that keys stay text.
            for key in again:
                _place(self.values, key, scalar(_at(self.values, key)))
            settings, problems = self._checked()
        unset = {key for key, _ in self.expansion.problems}
        self.problems = self.expansion.problems + [problem for problem in problems if problem[0] not in unset]
        return None if self.problems or self.document.problems else settings

    def secrets(self) -> set[str]:
        found = {*configured_secrets(self.values), *self.expansion.secrets}
        tokens = [each.token_variable for each in self.extensions.manifests().values()]
        theirs = [self.extensions.provider(name) for name in self.named]
        needs = [need.variable for each in theirs if each is not None for need in each.secrets]
        names = [*(each.variable for each in CLOUDS.values()), *tokens, *needs]
        return found | {pair[0] for name in names if name and (pair := self.variables.find(name))}

    def origins(self, settings: Settings, name: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for key, line in self.document.lines.items():
            if key in self.filled:
                continue
            source = self.expansion.origins.get(key)
            found[dotted(key)] = f"{name}:{line}" + (f" from {source}" if source else "")
        found |= {dotted(key): source for key, source in self.filled.items()}
        wanted = [key for key, _ in flattened(settings)]
        groups = {dotted(key) for key in self.document.lines if isinstance(_at(self.document.values, key), dict)}
        return {key: source for key, source in found.items() if key not in groups or key in wanted}

    def _fill_tokens(self) -> None:
        platforms = self.values.get("platforms") if self.values.get("platforms") is not None else {}
        for name, manifest in self.extensions.manifests().items():
            model = self.models[name]
            if model is None or "token" not in model.model_fields or not isinstance(platforms, dict):
                continue
            found = self.variables.find(manifest.token_variable) if manifest.token_variable else None
            own = platforms.get(name) if platforms.get(name) is not None else {}
            if found and isinstance(own, dict) and own.get("token") is None:
                self.values["platforms"] = platforms = {**platforms, name: {**own, "token": found[0]}}
                self.filled["platforms", name, "token"] = found[1]

    def _fill_keys(self) -> None:
        """Usual API keys, for the provider that is named; never for an address of a host with a name of its own."""
        model = self.values.get("model")
        if isinstance(model, dict):
            self._fill_key(model, ("model",), model.get("provider"))
        hosts = self.values.get("hosts")
        for name, host in hosts.items() if isinstance(hosts, dict) else ():
            if isinstance(host, dict):
                own = name if name in CLOUDS else host.get("kind", "openai")
                if name in CLOUDS or host.get("base_url") is None:
                    self._fill_key(host, ("hosts", name), own)

    def _fill_key(self, group: dict[str, Any], path: Key, provider: object) -> None:
        cloud = CLOUDS.get(provider) if isinstance(provider, str) else None
        found = self.variables.find(cloud.variable) if cloud else None
        if found and group.get("api_key") is None:
            group["api_key"] = found[0]
            self.filled[*path, "api_key"] = found[1]

    def _fill_health_port(self) -> None:
        """A container's recipe opens the door for probes by a variable: the file is its owner's."""
        found = self.variables.find(HEALTH_PORT)
        own = self.values.get("gateway") if self.values.get("gateway") is not None else {}
        if found and isinstance(own, dict) and own.get("health_port") is None:
            self.values["gateway"] = {**own, "health_port": scalar(found[0])}
            self.filled["gateway", "health_port"] = found[1]

    def _checked(self) -> tuple[Settings | None, list[Problem]]:
        problems: list[Problem] = []
        known = self._known()
        values = dict(self.values)
        values["platforms"] = self._platforms(values.pop("platforms", None), known, problems)
        if isinstance(memory := values.get("memory"), dict):
            values["memory"] = {**memory, "providers": self._providers(memory.get("providers"), known, problems)}
        try:
            settings = Settings.model_validate(values, context=known)
        except ValidationError as error:
            problems += self._worded(error, ())
            settings = None
        return settings, problems

    def _platforms(self, written: object, known: Known, problems: list[Problem]) -> dict[str, BaseModel]:
        found: dict[str, BaseModel] = {}
        sections = {} if written is None else written
        if not isinstance(sections, dict):
            problems.append((("platforms",), "must be a group of keys, one for each platform"))
            sections = {}
        for name in sections:
            if name not in self.extensions.off and self.models.get(name) is None:
                silent = name in self.models
                text = "has no settings, remove it" if silent else unknown(("platforms", name), self.models)
                problems.append((("platforms", name), text))
        for name, model in self.models.items():
            if model is None:
                continue
            section = sections.get(name)
            try:
                found[name] = model.model_validate({} if section is None else section, context=known)
            except ValidationError as error:
                problems += self._worded(error, ("platforms", name))
        return found

    def _providers(self, written: object, known: Known, problems: list[Problem]) -> dict[str, BaseModel]:
        """The settings of the outside memories that are written of, and of the one that is chosen."""
        found: dict[str, BaseModel] = {}
        sections = {} if written is None else written
        if not isinstance(sections, dict):
            problems.append((PROVIDERS, "must be a group of keys, one for each outside memory"))
            return found
        for name in self.named:
            model, section = self.providers.get(name), sections.get(name)
            if model is None:
                if name in sections:
                    problems.append(((*PROVIDERS, name), self._without_settings(name)))
                continue
            try:
                found[name] = model.model_validate({} if section is None else section, context=known)
            except ValidationError as error:
                problems += self._worded(error, (*PROVIDERS, name))
        return found

    def _without_settings(self, name: str) -> str:
        if name in self.providers:
            return "has no settings, remove it"
        broken = self.extensions.providers.get(name)
        return broken.why if isinstance(broken, BrokenProvider) else "no outside memory of that name is installed"

    def _known(self) -> Known:
        hosts = self.values.get("hosts")
        names = frozenset(hosts) if isinstance(hosts, dict) else frozenset()
        kinds = self.extensions.host_kinds
        return Known(
            providers=PREDEFINED | kinds | names,
            host_kinds=KINDS | kinds,
            platforms=frozenset(self.models) | self.extensions.off,
            memory_providers=MEMORY_PROVIDERS | self.extensions.memory_providers | self._installed(),
        )

    def _installed(self) -> frozenset[str]:
        """Names of outside memories; nobody is asked for them where none is named."""
        return self.extensions.providers.names if self.named else frozenset()

    def _worded(self, error: ValidationError, prefix: Key) -> list[Problem]:
        problems: list[Problem] = []
        for detail in error.errors(include_url=False):
            key = (*prefix, *(part for part in detail["loc"] if part != "[key]"))
            if detail["type"] == "extra_forbidden":
                problems.append((key, unknown(key, self.models, self.providers)))
            else:
                problems.append((key, wording(detail, secret=is_secret(key))))
        return problems


def _named_providers(values: Mapping[str, Any]) -> list[str]:
    """Outside memories that the file names: the one that is used, and those with settings."""
    memory = values.get("memory")
    if not isinstance(memory, dict):
        return []
    sections, chosen = memory.get("providers"), memory.get("provider")
    names = [*(sections if isinstance(sections, dict) else ()), chosen]
    return list(dict.fromkeys(each for each in names if isinstance(each, str)))


def _at(values: Any, key: Key) -> Any:
    for part in key:
        values = values[part]
    return values


def _place(values: Any, key: Key, value: object) -> None:
    _at(values, key[:-1])[key[-1]] = value
