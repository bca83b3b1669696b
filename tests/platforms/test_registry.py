"""Which platforms are found, what becomes of broken and of colliding plugins, and that no SDK is imported."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from platforms.errors import PlatformDown
from platforms.manifest import AdapterContext, PlatformManifest
from platforms.registry import GROUP, BrokenPlugin, load_adapter, manifests, usable

ROOT = Path(__file__).parents[2]
CONTEXT = AdapterContext({}, "default", "nowhere")

matrix = PlatformManifest(name="matrix", adapter="tests.platforms.test_registry:missing")
console = PlatformManifest(name="console", adapter="tests.platforms.test_registry:usurper")
oddity = PlatformManifest(name="oddity", adapter="tests.platforms.test_registry:odd", always_on=True)
words = ("not", "a", "manifest")


class Odd(Exception):
    """A fault of a kind that only the plugin knows."""


def odd(context: AdapterContext) -> None:
    raise Odd("the SDK is\nin a mood")


def hollow(context: AdapterContext) -> None:
    """A constructor that forgets its return."""


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def built_in() -> list[EntryPoint]:
    """What pyproject.toml registers, whether or not the distribution is installed."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [point(name, value) for name, value in table["project"]["entry-points"][GROUP].items()]


def test_the_console_is_registered_like_any_plugin() -> None:
    found = manifests(point for point in built_in() if point.name == "console")
    manifest = found["console"]
    assert isinstance(manifest, PlatformManifest)
    assert manifest.always_on
    assert load_adapter(manifest, CONTEXT).name == "console"


def test_a_plugin_is_found_beside_the_built_in_ones() -> None:
    found = manifests([point("matrix", f"{__name__}:matrix"), *built_in()])
    assert found["matrix"] is matrix
    assert "console" in usable(found.values())


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("no.such.module:manifest", "ModuleNotFoundError"),
        (f"{__name__}:no_such_name", "AttributeError"),
        (f"{__name__}:words", "is a tuple, not a PlatformManifest"),
        (f"{__name__}:console", "describes 'console', but is registered as 'matrix'"),
    ],
)
def test_a_broken_plugin_is_an_entry_with_the_reason(value: str, why: str) -> None:
    found = manifests([point("matrix", value), point("console", "platforms.console.manifest:manifest")])
    broken = found["matrix"]
    assert isinstance(broken, BrokenPlugin)
    assert why in broken.why
    assert "\n" not in broken.why
    assert list(usable(found.values())) == ["console"]


def test_a_built_in_platform_keeps_its_name_and_the_other_is_told() -> None:
    thief = f"{__name__}:console"
    found = manifests([point("console", thief), *built_in()])
    kept = found["console"]
    assert isinstance(kept, PlatformManifest)
    assert kept.adapter == "platforms.console.adapter:ConsoleAdapter"
    assert found[f"console ({thief})"] == BrokenPlugin(
        f"console ({thief})", "the name console belongs to a built-in platform"
    )


def test_of_two_plugins_with_one_name_the_second_is_told_and_the_same_one_twice_is_one() -> None:
    mine = point("matrix", f"{__name__}:matrix")
    found = manifests([mine, point("matrix", "zzz.other:manifest"), mine])
    assert list(found) == ["matrix", "matrix (zzz.other:manifest)"]
    assert found["matrix"] is matrix


@pytest.mark.parametrize(
    "where", ["tests.platforms.test_registry:missing", "no.such:thing", "shapeless", f"{__name__}:words"]
)
def test_an_adapter_that_cannot_be_loaded_is_one_clear_line(where: str) -> None:
    with pytest.raises(PlatformDown, match=r"^matrix: ") as down:
        load_adapter(PlatformManifest(name="matrix", adapter=where), CONTEXT)
    assert "\n" not in str(down.value)


@pytest.mark.parametrize("fault", ["class Mood(Exception): ...\nraise Mood('not today')", "raise SystemExit(3)"])
def test_code_that_ends_in_a_fault_of_its_own_kind_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    (tmp_path / "moody_platform.py").write_text(fault)
    monkeypatch.syspath_prepend(str(tmp_path))
    manifest = PlatformManifest(name="matrix", adapter="moody_platform:Adapter", settings="moody_platform:Settings")
    with pytest.raises(PlatformDown, match=r"^matrix: cannot load moody_platform:Adapter"):
        load_adapter(manifest, CONTEXT)
    monkeypatch.setattr(f"{__name__}.matrix", manifest)
    broken = manifests([point("matrix", f"{__name__}:matrix")])["matrix"]
    assert isinstance(broken, BrokenPlugin)
    assert "its settings moody_platform:Settings cannot be imported" in broken.why


@pytest.mark.parametrize(("name", "why"), [("odd", "Odd: the SDK is in a mood"), ("hollow", "made a NoneType")])
def test_an_adapter_that_cannot_be_built_is_one_clear_line(name: str, why: str) -> None:
    with pytest.raises(PlatformDown, match=r"^matrix: ") as down:
        load_adapter(PlatformManifest(name="matrix", adapter=f"{__name__}:{name}"), CONTEXT)
    assert why in str(down.value)
    assert "\n" not in str(down.value)


def test_reading_the_register_imports_no_sdk() -> None:
    program = (
        "import sys; from platforms.registry import manifests; manifests();"
        "import platforms.console.manifest;"
        "print([name for name in ('telegram', 'discord', 'prompt_toolkit', 'rich', 'openai') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert ran.stdout == "[]\n"
