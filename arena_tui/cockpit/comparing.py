"""Two runs side by side: how they ended, what they took, and where each candidate came out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from arena_tui.engine.replay import replay
from arena_tui.report.result import Result
from arena_tui.store.reader import Reader
from arena_tui.summary import summarize

NOWHERE = "-"
MOST = 200  # candidates told; the tables of `arena export` have all


def compare(one: Path, other: Path) -> list[tuple[str, str, str]]:
    """(what, of the one, of the other): the figures of both runs, then each candidate by the one's ranks."""
    results = [_result(one), _result(other)]
    first, second = results
    rows = [(label, figure(first), figure(second)) for label, figure in _FIGURES]
    places = [_places(result) for result in results]
    everyone = list(dict.fromkeys(key for place in places for key in place))
    several = len({group for group, _ in everyone}) > 1
    titles = {(row.group, row.id): row.title or row.id for result in results for row in result.standings}
    for key in everyone[:MOST]:
        named = f"{key[0]}: {titles[key]}" if several else titles[key]
        rows.append((named, places[0].get(key, NOWHERE), places[1].get(key, NOWHERE)))
    return rows


def _result(path: Path) -> Result:
    with Reader(path) as reader, reader.frozen():
        return summarize(replay(reader), reader, path)


def _places(result: Result) -> dict[tuple[str, str], str]:
    return {(row.group, row.id): f"{row.rank}.  {row.rating:.1f}" for row in result.standings if row.matches}


def _usd(result: Result) -> str:
    usd = result.usage["usd"]
    return "not known" if usd is None else f"{usd:.4g}"


_FIGURES: tuple[tuple[str, Callable[[Result], str]], ...] = (
    ("run", lambda result: result.run),
    ("format", lambda result: result.format),
    ("seed", lambda result: str(result.seed)),
    ("ended by", lambda result: result.stop_reason or "not ended"),
    ("matches", lambda result: str(sum(result.matches[kind] for kind in ("a", "b", "draw", "void")))),
    ("comparisons", lambda result: str(result.comparisons)),
    ("calls", lambda result: str(result.calls["sent"])),
    ("USD", _usd),
)
