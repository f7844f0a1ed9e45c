"""Which class plays which format. The only place that knows which kinds exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from arena_tui.candidate import Group
from arena_tui.formats.base import Format
from arena_tui.settings import LlmJudge, Tournament
from arena_tui.systems import Texts
from arena_tui.vocabulary import Mode

if TYPE_CHECKING:
    from arena_tui.judge_settings import AnyJudge

Slots = Literal["alternate", "both", "given"]


def build_format(tournament: Tournament, group: Group, seed: int, texts: Texts | None = None) -> Format:
    """The format of one group, fresh. With `texts` its entrants are systems, its matches dealt to groups."""
    format_ = _plain(tournament, group, seed)
    if texts is None:
        return format_
    from arena_tui.formats.dealt import Dealt

    return Dealt(format_, texts.shared(), seed=seed)


def _plain(tournament: Tournament, group: Group, seed: int) -> Format:
    judge = tournament.judge
    chosen = tournament.format
    # An even number of scores is shared out to both orders, so that the slots cancel.
    shared = isinstance(judge, LlmJudge) and judge.mode == "score" and judge.n_evaluations % 2 == 0
    orders: Slots = "both" if shared else judge.orders
    mode = _mode(judge, chosen.kind)
    match chosen.kind:  # numpy is loaded by those that need it
        case "elo":
            from arena_tui.formats.elo import EloTournament

            return EloTournament(group, chosen, seed=seed, mode=judge.mode, orders=orders)
        case "swiss":
            from arena_tui.formats.swiss import SwissTournament

            return SwissTournament(group, chosen, seed=seed, mode=mode, orders=orders)
        case "pivot":
            from arena_tui.formats.pivot import PivotTournament

            return PivotTournament(group, chosen, seed=seed, mode=mode, orders=orders)
        case "adaptive":
            from arena_tui.formats.adaptive import AdaptiveTournament

            return AdaptiveTournament(group, chosen, seed=seed, mode=mode, orders=orders)
        case "round_robin":
            from arena_tui.formats.round_robin import RoundRobinTournament

            return RoundRobinTournament(group, chosen, seed=seed, mode=mode, orders=orders)
        case "knockout":
            from arena_tui.formats.knockout import KnockoutTournament

            return KnockoutTournament(group, chosen, seed=seed, mode=mode, orders=orders)


def _mode(judge: AnyJudge, kind: str) -> Mode:
    """`auto` outside Elo: scores where the pivot's judge can give them, else pairwise."""
    if judge.mode != "auto":
        return judge.mode
    return "score" if kind == "pivot" and judge.kind == "llm" else "pairwise"
