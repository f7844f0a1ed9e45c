"""The stability window: when a leaderboard counts as settled, and what is told until then."""

from __future__ import annotations

import pytest

from arena_tui.ratings.stability import Distance, StabilityTracker

Top = list[tuple[str, float]]
ABC: Top = [("a", 1500.0), ("b", 1400.0), ("c", 1300.0)]


def unguarded(*, n: int = 3, eps: float = 25.0, top_k: int = 3) -> StabilityTracker:
    return StabilityTracker(top_k=top_k, n=n, eps=eps, min_ideas=0, min_matches=0, min_matches_each=0)


def feed(tracker: StabilityTracker, *tops: Top, start: int = 10) -> list[bool]:
    return [
        tracker.snapshot(start + 10 * i, top, playing=6, fewest_matches=4).stable
        for i, top in enumerate(tops)
    ]


def test_three_equal_snapshots_are_stable_and_two_are_not() -> None:
    assert feed(unguarded(), ABC, ABC, ABC) == [False, False, True]


def test_another_member_in_the_top_set_is_not_stable() -> None:
    swapped = [("a", 1500.0), ("b", 1400.0), ("d", 1300.0)]
    assert feed(unguarded(eps=50), ABC, ABC, swapped) == [False, False, False]


def test_another_order_of_the_same_top_set_is_stable() -> None:
    near = [("a", 1401.0), ("b", 1400.0)]
    turned = [("b", 1402.0), ("a", 1401.0)]
    assert feed(unguarded(top_k=2), near, turned, near) == [False, False, True]


def test_a_member_that_climbs_by_more_than_eps_is_not_stable() -> None:
    assert feed(unguarded(), *([("a", r)] for r in (1500.0, 1510.0, 1540.0)))[-1] is False


def test_members_that_move_less_than_eps_are_stable() -> None:
    tops = [[("a", a), ("b", b)] for a, b in ((1500.0, 1400.0), (1510.0, 1410.0), (1520.0, 1395.0))]
    assert feed(unguarded(eps=30), *tops) == [False, False, True]


@pytest.mark.parametrize(("last", "stable"), [(1524.999, True), (1525.0, False)])
def test_moving_by_exactly_eps_is_too_much(last: float, stable: bool) -> None:
    assert feed(unguarded(), *([("a", r)] for r in (1500.0, 1500.0, last)))[-1] is stable


def test_there_and_back_within_the_window_counts_as_moving() -> None:
    assert feed(unguarded(), *([("a", r)] for r in (1500.0, 1530.0, 1500.0)))[-1] is False


def test_only_the_last_n_snapshots_count() -> None:
    other = [("d", 1600.0)]
    assert feed(unguarded(), other, ABC, ABC, ABC) == [False, False, False, True]


@pytest.mark.parametrize(
    ("guards", "playing", "fewest", "stable"),
    [
        ({"min_ideas": 7}, 6, 9, False),
        ({"min_ideas": 6}, 6, 9, True),
        ({"min_matches": 31}, 6, 9, False),
        ({"min_matches": 30}, 6, 9, True),
        ({"min_matches_each": 4}, 6, 3, False),
        ({"min_matches_each": 4}, 6, 4, True),
        ({"min_matches": None}, 7, 9, False),  # five per playing candidate: 35
        ({"min_matches": None}, 6, 9, True),
    ],
)
def test_guards_hold_back_a_window_that_is_settled(
    guards: dict[str, int | None], playing: int, fewest: int, stable: bool
) -> None:
    settings: dict[str, int | None] = {"min_ideas": 0, "min_matches": 0, "min_matches_each": 0} | guards
    tracker = StabilityTracker(top_k=3, n=3, eps=25.0, **settings)  # type: ignore[arg-type] # a mapping
    for valid in (10, 20, 30):
        tracker.snapshot(valid, ABC, playing=playing, fewest_matches=fewest)
    assert tracker.stable is stable


def test_a_restart_begins_a_full_new_window() -> None:
    tracker = unguarded()
    assert feed(tracker, ABC, ABC, ABC)[-1]
    tracker.restart()
    assert not tracker.stable
    assert feed(tracker, ABC, ABC, ABC, start=40) == [False, False, True]


def test_fewer_candidates_than_k_can_be_stable() -> None:
    assert feed(unguarded(top_k=5), ABC[:2], ABC[:2], ABC[:2])[-1]


def test_nothing_seen_is_a_whole_window_away() -> None:
    assert unguarded().distance() == Distance(snapshots=0, needed=3)


def test_distance_names_who_still_moves_and_who_came_or_went() -> None:
    tracker = StabilityTracker(top_k=2, n=3, eps=25, min_ideas=8, min_matches=50, min_matches_each=5)
    tracker.snapshot(10, [("a", 1500.0), ("b", 1400.0)], playing=6, fewest_matches=1)
    tracker.snapshot(20, [("a", 1560.0), ("c", 1410.0)], playing=6, fewest_matches=2)
    assert tracker.distance() == Distance(
        snapshots=2,
        needed=3,
        changed=("c", "b"),
        moving=(("a", 60.0),),
        ideas_missing=2,
        matches_missing=30,
        matches_each_missing=3,
    )


def test_a_stable_window_is_no_distance_away() -> None:
    tracker = unguarded()
    feed(tracker, ABC, ABC, ABC)
    assert tracker.distance() == Distance(snapshots=3, needed=3)
