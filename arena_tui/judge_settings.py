"""The settings of every kind of judge. Imported through `settings`, which holds the whole tournament."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from arena_tui.setting_types import (
    AnyText,
    AtLeastZero,
    Finite,
    Flag,
    Seconds,
    SecondsOrZero,
    Settings,
    Share,
    Text,
    Whole,
)
from arena_tui.vocabulary import Mode


class JudgeSettings(Settings):
    """What every kind of judge has."""

    mode: Literal["auto", "pairwise", "debate"] = "auto"
    """`auto` leaves the choice to the format: debate or pairwise in Elo."""
    orders: Literal["alternate", "both", "given"] = "alternate"
    """Who is shown first: in turns, each once (two comparisons a match), or the first-named always."""
    draws: Flag = True
    """Whether a judge may call two texts equal."""


class RecordedJudge(JudgeSettings):
    """Votes from a file: JSON Lines of {"a", "b", "group"?, "winner", "p_a"?, "rationale"?}."""

    kind: Literal["recorded"] = "recorded"
    file: Text
    """Path of the votes; absolute once a tournament file was loaded."""
    symmetric: Flag = False
    """Use the other order's votes, swapped, for an order that was not recorded."""


class Spread(Settings):
    """A random length of time: `mean` in seconds, `cv` = standard deviation / mean (0 = fixed)."""

    mean: SecondsOrZero = 0.0
    cv: AtLeastZero = 0.0


def _latency_by_mode(value: Any) -> Any:
    """The short forms of a latency, one time or one {mean, cv} for all modes, spelled out by mode."""
    if isinstance(value, (int, float, str)):
        value = {"mean": value}
    modes = get_args(Mode)
    if isinstance(value, Spread):
        return dict.fromkeys(modes, value)
    if not isinstance(value, Mapping):
        return value
    if not value.keys() & set(modes):
        return dict.fromkeys(modes, value) if value else {}
    return {mode: v if isinstance(v, (Mapping, Spread)) else {"mean": v} for mode, v in value.items()}


Latency = Annotated[dict[Mode, Spread], BeforeValidator(_latency_by_mode)]


class SimulatedUsage(Settings):
    """What each simulated comparison is booked with."""

    input_tokens: Whole = 0
    output_tokens: Whole = 0
    usd: AtLeastZero = 0.0


class SimulatedJudge(JudgeSettings):
    """A seeded simulation: needs no key, costs nothing, and is always labelled SIMULATED."""

    kind: Literal["simulated"] = "simulated"
    strengths: dict[str, Finite] = Field(default_factory=dict)
    """Logits by candidate id; else the pool's `strength`, else drawn from the seed and the text."""
    first_slot_bias: Finite = 0.0
    """Logits added to whichever text is shown first."""
    draw_rate: Share = 0.0
    invalid_rate: Share = 0.0
    noise: AtLeastZero = 1.0
    """Scale of the logistic noise of a verdict; at 0 the stronger text always wins."""
    latency: Latency = Field(default_factory=dict)
    """How long a comparison takes: one time, {mean, cv}, or either by mode; a mode not named takes none."""
    soft: Flag = False
    """Also give the probability that the first text is better."""
    usage: SimulatedUsage = SimulatedUsage()


class CommandJudge(JudgeSettings):
    """Any program: one JSON object on its standard input, one on its standard output."""

    kind: Literal["command"] = "command"
    command: tuple[AnyText, ...]
    """The program and its arguments, started without a shell."""
    folder: AnyText = ""
    """Where the program starts: the tournament file's folder once it was loaded."""
    show_ids: Flag = False
    """Show the program the candidates' ids; otherwise it sees neutral labels."""
    timeout: Seconds = 60.0

    @model_validator(mode="before")
    @classmethod
    def _is_a_list(cls, value: Any) -> Any:
        command = value.get("command") if isinstance(value, Mapping) else None
        if command is not None and (not isinstance(command, (list, tuple)) or not any(command[:1])):
            message = "expected a list such as [python3, judge.py]"
            raise PydanticCustomError(
                "own", "{message}", {"message": message, "at": "command", "value": command}
            )
        return value


Judge = Annotated[RecordedJudge | SimulatedJudge | CommandJudge, Field(discriminator="kind")]
