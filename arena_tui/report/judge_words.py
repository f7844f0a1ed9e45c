"""What the figures of a judge mean, in words: reasons not to believe it, remarks, and lines for people.

The thresholds are constants with their reasons. Pure; the figures come from `judge_report`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SLOT_MARGIN = 0.15
"""The first slot's share must lie, with its whole interval, this far from 1/2 to be held against the
judge: at 0.65 the place alone explains 30 % of the verdicts."""
LEAST_CONSISTENCY = 0.55
"""Share of both-order pairs on which the judge must say the same twice; coins give 0.5. On LLMBar this and
SLOT_MARGIN find 6 of 18 recorded judges, all of them right on at most half of the pairs in both orders,
and none that is right on more."""
LEAST_PAIRS = 10
"""Pairs before consistency counts: with fewer, a judge that agrees with itself on 80 % fails by bad luck
in 3 % of cases and more."""
MOST_INVALID = 0.2
"""Share of verdicts nobody can use: beyond a fifth the others are a selection that may be no fair one."""
LEAST_VERDICTS = 10
"""Verdicts before the share of unusable ones counts by itself; of fewer its whole interval must lie above."""
CHANCE_OF_CIRCLE = 0.25
"""Share of triads that coin tosses put in a circle."""
MOST_CIRCLES = 0.2
LEAST_TRIADS = 50
"""Triads before circles count: five standard errors part a judge with 5 % circles from MOST_CIRCLES."""
LENGTH_MARGIN = 0.2
"""The longer text's share of wins must lie, with its interval, this far from 1/2 to be remarked upon."""
DISBELIEF = "The standings should not be believed"


def doubts(report: Mapping[str, Any], *, orders: str = "both") -> tuple[list[str], list[str]]:
    """(reasons not to believe the standings, as parts of a sentence; remarks, as sentences).

    `report` needs the keys of `SaidByOrder.figures`; `circles` and `longer_won` may be missing.
    """
    reasons, remarks = [], []
    slot = report["first_slot"]
    if slot and (slot["low"] > 0.5 + SLOT_MARGIN or slot["high"] < 0.5 - SLOT_MARGIN):
        place, hits = ("first", slot["hits"]) if slot["rate"] > 0.5 else ("second", slot["n"] - slot["hits"])
        told = f"the text shown {place} won {hits} of {slot['n']} decided verdicts ({interval(slot, place)})"
        if orders == "given" and not report["consistency"]:
            remarks.append(
                f"{told[0].upper()}{told[1:]}; since the first-named text is always shown first, only "
                "judge.orders: both could tell whether that is the texts or their places."
            )
        else:
            reasons.append(f"{told}, so the place counts for more than the text")
    same = report["consistency"]
    if same and same["n"] >= LEAST_PAIRS and same["rate"] <= LEAST_CONSISTENCY:
        reasons.append(
            f"with the order of the two texts turned round the judge contradicted itself on "
            f"{same['n'] - same['hits']} of {same['n']} pairs, and coin tosses would on half of them"
        )
    invalid = report["invalid"]
    if invalid and (
        invalid["low"] > MOST_INVALID or (invalid["n"] >= LEAST_VERDICTS and invalid["rate"] > MOST_INVALID)
    ):
        reasons.append(f"{invalid['hits']} of {invalid['n']} verdicts could not be used")
    circles = report.get("circles")
    if circles and circles["n"] >= LEAST_TRIADS and circles["rate"] >= MOST_CIRCLES:
        reasons.append(
            f"{circles['hits']} of {circles['n']} triads run in a circle ({percent(circles['rate'])}; coin "
            f"tosses give {percent(CHANCE_OF_CIRCLE)})"
        )
    longer = report.get("longer_won")
    if longer and (longer["low"] > 0.5 + LENGTH_MARGIN or longer["high"] < 0.5 - LENGTH_MARGIN):
        long, hits = (
            ("longer", longer["hits"]) if longer["rate"] > 0.5 else ("shorter", longer["n"] - longer["hits"])
        )
        remarks.append(
            f"The {long} text won {hits} of {longer['n']} decided matches: length may be what this judge "
            "rewards."
        )
    return reasons, remarks


def price_words(usage: Mapping[str, Any]) -> str:
    """Tokens and money of a usage in words."""
    usd = usage["usd"]
    price = "at an unknown price" if usd is None else f"{usd:.4g} USD"
    return f"{usage['input_tokens']:,} tokens in, {usage['output_tokens']:,} out, {price}"


def end_of(text: str, most: int) -> str:
    """The end of a text, where a judgment stands: at most `most` characters and a mark, from a word on."""
    text = text.rstrip()
    if len(text) <= most:
        return text
    end = text[-most:]
    if not text[-most - 1].isspace():
        _, _, rest = end.partition(" ")
        end = rest or end
    return f"\u2026{end.lstrip()}"


def percent(value: float) -> str:
    """A share as people read it."""
    return f"{100 * value:.0f} %"


def interval(found: Mapping[str, Any], place: str = "first") -> str:
    """The 95 % interval of a share in words; for `second` that of what is left to 1."""
    low, high = found["low"], found["high"]
    if place == "second":
        low, high = 1 - high, 1 - low
    return f"95 % interval {100 * low:.0f} to {percent(high)}"


def judge_lines(report: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of the judge, for people: (what, figures), unknown ones left out."""
    lines = []

    def add(what: str, found: Mapping[str, Any] | None, text: str) -> None:
        if found is not None:
            counts = {"hits": found["hits"], "n": found["n"], "rate": percent(found["rate"])}
            lines.append((what, text.format(**counts, interval=interval(found))))

    add("first slot", report.get("first_slot"), "{rate} of {n} decided verdicts ({interval})")
    add("consistent", report.get("consistency"), "the same verdict on {rate} of {n} pairs ({interval})")
    flips = report.get("flips")
    if flips is not None and flips["first_slot"] + flips["second_slot"]:
        told = f"{flips['first_slot']} pairs to whichever was first, {flips['second_slot']} to the second"
        lines.append(
            ("flips", f"{told} (p = {flips['p']:.2g}); preference {flips['signed_preference']:+.2f}")
        )
    if report.get("slot_effect") is not None:
        told = f"the first slot adds {report['slot_effect']:+.2f} logits (z = {report['slot_effect_z']:.1f})"
        lines.append(("slot effect", told))
    draws = report.get("draws")
    add("draws", draws if draws and draws["hits"] else None, "{rate} of {n} usable verdicts")
    add("unusable", report.get("invalid"), "{hits} of {n} verdicts")
    add("asked again", report.get("asked_again"), "{hits} of {n} questions")
    add("circles", report.get("circles"), "{rate} of {n} triads (coin tosses: 25 %)")
    add("length", report.get("longer_won"), "the longer text won {rate} of {n} decided matches ({interval})")
    calls = report.get("calls")
    if calls is not None:
        for key, unit in (("seconds", "s"), ("usd", "USD")):
            if calls[key] is not None and any(calls[key].values()):
                middle, most, extreme = (f"{value:.3g}" for value in calls[key].values())
                told = f"{middle} {unit} (9 of 10 within {most}, 99 of 100 within {extreme})"
                lines.append((f"a call, {unit}", told))
    return lines
