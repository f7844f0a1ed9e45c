"""What Ready tells of a format in one line."""

from __future__ import annotations

from typing import Any

import pytest

from arena_tui import load
from arena_tui.cockpit.format_words import format_words


def words(format_: Any, **more: Any) -> str:
    loaded = load(
        {
            "candidates": ["one", "two"],
            "judge": {"kind": "simulated"},
            "format": format_,
            **more,
        }
    )
    return format_words(loaded.settings)


@pytest.mark.parametrize(
    ("format_", "told"),
    [
        ("elo", "until the top 5 is stable"),
        (
            "adaptive",
            "teaches most; the top counts more than the rest; until the leader is within 0.3 logit of",
        ),
        ({"kind": "adaptive", "goal": "best"}, "teaches most; who is at the very top counts most"),
        ("swiss", "the fewest rounds in which one can win every match; each pairs equal scores"),
        ({"kind": "swiss", "rounds": 4}, "4 rounds; each pairs equal scores"),
        ("pivot", "a ring, then everybody against its best 2; by the share of wins; to the end"),
        ({"kind": "round_robin", "double": True}, "everybody against everybody, twice; to the end"),
        ({"kind": "knockout", "seeding": "random"}, "a bracket, seeds are drawn by lot: who loses is out"),
        ({"kind": "knockout", "best_of": 3}, "a bracket, best of 3, seeds by the ratings given: who"),
    ],
)
def test_every_format_says_what_it_will_do_and_when_it_ends(format_: Any, told: str) -> None:
    assert told in words(format_)


def test_systems_are_said_to_meet_over_all_groups_or_to_be_pooled() -> None:
    rows = [
        {"text": f"{system} {group}", "system": system, "group": group}
        for group in ("g", "h")
        for system in ("x", "y")
    ]
    dealt = words("adaptive", candidates=rows, compare="systems")
    assert dealt.startswith("systems meet over the texts of all groups: ")
    pooled = words("swiss", candidates=rows, compare="systems")
    assert pooled.startswith("systems are rated from what their texts play in each group: ")


def test_a_bracket_without_ratings_draws_its_seeds() -> None:
    loaded = load({"candidates": ["one", "two"], "judge": {"kind": "simulated"}, "format": "knockout"})
    assert "seeds are drawn by lot" in format_words(loaded.settings, rated=False)


def test_a_strict_rule_and_no_rule_are_told() -> None:
    assert "the leader is the best with probability 0.95" in words(
        "adaptive", stop={"rule": "confident", "strict": True}
    )
    assert words("elo", stop={"rule": "none"}, limits={"matches": 9}).endswith("until a limit ends it")
