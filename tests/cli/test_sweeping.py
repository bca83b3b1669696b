"""A start that nobody sweeps: the collector is off meanwhile, and on again afterwards, however it ends."""

from __future__ import annotations

import gc

import pytest

from gateway.cli.sweeping import unswept


def test_it_is_off_until_things_have_settled() -> None:
    before = gc.get_freeze_count()
    with unswept() as settled:
        assert not gc.isenabled()
        settled(None)
        assert gc.isenabled()
        assert gc.get_freeze_count() > before
    assert gc.isenabled()
    settled(None)
    assert (gc.isenabled(), gc.get_freeze_count() > 0) == (True, before > 0)


def test_it_is_on_again_after_a_start_that_fails() -> None:
    frozen = gc.get_freeze_count()
    with pytest.raises(KeyError), unswept():
        raise KeyError
    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen, "nothing was left out of later looks; some of what was may be gone"


def test_who_had_it_off_keeps_it_off() -> None:
    gc.disable()
    try:
        with unswept() as settled:
            settled(None)
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
