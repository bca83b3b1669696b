"""A player of one chat on many platforms: the real library of each network against its server on loopback, or a real
window on the console's socket, with the whole gateway behind it. What the person saw must be the same everywhere."""

import pytest

pytest.register_assert_rewrite("tests.scenarios.player.transcript")  # so that a scene that fails says how
