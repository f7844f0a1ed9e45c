"""What a setting may hold: the value types of all settings models, and what the models share."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from arena_tui import values
from arena_tui.conventions import MOST_TURNS

Text = Annotated[str, BeforeValidator(values.text)]
AnyText = Annotated[str, BeforeValidator(partial(values.text, blank=True))]
Flag = Annotated[bool, BeforeValidator(values.flag)]
Whole = Annotated[int, BeforeValidator(values.whole_number)]
Count = Annotated[int, BeforeValidator(partial(values.whole_number, low=1))]
DebateTurns = Annotated[int, BeforeValidator(partial(values.whole_number, low=3, high=MOST_TURNS))]
Slots = Annotated[int, BeforeValidator(partial(values.whole_number, low=1, high=4096))]
Seed = Annotated[int, BeforeValidator(partial(values.whole_number, high=2**63 - 1))]
Finite = Annotated[float, BeforeValidator(partial(values.finite_number, low=-1e6, high=1e6))]
Share = Annotated[float, BeforeValidator(partial(values.finite_number, low=0, high=1))]
AtLeastZero = Annotated[float, BeforeValidator(partial(values.finite_number, low=0, high=1e6))]
Positive = Annotated[float, BeforeValidator(partial(values.finite_number, above=0, high=1e9))]
Seconds = Annotated[float, BeforeValidator(values.seconds)]
SecondsOrZero = Annotated[float, BeforeValidator(partial(values.seconds, zero=True))]


class Settings(BaseModel):
    """What all settings share: they never change, and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")
