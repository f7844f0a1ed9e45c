"""What a group's fit tells beside ratings: how sure its leader is, what no comparison links, the first slot.

Made of a format's `Estimates`, ready for JSON; `summary` puts it into a result.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from arena_tui.ratings.proportions import SlotEffect

if TYPE_CHECKING:
    from arena_tui.ratings.estimates import Estimates

DECIMALS = 4


def fit_details(
    names: Sequence[str],
    classes: Sequence[str | None],
    fit: Estimates,
    *,
    delta: float,
    clustered: bool = False,
    plays: Callable[[str], bool] = lambda _: True,
) -> dict[str, Any]:
    """The part of a group's `details` that its fit gives; `names` and `classes` are by entrant.

    `tie_model` (half or davidson) is None before any comparison, and so is `inflation`: by how many logits
    (standard deviation) pairs that met again differ beyond chance, which widens the intervals. `clustered`:
    the intervals allow for what a group's texts do to all of its matches. `confidence` is by class, "" for
    those without one: leader, runner-up, P(best) of both, P(the leader is within `delta` logit of the
    best). `components` are the sets that no comparison links, where a class falls into more than one.
    """
    made = fit.fit
    compared = bool(made.comparisons)
    one_sided = {
        name: [names[entrant] for entrant in who]
        for name, who in (("undefeated", made.undefeated), ("winless", made.winless))
    }
    return {
        "tie_model": made.ties if compared else None,
        "inflation": round(math.sqrt(fit.pair_variance), DECIMALS) if compared else None,
        "clustered": clustered,
        "components": _unlinked(names, classes, made.components, plays) if compared else [],
        **one_sided,
        "confidence": {
            str(class_ or ""): {
                "leader": names[each.leader],
                "runner_up": names[each.runner_up],
                "p_best": round(each.p_best, DECIMALS),
                "p_runner_up": round(each.p_runner_up, DECIMALS),
                "p_near": round(each.p_near, DECIMALS),
                "delta": delta,
            }
            for class_, each in fit.classes.items()
            if each.comparisons
        },
    }


def _unlinked(
    names: Sequence[str],
    classes: Sequence[str | None],
    components: Iterable[Sequence[int]],
    plays: Callable[[str], bool],
) -> list[list[str]]:
    by_class: dict[str | None, list[list[str]]] = defaultdict(list)
    for members in components:
        shared = len(members) > 1  # one who neither plays nor has met anybody is in no set
        ids = [names[entrant] for entrant in members]
        if shared or plays(ids[0]):
            by_class[classes[members[0]]].append(ids)
    return [ids for sets in by_class.values() if len(sets) > 1 for ids in sets]


def slot_of(fits: Iterable[Estimates]) -> SlotEffect | None:
    """What the first slot adds to a text's logit, over the fits of all groups; None before any comparison.

    Each fit's estimate is one of normal evidence with the same prior; the evidence adds up and the prior
    counts once. Of a single fit it is that fit's own.
    """
    from arena_tui.ratings.bradley_terry import SLOT_VARIANCE

    found = [effect for fit in fits for effect in fit.fit.slot.values()]
    if len(found) < 2:
        return found[0] if found else None
    prior = 1.0 / SLOT_VARIANCE
    precision = prior + sum(effect.se**-2 - prior for effect in found)
    logits = sum(effect.logits * effect.se**-2 for effect in found) / precision
    se = precision**-0.5
    return SlotEffect(logits, se, logits / se)
