"""What a file means, and what is said about one that means nothing."""

from __future__ import annotations

import itertools
from datetime import time

import pytest

from gateway.config.extensions import Extensions
from gateway.config.load import load_settings
from gateway.config.schema import Settings, flattened
from gateway.errors import ConfigurationError
from platforms.manifest import PlatformManifest
from platforms.settings import Secret, Section
from tests.config.house import House, telegram


class CarrierSettings(Section):
    """What a plugin's platform may be told."""

    token: Secret | None = None
    speed: int = 1


def test_no_file_means_defaults(house: House) -> None:
    loaded = house.load()
    assert loaded.settings.memory.memory_char_limit == 2200
    assert loaded.settings.memory.write_approval is False
    assert telegram(loaded)["allowed_users"] == ()
    assert {loaded.origin(key) for key, _ in flattened(loaded.settings)} == {"default"}


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "memory:\nplatforms:\n  telegram:\nhosts:\n"])
def test_nothing_written_means_defaults(house: House, text: str) -> None:
    assert dict(flattened(house.write(text).load().settings)) == dict(flattened(house.load().settings))
    assert house.load().settings.memory == Settings().memory


def test_all_problems_come_at_once_each_with_its_line(house: House) -> None:
    problems = house.problems(
        """\
memroy: {write_approval: true}
memory:
  write_approval: 'false'
  session_notes: maybe
platforms:
  telegram:
    allowed_users: '[1,2]'
    token: ${NOPE}
    mode: webhook
  slack: {}
model: {provider: opnai, fallbacks: [x]}
memory: {scope: all}
gateway: {quiet_hours: 25:00-1, digest_hour: 30}
access: {owners: ["*"], operators: ["telgram:1"]}
hosts: {lab: {kind: opena}, other: 3}
on: 3
hooks: {output_spill: {directory: spill}}
"""
    )
    assert [problem.removeprefix("config.yaml:") for problem in problems] == [
        "1 memroy: unknown key, did you mean memory?",
        "3 memory.write_approval: must be true, false or auto (without quotes), not the text 'false'",
        "4 memory.session_notes: must be on or off, not the text 'maybe'",
        "6 platforms.telegram.webhook_secret: is required when mode is webhook",
        "6 platforms.telegram.webhook_url: is required when mode is webhook",
        "7 platforms.telegram.allowed_users: must be a list such as [111, 222], not the text '[1,2]'",
        "8 platforms.telegram.token: ${NOPE} is not set, neither in the environment nor in .env",
        "10 platforms.slack: unknown key; allowed: telegram, discord",
        "11 model.fallbacks: 'x' must be written host/model",
        "11 model.provider: 'opnai' is no model host, did you mean openai?",
        "12 memory: written twice (first on line 2), keep one of them",
        "13 gateway.digest_hour: must be 23 or less, not 30",
        "13 gateway.quiet_hours: must be two times such as 22:30-07:00, or null, not the text '25:00-1'",
        "14 access.operators: 'telgram' is no platform, did you mean telegram?",
        "14 access.owners: '*' is not allowed here; name each one, such as telegram:111",
        "15 hosts.lab.kind: 'opena' is no kind of model host, did you mean openai?",
        "15 hosts.other: must be a group of keys, not 3",
        f"16 on: unknown key; allowed: {', '.join(Settings.model_fields)}",
        "17 hooks.output_spill.directory: must be a folder with its whole path (/…) or in the home (~/…), "
        "not the text 'spill'",
    ]


def test_a_section_in_the_wrong_place_is_shown_its_place(house: House) -> None:
    assert house.problems("background_review: {enabled: false}\n") == [
        "config.yaml:1 background_review: unknown key, did you mean auxiliary.background_review?"
    ]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("broken: [unclosed\n", 2, "not valid YAML"),
        ("a: 1\n\tb: 2\n", 2, "indent with spaces"),
        ("dashboard: {port: ${PORT}}\n", 1, 'quotes: "${NAME}"'),
        ("- just\n- a list\n", 1, "group of keys"),
        ("memory: {<<: {scope: room}}\n", 1, "write the keys out"),
        ("a: &a [*a]\n", 1, "aliases"),
        ("a: 1\n---\nb: 2\n", 2, "document"),
    ],
)
def test_what_cannot_be_read_is_located(house: House, text: str, line: int, words: str) -> None:
    problems = house.problems(text)
    assert any(problem.startswith(f"config.yaml:{line} ") and words in problem for problem in problems), problems


