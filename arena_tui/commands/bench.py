"""`arena bench`: every format at equal calls, on simulated judges or on a file's recorded votes."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arena_tui import exit_codes
from arena_tui.bench.amounts import amount
from arena_tui.bench.entries import FILLED, Entry, entries
from arena_tui.bench.recorded import recorded_world
from arena_tui.bench.running import Bench, Row, run
from arena_tui.bench.worlds import SimulatedWorld, World, usual_spread
from arena_tui.commands.progress import progress
from arena_tui.errors import UsageError
from arena_tui.report.bench_report import bench_json, bench_table, legend
from arena_tui.resumption import overrides
from arena_tui.safetext import clean
from arena_tui.systems import DEALT
from arena_tui.tournament_file import load_file
from arena_tui.values import counted

SIMULATED_CALLS = ("3N-3",)  # what a pivot tournament with two pivots takes
RECORDED_CALLS = ("2N", "3N", "NlogN")
SIMULATED_SEEDS, RECORDED_SEEDS = 400, 10


def bench(
    *,
    file: str | None,
    n: int | None,
    calls: tuple[str, ...],
    seeds: int | None,
    formats: tuple[str, ...],
    goals: tuple[str, ...],
    spread: float | None,
    slot_bias: float | None,
    draw_rate: float | None,
    sticky: float | None,
    soft: bool,
    in_flight: int,
    lookaheads: tuple[str, ...],
    jobs: int | None,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Run a bench and print its table; the process's exit code. See `cli.bench` for the options."""
    options = _Simulated(n, spread, slot_bias, draw_rate, sticky, soft)
    if file is None:
        if assignments:
            raise UsageError("--set changes a key of a tournament file: name one")
        world, judge = options.world()
    else:
        if options != _Simulated():
            raise UsageError(
                "--n, --spread, --slot-bias, --draw-rate, --sticky and --soft make a simulated judge; a "
                "tournament file brings its own candidates and votes: leave them out"
            )
        loaded = load_file(Path(file), overrides=overrides(assignments))
        recorded = recorded_world(loaded.tournament, loaded.pool, loaded.folder)
        world, judge = recorded, {"kind": "recorded", "file": recorded.judge.label.removeprefix("recorded: ")}
    sizes = [world.size(arena) for arena in range(world.arenas)]
    if not sizes:
        raise UsageError("no group of the pool can hold a match")
    for what, given in (("--spread", spread), ("--slot-bias", slot_bias), ("--sticky", sticky)):
        if given is not None and not math.isfinite(given):
            raise UsageError(f"{what}: expected a finite number, got {given}")
    for what, amounts in (("--calls", calls), ("--lookahead", lookaheads)):
        for text in amounts:
            amount(text, sizes[0], what)
    plan = Bench(
        world=world,
        entries=_entries(world, formats, goals, lookaheads),
        calls=calls or (SIMULATED_CALLS if file is None else RECORDED_CALLS),
        seeds=seeds or (SIMULATED_SEEDS if file is None else RECORDED_SEEDS),
        in_flight=in_flight,
    )
    rows = bench_json(
        _told(row)
        for row in run(plan, jobs or os.cpu_count() or 1, progress(plan.tournaments, "tournaments"))
    )
    report = {
        "rows": rows,
        "n": sizes[0] if len(set(sizes)) == 1 else sizes,
        "seeds": plan.seeds,
        "judge": judge,
        "groups": world.arenas,
        "in_flight": in_flight,
    }
    if as_json:
        print(json.dumps(report))
        return exit_codes.OK
    print(clean(_heading(plan, sizes, judge)))
    for line in bench_table(rows):
        print(clean(line))
    for line in (
        *legend(judge["kind"]),
        *(f"{kind}: {how}" for kind, how in FILLED.items() if _has(plan, kind)),
    ):
        print(line)
    return exit_codes.OK


@dataclass(frozen=True, slots=True)
class _Simulated:
    """The options that make a simulated judge; None: as usual."""

    n: int | None = None
    spread: float | None = None
    slot_bias: float | None = None
    draw_rate: float | None = None
    sticky: float | None = None
    soft: bool = False

    def world(self) -> tuple[World, dict[str, Any]]:
        """The world, and what is told of its judge."""
        if self.soft and self.draw_rate:
            raise UsageError("--soft: a judge that gives probabilities calls no ties: leave --draw-rate out")
        n = 32 if self.n is None else self.n
        judge: dict[str, Any] = {
            "spread": usual_spread(n) if self.spread is None else self.spread,
            "slot_bias": 0.3 if self.slot_bias is None else self.slot_bias,
            "draw_rate": (0.0 if self.soft else 0.1) if self.draw_rate is None else self.draw_rate,
            "sticky": self.sticky or 0.0,
        }
        world = SimulatedWorld(n=n, soft=self.soft, **judge)
        return world, {"kind": "simulated", **judge, "soft": self.soft}


def _entries(
    world: World, formats: tuple[str, ...], goals: tuple[str, ...], lookaheads: tuple[str, ...]
) -> tuple[Entry, ...]:
    """The entries; where systems compete, of the formats that run once over all of them."""
    kinds = formats or (DEALT if world.compare == "systems" else ())
    if world.compare == "systems" and (strange := [kind for kind in kinds if kind not in DEALT]):
        raise UsageError(
            f"--format {strange[0]}: with compare: systems it plays within the groups, so that it has no "
            f"budget of its own; choose from {', '.join(DEALT)}, or set compare to candidates"
        )
    return tuple(entries(kinds, goals, lookaheads))


def _told(row: Row) -> dict[str, Any]:
    entry = row.entry
    return {
        "format": entry.kind,
        "goal": entry.goal,
        "row": row.label,
        "orders": "both" if entry.orders == "both" else "one",
        "lookahead": entry.lookahead,
        "budget": row.calls,
        "mean": row.means.mean,
        "se": row.means.se,
    }


def _heading(plan: Bench, sizes: list[int], judge: dict[str, Any]) -> str:
    least, most = min(sizes), max(sizes)
    size = f"N = {least}" if least == most else f"N = {least} to {most}"
    groups = f", {counted(len(sizes), 'group')}" if len(sizes) > 1 else ""
    if judge["kind"] == "recorded":
        who = f"recorded votes ({judge['file']})"
    else:
        parts = [f"strengths N(0, {judge['spread']:.3g}^2)", f"slot bias {judge['slot_bias']:g}"]
        parts.append("probabilities" if judge["soft"] else f"{judge['draw_rate']:.0%} ties")
        parts += [f"pair offsets N(0, {judge['sticky']:g}^2)"] if judge["sticky"] else []
        who = f"SIMULATED judge: {', '.join(parts)}"
    calls = f", {plan.calls[0]} calls" if len(plan.calls) == 1 else ""
    return f"{size}{groups}{calls}, {counted(plan.seeds, 'seed')}, {plan.in_flight} in flight; {who}"


def _has(plan: Bench, kind: str) -> bool:
    return any(entry.kind == kind for entry in plan.entries)
