"""`innkeeper setup`: a few questions for the first time; every one can be skipped, and nothing that is set is lost.

Settings go to config.yaml by the same path as `config set`; secrets go to `.env`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from gateway.cli.invocation import Invocation
from gateway.cli.without_skills import no_skills, opt_out

if TYPE_CHECKING:
    from gateway.config.load import Loaded


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `now` is what is in force, shown as the answer that Enter keeps; secrets are typed unseen."""

    name: str
    text: str
    choices: tuple[str, ...] = ()
    now: str = ""
    secret: bool = False


Ask = Callable[[Question], str]
"""The person's answer, stripped; empty to skip."""


@dataclass(slots=True)
class Plan:
    """What the answers ask for: `keys` for config.yaml as (key, value as written), `secrets` for .env."""

    keys: list[tuple[str, str]] = field(default_factory=list)
    secrets: dict[str, str] = field(default_factory=dict)


MODEL_KEY = "INNKEEPER_MODEL_KEY"


@click.command()
@no_skills
@click.pass_obj
def setup(invocation: Invocation, without_skills: bool) -> None:
    """Answer a few questions and start. Enter skips a question and keeps what is set."""
    if without_skills:
        opt_out(invocation)
    from gateway.config.not_yet import warnings
    from gateway.config.profiles import furnish

    loaded = invocation.settings()
    if not sys.stdin.isatty():
        click.echo("This asks questions and needs a terminal. It would ask:", err=True)
        interview(loaded, _listed, plan := Plan())
        click.echo("Without one, use `innkeeper config set KEY VALUE`, and put secrets into .env.", err=True)
        raise click.exceptions.Exit(2)
    profile = furnish(invocation.profile())
    click.echo(f"Setting up {profile.folder}. Enter skips a question and keeps what is set.\n")
    plan = Plan()
    interview(loaded, _asked, plan)
    for line in carry_out(invocation, plan):
        click.echo(line)
    for line in warnings(invocation.settings().settings):
        click.echo(f"Note: {line}.")
    click.echo(
        "\nNext: `innkeeper doctor` checks it, `innkeeper chat` talks here, `innkeeper run` starts the gateway."
    )


MESSENGERS = (
    ("telegram", "TELEGRAM_BOT_TOKEN", "your own number, from @userinfobot"),
    ("discord", "DISCORD_BOT_TOKEN", "your own id: Developer Mode on, then Copy User ID on your name"),
)
"""The platforms that setup asks about: name, where the token goes, and how people find their ids."""


def interview(loaded: Loaded, ask: Ask, plan: Plan) -> None:
    """Ask everything and note what is wanted; nothing is written."""
    settings = loaded.settings
    _about_model(loaded, ask, plan)
    for name, variable, ids in MESSENGERS:
        values = settings.platform(name)
        title = name.capitalize()
        token = ask(Question(f"{name} token", f"{title} bot token", now=_set(values["token"]), secret=True))
        if token:
            plan.secrets[variable] = token
            if loaded.origin(f"platforms.{name}.token").startswith("config.yaml"):
                plan.keys.append((f"platforms.{name}.token", "null"))
        if token or values["token"]:
            now = ", ".join(values["allowed_users"])
            who = ask(
                Question(f"{name} people", f"Who may talk to it on {title} ({ids}; several with commas)", now=now)
            )
            if who:
                plan.keys.append((f"platforms.{name}.allowed_users", _list(who)))
    owners = ask(
        Question(
            "owners",
            "Owners who may change settings, as telegram:111 (none: everybody named above)",
            now=", ".join(settings.access.owners),
        )
    )
    if owners:
        plan.keys.append(("access.owners", _list(owners)))
    rule = ask(
        Question(
            "approval",
            "Which writes to memory wait for your yes? (auto, recommended: those from messengers, jobs and reviews)",
            choices=("auto", "on", "off"),
            now=_rule(settings.memory.write_approval),
        )
    )
    if rule:
        plan.keys.append(("memory.write_approval", {"on": "true", "off": "false"}.get(rule, rule)))