def test_aliases_of_aliases_are_stopped(house: House) -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert any("too much repetition" in problem for problem in house.problems("\n".join(rows)))


def test_a_file_that_is_no_text_is_an_error_and_crlf_and_bom_are_not(house: House) -> None:
    house.profile.config.write_bytes(b"\xef\xbb\xbfmemory:\r\n  scope: room\r\n")
    assert house.load().settings.memory.scope == "room"
    house.profile.config.write_bytes(b"memory:\n  scope: \xff\xfe\n")
    with pytest.raises(ConfigurationError, match=r"config\.yaml:2 the file is not UTF-8"):
        house.load()


def test_a_folder_in_place_of_the_file_is_an_error(house: House) -> None:
    house.profile.config.mkdir()
    with pytest.raises(ConfigurationError, match="cannot be read"):
        house.load()


def test_times_and_leading_zeros_are_what_people_typed(house: House) -> None:
    quiet = house.write("gateway: {quiet_hours: [22:30, 07:00]}\n").load().settings.gateway.quiet_hours
    assert quiet is not None
    assert (quiet.start, quiet.end, str(quiet)) == (time(22, 30), time(7), "22:30-07:00")
    assert [quiet.cover(time(hour)) for hour in (22, 23, 3, 7, 12)] == [False, True, True, False, False]
    assert house.write("gateway:\n  quiet_hours: 22:30-07:00\n").load().settings.gateway.quiet_hours == quiet
    assert telegram(house.write("platforms: {telegram: {allowed_users: [0123]}}\n").load())["allowed_users"] == (
        "0123",
    )
    assert house.problems("dashboard: {port: 0123}\n") == [
        "config.yaml:1 dashboard.port: must be a whole number (without quotes), not the text '0123'"
    ]


@pytest.mark.parametrize(
    ("written", "means"), [("on", "on"), ("off", "off"), ("'off'", "off"), ("verbose", "verbose")]
)
def test_bare_on_and_off_are_accepted(house: House, written: str, means: str) -> None:
    own = f"{{telegram: {{memory_notifications: {written}}}}}"
    text = f"display: {{memory_notifications: {written}, platforms: {own}}}\n"
    display = house.write(text).load().settings.display
    assert display.memory_notifications == means
    assert display.notices_on("telegram") == means
    assert display.notices_on("discord") == means


def test_notices_of_one_platform_may_differ(house: House) -> None:
    display = house.write("display: {platforms: {telegram: {memory_notifications: off}}}\n").load().settings.display
    assert (display.notices_on("telegram"), display.notices_on("discord")) == ("off", "on")


@pytest.mark.parametrize(("written", "means"), [("on", True), ("off", False), ("true", True), ("auto", "auto")])
def test_the_gate_has_three_positions(house: House, written: str, means: object) -> None:
    settings = (
        house.write(f"memory: {{write_approval: {written}}}\nskills: {{write_approval: {written}}}\n").load().settings
    )
    assert settings.memory.write_approval == means
    assert settings.skills.write_approval == means


@pytest.mark.parametrize("written", ["'true'", "'false'", "1", "0", "null", "''", "[true]", "AUTO"])
def test_the_gate_takes_nothing_else(house: House, written: str) -> None:
    assert len(house.problems(f"memory: {{write_approval: {written}}}\n")) == 1


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("[]", ()),
        ("", ()),
        ("[123]", ("123",)),
        ("['123 ']", ("123",)),
        ("[123, '123']", ("123",)),
        ("[-1001234567890]", ("-1001234567890",)),
        ("['*']", ("*",)),
        ("[111, '*']", ("111", "*")),
    ],
)
def test_allowlists_compare_numbers_and_text_alike(house: House, written: str, means: tuple[str, ...]) -> None:
    loaded = house.write(f"platforms:\n  telegram:\n    allowed_users: {written}\n").load()
    assert telegram(loaded)["allowed_users"] == means


@pytest.mark.parametrize(
    "written", ["['']", "['  ']", "'123'", "123", "'*'", "'[1,2]'", "['1,2']", "[true]", "[1.5]", "{a: 1}", "[[1]]"]
)
@pytest.mark.parametrize("place", ["telegram: {allowed_users", "telegram: {allowed_chats", "discord: {allowed_users"])
def test_an_allowlist_that_is_none_is_refused(house: House, place: str, written: str) -> None:
    problems = house.problems(f"platforms: {{{place}: {written}}}}}\n")
    assert len(problems) == 1
    assert "allowed_" in problems[0]


