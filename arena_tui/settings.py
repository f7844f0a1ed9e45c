"""The settings of a tournament: frozen models with their meanings, bounds, defaults and presets.

`Tournament.model_dump(mode="json")` is what a run stores; `model_validate` of it gives an equal
tournament. `validate` and `with_changes` are the doors for input: they raise one sentence a fault.
The candidates are no settings (see `pool`). A leaf module; it imports pydantic, so whoever must
start fast imports it late.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from arena_tui import values
from arena_tui.errors import UsageError
from arena_tui.judge_settings import CommandJudge as CommandJudge
from arena_tui.judge_settings import HumanJudge as HumanJudge
from arena_tui.judge_settings import Judge as Judge
from arena_tui.judge_settings import JudgeSettings as JudgeSettings
from arena_tui.judge_settings import LlmJudge as LlmJudge
from arena_tui.judge_settings import Mock as Mock
from arena_tui.judge_settings import PanelJudge as PanelJudge
from arena_tui.judge_settings import RecordedJudge as RecordedJudge
from arena_tui.judge_settings import SimulatedJudge as SimulatedJudge
from arena_tui.judge_settings import SimulatedUsage as SimulatedUsage
from arena_tui.judge_settings import Spread as Spread
from arena_tui.judge_settings import llm_judges as llm_judges
from arena_tui.model_settings import Embeddings as Embeddings
from arena_tui.model_settings import Model as Model
from arena_tui.model_settings import ModelChoice
from arena_tui.model_settings import Price as Price
from arena_tui.setting_types import (
    AnyText,
    AtLeastZero,
    Count,
    Finite,
    Flag,
    Positive,
    Seconds,
    SecondsOrZero,
    Seed,
    Settings,
    Share,
    Slots,
    Text,
    Whole,
)
from arena_tui.settings_faults import Fault, faults_of
from arena_tui.vocabulary import Mode


class EloFormat(Settings):
    """The Elo tournament of the Co-Scientist family: open-ended, three buckets of pairs, two K factors.

    Three thresholds are easily confused. Below `debate_when_matches_lt` matches a meeting is a debate,
    below `new_matches_lt` a candidate counts as new for pairing, below `new_threshold` it moves by `k_new`.
    """

    kind: Literal["elo"] = "elo"
    preset: Literal["co_scientist"] | None = None
    """`co_scientist` changes the defaults to the original's behaviour; see `PRESETS`."""
    initial_rating: Finite = 1200.0
    k_new: Positive = 32.0
    """Points at stake while the less experienced of the two has fewer than `new_threshold` matches."""
    k_warm: Positive = 16.0
    """Points at stake afterwards."""
    new_threshold: Whole = 5
    new_matches_lt: Whole = 3
    debate_when_matches_lt: Whole = 2
    debate_when_elo_delta_lt: AtLeastZero = 50.0
    """Ratings closer than this also make a meeting a debate."""
    p_new: Share = 0.4
    """Chance of a new candidate against the nearest-rated warm one."""
    p_close: Share = 0.4
    """Chance of two warm candidates of near ratings."""
    p_random: Share = 0.2
    """Chance of two at random from the top half."""
    close_gap: Positive = 200.0
    """Ratings closer than this are near; it is also the scale on which nearness fades."""
    rematch_penalty: Flag = True
    """Divide a pair's weight by 1 + its earlier meetings."""
    prefer: Literal["distant", "similar"] = "distant"
    """Which texts the close bucket rather pairs."""
    similarity: Literal["lexical", "embedding", "endpoint", "none"] = "lexical"
    """TF-IDF cosine of the texts, cosine of the pool's `embedding` or of vectors that the endpoint of
    `embeddings:` gives, or not at all."""
    focus_new_entrants: Flag = False
    """Let every candidate first meet its nearest-rated opponent."""

    @model_validator(mode="after")
    def _chances_are_whole(self) -> Self:
        total = self.p_new + self.p_close + self.p_random
        if abs(total - 1) > 1e-6:
            message = f"p_new, p_close and p_random: expected a sum of 1, got {total:g}"
            raise PydanticCustomError("own", "{message}", {"message": message})
        return self


