"""`arena bench`: the worlds, the measures, and that formats are played by their own rules and cut in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import pytest

from arena_tui.bench import running
from arena_tui.bench.amounts import amount
from arena_tui.bench.entries import FORMATS, Entry, entries, tournament_of
from arena_tui.bench.measures import Measures, averaged, covered, measured
from arena_tui.bench.playing import play
from arena_tui.bench.running import Bench, hold
from arena_tui.bench.worlds import GAP, SimulatedWorld, normal_range, usual_spread
from arena_tui.candidate import Candidate, Pool
from arena_tui.engine.course import Course, Origin, usual_lookahead
from arena_tui.engine.group import GroupRun
from arena_tui.errors import UsageError
from arena_tui.facts import Standing
from arena_tui.formats.pivot import comparisons
from arena_tui.judging.base import Question

WORLD = SimulatedWorld(8, usual_spread(8))
EVERY = entries((), (), ())


def ask(first: str, second: str) -> Question:
    return Question("main", 1, "ab", "pairwise", Candidate(first, first), Candidate(second, second))


def played(entry: Entry, calls: int, seed: int = 1, world: SimulatedWorld = WORLD) -> tuple[GroupRun, int]:
    """A tournament, and how many comparisons it made."""
    tournament = tournament_of(
        entry, n=world.n, calls=calls, in_flight=1, lookahead=None, compare="candidates"
    )
    contest = world.contest(0, seed)
    lookahead = usual_lookahead(tournament, Pool(contest.groups))
    course = Course(Origin("test", tournament, seed, lookahead, contest.groups))
    (group,) = course.groups.values()
    return group, play(course, group, contest.judge, calls)


# -- amounts and worlds --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        *(("93", 32, 93), ("3N-3", 32, 93), ("3N", 8, 24), ("N/4", 8, 2), ("N/4", 3, 1), ("2N", 10, 20)),
        *(("NlogN", 32, 160), ("NlogN", 10, 34), ("2NlogN", 8, 48), ("N", 5, 5), ("N-4", 5, 1)),
    ],
)
def test_amounts_follow_the_number_of_candidates(text: str, n: int, expected: int) -> None:
    assert amount(text, n, "--calls") == expected


@pytest.mark.parametrize("text", ["", "x", "-3", "1.5", "N*2", "logN", "N/0", "/4"])
def test_other_amounts_are_refused_with_the_option(text: str) -> None:
    with pytest.raises(UsageError, match=r"--calls: expected a number or a multiple of N"):
        amount(text, 8, "--calls")


def test_expected_range_of_normals() -> None:
    assert normal_range(2) == pytest.approx(2 / math.sqrt(math.pi), abs=1e-10)
    assert normal_range(3) == pytest.approx(3 / math.sqrt(math.pi), abs=1e-10)
    assert normal_range(10) == pytest.approx(3.07750546, abs=1e-7)  # Tippett's table: 3.07751
    assert usual_spread(3) * normal_range(3) == pytest.approx(2 * GAP)


def test_every_format_hears_the_same_of_a_pair() -> None:
    one, other = WORLD.contest(0, 5).judge, WORLD.contest(0, 5).judge
    said = [one.verdict(ask("c0001", "c0002")).winner for _ in range(12)]
    other.verdict(ask("c0003", "c0004"))
    other.verdict(ask("c0002", "c0001"))
    assert [other.verdict(ask("c0001", "c0002")).winner for _ in range(12)] == said
    assert len(set(said)) > 1
    assert WORLD.contest(0, 6).truth != WORLD.contest(0, 5).truth


def test_verdicts_follow_the_law() -> None:
    world = SimulatedWorld(2, 0.0, slot_bias=0.5, draw_rate=0.25)
    judge = world.contest(0, 1).judge
    said = [judge.verdict(ask("c0000", "c0001")).winner for _ in range(4_000)]
    assert said.count("draw") / 4_000 == pytest.approx(0.25, abs=0.02)
    decisive = said.count("first") + said.count("second")
    assert said.count("first") / decisive == pytest.approx(1 / (1 + math.exp(-0.5)), abs=0.025)


def test_soft_judge_gives_probabilities_and_no_ties() -> None:
    judge = SimulatedWorld(4, 1.0, draw_rate=0.0, soft=True).contest(0, 1).judge
    said = [judge.verdict(ask("c0000", "c0001")) for _ in range(50)]
    assert all(verdict.p_first is not None and 0 < verdict.p_first < 1 for verdict in said)
    assert all((verdict.winner == "first") == ((verdict.p_first or 0) >= 0.5) for verdict in said)


def test_sticky_pair_leans_the_same_way_in_both_orders() -> None:
    judge = SimulatedWorld(2, 0.0, slot_bias=0.0, draw_rate=0.0, sticky=50.0).contest(0, 3).judge
    straight = {judge.verdict(ask("c0000", "c0001")).winner for _ in range(20)}
    turned = {judge.verdict(ask("c0001", "c0000")).winner for _ in range(20)}
    assert (straight, turned) in (({"first"}, {"second"}), ({"second"}, {"first"}))


# -- measures ------------------------------------------------------------------------------------


def test_measures_of_the_right_and_the_reversed_order() -> None:
    truth = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.0}
    assert measured("abcd", truth, 0.9, 12) == Measures(1.0, 1.0, 1.0, 1.0, 0.9, 12.0)
    wrong = measured("dcba", truth, None, 12)
    assert (wrong.tau, wrong.top1, wrong.coverage) == (-1.0, 0.0, None)
    assert wrong.top3 == pytest.approx(2 / 3)
    discounts = [1 / math.log2(place + 1) for place in (1, 2, 3, 4)]
    gained, most = (
        sum(g * d for g, d in zip(gains, discounts, strict=True)) for gains in ((1, 2, 3, 4), (4, 3, 2, 1))
    )
    assert wrong.ndcg == pytest.approx(gained / most)
    assert measured("acbd", truth, None, 1).tau == pytest.approx(2 / 3)


def test_coverage_counts_intervals_that_hold_the_centred_truth() -> None:
    truth = {"a": 5.0, "b": 3.0, "c": 1.0}  # centred 2, 0, -2: 400 / ln 10 points a logit
    point = 400 / math.log(10)
    rows = [
        Standing("a", 1, 0.0, low=1500 + 1.9 * point, high=1500 + 2.1 * point),
        Standing("b", 2, 0.0, low=1500 + 0.1 * point, high=1500 + 9 * point),
        Standing("c", 3, 0.0),
    ]
    assert covered(rows, truth) == 0.5
    assert covered(rows[2:], truth) is None


def test_averages_take_arenas_as_they_are() -> None:
    def row(tau: float) -> Measures:
        return Measures(tau, 1.0, 1.0, 1.0, None, 10.0)

    found = averaged([[row(0.0), row(1.0)], [row(0.4), row(0.8)]])
    assert found.mean["tau"] == pytest.approx(0.55)
    assert found.se["tau"] == pytest.approx(math.sqrt(0.5 / 2 + 0.08 / 2) / 2)
    assert (found.mean["coverage"], found.se["coverage"], found.se["top1"]) == (None, None, 0.0)
    assert averaged([[row(0.3)]]).se["tau"] is None


# -- formats in a bench --------------------------------------------------------------------------


def test_entries_name_every_ranking() -> None:
    assert [label for entry in EVERY for label, _ in entry.rankings] == [
        *("elo", "elo + bt", "swiss, both orders", "swiss, alternate", "pivot, w/c", "pivot + bt"),
        *("round_robin", "knockout", "adaptive, best", "adaptive, balanced", "adaptive, order"),
    ]
    chosen = entries(("adaptive",), ("best",), ("1", "N/4", "1"))
    assert [entry.rankings[0][0] for entry in chosen] == [
        "adaptive, best, lookahead 1",
        "adaptive, best, lookahead N/4",
    ]
    assert {entry.kind for entry in EVERY} == set(FORMATS)


@pytest.mark.parametrize("entry", EVERY, ids=lambda entry: entry.rankings[0][0])
def test_formats_are_cut_at_the_calls(entry: Entry) -> None:
    for calls in (7, 20, 21):
        group, made = played(entry, calls)
        if entry.kind != "knockout":  # its bracket may be decided earlier
            assert made == calls
        assert made <= calls
        shorter, _ = played(entry, calls - 3)
        rows, before = list(group.format.fit_log.rows), list(shorter.format.fit_log.rows)
        if entry.orders != "both" and entry.kind in ("elo", "adaptive"):
            assert rows[: len(before)] == before, "a bench cut short is a prefix of the longer one"


def test_second_order_that_no_longer_fits_is_left_out() -> None:
    (both, _) = entries(("swiss",), (), ())
    group, made = played(both, 21)
    rows = list(group.format.fit_log.rows)
    assert (made, len(rows)) == (21, 21)
    matches = [match for match, *_ in rows]
    assert [matches.count(match) for match in dict.fromkeys(matches)] == [2] * 10 + [1]
    assert sum(masses[0] + masses[1] + masses[2] for _, _, _, masses, _ in rows) == pytest.approx(11)


def test_schedules_are_long_enough_and_no_longer() -> None:
    def settings(kind: str, calls: int, n: int = 32) -> dict[str, object]:
        entry = entries((kind,), (), ())[0]
        made = tournament_of(entry, n=n, calls=calls, in_flight=1, lookahead=None, compare="candidates")
        return made.format.model_dump()

    assert settings("pivot", 93)["pivots"] == 2
    assert settings("pivot", 94)["pivots"] == 3
    assert comparisons(32, 3) > 94
    assert settings("swiss", 93)["rounds"] == 3  # 32 comparisons a round in both orders
    assert settings("round_robin", 496)["cycles"] == 1
    assert settings("round_robin", 497)["cycles"] == 2
    assert settings("knockout", 32)["best_of"] == 1
    assert [settings("knockout", calls)["best_of"] for calls in (33, 96, 97)] == [3, 3, 5]


def test_rankings_of_one_entry_share_their_matches() -> None:
    bench = Bench(WORLD, (EVERY[0],), ("3N",), seeds=1)
    by_elo, by_fit = hold(bench, 0, 0, 0, 4)
    assert (by_elo.calls, by_elo.coverage) == (24, None)
    assert by_fit.calls == 24
    assert by_fit.coverage is not None


def test_adaptive_finds_the_best_more_often_than_elo() -> None:
    world = SimulatedWorld(12, usual_spread(12))
    chosen = (entries(("elo",), (), ())[0], *entries(("adaptive",), ("best",), ("1",)))
    bench = Bench(world, chosen, ("3N",), seeds=1)
    elo, adaptive = (sum(hold(bench, at, 0, 0, seed)[0].top1 for seed in range(25)) for at in (0, 1))
    assert adaptive > elo


def test_figures_do_not_depend_on_processes_or_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(WORLD, (EVERY[0], *entries(("adaptive",), ("balanced",), ())), ("9", "2N"), seeds=3)
    told: list[int] = []
    monkeypatch.setattr(running, "TOGETHER", 5)
    rows = running.run(bench, 2, told.append)
    assert (told[-1], bench.tournaments) == (12, 12)
    assert all(one < next_ for one, next_ in pairwise(told))
    monkeypatch.setattr(running, "_over_processes", in_process(bench))
    assert running.run(bench, 1, told.append) == rows
    assert [(row.label, row.calls) for row in rows] == [
        *(("elo", "9"), ("elo + bt", "9"), ("adaptive, balanced", "9")),
        *(("elo", "2N"), ("elo + bt", "2N"), ("adaptive, balanced", "2N")),
    ]


def in_process(bench: Bench) -> Callable[..., object]:
    def over(_bench: Bench, tasks: list[tuple[int, int, int, int]], _jobs: int) -> object:
        for task in reversed(tasks):
            yield [task], [hold(bench, *task)]

    return over