def test_owners_are_named_with_their_platform(house: House) -> None:
    access = house.write("access: {owners: [telegram:111], home_chats: ['discord:2:3']}\n").load().settings.access
    assert (access.owners, access.home_chats) == (("telegram:111",), ("discord:2:3",))
    for wrong in ("[111]", "['*']", "['irc:1']", "[telegram: 111]"):
        assert len(house.problems(f"access: {{owners: {wrong}}}\n")) == 1, wrong


def test_variables_come_from_the_environment_then_from_env(house: House) -> None:
    house.write(
        "model: {api_key: '${A}-${B}', model: '$${A}'}\nagent: {file_roots: ['${HOME_DIR}/notes']}\n",
        env="A=file\nexport B='two words' # note\nHOME_DIR=\"/srv\"\n",
    )
    loaded = house.load(A="outside")
    assert loaded.settings.model.api_key == "outside-two words"
    assert loaded.settings.model.model == "${A}"
    assert loaded.settings.agent.file_roots == ("/srv/notes",)
    assert loaded.origin("model.api_key").startswith("config.yaml:1 from ")


@pytest.mark.parametrize("environment", [{}, {"NOPE": ""}])
def test_an_unset_variable_names_the_key(house: House, environment: dict[str, str]) -> None:
    assert house.problems("memory:\n  provider: ${NOPE}\n", **environment) == [
        "config.yaml:2 memory.provider: ${NOPE} is not set, neither in the environment nor in .env"
    ]


def test_a_bare_variable_may_be_a_number_and_a_key_stays_text(house: House) -> None:
    house.write("dashboard:\n  port: ${PORT}\nmodel:\n  api_key: ${KEY}\nmemory:\n  write_approval: ${GATE}\n")
    settings = house.load(PORT="81", KEY="0123", GATE="true").settings
    assert (settings.dashboard.port, settings.model.api_key, settings.memory.write_approval) == (81, "0123", True)
    assert len(house.problems('dashboard:\n  port: "${PORT}"\n', PORT="81")) == 1


def test_tokens_and_keys_come_from_their_usual_variables(house: House) -> None:
    house.write(
        "model: {provider: anthropic}\nplatforms: {discord: {token: written-token}}\n", env="ANTHROPIC_API_KEY=k-1\n"
    )
    loaded = house.load(TELEGRAM_BOT_TOKEN="1:outside", DISCORD_BOT_TOKEN="other")
    assert telegram(loaded)["token"] == "1:outside"
    assert loaded.origin("platforms.telegram.token") == "environment TELEGRAM_BOT_TOKEN"
    assert loaded.settings.platform("discord")["token"] == "written-token"
    assert loaded.settings.model.api_key == "k-1"
    assert loaded.origin("model.api_key") == ".env ANTHROPIC_API_KEY"
    assert loaded.keys == {"anthropic": "k-1"}


def test_a_usual_key_is_not_sent_to_a_host_with_another_name(house: House) -> None:
    house.write("hosts: {lab: {kind: openai, base_url: 'http://127.0.0.1:1/v1'}, cloud: {kind: openai}}\n")
    hosts = house.load(OPENAI_API_KEY="sk-usual").settings.hosts
    assert (hosts["lab"].api_key, hosts["cloud"].api_key) == (None, "sk-usual")


def test_a_key_that_is_none_does_not_make_its_word_a_secret(house: House) -> None:
    house.write("model: {provider: openai, base_url: 'http://127.0.0.1:1/v1', api_key: None}\n")
    assert not house.load().secrets & {"none", "None"}


def test_every_configured_secret_is_known_for_masking(house: House) -> None:
    house.write(
        """\
model: {api_key: sk-in-file, base_url: "http://user:pass-word@127.0.0.1:1/v1"}
hosts: {lab: {api_key: "${LAB_KEY}"}}
platforms: {telegram: {token: "123456:AAE-token", webhook_secret: hook_word}}
mcp_servers: {notes: {url: "http://127.0.0.1:2", headers: {Authorization: "Bearer bearer-part"}}}
""",
        env="LAB_KEY=from-env-file\nRETAINDB_API_KEY=rdb-secret\nTZ=Europe/Berlin\n",
    )
    loaded = house.load(DISCORD_BOT_TOKEN="discord-token", PATH="/usr/bin")
    assert loaded.secrets >= {
        "sk-in-file",
        "pass-word",
        "from-env-file",
        "123456:AAE-token",
        "hook_word",
        "bearer-part",
        "discord-token",
        "rdb-secret",
    }
    assert not loaded.secrets & {"Europe/Berlin", "/usr/bin", "auto"}
    assert not any(secret in repr(loaded) for secret in loaded.secrets - {"pass-word"})


