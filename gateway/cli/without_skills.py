"""The option `--no-skills`: the skills that come with the program are not put in place, now and later."""

from __future__ import annotations

import click

from gateway.cli.invocation import Invocation

no_skills = click.option(
    "--no-skills", "without_skills", is_flag=True, help="Do without the skills that come with the program, for good."
)


def opt_out(invocation: Invocation) -> None:
    """Leave the mark that says so; skills that are there stay. `skills opt-out --remove` puts them away."""
    from memory.files import FileTrouble
    from memory.skills.seeding import mark

    profile = invocation.prepared()
    try:
        mark(profile.skills)
    except FileTrouble as trouble:
        raise click.ClickException(str(trouble)) from None
