"""Ctrl+c where a person judges: what was judged by hand is told. Also who counts as a person."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena_tui import exit_codes, settings
from arena_tui.blind import BlindMatch, BlindSession
from arena_tui.candidate import Candidate, Group
from arena_tui.commands import by_hand
from arena_tui.judging.human import has_person


def test_what_was_judged_before_ctrl_c_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {("main", id_): Candidate(id_, f"text {id_}") for id_ in ("x", "y")}
    matches = [BlindMatch("main", seq, "x", "y", "a", turned=False) for seq in (1, 2)]
    session = BlindSession("r", "Which?", True, {}, {"main": Group("main", ())}, texts, matches)
    answers = iter(["1\n"])

    def readline() -> str:
        try:
            return next(answers)
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(by_hand.folder, "find_run", lambda _run: Path("r"))
    monkeypatch.setattr(by_hand, "blind_session", lambda *_: session)
    monkeypatch.setattr(by_hand.sys, "stdin", SimpleNamespace(readline=readline, isatty=lambda: False))
    assert by_hand.judge_by_hand("r", 2, True) == exit_codes.EXTERNAL
    assert json.loads(capsys.readouterr().out)["judged"] == 1


@pytest.mark.parametrize(
    ("judge", "person"),
    [
        ({"kind": "human"}, True),
        ({"kind": "simulated"}, False),
        ({"kind": "panel", "judges": [{"kind": "human"}, {"kind": "simulated"}]}, True),
    ],
)
def test_a_person_is_known_alone_or_in_a_panel(judge: dict[str, Any], person: bool) -> None:
    assert has_person(settings.validate({"judge": judge}).judge) is person
