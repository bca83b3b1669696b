"""Endless repetition is noticed; ordinary monotony is not."""

from __future__ import annotations

import random

import pytest

from gateway.models.repetition import RepetitionWatch, cut_to_one


def fired(text: str, size: int = 7) -> tuple[int, int | None] | None:
    """Feeds `text` in pieces; the characters it took, and the period."""
    watch = RepetitionWatch()
    for at in range(0, len(text), size):
        if watch.feed(text[at : at + size]):
            return at + size, watch.period
    return None


@pytest.mark.parametrize(
    ("unit", "period"),
    [
        ("a", 1),
        ("la ", 3),
        ("I am sorry. ", 12),
        ("茶", 1),
        ("word " * 10 + "end. ", 55),
        ("x" * 100 + "y" * 99, 199),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_unit_without_end_is_noticed_soon(unit: str, period: int, size: int) -> None:
    start = "Certainly! Here is what you asked for: "
    found = fired(start + unit * 4000, size)
    assert found is not None
    after, seen = found
    assert seen is not None
    assert seen % period == 0 or period % seen == 0
    assert after <= len(start) + max(400, 9 * period) + 2 * max(size, 64) + period


def test_endless_line_ends_are_noticed() -> None:
    found = fired("Done." + "\n" * 5000)
    assert found is not None
    assert found[0] < 300
    assert found[1] == 0
    assert fired("Done." + " \n" * 5000) is not None


@pytest.mark.parametrize(
    "text",
    [
        "─" * 200 + "\nA heading\n" + "=" * 200,
        "\n".join(f"| {n} | name {n} | {n * 7 % 13} |" for n in range(200)),
        "|" + ("-" * 60 + "|") * 20,
        "".join(f"{' ' * depth * 4}if x{depth}:\n" for depth in range(60)),
        "\n".join(f"- item {n}" for n in range(300)),
        "\n".join(f"{n}. the same words in each of the lines" for n in range(100)),
        "Done." + "\n" * 60,
        "a" * 300,
        "ha" * 150,
        "".join(random.Random(4).choices("abcdefgh ", k=20_000)),
        "\n".join("    value = value + 1" for _ in range(15)),
    ],
)
def test_ordinary_monotony_is_left_alone(text: str) -> None:
    assert fired(text, 5) is None
    assert fired(text, 500) is None


def test_the_cut_leaves_one_unit() -> None:
    assert cut_to_one("Well: " + "la " * 300, 3) == "Well: la"
    assert cut_to_one("Well: " + "la " * 300 + "l", 3) == "Well: la"
    assert cut_to_one("Done.\n\n\n\n", 0) == "Done."
    assert cut_to_one("ab", 5) == "ab"
