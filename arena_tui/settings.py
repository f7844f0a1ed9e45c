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
from arena_tui.format_settings import BY_FORMAT, PRESETS, AnyFormat, Format, kind_of
from arena_tui.format_settings import AdaptiveFormat as AdaptiveFormat
from arena_tui.format_settings import EloFormat as EloFormat
from arena_tui.format_settings import KnockoutFormat as KnockoutFormat
from arena_tui.format_settings import PivotFormat as PivotFormat
from arena_tui.format_settings import RoundRobinFormat as RoundRobinFormat
from arena_tui.format_settings import SwissFormat as SwissFormat
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
from arena_tui.limit_settings import Durations as Durations
from arena_tui.limit_settings import GroupLimits as GroupLimits
from arena_tui.limit_settings import Limits as Limits
from arena_tui.limit_settings import Stop as Stop
from arena_tui.model_settings import Embeddings as Embeddings
from arena_tui.model_settings import Model as Model
from arena_tui.model_settings import ModelChoice
from arena_tui.model_settings import Price as Price
from arena_tui.setting_types import AnyText, Count, Seed, Settings, Text
from arena_tui.settings_faults import Fault, faults_of


class Overview(Settings):
    """A model writes the case of the best, citing the matches that decided, once the run has ended by its own
    rule; a run that a limit or a person stops has none yet. Given as a text it is `model` alone."""

    model: ModelChoice
    top_k: Count = 3


OPEN_ENDED = ("elo", "adaptive")
"""Formats that never end by themselves."""

SHORT = {"format": "kind", "judge": "kind", "stop": "rule", "overview": "model"}
"""Sections that may be given as one text: `format: elo` is `format: {kind: elo}`."""


