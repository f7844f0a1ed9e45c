"""What belongs to a panel as a whole is refused of a member, where it would do nothing."""

from __future__ import annotations

import pytest

from arena_tui.errors import UsageError
from arena_tui.settings import validate

MOCK = {"kind": "llm", "model": "mock:one"}


@pytest.mark.parametrize(("name", "value"), [("mode", "pairwise"), ("mode", "score"), ("orders", "both")])
def test_mode_and_orders_of_a_member_are_refused(name: str, value: str) -> None:
    panel = {"kind": "panel", "judges": [MOCK, {**MOCK, name: value}]}
    with pytest.raises(UsageError, match=rf"judge.judges\[1\].{name}: it belongs to the panel"):
        validate({"judge": panel})
    whole = validate({"judge": {**panel, name: value}})
    assert validate(whole.model_dump(mode="json")) == whole
