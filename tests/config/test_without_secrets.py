"""config.yaml for a copy that may lie elsewhere: the same text, with variables where secrets stood."""

from __future__ import annotations

import pytest

from gateway.config.lines import parse
from gateway.config.without_secrets import LEFT_OUT, without_secrets
from gateway.errors import ConfigurationError
from gateway.observability.redact import Redactor

USUAL = {"platforms.telegram.token": "TELEGRAM_BOT_TOKEN"}


mask = Redactor(("hunter2",))


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
        "model:\n  api_key: |\n    abc\n    def\n",
        "model: [\n",
        "model: {api_key: a, api_key: b}\n",
        "? hunter2\n: {a: 1}\n",
    ],
)
def test_what_cannot_be_done_exactly_is_not_done(text: str) -> None:
    with pytest.raises(ConfigurationError):
        portable(text)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('["--api-key", "abcd1234efgh5678ijkl"]', '["--api-key", "${V}"]'),
        ('["--password", "correcthorse"]', '["--password", "${V}"]'),
        ("[--token, correct, --port, 80]", '[--token, "${V}", --port, 80]'),
        ("[--key=correct]", '["--key=${V}"]'),
        ("['--pass=say \"x\"']", '["--pass=${V}"]'),
        ("[-p, correcthorse]", '[-p, "${V}"]'),
        ("[-pcorrect1horse]", '["-p${V}"]'),
        ("[-e, DB_PASS=correct]", '[-e, "DB_PASS=${V}"]'),
        ("[-e, MODE=correct]", '[-e, "MODE=${V}"]'),
        ("[-H, 'X-Team: correct']", '[-H, "${V}"]'),
        ("[-u, 'me:correct']", '[-u, "${V}"]'),
        ('["serve --password correcthorse"]', '["${V}"]'),
        ("[--authToken, 12345678]", '[--authToken, "${V}"]'),
        ("[--token, !!str 12345678]", '[--token, "${V}"]'),
        ("[--token=correct]", '["--token=${V}"]'),
        ("[--password=correct]", '["--password=${V}"]'),
        ("[--api-key=correct]", '["--api-key=${V}"]'),
        ("['--token=correct${MY_TOKEN}horse']", '["--token=${V}"]'),
        ("[-e, GITHUB_TOKEN=correct]", '[-e, "GITHUB_TOKEN=${V}"]'),
        ("[--env=MODE=correct]", '["--env=MODE=${V}"]'),
        ("[-eMODE=correct]", '["-eMODE=${V}"]'),
        ("['--header=X-Team: correct']", '["--header=${V}"]'),
        ("['-HX-Team: correct']", '["-H${V}"]'),
        ("[--user=me:correct]", '["--user=${V}"]'),
        ("[-k, correct]", '[-k, "${V}"]'),
        ("[--pw, correct]", '[--pw, "${V}"]'),
        ("['serve --pw correct']", '["${V}"]'),
        ("['serve --token ${A} --password correct']", '["${V}"]'),
        ("['serve --env=MODE_KEY=correct']", '["${V}"]'),
        ("['https://example.org/mcp?a=b&key=correct']", '["${V}"]'),
        ("['https://example.org/mcp?a=${A}&token=correct']", '["${V}"]'),
    ],
)
def test_what_a_flag_announces_is_a_secret(before: str, after: str) -> None:
    text, taken = portable(f"mcp_servers: {{x: {{args: {before}}}}}\n")
    (variable,) = taken.values()
    left = text.replace(variable, "V").removeprefix("mcp_servers: {x: {args: ").removesuffix("}}\n")
    assert " ".join(left.split()) == after


