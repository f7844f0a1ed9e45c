"""The command line's studies: of judges (audit, rubric), of anybody's votes (rate), of formats (bench).

As light to import as `cli`, which lists these commands among its own.
"""

from __future__ import annotations

import sys
from typing import Any

import click


class Word(click.Choice):  # type: ignore[type-arg]  # it takes no type before click 8.2
    """One of some words; the refusal of another one names the word that was perhaps meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            from arena_tui.values import did_you_mean

            hint = did_you_mean(str(value), self.choices).capitalize()
            raise click.BadParameter(f"{error.message} {hint}".rstrip(), ctx, param) from None


@click.command()
@click.argument("target", metavar="FILE|RUN")
@click.option("--pairs", metavar="GOLD", help="JSON Lines: {id, first, second, gold, task?, prompt?}.")
@click.option(
    "--votes", metavar="REPLIES", help="Recorded replies instead of the judge: {id, ab_text, ba_text}."
)
@click.option(
    "--contract",
    metavar="NAME",
    help="How recorded replies end: better idea, verdict, last-line digit, Output (a).",
)
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Only rows of both files with this value.")
@click.option("--by-hand", type=click.IntRange(min=1), metavar="N", help="Judge N matches of a RUN yourself.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N pairs.")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Override a key of the file.")
@click.option("--json", "as_json", is_flag=True, help="The figures as one JSON object.")
def audit(**options: Any) -> None:
    """What the judge of a tournament FILE is worth on pairs with a known better text.

    Each pair is asked in both orders; nothing is stored. With --by-hand N you judge N matches of a RUN
    blind, and how far you and its judge agree is told.
    """
    from arena_tui.commands.audit import audit

    sys.exit(audit(**options))


@click.command()
@click.argument("run", required=False)
@click.option("--model", required=True, metavar="PROVIDER:MODEL", help="Who grades.")
@click.option("--base-url", metavar="URL", help="Where the grader is served, if not at its provider's.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N rationales, evenly spread.")
@click.option("--json", "as_json", is_flag=True, help="The grades as one JSON object.")
def rubric(**options: Any) -> None:
    """Have a model grade the rationales of a run's matches."""
    from arena_tui.commands.rubric import grade_run

    sys.exit(grade_run(**options))


@click.command()
@click.argument("log")
@click.option(
    "--method",
    type=Word(["auto", "bt", "davidson", "elo"]),
    default="auto",
    show_default=True,
    help="auto: bt, with Davidson's model of ties where there are any; bt: a tie is half a win.",
)
@click.option(
    "--prior",
    type=Word(["map", "none"]),
    default="map",
    show_default=True,
    help="map: strengths are normal, their scale learnt from the log; none: maximum likelihood.",
)
@click.option("--cluster", is_flag=True, help="Intervals that allow for what a group has of its own.")
@click.option("--inflate", is_flag=True, help="Intervals that allow for what a pair has of its own.")
@click.option("--per-group", is_flag=True, help="Each group rated alone.")
@click.option("--columns", metavar="OURS=THEIRS,...", help="The log's names, as in a=model_a,b=model_b.")
@click.option("--json", "as_json", is_flag=True, help="The figures as one JSON object.")
def rate(**options: Any) -> None:
    """Ratings with intervals from a LOG of votes, whoever made it (JSON Lines or CSV).

    A row is {a, b, winner} with winner a, b, draw, tie or an id; weight, first (who was shown first), group,
    judge, match and p_a are used where they are given. Rows that are invalid or void count nothing.
    """
    from arena_tui.commands.rate import rate

    rate(**options)


@click.command()
@click.argument("file", required=False)
@click.option("--n", type=click.IntRange(min=2), metavar="N", help="Simulated candidates (32).")
@click.option(
    "--calls", multiple=True, metavar="C", help="Comparisons of every format: 93, 3N-3, NlogN. Repeatable."
)
@click.option(
    "--seeds", type=click.IntRange(min=1), metavar="S", help="Tournaments of a format (400; of a FILE 10)."
)
@click.option(
    "--format",
    "formats",
    multiple=True,
    type=Word(["elo", "swiss", "pivot", "round_robin", "knockout", "adaptive"]),
    help="Only this format. Repeatable.",
)
@click.option(
    "--goal",
    "goals",
    multiple=True,
    type=Word(["best", "balanced", "order"]),
    help="Only this goal of adaptive. Repeatable.",
)
@click.option(
    "--spread",
    type=click.FloatRange(min=0),
    metavar="SD",
    help="Of the strengths, in logits (neighbours 0.405 apart on average).",
)
@click.option("--slot-bias", type=float, metavar="B", help="Logits for whoever is shown first (0.3).")
@click.option(
    "--draw-rate", type=click.FloatRange(0, 1), metavar="P", help="Share of verdicts that are ties (0.1)."
)
@click.option(
    "--sticky", type=click.FloatRange(min=0), metavar="SD", help="Logits that each pair has of its own (0)."
)
@click.option("--soft", is_flag=True, help="The judge gives probabilities.")
@click.option(
    "--in-flight",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="K",
    help="Comparisons at once; the usual lookahead follows from it.",
)
@click.option(
    "--lookahead",
    "lookaheads",
    multiple=True,
    metavar="L",
    help="Of adaptive: 8, N/4, N, 2N. Repeatable.",
)
@click.option("--jobs", type=click.IntRange(min=1), metavar="J", help="Processes (all cores).")
@click.option("--set", "assignments", multiple=True, metavar="KEY=VALUE", help="Override a key of the FILE.")
@click.option("--json", "as_json", is_flag=True, help="The figures as one JSON object.")
def bench(**options: Any) -> None:
    """Every format at equal calls: how good a ranking is each of them?

    On simulated judges with known strengths; with a tournament FILE on its recorded votes, beside the fit of
    all of them.
    """
    from arena_tui.commands.bench import bench

    sys.exit(bench(**options))
