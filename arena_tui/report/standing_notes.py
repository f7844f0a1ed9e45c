"""What a table of standings must not leave unsaid: what its intervals mean, who may be best, who never met.

Pure: from a `Result` to sentences, in the order in which they stand under the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from arena_tui.report.result import Result
from arena_tui.safetext import one_line

GROUPS = 5  # groups whose leaders are told
NAMED = 6  # candidates named of a set
SETS = 4
_WHOLE = 2000  # cells
_RANKED_OTHERWISE = ("elo", "pivot", "knockout")
_TIES: Mapping[str, str] = {
    "davidson": "draws by Davidson's model",
    "half": "a draw counts as half a win",
}


def standing_notes(result: Result) -> list[str]:
    """The sentences that belong under the table of a result; none before anything was compared."""
    told = per_group(result.details)
    fits = [each for each in told.values() if each.get("tie_model")]
    if not fits:
        return []
    lines = []
    if result.format == "elo":
        lines.append(
            "Elo depends on the order of the matches; BT, a Bradley-Terry fit of all of them together, does "
            "not"
        )
    lines.append(_order(result))
    lines.append(_intervals(result, fits))
    for name, each in list(told.items())[:GROUPS]:
        prefix = f"{one_line(name, _WHOLE)}: " if len(told) > 1 else ""
        lines += [prefix + line for line in _of_group(result, name, each)]
    if "CONFIDENT" in (result.stop_reason, *result.groups["stop_reasons"].values()):
        lines.append(
            "CONFIDENT is a statement about this judge's noise: asked again it would hardly say otherwise, "
            "whether or not it is right"
        )
    return lines


def per_group(details: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """What the fit of each group tells; of a single one, or of one over all groups, under the name ""."""
    if "tie_model" in details:
        return {"": details}
    return {name: told for name, told in details.items() if isinstance(told, Mapping) and "tie_model" in told}


def _order(result: Result) -> str:
    """By what the rows are sorted, and what stands beside the rank."""
    by = {
        "elo": "Elo",
        "pivot": "w/c, what was won of what was played",
        "knockout": "how far they came, then rating",
    }.get(result.format, "rating")
    score = {
        "swiss": "; points: a win 1, a draw 1/2, a bye what bye_points says",
        "round_robin": "; points: a win 1, a draw 1/2",
    }.get(result.format, "")
    return f"rows by {by}; range: the ranks it cannot be told apart from{score}"


def _intervals(result: Result, fits: list[Mapping[str, Any]]) -> str:
    """What the bars are, in a sentence."""
    models = [words for model, words in _TIES.items() if any(each["tie_model"] == model for each in fits)]
    of = "BT" if result.format == "elo" else "the rating, a Bradley-Terry fit"
    parts = [f"95 %: intervals of {of}, on this judge's own scale; {' or '.join(models)}"]
    parts.append("wide while few comparisons leave open how far apart candidates are at all")
    own = max(each["inflation"] or 0.0 for each in fits)
    if own > 0.0:
        most = "" if len(fits) == 1 else "up to "
        parts.append(f"widened, for pairs that met again differ by {most}{own:.2f} logits more than chance")
    if any(each.get("clustered") for each in fits):
        parts.append("they allow for what a group's texts do to all of its matches (clustered by group)")
    return "; ".join(parts)


def _of_group(result: Result, group: str, told: Mapping[str, Any]) -> Iterator[str]:
    for class_, each in told.get("confidence", {}).items():
        yield _leader(result, class_, each)
    compared = {row.id for row in result.standings if row.matches and group in ("", row.group)}
    linked = [[id_ for id_ in ids if id_ in compared] for ids in told.get("components", ())]
    linked = [ids for ids in linked if ids]
    if len(linked) > 1:
        sets = [_set(ids) for ids in linked[:SETS]]
        more = f" and {len(linked) - SETS} more sets" if len(linked) > SETS else ""
        yield (
            f"no comparison links {' and '.join(sets)}{more}: how one stands against another is not known, "
            "whatever the ranks say"
        )


def _leader(result: Result, class_: str, each: Mapping[str, Any]) -> str:
    of = f" of class {one_line(class_, _WHOLE)}" if class_ else ""
    by = " by the fit" if result.format in _RANKED_OTHERWISE else ""
    leader, runner_up = one_line(each["leader"], _WHOLE), one_line(each["runner_up"], _WHOLE)
    near = f"within {each['delta']:g} logit of the best with probability {each['p_near']:.2f}"
    return (
        f"P(best){of}{by}: {leader} {each['p_best']:.0%}, next likely {runner_up} {each['p_runner_up']:.0%}; "
        f"{leader} is {near}"
    )


def _set(ids: list[str]) -> str:
    names = [one_line(id_, _WHOLE) for id_ in ids[:NAMED]]
    more = f" and {len(ids) - NAMED} more" if len(ids) > NAMED else ""
    return f"{{{', '.join(names)}{more}}}"
