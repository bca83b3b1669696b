"""The unit of systemd and the container's recipe, read as strictly as the programs that will read them."""

from __future__ import annotations

import configparser
import itertools
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gateway.config.paths import Profile
from gateway.hosting.units import ServiceFault, quoted, unit_name, unit_path, unit_text
from gateway.hosting.watchdog import READY_PATIENCE

DEPLOY = Path(__file__).parents[2] / "gateway" / "deploy"


def sections(text: str) -> dict[str, dict[str, list[str]]]:
    """A unit's settings; a key may stand there more than once."""
    found: dict[str, dict[str, list[str]]] = {}
    section = ""
    for line in text.splitlines():
        if match := re.fullmatch(r"\[(\w+)\]", line):
            section = match[1]
        elif line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            found.setdefault(section, {}).setdefault(key, []).append(value)
    return found


def test_the_unit_starts_this_profile_with_this_python(tmp_path: Path) -> None:
    home = tmp_path / 'my "home" 100% $HOME'
    profile = Profile("cat", home, home / "profiles" / "cat")
    text = unit_text(profile, sys.executable, {"PATH": "/usr/bin:/opt/x y"})
    assert "@" not in re.sub(r"(?m)^#.*$", "", text)
    unit = sections(text)
    (command,) = unit["Service"]["ExecStart"]
    assert shlex.split(command) == [sys.executable, "-m", "gateway.cli.main", "--profile", "cat", "run"]
    assert unit["Service"]["Environment"] == [
        quoted(f"INNKEEPER_HOME={home}"),
        '"PYTHONUNBUFFERED=1"',
        '"PATH=/usr/bin:/opt/x y"',
    ]
    assert r"my \"home\" 100%% $HOME" in unit["Service"]["Environment"][0]
    one = {key: values[0] for key, values in unit["Service"].items() if len(values) == 1}
    assert (one["Type"], one["NotifyAccess"], one["Restart"]) == ("notify", "main", "on-failure")
    assert one["RestartPreventExitStatus"] == "2"
    assert int(one["TimeoutStartSec"]) > READY_PATIENCE
    assert int(one["WatchdogSec"]) >= 30
    assert unit["Install"] == {"WantedBy": ["default.target"]}


@pytest.mark.parametrize("path", ["/opt/a\nb", "/opt/a\x00b"])
def test_what_no_unit_can_hold(tmp_path: Path, path: str) -> None:
    with pytest.raises(ServiceFault):
        unit_text(Profile("default", tmp_path, tmp_path), path, {})


def test_names_and_places(tmp_path: Path) -> None:
    default, cat = Profile("default", tmp_path, tmp_path), Profile("cat", tmp_path, tmp_path / "profiles" / "cat")
    assert (unit_name(default), unit_name(cat)) == ("innkeeper.service", "innkeeper-cat.service")
    assert unit_path(cat, {"HOME": "/h"}) == Path("/h/.config/systemd/user/innkeeper-cat.service")
    assert unit_path(cat, {"HOME": "/h", "XDG_CONFIG_HOME": "/c"}).parent == Path("/c/systemd/user")
    assert unit_path(cat, {"HOME": "/h", "XDG_CONFIG_HOME": "relative"}).is_relative_to("/h")
    with pytest.raises(ServiceFault):
        unit_path(cat, {})


def test_systemd_itself_takes_the_unit(tmp_path: Path) -> None:
    """Where its own checker is there, it has the last word; the form is parsed in any case."""
    home = tmp_path / "a home with 100% of everything"
    text = unit_text(Profile("default", home, home), sys.executable, {"PATH": "/usr/bin"})
    numbers = itertools.count()
    plain = re.sub(r"(?m)^Environment=", lambda _: f"Environment{next(numbers)}=", text)
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(plain)
    assert parser.sections() == ["Unit", "Service", "Install"]
    checker = shutil.which("systemd-analyze")
    if checker is not None:
        unit = tmp_path / "innkeeper.service"
        unit.write_text(text, encoding="utf-8")
        command = [checker, "verify", "--user", "--man=no", str(unit)]
        environment = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30, check=False)
        assert "innkeeper.service" not in done.stderr, done.stderr


def recipe() -> list[tuple[str, str]]:
    """Its instructions in order, continued lines joined."""
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    lines = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ").splitlines()
    pairs = [line.split(None, 1) for line in lines if line.strip()]
    return [(name, " ".join(rest.split())) for name, rest in pairs]


def test_the_recipe_is_what_it_promises() -> None:
    steps = recipe()
    known = {
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "ENV",
        "USER",
        "VOLUME",
        "HEALTHCHECK",
        "STOPSIGNAL",
        "ENTRYPOINT",
        "CMD",
    }
    assert {name for name, _ in steps} <= known
    images = [rest.split()[0] for name, rest in steps if name == "FROM"]
    assert all(re.fullmatch(r"python:3\.\d+-slim", each) for each in images)  # no host's name, and no "latest"
    last = steps[max(at for at, (name, _) in enumerate(steps) if name == "FROM") :]
    final = dict(last)
    assert re.search(r"\bINNKEEPER_HEALTH_PORT=\d+\b", final["ENV"])  # else a gateway that hangs would count as well
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", final["USER"])  # by number, so that a cluster sees that it is not root
    assert f"--uid {final['USER'].split(':')[0]} " in final["RUN"]
    names = [name for name, _ in last]
    assert names.index("RUN") < names.index("USER") < names.index("ENTRYPOINT")
    assert "RUN" not in names[names.index("USER") :]
    assert (final["VOLUME"], "INNKEEPER_HOME=/data" in final["ENV"]) == ("/data", True)
    assert '["innkeeper", "service", "status", "--quiet"]' in final["HEALTHCHECK"]
    assert (final["ENTRYPOINT"], final["CMD"], final["STOPSIGNAL"]) == ('["innkeeper"]', '["run"]', "SIGTERM")
    everything = " ".join(rest for _, rest in steps)
    assert not re.search(r"https?://|TOKEN|SECRET|API_KEY|--privileged|sudo|curl|wget|ADD ", everything)
