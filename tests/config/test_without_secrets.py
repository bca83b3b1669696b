"""config.yaml for a copy that may lie elsewhere: the same text, with variables where secrets stood."""

from __future__ import annotations

import pytest

from gateway.config.lines import parse
from gateway.config.without_secrets import without_secrets
from gateway.errors import ConfigurationError

USUAL = {"platforms.telegram.token": "TELEGRAM_BOT_TOKEN"}


def mask(text: str) -> str:
    return text.replace("hunter2", "[redacted]")


def portable(text: str) -> tuple[str, dict[str, str]]:
    found = without_secrets(text, mask, USUAL)
    return found.text, {each.key: each.variable for each in found.taken}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model: {api_key: abc}\n", 'model: {api_key: "${MODEL_API_KEY}"}\n'),
        ("model:\n  api_key: 'a b' # mine\n", 'model:\n  api_key: "${MODEL_API_KEY}" # mine\n'),
        ("model:\r\n  api_key: abc\r\n", 'model:\r\n  api_key: "${MODEL_API_KEY}"\r\n'),
        ("platforms: {telegram: {token: 12}}", 'platforms: {telegram: {token: "${TELEGRAM_BOT_TOKEN}"}}'),
        ("hosts:\n  my-lab: {api_key: abc}", 'hosts:\n  my-lab: {api_key: "${HOSTS_MY_LAB_API_KEY}"}'),
        ("mcp_servers: {x: {env: {A: b}}}", 'mcp_servers: {x: {env: {A: "${MCP_SERVERS_X_ENV_A}"}}}'),
        ("mcp_servers: {x: {args: [-p, hunter2]}}", 'mcp_servers: {x: {args: [-p, "${MCP_SERVERS_X_ARGS_1}"]}}'),
        (
            "# was hunter2\nmodel: {model: m} # not hunter2\n",
            "# was [redacted]\nmodel: {model: m} # not [redacted]\n",
        ),
    ],
)
def test_secrets_become_variables(before: str, after: str) -> None:
    assert portable(before)[0] == after
    assert parse(after).lines.keys() == parse(before).lines.keys()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "model: {api_key: null}\n",
        "model:\n  api_key:\n",
        "model: {api_key: '${MY_KEY}'}\n",
        "memory: {write_approval: on}\ngateway: {quiet_hours: 22:30-07:00}\n",
        "display: {platforms: {telegram: {memory_notifications: verbose}}}\n",
    ],
)
def test_everything_else_stays_to_the_letter(text: str) -> None:
    assert portable(text) == (text, {})


@pytest.mark.parametrize(
    "text",
    [
        "model: {api_key: &x abc, model: *x}\n",
        "model:\n  api_key: |\n    abc\n    def\n",
        "model: [\n",
        "model: {api_key: a, api_key: b}\n",
        "? hunter2\n: {a: 1}\n",
    ],
)
def test_what_cannot_be_done_exactly_is_not_done(text: str) -> None:
    with pytest.raises(ConfigurationError):
        portable(text)