class Tournament(Settings):
    """Everything that defines a run except its candidates and groups."""

    name: Text = "tournament"
    task: Text = "Which of the two texts is better?"
    """The one trusted question the judge answers."""
    criteria: dict[str, AnyText] = Field(default_factory=dict)
    """What to look at, by name; given as a list, each text is its own name."""
    compare: Literal["candidates", "systems"] = "candidates"
    """Rank the candidates of every group, or the systems that made them over all groups together."""
    groups_sample: Count | None = None
    """With `compare: systems`, formats with a schedule play in so many groups, drawn from the seed."""
    baseline: Text | None = None
    """With `compare: systems`, the system against which every other one's win rate is told."""
    schedule: Literal["breadth", "depth"] = "breadth"
    """Groups advance together, or one after the other."""
    format: Format = AdaptiveFormat()
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
        chosen = given.get("format", {})
        if not isinstance(chosen, Mapping):
            return given
        preset = str(chosen.get("preset"))
        if "kind" not in chosen:
            chosen = given["format"] = {"kind": kind_of(chosen), **chosen}
        for changed in (PRESETS.get(preset, {}), BY_FORMAT.get(str(chosen["kind"]), {})):
            for section, defaults in changed.items():
                part = given.get(section, None if section == "judge" else {})  # a format names no judge
                if isinstance(part, Mapping):
                    own = {
                        k: v for k, v in defaults.items() if k != "single_call" or part.get("kind") == "llm"
                    }
                    given[section] = {**own, **part}
        return given

    @model_validator(mode="after")
    def _systems_only(self) -> Self:
        for name in ("groups_sample", "baseline"):
            if self.compare != "systems" and getattr(self, name) is not None:
                message = f"{name}: only compare: systems uses it; leave one out or write compare: systems"
                raise PydanticCustomError("own", "{message}", {"message": message, "at": name})
        return self

    @model_validator(mode="after")
    def _ends_some_day(self) -> Self:
        if self.format.kind in OPEN_ENDED and self.stop.rule == "none" and not binding_limits(self):
            message = (
                f"this tournament could never end: the format {self.format.kind!r} is open-ended, "
                "stop.rule is 'none' and no limit can be reached; set stop.rule to "
                f"{'stability' if self.format.kind == 'elo' else 'confident'}, or limits.matches or "
                "limits.wall_clock"
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
        "format": get_args(AnyFormat),
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


def known_keys(judge_kind: str | None = None, format_kind: str | None = None) -> tuple[str, ...]:
    """Every dotted key there is, for the judge and the format of these kinds (None or unknown: of any)."""
    keys: dict[str, None] = {}
    chosen = [m for m in _models()["judge"] if m.model_fields["kind"].default == judge_kind]
    judge_fields = {name for model in chosen for name in model.model_fields}
    for section, models in _models().items():
        kind = {"judge": judge_kind, "format": format_kind}.get(section)
        fitting = [m for m in models if "kind" in m.model_fields and m.model_fields["kind"].default == kind]
        parts = section.split(".")
        if parts[0] == "judge" and len(parts) > 1 and judge_fields and parts[1] not in judge_fields:
            continue  # a part of another kind of judge
        for model in fitting or models:
            keys |= dict.fromkeys(f"{section}.{name}" if section else name for name in model.model_fields)
    return tuple(keys)


def faults_in(error: ValidationError, given: Mapping[str, Any], more: tuple[str, ...] = ()) -> list[Fault]:
    """What pydantic found wrong with `given`, as sentences of ours; `more` are further known keys."""
    judge = _section("judge", given.get("judge"))
    judge = judge if isinstance(judge, Mapping) else {}
    kind = judge.get("kind")
    chosen = _section("format", given.get("format"))
    chosen = chosen if isinstance(chosen, Mapping) else {}
    format_ = chosen.get("kind", kind_of(chosen))
    known = known_keys(kind if isinstance(kind, str) else None, format_ if isinstance(format_, str) else None)
    more += ("judge.latency.mean", "judge.latency.cv") if kind == "simulated" else ()
    return faults_of(error, (*more, *known), judge.get("latency"), known_keys)


def validate(given: Mapping[str, Any]) -> Tournament:
    """The tournament that `given` describes, or UsageError with one sentence a fault, each with its key."""
    try:
        return Tournament.model_validate(given)
    except ValidationError as error:
        raise UsageError("\n".join(str(fault) for fault in faults_in(error, given))) from None


OPEN = frozenset(
    {
        "criteria",
        "format.excused",
        "judge.strengths",
        "judge.mock.strengths",
        "judge.model.params",
        "overview.model.params",
    }
)
"""Sections whose keys are the user's own."""


def with_changes(tournament: Tournament, changes: Mapping[str, Any]) -> Tournament:
    """`tournament` with dotted keys changed: {"limits.matches": 400, "limits.wall_clock": "30m"}.

    Values are Python's, or texts as typed on a command line ("null" takes a limit away). An unknown
    key or a value out of bounds raises UsageError and names the nearest known key.
    """
    given = tournament.model_dump(mode="json")
    known = known_keys(tournament.judge.kind, tournament.format.kind)
    for key, value in changes.items():
        parent, _, last = key.rpartition(".")
        if key not in known and parent not in OPEN:
            raise UsageError(f"unknown key {values.shown(key)}{_nearest_hint(key, known)}")
        if key == "format.preset" and tournament.format.kind == "elo":
            _forget_preset(given, tournament.format.preset)
        part: Any = given
        for step in parent.split(".") if parent else ():
            if part.get(step) is None:
                part[step] = {}
            part = part[step]
        part[last] = typed_value(key, value)
    return validate(given)


def similarity_of(tournament: Tournament) -> str:
    """How the texts' likeness is measured; `none` in formats that do not ask for it."""
    return tournament.format.similarity if isinstance(tournament.format, EloFormat) else "none"


def pauses_after_rounds(tournament: Tournament) -> bool:
    """True when the run waits for a person whenever a group has finished a round."""
    return getattr(tournament.format, "pause_after", None) == "round"


def in_format(tournament: Tournament, kind: str) -> Tournament:
    """The same tournament in another format with that one's defaults, for comparing what they cost."""
    if kind == tournament.format.kind:
        return tournament
    given = tournament.model_dump(mode="json")
    given["format"], given["stop"] = {"kind": kind}, {}
    before = BY_FORMAT[tournament.format.kind].get("judge", {})
    for name, value in before.items():
        if given["judge"].get(name) == value:
            del given["judge"][name]
    if given["judge"].get("orders") == "alternate":
        del given["judge"]["orders"]
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
