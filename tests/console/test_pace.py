"""The pace of a run and what is left of it, from marks of time and applied matches."""

from __future__ import annotations

import pytest

from arena_tui.amounts import age, duration, rate, span, tokens, usd
from arena_tui.console.pace import Pace, left_words, matches_left, time_left
from arena_tui.engine.state import GroupState, InFlight, RunState
from arena_tui.ratings.stability import Distance


def paced(*runs: tuple[int, float], start: float = 0.0) -> Pace:
    """Marks of a run that applies `matches` one by one, `seconds` apart, for each of `runs`."""
    pace, now, applied = Pace(), start, 0
    pace.mark(now, applied)
    for matches, seconds in runs:
        for _ in range(matches):
            now += seconds
            applied += 1
            pace.mark(now, applied)
    return pace


def test_rate_counts_the_last_minute() -> None:
    assert paced((30, 10.0), (60, 1.0)).rate == pytest.approx(1.0)


def test_rate_is_unknown_before_there_is_anything_to_measure() -> None:
    pace = Pace()
    assert pace.rate is None
    pace.mark(0.0, 5)
    assert pace.rate is None
    assert pace.rates is None


def test_a_steady_run_has_one_rate_and_a_run_that_slows_down_has_a_range() -> None:
    slow, fast = paced((400, 1.0)).rates or (0, 0)
    assert slow == pytest.approx(fast)
    slow, fast = paced((200, 1.0), (15, 4.0)).rates or (0, 0)
    assert slow == pytest.approx(0.25)
    assert fast > 2 * slow


def test_time_before_a_restart_does_not_count() -> None:
    pace = paced((10, 1.0))
    pace.restart()
    pace.mark(1_000.0, 10)
    pace.mark(1_010.0, 20)
    assert pace.rate == pytest.approx(1.0)


def test_an_earlier_moment_starts_the_marks_anew() -> None:
    pace = paced((10, 1.0))
    pace.mark(11.0, 3)
    assert pace.rate is None


def test_silence_is_the_time_since_the_last_match() -> None:
    pace = paced((3, 1.0))
    pace.mark(50.0, 3)
    assert pace.silence(60.0) == pytest.approx(57.0)


def test_marks_stay_few_over_a_long_run() -> None:
    pace = paced((20_000, 0.05))
    assert len(pace._marks) < 2_000


def test_the_earliest_of_schedule_and_limits_is_what_is_left() -> None:
    state = RunState(a=50, started=50, groups={"main": GroupState("main", applied=50, expected=90)})
    assert matches_left(state) == 40
    state.match_limit = 80
    assert matches_left(state) == 30
    state.usd, state.usd_limit = 5.0, 6.0
    assert matches_left(state) == pytest.approx(10)
    state.tokens, state.token_limit = 1_000, 1_100
    assert matches_left(state) == pytest.approx(5)


def test_matches_under_way_are_still_to_come() -> None:
    state = RunState(a=10, started=14, match_limit=20, held=1)
    for seq in (11, 12, 13):
        state.in_flight["main", seq, "ab"] = InFlight("main", seq, "ab", "a", "b", "pairwise", 0.0)
    assert matches_left(state) == 10


def test_groups_that_ended_leave_nothing() -> None:
    groups = {
        "one": GroupState("one", applied=10, expected=20, stop_reason="ELO_STABLE"),
        "two": GroupState("two", applied=5, expected=20),
    }
    assert matches_left(RunState(groups=groups)) == 15


def test_what_is_left_is_a_range_between_the_slowest_and_the_fastest_pace() -> None:
    state = RunState(a=215, started=215, match_limit=455)
    pace = paced((200, 1.0), (15, 4.0))
    low, high = time_left(state, pace) or (0, 0)
    assert high == pytest.approx(240 / 0.25)
    assert low < high / 2
    assert left_words(state, pace) == f"{span(low, high)} left"


def test_the_wall_clock_cuts_the_range() -> None:
    state = RunState(a=215, started=215, match_limit=455, wall_clock_limit=60.0, elapsed=20.0)
    assert time_left(state, paced((200, 1.0), (15, 4.0))) == (40.0, 40.0)
    assert left_words(state, Pace()) == "40 s left"


def test_a_stop_rule_makes_the_range_the_most_it_can_be() -> None:
    state = RunState(a=60, match_limit=120, started=60)
    state.groups["main"] = GroupState("main", applied=60, distance=Distance(1, 3))
    assert left_words(state, paced((60, 1.0))) == "at most about 60 s left"


def test_an_open_ended_run_says_what_will_end_it() -> None:
    state = RunState(groups={"main": GroupState("main", distance=Distance(0, 3))})
    assert left_words(state, Pace()) == "until its stop rule fires"
    state.usd_limit = 2.0
    assert left_words(state, Pace()) == "until its stop rule fires or its budget is spent"


def test_without_a_pace_only_matches_are_left() -> None:
    assert left_words(RunState(match_limit=20), Pace()) == "20 matches left"


def test_amounts_read_as_people_write_them() -> None:
    assert [duration(each) for each in (0, 99, 100, 5_999, 6_000)] == [
        "0 s",
        "99 s",
        "2 min",
        "100 min",
        "1.7 h",
    ]
    assert [span(*each) for each in ((240, 420), (61, 61.2), (80, 300))] == [
        "4 to 7 min",
        "about 61 s",
        "80 s to 5 min",
    ]
    assert [usd(each) for each in (0, 0.84, 1234.5, 0.0042, 0.00001)] == [
        "0.00",
        "0.84",
        "1,234.50",
        "0.0042",
        "1e-05",
    ]
    assert [tokens(each) for each in (0, 999, 12_500, 840_000, 999_600, 1_250_000, 23_400_000)] == [
        "0",
        "999",
        "12.5k",
        "840k",
        "1.00M",
        "1.25M",
        "23.4M",
    ]
    assert [rate(each) for each in (0.2, 3.14)] == ["12.0/min", "3.1/s"]


def test_ages_count_from_the_clock_they_are_given() -> None:
    noon = 1_764_590_400.0
    ages = [
        age(f"2025-{moment}", noon)
        for moment in ("12-01T11:59:30Z", "12-01T11:20:00+00:00", "12-01T09:00:00")
    ]
    assert ages == ["just now", "40 min ago", "3 h ago"]
    assert age("2025-11-11T11:00:00+00:00", noon) == "20 d ago"
    assert age("", noon) == age("yesterday", noon) == ""
