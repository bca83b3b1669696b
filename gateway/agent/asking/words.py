"""What a language brings: parts of regular expressions, matched against folded text. Pure.

Every part is matched inside one sentence, in lower case, without accents; gaps are bounded, so time is linear.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Alternatives of regular expressions, each tuple one family.

    `no` are near misses: they are blanked before anything else is looked for. `remind` are "do not forget" and its
    kin, `keep` other ways to ask for keeping that need nothing more. `save` needs `memory`, or `this` or `mine`, and


    no `other`; `store` needs `memory`. `forget` needs nothing more, `drop` and `change` need `memory` near (or, for `change`, `stale` and
    `mine`), and no `other`. `memory` is what an assistant knows and where; `other` is what else can be saved, changed
    or deleted. `lasting` makes a lasting instruction of what follows. `asked` are questions that are no wishes.
    `fillers` are words that say nothing by themselves; `ahead` those that lead over from the asking to the matter.
    """

    no: tuple[str, ...]
    remind: tuple[str, ...]
    keep: tuple[str, ...]
    save: tuple[str, ...]
    store: tuple[str, ...]
    forget: tuple[str, ...]
    drop: tuple[str, ...]
    change: tuple[str, ...]
    memory: tuple[str, ...]
    other: tuple[str, ...]
    stale: tuple[str, ...]
    mine: tuple[str, ...]
    this: tuple[str, ...]
    lasting: tuple[str, ...]
    asked: tuple[str, ...]
    fillers: str
    ahead: tuple[str, ...] = ()
    glued: bool = False
    """Written without spaces between words."""