def _about_model(loaded: Loaded, ask: Ask, plan: Plan) -> None:
    from gateway.config.hosts import CLOUDS, LOCAL
    from gateway.models.main_host import main_host

    model = loaded.settings.model
    main = main_host(loaded.settings, loaded.keys)
    now = "embedded" if main.kind == LOCAL else main.cloud or "server"
    if main.kind == LOCAL and loaded.origin("model.provider") == "default":
        now = ""  # nobody chose it
    kind = ask(
        Question(
            "model",
            "Which model host? (embedded: a small model on this machine; server: any OpenAI-compatible address)",
            choices=("embedded", "server", *CLOUDS),
            now=now,
        )
    )
    if kind == "embedded":
        plan.keys += [("model.provider", "local"), ("model.base_url", "null")]
    elif kind == "server":
        address = ask(Question("address", "Its address, such as http://127.0.0.1:8080/v1", now=model.base_url or ""))
        if not address and not model.base_url:
            return
        plan.keys += [("model.provider", "auto"), ("model.base_url", address or model.base_url or "null")]
        key = ask(Question("key", "Its key, if it wants one", now=_set(model.api_key), secret=True))
        if key:
            plan.secrets[MODEL_KEY] = key
            plan.keys.append(("model.api_key", f"${{{MODEL_KEY}}}"))
    elif kind:
        plan.keys += [("model.provider", kind), ("model.base_url", "null")]
        key = ask(Question("key", f"Your {kind} key", now=_set(loaded.keys.get(kind)), secret=True))
        if key:
            plan.secrets[CLOUDS[kind].variable] = key
            if loaded.origin("model.api_key").startswith("config.yaml"):
                plan.keys.append(("model.api_key", "null"))
    if kind and kind != "embedded":
        usual = " (auto: the one it serves)" if kind == "server" else ""
        name = ask(Question("name", f"The model's name there{usual}", now=model.model))
        if name:
            plan.keys.append(("model.model", json.dumps(name)))


def carry_out(invocation: Invocation, plan: Plan) -> list[str]:
    """Write what the plan says; returns a line for each thing done. Raises ConfigurationError."""
    from gateway.config.dotenv import set_env
    from gateway.config.edit import set_key

    profile = invocation.prepared()
    lines: list[str] = []
    if plan.secrets:
        set_env(profile.env, plan.secrets)
        lines.append(f"{profile.env}: {', '.join(plan.secrets)}")
    extensions = invocation.extensions()
    for key, value in plan.keys:
        edited = set_key(profile, key, value, invocation.environment, extensions)
        if edited.changed:
            lines.append(f"{profile.config}: {key}")
    hidden = [name for name in plan.secrets if _hides(invocation.environment, name, plan.secrets[name])]
    lines += [f"Note: {name} is also set in the environment, which comes before .env." for name in hidden]
    return lines or ["Nothing was changed."]


def _hides(environment: Mapping[str, str], name: str, value: str) -> bool:
    return bool(environment.get(name)) and environment[name] != value


def _asked(question: Question) -> str:
    """Ask at the terminal; again until the answer is one of the choices, or nothing."""
    while True:
        offer = f" ({'/'.join(question.choices)})" if question.choices else ""
        now = f" [{question.now}]" if question.now else " [skip]"
        answer: str = click.prompt(
            f"{question.text}{offer}{now}", default="", show_default=False, hide_input=question.secret
        )
        answer = answer.strip()
        if not answer or not question.choices or answer in question.choices:
            return answer
        click.echo(f"Please answer {', '.join(question.choices)}, or Enter to skip.")


def _listed(question: Question) -> str:
    """Only name the question."""
    offer = f" ({'/'.join(question.choices)})" if question.choices else ""
    click.echo(f"- {question.text}{offer}", err=True)
    return ""


def _rule(value: bool | str) -> str:
    return "auto" if value == "auto" else "on" if value else "off"


def _set(value: object) -> str:
    return "set" if value else ""


def _list(answer: str) -> str:
    """`111, 222` as a list in the file."""
    return json.dumps([part for part in answer.replace(",", " ").split() if part])
