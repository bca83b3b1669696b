"""Flags that may stand before a subcommand's name as well as after it."""

from __future__ import annotations

import click


def or_of_the_group(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """A flag's value: `innkeeper sessions --json list` means the same as `innkeeper sessions list --json`."""
    above = ctx.parent.params if ctx.parent is not None else {}
    return value or bool(above.get(parameter.name or ""))
