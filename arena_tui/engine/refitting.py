"""The fit with which a group ends, as it is kept, and how it is compared with one made anew."""

from __future__ import annotations

import math
from collections.abc import Iterator

from arena_tui.engine.group import GroupRun
from arena_tui.store.fitted_rows import Fitted

TOLERANCE = 1e-6  # points, between machines and versions of what fits


def fitted_of(group: GroupRun, pos: int) -> Fitted:
    """What the fit of the group's comparisons says now, after journal position `pos`."""
    # With the delta that the stop rule and the result ask for: it changes nothing here and is one fit less.
    estimates = group.format.estimates(group.stop.delta).entrants
    entrants = zip(group.format.entrants, estimates, strict=True)
    return Fitted(group.id, pos, {who.id: (each.rating, each.low, each.high) for who, each in entrants})


def departures(stored: Fitted, group: GroupRun) -> Iterator[str]:
    """Where the stored fit differs from the one that the journal gives at its place, a sentence each."""
    fitted = fitted_of(group, stored.pos).ratings
    for entrant in dict.fromkeys((*fitted, *stored.ratings)):
        kept, made = stored.ratings.get(entrant), fitted.get(entrant)
        if kept is None or made is None or not all(map(_equal, kept, made)):
            yield f"group {group.id}, {entrant}: fitted rating {kept} is stored, the journal gives {made}"


def _equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=0.0, abs_tol=TOLERANCE)