class GroupLimits(Settings):
    """Limits of each group for itself; none by default."""

    usd: Positive | None = None
    tokens: Count | None = None
    matches: Count | None = None


class Durations(Settings):
    """How long a match of each mode takes on the virtual clock that orders outcomes (no real time)."""

    pairwise: Positive = 1.0
    score: Positive = 1.0
    debate: Positive = 15.0

    def by_mode(self) -> dict[Mode, float]:
        """The three durations by mode."""
        return {"pairwise": self.pairwise, "score": self.score, "debate": self.debate}


class Limits(Settings):
    """What may be spent, and how much runs at once. No usd, tokens, wall_clock or matches by default."""

    usd: Positive | None = None
    tokens: Count | None = None
    """Input and output tokens together."""
    unknown_cost: Literal["refuse", "allow"] = "refuse"
    """Whether a limit on USD may stand beside a model whose price is not known, which then counts nothing."""
    wall_clock: Seconds | None = None
    """Seconds of running time, carried over resumes; "30m" is understood."""
    matches: Count | None = None
    """Matches of the run; void ones count."""
    concurrency: Slots = 8
    """Comparisons in flight."""
    lookahead: Slots | None = None
    """How many steps may be planned beyond the applied ones; None: from the concurrency."""
    ordering: Literal["seq", "arrival"] = "seq"
    """Apply outcomes in an order that no latency can change, or as they come."""
    per_group: GroupLimits = GroupLimits()
    durations: Durations = Durations()
    grace: SecondsOrZero = 60.0
    """Seconds that calls in flight may still take after the first interrupt."""


class Stop(Settings):
    """When a group ends by itself. `stability`: the same top, hardly moving, over some snapshots."""

    rule: Literal["stability", "none"] = "stability"
    top_k: Count = 5
    n: Count = 3
    """Snapshots that must agree."""
    eps: Positive = 25.0
    """Each member's highest and lowest rating over those snapshots must differ by less than this."""
    match_snapshot_every: Count = 10
    """Valid matches between snapshots."""
    min_ideas_before_stable: Whole = 0
    """Candidates that must be playing."""
    min_matches_before_stable: Whole | None = None
    """Valid matches the group must have had; None: five times its playing candidates."""
    min_matches_each: Whole = 3
    """Valid matches every playing candidate must have had."""
    voids_in_a_row: Count = 10
    """Matches in a row without a usable verdict that close a group."""


class Overview(Settings):
    """A model writes the case of the best, citing the matches that decided, once the run has ended by its own
    rule; a run that a limit or a person stops has none yet. Given as a text it is `model` alone."""

    model: ModelChoice
    top_k: Count = 3


PRESETS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "co_scientist": {
        "format": {"rematch_penalty": False, "focus_new_entrants": True},
        "judge": {"draws": False, "orders": "given", "single_call": True},
        "stop": {"min_matches_before_stable": 0, "min_matches_each": 0},
    }
}
"""The defaults that `format.preset` changes, by section; what is set explicitly stands."""

SHORT = {"format": "kind", "judge": "kind", "stop": "rule", "overview": "model"}
"""Sections that may be given as one text: `format: elo` is `format: {kind: elo}`."""