def test_problems_never_show_a_secret(house: House) -> None:
    problems = house.problems(
        "platforms: {telegram: {token: 987654321, webhook_secret: 'not allowed!'}}\nmodel: {api_key: [sk-listed]}\n"
        "dashboard: {port: '${MY_TOKEN}'}\n",
        MY_TOKEN="token-value",
    )
    assert len(problems) == 4
    assert not any(
        secret in "\n".join(problems) for secret in ("987654321", "not allowed!", "sk-listed", "token-value")
    )


def test_webhook_mode_needs_address_and_secret(house: House) -> None:
    assert [problem.split(": ")[0] for problem in house.problems("platforms: {telegram: {mode: webhook}}\n")] == [
        "config.yaml:1 platforms.telegram.webhook_secret",
        "config.yaml:1 platforms.telegram.webhook_url",
    ]
    assert (
        house.problems(
            "platforms: {telegram: {mode: webhook, webhook_url: 'https://bot.example', webhook_secret: abc_-1}}\n"
        )
        == []
    )


def test_a_broken_env_file_is_located_and_never_quoted(house: House) -> None:
    house.write("", env="GOOD=1\nsk-pasted-alone\nBAD='open\n")
    with pytest.raises(ConfigurationError) as caught:
        house.load()
    assert [problem.split(" ")[0] for problem in caught.value.problems] == [".env:2", ".env:3"]
    assert "sk-pasted" not in str(caught.value)


def test_plugins_bring_their_own_platform(house: House) -> None:
    manifest = PlatformManifest(
        "carrier", "x:y", settings="tests.config.test_load:CarrierSettings", token_variable="CARRIER_TOKEN"
    )
    extensions = Extensions(platforms={"carrier": manifest}, host_kinds=frozenset({"mill"}))
    house.write("platforms: {carrier: {speed: 3}}\nhosts: {old: {kind: mill}}\naccess: {owners: [carrier:1]}\n")
    loaded = load_settings(house.profile, {"CARRIER_TOKEN": "coo-coo"}, extensions)
    assert loaded.settings.platform("carrier") == {"token": "coo-coo", "speed": 3}
    house.write("platforms: {carrier: {sped: 3}}\n")
    with pytest.raises(ConfigurationError, match=r"carrier\.sped: unknown key"):
        load_settings(house.profile, {}, extensions)


def test_a_platform_without_settings_takes_none(house: House) -> None:
    assert house.problems("platforms: {console: {token: x}}\n") == [
        "config.yaml:1 platforms.console: has no settings, remove it"
    ]


@pytest.mark.parametrize(
    ("section", "wrong"),
    list(
        itertools.chain(
            (
                ("memory", value)
                for value in ("memory_char_limit: 0", "nudge_interval: -1", "share: 'yes'", "scope: all")
            ),
            (
                ("gateway", value)
                for value in ("busy: wait", "budgets: {chatt: 1}", "timezone: Mars/Base", "digest_hour: 24")
            ),
            (("sessions", value) for value in ("reset: {mode: never}", "retention_days: 0", "group_scope: all")),
            (
                ("dashboard", value)
                for value in ("port: 70000", "public_url: example.org", "public_url: 'https://a.b/c'")
            ),
            (("model", value) for value in ("base_url: 'ftp://x'", "context_window: many", "reasoning_effort: huge")),
            (("mcp_servers", value) for value in ("x: {}", "x: {command: a, url: 'http://b'}")),
        )
    ),
)
def test_values_out_of_range_are_refused(house: House, section: str, wrong: str) -> None:
    assert len(house.problems(f"{section}: {{{wrong}}}\n")) == 1


def test_what_a_flag_announces_is_masked_and_what_may_be_anything_is_not(house: House) -> None:
    loaded = house.write(
        'mcp_servers: {x: {command: x, args: [--key, correcthorse, --pass=battery, -p, staple, -e, "A=profile"]}}\n'
    ).load()
    assert {"correcthorse", "battery"} <= loaded.secrets
    assert not loaded.secrets & {"staple", "profile"}
    assert "correcthorse" not in repr(loaded)
