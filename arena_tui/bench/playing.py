"""One tournament of a bench, played as a run plays it, and cut when its calls are used up.

The course, its formats, their window and the order in which outcomes count are the engine's own; all that is
missing is the time that a judge takes, on which a schedule does not depend.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena_tui.bench.entries import Entry, Ranking
from arena_tui.bench.measures import Measures, covered, measured
from arena_tui.bench.worlds import BenchJudge, Contest
from arena_tui.candidate import Pool
from arena_tui.engine.course import Course, Origin, questions_of, usual_lookahead
from arena_tui.engine.group import GroupRun
from arena_tui.facts import Comparison, Standing
from arena_tui.judging.base import Verdict
from arena_tui.judging.orders import combine
from arena_tui.ratings.estimates import ELO_MEAN
from arena_tui.settings import Tournament
from arena_tui.vocabulary import Orientation


def held(entry: Entry, tournament: Tournament, contest: Contest, calls: int, seed: int) -> list[Measures]:
    """Hold a tournament; what each of the entry's rankings is worth."""
    lookahead = usual_lookahead(tournament, Pool(contest.groups))
    course = Course(Origin("bench", tournament, seed, lookahead, contest.groups))
    (group,) = course.groups.values()
    made = play(course, group, contest.judge, calls)
    standings = group.format.standings()
    coverage = covered(standings, contest.truth)
    *others, last = entry.rankings  # the intervals are the fit's, which the last ranking goes by
    return [
        *(measured(_order(standings, by), contest.truth, None, made) for _, by in others),
        measured(_order(standings, last[1]), contest.truth, coverage, made),
    ]


def _order(standings: Sequence[Standing], by: Ranking) -> list[str]:
    """Ids, best first: as the format's standings have them, or by the fit; nobody compared, nobody moved."""
    if by == "standings":
        return [standing.id for standing in standings]
    fitted = [ELO_MEAN if standing.fitted is None else standing.fitted for standing in standings]
    places = sorted(range(len(standings)), key=lambda place: -fitted[place])
    return [standings[place].id for place in places]


def play(course: Course, group: GroupRun, judge: BenchJudge, calls: int) -> int:
    """Play until `calls` comparisons are made or the schedule is exhausted; how many were made.

    A match whose second order no longer fits counts with its first.
    """
    made = planned = 0
    while made < calls and group.is_open:
        while planned < calls and (chosen := course.choose(group)) is not None:
            planned += len(chosen[2].orders)
        step = group.order.due()
        if step is None:
            break
        verdicts: dict[Orientation, Verdict] = {}
        for orientation, question in questions_of(course, step).items():
            if made < calls:
                verdicts[orientation] = judge.verdict(question)
                made += 1
        said = combine(verdicts, step.mode)
        comparisons = tuple(Comparison(o, v.winner, v.p_first) for o, v in verdicts.items())
        course.apply(group, step, said.winner, said.p_a, said.reason, comparisons)
    return made
