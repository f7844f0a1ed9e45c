"""The settings of every kind of judge. Imported through `settings`, which holds the whole tournament."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, get_args

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from arena_tui.model_settings import CacheMode, ModelChoice
from arena_tui.setting_types import (
    AnyText,
    AtLeastZero,
    Count,
    DebateTurns,
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
    pure: Flag = False
    """The same input always gives the same verdict: what an earlier run was told serves again."""

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


class Mock(Settings):
    """What a `mock:` model makes of the texts, since it cannot read; see `SimulatedJudge`."""

    strengths: dict[str, Finite] = Field(default_factory=dict)
    first_slot_bias: Finite = 0.0
    draw_rate: Share = 0.0
    invalid_rate: Share = 0.0
    noise: AtLeastZero = 1.0


class LlmJudge(JudgeSettings):
    """A language model reads the two texts, in one call, in a debate, or as scores."""

    kind: Literal["llm"] = "llm"
    mode: Literal["auto", "pairwise", "debate", "score"] = "auto"  # type: ignore[assignment]
    """`score`: the two texts get letters on a scale; the reward is read from their probabilities."""
    model: ModelChoice
    judge_prompt: AnyText = ""
    """Guidance for the judge, added to the task and the criteria."""
    prompts: AnyText = ""
    """A folder with templates of one's own, each in place of the one of that name in `prompts/`."""
    single_call: Flag = False
    """Hold a whole debate in one call, the model playing all parts."""
    debate_turns: DebateTurns = 5
    """Turns of a usual debate, the judge's verdict included; a judge who asks back may have up to 10."""
    n_evaluations: Count = 1
    """Repeats per criterion in score mode; an even number is shared out evenly to both orders."""
    score_floor: Share = 0.5
    """The least probability on letters of the scale with which a score counts."""
    labels: Literal["auto", "digits", "random"] = "auto"
    """What the texts are called: 1 and 2, or random labels, which `auto` takes where a text is suspicious."""
    max_text_tokens: Count | None = None
    """The longest text, in (estimated) tokens, that the judge is given; None: any."""
    overflow: Literal["refuse", "middle"] = "refuse"
    """What becomes of a longer text: the file is refused, or its middle is left out, flagged."""
    cache: CacheMode = "on"
    """Whether replies of earlier runs to the very same request serve again."""
    latency: Latency = Field(default_factory=dict)
    """Only with a mock model: how long a comparison takes, as for `simulated`."""
    mock: Mock | None = None
    """Only with a mock model: what it makes of the texts."""

    @property
    def is_mock(self) -> bool:
        """True when no model is behind it."""
        return self.model.model.startswith("mock:")

    @model_validator(mode="after")
    def _mock_settings_need_a_mock(self) -> Self:
        given = [name for name in ("latency", "mock") if getattr(self, name)]
        if given and not self.is_mock:
            message = f"only a mock model takes it, such as model: mock:panel; {self.model.model} is none"
            raise PydanticCustomError("own", "{message}", {"message": message, "at": given[0]})
        return self


class HumanJudge(JudgeSettings):
    """A person at the keyboard, who sees the two texts without names."""

    kind: Literal["human"] = "human"


PanelMember = Annotated[
    LlmJudge | HumanJudge | CommandJudge | RecordedJudge | SimulatedJudge, Field(discriminator="kind")
]


class PanelJudge(JudgeSettings):
    """Several judges decide together; dissent is kept."""

    kind: Literal["panel"] = "panel"
    mode: Literal["auto", "pairwise", "debate", "score"] = "auto"  # type: ignore[assignment]
    judges: tuple[PanelMember, ...] = Field(min_length=1)
    combine: Literal["majority", "mean"] = "majority"
    """One vote each, or the mean probability of the first text (a plain vote counts as 1, 0.5 or 0)."""
    quorum: Count | None = None
    """How many members must say something usable; None: more than half."""

    @model_validator(mode="after")
    def _members_are_asked_as_the_panel_is(self) -> Self:
        for number, member in enumerate(self.judges):
            for name, usual in (("mode", "auto"), ("orders", "alternate")):
                own = getattr(member, name)
                if own not in (usual, getattr(self, name)):
                    message = f"it belongs to the panel: write judge.{name}: {own}"
                    at = f"judges.{number}.{name}"
                    raise PydanticCustomError("own", "{message}", {"message": message, "at": at})
        return self

    @model_validator(mode="after")
    def _quorum_can_be_met(self) -> Self:
        if self.quorum is not None and self.quorum > len(self.judges):
            message = f"{self.quorum} of {len(self.judges)} judges can never be met"
            raise PydanticCustomError("own", "{message}", {"message": message, "at": "quorum"})
        return self

    @property
    def needed(self) -> int:
        """How many usable verdicts make one."""
        return self.quorum or len(self.judges) // 2 + 1


AnyJudge = RecordedJudge | SimulatedJudge | CommandJudge | LlmJudge | HumanJudge | PanelJudge
Judge = Annotated[AnyJudge, Field(discriminator="kind")]


def llm_judges(judge: AnyJudge) -> tuple[LlmJudge, ...]:
    """The language models that judge: this one, or the members of a panel."""
    members = judge.judges if isinstance(judge, PanelJudge) else (judge,)
    return tuple(member for member in members if isinstance(member, LlmJudge))
