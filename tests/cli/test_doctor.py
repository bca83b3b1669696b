"""`innkeeper doctor`: each thing that can be wrong is named, with what to do about it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from gateway.cli.doctor import Answer, Check, Finding, all_checks, examine, http_probe, patient, report
from gateway.config.lock import ProfileLock
from tests.cli.shell import Shell


class Network:
    """Answers as told, and remembers what was asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[tuple[str, dict[str, str]]] = []

    def __call__(self, address: str, headers: dict[str, str]) -> Answer:
        self.asked.append((address, headers))
        return self.answer


def findings(shell: Shell, answer: Answer | None = None) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for name, finding in examine(patient(shell.invocation(), Network(answer or Answer(200))), all_checks()):
        found.setdefault(name, []).append(finding)
    return found


def level(found: dict[str, list[Finding]], name: str) -> set[str]:
    return {finding.level for finding in found[name]}


def test_a_house_in_order(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text(
        "model: {base_url: 'http://127.0.0.1:1/v1'}\nplatforms: {telegram: {allowed_users: [111]}}\n"
    )
    innkeeper.profile.env.write_text("TELEGRAM_BOT_TOKEN=1:token\n")
    innkeeper.profile.env.chmod(0o600)
    found = findings(innkeeper)
    assert {name for name in found if level(found, name) != {"ok"}} == set()
    assert {"python", "home", "disk", "settings", "secrets", "lock", "platforms", "model", "hosts"} <= set(found)


def test_broken_settings_are_quoted_and_the_rest_is_still_checked(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("memroy: {}\n")
    found = findings(innkeeper)
    assert found["settings"][0].text == "config.yaml:1 memroy: unknown key, did you mean memory?"
    assert level(found, "lock") == {"ok"}
    assert "hosts" not in found
    assert innkeeper("doctor").exit_code == 1


def test_what_is_open_to_others_is_closed(innkeeper: Shell) -> None:
    innkeeper.profile.env.write_text("A=1\n")
    innkeeper.profile.env.chmod(0o644)
    innkeeper.home.chmod(0o755)
    innkeeper.profile.config.write_text(
        "platforms: {telegram: {token: '1:x', allowed_users: ['*']}, discord: {token: y}}\n"
    )
    found = findings(innkeeper)
    assert found["secrets"][0].next_step == f"chmod 600 {innkeeper.profile.env}"
    assert found["home"][0].next_step == f"chmod 700 {innkeeper.home}"
    assert [(finding.level, finding.text.split()[0]) for finding in found["platforms"]] == [
        ("warning", "anybody"),
        ("warning", "discord"),
    ]


def test_the_owner_of_the_profile_is_named(innkeeper: Shell) -> None:
    with ProfileLock(innkeeper.profile):
        assert "runs as process" in findings(innkeeper)["lock"][0].text


@pytest.mark.parametrize(
    ("answer", "expected", "words"),
    [
        (Answer(200), "ok", "answers"),
        (Answer(None, "connection refused"), "problem", "connection refused"),
        (Answer(401), "problem", "refuses the key"),
        (Answer(404), "warning", "no list of models"),
        (Answer(503), "warning", "loading"),
        (Answer(500), "problem", "error"),
    ],
)
def test_each_host_is_asked_for_its_models(innkeeper: Shell, answer: Answer, expected: str, words: str) -> None:
    innkeeper.profile.config.write_text(
        "hosts:\n  lab: {base_url: 'http://127.0.0.1:1/v1', api_key: lab-key}\n"
        "  claude: {kind: anthropic, base_url: 'http://127.0.0.1:2', api_key: claude-key}\n"
    )
    network = Network(answer)
    hosts = [
        finding
        for name, finding in examine(patient(innkeeper.invocation(), network), all_checks())
        if name == "hosts"
    ]
    assert [(finding.level, words in finding.text) for finding in hosts] == [(expected, True)] * 2
    assert "key" not in "".join(finding.text for finding in hosts).replace("refuses the key", "")
    assert [
        (address, headers.get("Authorization") or headers.get("x-api-key")) for address, headers in network.asked
    ] == [
        ("http://127.0.0.1:1/v1/models", "Bearer lab-key"),
        ("http://127.0.0.1:2/v1/models", "claude-key"),
    ]


def test_a_provider_without_its_key(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text("model: {provider: openai}\n")
    assert "OPENAI_API_KEY" in findings(innkeeper)["model"][0].next_step
    innkeeper.environment["OPENAI_API_KEY"] = "sk-1"
    assert findings(innkeeper)["model"][0].text.startswith("openai: name the model")
    innkeeper.profile.config.write_text("model: {provider: openai, model: big}\n")
    assert [finding.text for finding in findings(innkeeper)["model"]] == ["the main model is openai/big"]


def test_a_key_in_the_environment_alone_chooses_no_host(innkeeper: Shell) -> None:
    innkeeper.environment["OPENAI_API_KEY"] = "sk-1"
    embedded, key = findings(innkeeper)["model"]
    assert "SmolLM2" in embedded.text
    assert key.text == "the key for openai is used where a host is named, not by `model.provider: auto`"


def test_what_does_not_exist_is_not_promised(innkeeper: Shell) -> None:
    innkeeper.profile.config.write_text(
        "platforms: {discord: {token: y}, telegram: {token: '1:x'}}\n"
        "sessions: {retention_days: 3}\nmcp_servers: {clock: {command: clock}}\n"
    )
    found = findings(innkeeper)
    assert "effect" not in found
    said = " ".join(finding.text + finding.next_step for each in found.values() for finding in each)
    assert "pairing" not in said
    assert "/sethome" not in said
    assert "discord is on" not in said


def test_json_and_other_rooms_checks(innkeeper: Shell) -> None:
    rows = innkeeper.json("doctor")
    assert set(rows[0]) == {"check", "level", "text", "next_step"}
    own = Check("cellar", lambda who: [Finding("problem", "the cellar is wet", "call somebody")])
    lines = report(examine(patient(innkeeper.invocation(), Network(Answer(200))), [own]))
    assert lines == ["PROBLEM  cellar: the cellar is wet", "         → call somebody", "\n1 problem, 0 warnings."]


def test_the_probe_speaks_http() -> None:
    with _server() as address:
        assert http_probe(f"{address}/models", {}) == Answer(418)
    assert http_probe(f"{address}/models", {}).status is None
    assert http_probe("http://", {}).status is None


@contextmanager
def _server() -> Iterator[str]:
    class Teapot(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(418)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    with HTTPServer(("127.0.0.1", 0), Teapot) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