class Tournament(Settings):
    """Everything that defines a run except its candidates and groups."""

    name: Text = "tournament"
    task: Text = "Which of the two texts is better?"
    """The one trusted question the judge answers."""
    criteria: dict[str, AnyText] = Field(default_factory=dict)
    """What to look at, by name; given as a list, each text is its own name."""
    compare: Literal["candidates"] = "candidates"
    schedule: Literal["breadth", "depth"] = "breadth"
    """Groups advance together, or one after the other."""
    format: EloFormat = EloFormat()
    judge: Judge
    limits: Limits = Limits()
    stop: Stop = Stop()
    embeddings: Embeddings | None = None
    """The endpoint for `format.similarity: endpoint`."""
    overview: Overview | None = None
    seed: Seed | None = None
    """None: drawn once when the run starts, and stored with it."""

    @model_validator(mode="before")
    @classmethod
    def _short_forms(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        given = {key: _section(key, part) for key, part in value.items()}
        # A section without content, as in "limits:", says nothing.
        given = {key: part for key, part in given.items() if part is not None or key == "seed"}
        if isinstance(given.get("criteria"), list | tuple):
            given["criteria"] = criteria_of_list(given["criteria"])
        chosen = given.get("format")
        preset = PRESETS.get(str(chosen.get("preset"))) if isinstance(chosen, Mapping) else None
        for section, defaults in (preset or {}).items():
            part = given.get(section, None if section == "judge" else {})  # a preset names no judge
            if isinstance(part, Mapping):
                own = {k: v for k, v in defaults.items() if k != "single_call" or part.get("kind") == "llm"}
                given[section] = {**own, **part}
        return given

    @model_validator(mode="after")
    def _ends_some_day(self) -> Self:
        if self.stop.rule == "none" and not binding_limits(self):
            message = (
                f"this tournament could never end: the format {self.format.kind!r} is open-ended, "
                "stop.rule is 'none' and no limit can be reached; set stop.rule to stability, "
                "or limits.matches or limits.wall_clock"
            )
            idle = [name for name in ("usd", "tokens") if _given(self.limits, name)]
            if idle:
                message += f" (the judge {self.judge.kind!r} spends no {' and no '.join(idle)})"
            raise PydanticCustomError("own", "{message}", {"message": message, "at": "stop.rule"})
        return self


def _section(key: str, value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_unset=True) | ({"kind": value.kind} if hasattr(value, "kind") else {})
    return {SHORT[key]: value} if key in SHORT and isinstance(value, str) else value


def criteria_of_list(names: list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    """Criteria given as a list: each text is its own name. Raises a fault for what is no text."""
    criteria: dict[str, Any] = {}
    for number, item in enumerate(names):
        try:
            word = values.text(item).strip()
        except ValueError as error:
            fault = {"message": str(error), "at": f"criteria.{number}"}
            raise PydanticCustomError("own", "{message}", fault) from None
        criteria[word] = word
    return criteria


def _given(limits: Limits, name: str) -> bool:
    return getattr(limits, name) is not None or getattr(limits.per_group, name) is not None


def binding_limits(tournament: Tournament) -> list[str]:
    """The limits that a run is bound to reach: money and tokens only with a judge that spends them."""
    limits, judge = tournament.limits, tournament.judge
    usage = judge.usage if isinstance(judge, SimulatedJudge) else SimulatedUsage()
    priced = [  # a model without a known price is refused beside a limit on USD, unless that is allowed
        choice.model.price is not None or (limits.unknown_cost == "refuse" and not choice.model.is_local)
        for choice in llm_judges(judge)
    ]
    spends = {
        "usd": usage.usd > 0 or any(priced),
        "tokens": usage.input_tokens + usage.output_tokens > 0 or bool(llm_judges(judge)),
        "matches": True,
    }
    binding = [name for name, spent in spends.items() if spent and _given(limits, name)]
    return binding + (["wall_clock"] if limits.wall_clock is not None else [])


def _models() -> dict[str, tuple[type[Settings], ...]]:
    kinds: tuple[type[Settings], ...] = get_args(get_args(Judge)[0])
    return {
        "": (Tournament,),
        "format": (EloFormat,),
        "judge": kinds,
        "judge.usage": (SimulatedUsage,),
        "judge.model": (Model,),
        "judge.model.price": (Price,),
        "judge.mock": (Mock,),
        "embeddings": (Embeddings,),
        "overview": (Overview,),
        "overview.model": (Model,),
        "overview.model.price": (Price,),
        "limits": (Limits,),
        "limits.per_group": (GroupLimits,),
        "limits.durations": (Durations,),
        "stop": (Stop,),
    }


def known_keys(judge_kind: str | None = None) -> tuple[str, ...]:
    """Every dotted key there is, for the judge of `judge_kind` (None or unknown: of any kind)."""
    keys: dict[str, None] = {}
    chosen = [m for m in _models()["judge"] if m.model_fields["kind"].default == judge_kind]
    judge_fields = {name for model in chosen for name in model.model_fields}
    for section, models in _models().items():
        fitting = [
            m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == judge_kind
        ]
        parts = section.split(".")
        if parts[0] == "judge" and len(parts) > 1 and judge_fields and parts[1] not in judge_fields:
            continue  # a part of another kind of judge
        for model in fitting if section == "judge" and fitting else models:
            keys |= dict.fromkeys(f"{section}.{name}" if section else name for name in model.model_fields)
    return tuple(keys)


def faults_in(error: ValidationError, given: Mapping[str, Any], more: tuple[str, ...] = ()) -> list[Fault]:
    """What pydantic found wrong with `given`, as sentences of ours; `more` are further known keys."""
    judge = _section("judge", given.get("judge"))
    judge = judge if isinstance(judge, Mapping) else {}
    kind = judge.get("kind")
    known = known_keys(kind if isinstance(kind, str) else None)
    more += ("judge.latency.mean", "judge.latency.cv") if kind == "simulated" else ()
    return faults_of(error, (*more, *known), judge.get("latency"), known_keys)


def validate(given: Mapping[str, Any]) -> Tournament:
    """The tournament that `given` describes, or UsageError with one sentence a fault, each with its key."""
    try:
        return Tournament.model_validate(given)
    except ValidationError as error:
        raise UsageError("\n".join(str(fault) for fault in faults_in(error, given))) from None


OPEN = frozenset(
    {"criteria", "judge.strengths", "judge.mock.strengths", "judge.model.params", "overview.model.params"}
)
"""Sections whose keys are the user's own."""


def with_changes(tournament: Tournament, changes: Mapping[str, Any]) -> Tournament:
    """`tournament` with dotted keys changed: {"limits.matches": 400, "limits.wall_clock": "30m"}.

    Values are Python's, or texts as typed on a command line ("null" takes a limit away). An unknown
    key or a value out of bounds raises UsageError and names the nearest known key.
    """
    given = tournament.model_dump(mode="json")
    known = known_keys(tournament.judge.kind)
    for key, value in changes.items():
        parent, _, last = key.rpartition(".")
        if key not in known and parent not in OPEN:
            raise UsageError(f"unknown key {values.shown(key)}{_nearest_hint(key, known)}")
        if key == "format.preset":
            _forget_preset(given, tournament.format.preset)
        part: Any = given
        for step in parent.split(".") if parent else ():
            if part.get(step) is None:
                part[step] = {}
            part = part[step]
        part[last] = typed_value(key, value)
    return validate(given)


def _nearest_hint(key: str, known: tuple[str, ...]) -> str:
    near = values.nearest(key, known)
    return f" (did you mean {near}?)" if near else f" (known keys: {', '.join(known)})"


_TEXTS = frozenset({"name", "task", "judge.file", "judge.folder", "judge.judge_prompt", "judge.prompts"})


def typed_value(key: str, value: Any) -> Any:
    """The value of a dotted key as typed on a command line; what is a text anyway stays as it is.

    Raises FileProblems for a [list] or {mapping} that cannot be read.
    """
    if not isinstance(value, str) or key in _TEXTS or key.startswith("criteria."):
        return value
    from arena_tui.yaml_text import written_value  # PyYAML only when a text has to be read

    return written_value(value)


def _forget_preset(given: dict[str, Any], preset: str | None) -> None:
    """Drop what the preset in force (or its absence) made of the defaults that presets change."""
    plain = {"format": EloFormat(), "judge": JudgeSettings(), "stop": Stop()}
    calls = {"single_call": False}  # of a judge that is no language model too
    for section, defaults in PRESETS["co_scientist"].items():
        for name in defaults:
            standard = calls[name] if name in calls else getattr(plain[section], name)
            before = PRESETS[preset][section][name] if preset else standard
            if given[section].get(name) == before:
                del given[section][name]
