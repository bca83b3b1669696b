"""Which outside memories are found, and what becomes of bad ones."""

from __future__ import annotations

import sqlite3
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from memory.providers.protocol import Patience, ProviderContext, ProviderManifest, Unreachable
from memory.providers.registry import GROUP, BrokenProvider, Register, built
from tests.fakes.parrot import ParrotSettings, manifest

hasty = ProviderManifest("hasty", "tests.fakes.parrot:Parrot", patience=Patience(prefetch="4"))  # type: ignore[arg-type]
upwards = ProviderManifest("../up", "tests.fakes.parrot:Parrot")
never = ProviderManifest("never", "tests.fakes.parrot:Parrot", patience=Patience(block=float("nan")))


def locked(context: ProviderContext) -> object:
    raise sqlite3.OperationalError("database is locked")


def leaves(context: ProviderContext) -> object:
    raise SystemExit(2)


def point(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


def context(folder: Path) -> ProviderContext:
    return ProviderContext(ParrotSettings().model_dump(), {}, folder)


def test_one_that_is_announced_is_found_by_name() -> None:
    register = Register([point("parrot", "tests.fakes.parrot:manifest")])
    assert register.names == {"parrot"}
    assert register.get("parrot") is manifest
    assert register.get("nobody") is None


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("gone", "no.such.module:manifest", "cannot be imported: ModuleNotFoundError"),
        ("parrot", "tests.fakes.parrot:nothing", "cannot be imported: AttributeError"),
        ("parrot", "tests.fakes.parrot:Parrot", "is a type, not a ProviderManifest"),
        ("other", "tests.fakes.parrot:manifest", "describes 'parrot', not 'other'"),
        ("hasty", f"{__name__}:hasty", "has a patience that is no number of seconds"),
        ("../up", f"{__name__}:upwards", "is no name: letters a-z, digits, - and _"),
        ("never", f"{__name__}:never", "has a patience that is no number of seconds"),
    ],
)
def test_a_bad_one_is_a_reason_and_no_fault(name: str, value: str, why: str) -> None:
    found = Register([point(name, value)]).all()[name]
    assert isinstance(found, BrokenProvider)
    assert why in found.why


def test_a_plugin_does_not_take_the_name_of_a_built_in_one() -> None:
    ours, theirs = point("parrot", "gateway.nowhere:manifest"), point("parrot", "tests.fakes.parrot:manifest")
    found = Register([theirs, ours]).get("parrot")
    assert isinstance(found, BrokenProvider)
    assert "gateway.nowhere" in found.why


def test_making_one_opens_nothing(tmp_path: Path) -> None:
    assert built(manifest, context(tmp_path)).name == "parrot"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("nowhere", "not an import string"),
        ("no.such:Thing", "cannot be loaded: ModuleNotFoundError"),
        ("tests.fakes.parrot:register", "cannot be loaded: TypeError"),
        ("builtins:dict", "made a dict, no provider named parrot"),
        (f"{__name__}:locked", "cannot be loaded: OperationalError: database is locked"),
        (f"{__name__}:leaves", "cannot be loaded: SystemExit: 2"),
    ],
)
def test_one_that_cannot_be_made_is_unreachable(tmp_path: Path, where: str, why: str) -> None:
    bent = ProviderManifest("parrot", where)
    handed: object = {} if where.startswith("builtins") else context(tmp_path)
    with pytest.raises(Unreachable) as fault:
        built(bent, handed)  # type: ignore[arg-type]
    assert why in str(fault.value)
    assert "\n" not in str(fault.value)
