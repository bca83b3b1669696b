"""`innkeeper plugins` as somebody meets it who has some that work and some that do not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gateway.cli.doctor import examine, patient
from gateway.cli.doctor_checks import checks
from gateway.plugins.template import write
from tests.cli.shell import Shell

POINTS = {
    "innkeeper.platforms": {
        "pipe": "innkeeper_pipe:manifest",
        "moody": "moody:manifest",
        "console": "moody:manifest",
    },
    "innkeeper.commands": {"greet": "innkeeper_greet:spec", "leaves": "leaves:spec"},
    "innkeeper.tools": {"count": "innkeeper_count:tools", "greedy": "greedy:tools"},
    "innkeeper.hosts": {"lab": "innkeeper_lab:kind"},
    "innkeeper.providers": {"ledger": "innkeeper_ledger:manifest"},
}
MODULES = {
    "moody": "class Mood(Exception): ...\nraise Mood('not today')\n",
    "leaves": "raise SystemExit(3)\n",
    "greedy": "from innkeeper_count import tools as made\nfrom dataclasses import replace\n"
    "def tools(house):\n    (one,) = made(house)\n"
    "    return [replace(one, schema=replace(one.schema, name='memory'))]\n",
}
MADE = {"pipe": "platform", "greet": "command", "count": "tool", "lab": "host", "ledger": "provider"}


@pytest.fixture
def house(innkeeper: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shell]:
    """A shell beside which a package with all of these is installed, as far as Python can tell."""
    workshop = tmp_path / "workshop"
    workshop.mkdir()
    before = set(sys.modules)
    for name, kind in MADE.items():
        monkeypatch.syspath_prepend(str(write(kind, name, workshop).folder / "src"))
    for name, text in MODULES.items():
        (workshop / f"{name}.py").write_text(text)
    metadata = workshop / "motley-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: Motley.Crew\nVersion: 1.2\n")
    lines = [
        line for group, them in POINTS.items() for line in (f"[{group}]", *(f"{n} = {v}" for n, v in them.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines) + "\n")
    monkeypatch.syspath_prepend(str(workshop))
    yield innkeeper
    for name in set(sys.modules) - before:
        if name.startswith("innkeeper_") or name in MODULES:
            del sys.modules[name]


def listed(shell: Shell) -> dict[str, dict[str, Any]]:
    rows = {f"{each['kind']} {each['name']}": each for each in shell.json("plugins", "list") if not each["built_in"]}
    assert all(next(iter(each)) == "name" for each in rows.values())
    return rows


def test_a_house_without_plugins_lists_its_own(innkeeper: Shell) -> None:
    said = innkeeper("plugins", "list").output
    assert "No plugin is installed" in said
    assert "platforms: console, discord, telegram" in said


def test_what_works_is_on_and_what_does_not_says_why(house: Shell) -> None:
    found = listed(house)
    assert {name for name, each in found.items() if each["state"] == "on"} == {f"{k} {n}" for n, k in MADE.items()}
    broken = {name: each["problem"] for name, each in found.items() if each["state"] == "broken"}
    assert broken == {
        "platform console": "the name console belongs to what comes with the house",
        "platform moody": "moody:manifest cannot be imported: ImportError: Mood: not today",
        "command leaves": "command plugin leaves: ImportError: SystemExit: 3",
        "tool greedy": "tool plugin greedy: the name memory is taken; its tool is not offered",
    }
    assert {each["distribution"] for each in found.values()} == {"Motley.Crew"}
    assert found["command greet"]["about"] == "/greet: says good day to somebody"
    assert "✅ tool count: for models: count" in house("plugins", "list").output


def test_nothing_of_a_network_is_imported_for_the_list(house: Shell) -> None:
    import subprocess

    code = (
        "import sys\nfrom gateway.config.plugins import Plugins\nfrom gateway.plugins.judging import judged\n"
        "from gateway.tools.loader import ToolHouse\nfrom pathlib import Path\n"
        "found = judged(Plugins.announced(), ToolHouse(Path('.'), lambda: 0.0))\n"
        "assert len(found) > 3\n"
        "print(sorted(set(sys.modules) & {'telegram', 'discord', 'openai', 'anthropic', 'mcp', 'httpx'}))\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"


def test_info_is_by_name_or_by_package(house: Shell) -> None:
    said = house("plugins", "info", "ledger").output
    assert "✅ provider ledger: keeps every turn" in said
    assert "package: Motley.Crew 1.2" in said
    assert "innkeeper.providers: ledger = innkeeper_ledger:manifest" in said
    assert house("plugins", "info", "motley-crew").output.count("package:") == 9
    wrong = house("plugins", "info", "ledgr")
    assert (wrong.exit_code, "did you mean ledger?" in wrong.output) == (2, True)


def test_doctor_tells_of_what_is_broken_and_says_what_to_do(house: Shell) -> None:
    def told() -> list[str]:
        found = examine(patient(house.invocation(), lambda target, headers: pytest.fail("nobody is asked")), checks())
        return [each.text for name, each in found if name == "plugins" and each.level != "ok"]

    assert len(told()) == 4
    assert [each for each in told() if each.startswith("the platform moody cannot be used: moody:manifest cannot be")]
    for name in ("moody", "leaves", "greedy"):
        house("plugins", "disable", name)
    house.profile.config.write_text(house.profile.config.read_text().replace('"moody"', '"gone", "moody"'))
    assert told() == [
        "the platform console cannot be used: the name console belongs to what comes with the house",
        "plugins.disabled names gone, which is not installed",
    ]


def test_what_is_turned_off_is_not_even_imported(house: Shell) -> None:
    assert house("plugins", "disable", "greet").output.startswith("Off: command greet.")
    assert house("greet", "Ada").exit_code == 2
    assert listed(house)["command greet"]["state"] == "off"
    assert "innkeeper_greet" not in sys.modules
    assert house("plugins", "disable", "greet").output == "greet is off already.\n"
    assert house("plugins", "enable", "greet").output == "On: greet.\n"
    assert house("greet", "Ada").output == "Good day, Ada.\n"
    assert house("plugins", "enable", "greet").output == "greet is on already.\n"


def test_a_package_is_turned_off_as_a_whole(house: Shell) -> None:
    house("plugins", "disable", "motley_crew")
    assert {each["state"] for each in listed(house).values()} == {"off"}
    said = house("plugins", "enable", "greet")
    assert (said.exit_code, "innkeeper plugins enable Motley.Crew" in said.output) == (1, True)
    assert house("plugins", "enable", "Motley.Crew").exit_code == 0
    assert house.profile.config.read_text().split() == ["plugins:", "disabled:", "[]"]


def test_what_comes_with_the_house_is_not_turned_off(house: Shell) -> None:
    said = house("plugins", "disable", "telegram")
    assert (said.exit_code, "comes with the house" in said.output) == (1, True)
    assert not house.profile.config.exists()
    assert house("plugins", "remove", "telegram", "--yes").exit_code == 2


def test_what_is_in_use_is_not_turned_off(house: Shell) -> None:
    text = "memory: {provider: ledger}\nhosts: {barn: {kind: lab, base_url: 'http://127.0.0.1:1'}}\n"
    house.profile.config.write_text(text)
    for name in ("ledger", "lab"):
        said = house("plugins", "disable", name)
        assert (said.exit_code, "Nothing was changed" in said.output) == (2, True)
    assert house.profile.config.read_text() == text


def test_the_settings_of_a_platform_that_is_off_may_stay(house: Shell) -> None:
    house.profile.config.write_text("platforms: {pipe: {port: 0}}\naccess: {owners: ['pipe:guest']}\n")
    assert house("config", "check").exit_code == 0
    assert house("plugins", "disable", "pipe").exit_code == 0
    assert house("config", "check").exit_code == 0


def test_installing_says_what_it_does_and_does_nothing_without_a_yes(house: Shell, tmp_path: Path) -> None:
    for name, given in {
        "innkeeper-kiosk": "innkeeper-kiosk",
        "web": "'innkeeper[web]'",
        f"{tmp_path}/workshop/innkeeper-pipe": f"{tmp_path}/workshop/innkeeper-pipe",
    }.items():
        said = house("plugins", "install", name)
        assert (said.exit_code, f"-m pip install {given}\n" in said.output) == (2, True)
        assert "--yes does" in said.output
    for odd in (
        *("--index-url=http://x", "a b", "git+https://x/y", "../nowhere", "x; rm", "-e", "-r"),
        *("kiosk-1.0.whl", "kiosk-1.0.tar.gz", "kiosk.ZIP", "kiosk.tgz[web]", "kiosk.tar.zst"),
    ):
        assert house("plugins", "install", "--", odd).exit_code == 2
    said = house("plugins", "remove", "pipe")
    assert "This takes away: platform console, platform moody, platform pipe, command greet" in said.output
    assert "-m pip uninstall --yes Motley.Crew" in said.output
    assert said.exit_code == 2


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("holographic", "switched on by: innkeeper memory setup holographic"),
        ("retaindb", "switched on by: innkeeper memory setup retaindb"),
        ("byterover==1.0", "switched on by: innkeeper memory setup byterover"),
        ("openviking", "environment of its own: innkeeper memory setup openviking --install"),
        ("Telegram", "on once it has a token: innkeeper setup"),
        ("discord[voice]", "on once it has a token: innkeeper setup"),
        ("console", "is always there: innkeeper chat"),
        ("openai", "innkeeper config set hosts.NAME.kind openai"),
        ("Innkeeper", "is the house itself"),
    ],
)
def test_what_comes_with_the_house_is_fetched_from_nobody(innkeeper: Shell, name: str, how: str) -> None:
    said = innkeeper("plugins", "install", name)
    text = " ".join(said.output.split())
    assert said.exit_code == 2
    assert ("pip install" in text, how in text) == (False, True)
    both = innkeeper("plugins", "install", "innkeeper-kiosk", name, "--yes")
    assert (both.exit_code, "pip install" in both.output) == (2, False)


def test_only_extras_of_the_house_are_extras(innkeeper: Shell) -> None:
    for name in ("mem0", "Honcho", "mcp", "anthropic"):
        said = innkeeper("plugins", "install", name).output
        assert f"-m pip install 'innkeeper[{name.lower()}]'\n" in said
    assert "-m pip install kiosk\n" in innkeeper("plugins", "install", "kiosk").output
    for name in ("dev", "Testing", "dev==1"):
        refused = innkeeper("plugins", "install", name)
        assert (refused.exit_code, "is for who writes plugins" in refused.output) == (2, True)
        assert "-m pip install" not in refused.output


def test_new_says_how_to_go_on_and_refuses_what_cannot_be(innkeeper: Shell, tmp_path: Path) -> None:
    said = innkeeper("plugins", "new", "tool", "kiosk", "--into", str(tmp_path))
    assert (said.exit_code, "pip install -e '.[test]'" in said.output) == (0, True)
    assert (tmp_path / "innkeeper-kiosk" / "pyproject.toml").exists()
    again = innkeeper("plugins", "new", "tool", "kiosk", "--into", str(tmp_path))
    assert (again.exit_code, "exists already" in again.output) == (1, True)
    assert innkeeper("plugins", "new", "planet", "kiosk").exit_code == 2