@pytest.mark.parametrize(
    "arguments",
    [
        "[-p, 8080]",
        "[-p, '127.0.0.1:80:80']",
        "[--max-tokens, 4096]",
        "[--max-tokens=4096]",
        "[--key-file, /etc/key]",
        "[--auth-type, basic]",
        "[--password, --verbose]",
        "[--password, -v]",
        "[--token, '${MY_TOKEN}']",
        "['--token=${MY_TOKEN}']",
        "['--password=${MY_TOKEN}', --port, 8080]",
        "['serve --token=${MY_TOKEN} --port 8080']",
        "['serve --token ${MY_TOKEN} --key \"${MY_KEY}\"']",
        "['https://example.org/mcp?key=${MY_KEY}&token=${MY_TOKEN}']",
        "['https://example.org/mcp?max_tokens=5&page=2']",
        "['https://me:${MY_TOKEN}@example.org/mcp']",
        "[-e, 'GITHUB_TOKEN=${MY_TOKEN}']",
        "['--env=GITHUB_TOKEN=${MY_TOKEN}', '-eMODE=${MODE}', '--header=${H}']",
        "[-k, 'https://example.org']",
        "[--env=MODE, --header=none, -encoding=utf-8, --user=me]",
        "[-u, me]",
        "[-e, MODE]",
        "[run, -i, --rm, some/image]",
        "['# no comment: a password']",
    ],
)
def test_what_a_flag_does_not_announce_stays(arguments: str) -> None:
    text = f"mcp_servers: {{x: {{args: {arguments}}}}}\n"
    assert portable(text) == (text, {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# password is hunter3secret\na: {b: c}\n", f"{LEFT_OUT}\na: {{b: c}}\n"),
        ("# the password is this:\n#   correct\na: {b: c}\n", f"{LEFT_OUT}\n{LEFT_OUT}\na: {{b: c}}\n"),
        ("a: {b: c} # pwd correct\n# and more\n", f"a: {{b: c}} {LEFT_OUT}\n{LEFT_OUT}\n"),
        ("a: {b: 'x # key'} # API key: correct\r\n", f"a: {{b: 'x # key'}} {LEFT_OUT}\r\n"),
        ("a:\n  b: | # my token\n    # a token\n    x\n", f"a:\n  b: | {LEFT_OUT}\n    # a token\n    x\n"),
        ("a: {b: c} # abcd1234efgh\n", f"a: {{b: c}} {LEFT_OUT}\n"),
        ("# my passphrase: correct", LEFT_OUT),
    ],
)
def test_no_comment_is_kept_that_speaks_of_a_secret(before: str, after: str) -> None:
    assert portable(before) == (after, {})


@pytest.mark.parametrize(
    "text",
    [
        "# Since 2026-11-30: see https://example.org/page1 and the passages of hosts/lab-2\na: {b: c} # by day\n",
        "a:\n  b: >\n    password # x\n    # key\n",
    ],
)
def test_other_comments_stay(text: str) -> None:
    assert portable(text) == (text, {})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model: {api_key: &k abc, model: *k}\n", 'model: {api_key: &k "${MODEL_API_KEY}", model: *k}\n'),
        (
            "model:\n  api_key: &k !!int 12\nhosts: {lab: {api_key: *k}}\n",
            'model:\n  api_key: &k  "${MODEL_API_KEY}"\nhosts: {lab: {api_key: *k}}\n',
        ),
        (
            "hosts:\n  a: &a\n    api_key: abc\n  b: *a\n",
            'hosts:\n  a: &a\n    api_key: "${HOSTS_A_API_KEY}"\n  b: *a\n',
        ),
        ("a: {b: &x abc, token: *x}\n", 'a: {b: &x "${A_TOKEN}", token: *x}\n'),
        (
            "mcp_servers: {x: {args: [--token, &t abc, *t]}}\n",
            'mcp_servers: {x: {args: [--token, &t "${MCP_SERVERS_X_ARGS_1}", *t]}}\n',
        ),
    ],
)
def test_anchors_and_aliases_go_on_meaning_each_other(before: str, after: str) -> None:
    assert portable(before)[0] == after
    assert parse(after).problems == []


def test_two_keys_whose_variables_would_have_one_name() -> None:
    text, taken = portable("hosts: {my-lab: {api_key: abc}, my_lab: {api_key: def}}\n")
    assert sorted(taken.values()) == ["HOSTS_MY_LAB_API_KEY", "HOSTS_MY_LAB_API_KEY_2"]
    assert text.count("API_KEY_2}") == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x: {token: [correct]}\n", 'x: {token: ["${X_TOKEN_0}"]}\n'),
        ("x: {secrets: [a1, b2]}\n", 'x: {secrets: ["${X_SECRETS_0}", "${X_SECRETS_1}"]}\n'),
        ("x: {secrets: [12345678]}\n", 'x: {secrets: ["${X_SECRETS_0}"]}\n'),
        ("x: {token: {value: correct, on: yes}}\n", 'x: {token: {value: "${X_TOKEN_VALUE}", on: yes}}\n'),
        ("x: {api_key: {a: [b: correct]}}\n", 'x: {api_key: {a: [b: "${X_API_KEY_A_0_B}"]}}\n'),
        ("x: {url: 'http://h/?key=correct'}\n", 'x: {url: "${X_URL}"}\n'),
        ("x: {url: 'http://h/#access_token=correct'}\n", 'x: {url: "${X_URL}"}\n'),
    ],
)
def test_what_stands_below_the_name_of_a_secret_or_in_an_address(before: str, after: str) -> None:
    assert portable(before)[0] == after


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers: {github-token: {command: serve, args: [--port, 80]}}\n",
        "hosts: {my-key: {url: 'http://h'}}\n",
        "x: {max_tokens: 4096}\n",
    ],
)
def test_names_that_people_gave_and_counts_announce_nothing(text: str) -> None:
    assert portable(text) == (text, {})
