"""The status pane: phase, gauges, distance to the stop rule, pace, providers, the judge's health."""

from __future__ import annotations

import asyncio

import pytest
from console_facts import HOSTILE_KINDS, PaneApp, act, entrant, ledger_of, screen_text, settled, view_of
from rich.cells import cell_len

from arena_tui.console.glyphs import ASCII, UNICODE
from arena_tui.console.ports import ProviderView
from arena_tui.console.status_words import REASONS, distance_words, phase_words
from arena_tui.console.view import RunView
from arena_tui.console.widgets.gauge import gauge
from arena_tui.console.widgets.status import Status
from arena_tui.console.widgets.status_text import fold
from arena_tui.engine.state import GroupState, InFlight, RunState
from arena_tui.engine.stopping import REASONS as ALL_REASONS
from arena_tui.errors import StoreError
from arena_tui.ratings.stability import Distance

FAR = Distance(2, 3, ("delta",), (("beta", 28.0), ("alpha", 31.2)), 0, 43, 2)
WAITS = ProviderView("anthropic", 6, 8, 2, "rate limited, 12 s")


def flying(calls: int) -> dict[object, InFlight]:
    """Calls in flight."""
    return {
        ("main", seq, "ab"): InFlight("main", seq, "ab", "alpha", "beta", "pairwise", 0.0)
        for seq in range(calls)
    }


def busy(**state: object) -> RunView:
    """A run with all four limits, in the middle of it."""
    ledger = ledger_of([entrant(id_) for id_ in ("alpha", "beta", "gamma", "delta")], 20)
    given: dict[str, object] = {
        "revision": 1,
        "a": 40,
        "b": 19,
        "draw": 2,
        "void": 1,
        "started": 70,
        "match_limit": 120,
        "usd": 0.84,
        "usd_reserved": 0.12,
        "usd_limit": 2.0,
        "tokens": 123_400,
        "tokens_reserved": 9_000,
        "token_limit": 1_000_000,
        "wall_clock_limit": 1_800.0,
        "elapsed": 130.0,
        "concurrency": 8,
        "held": 2,
        "quiet": False,
        "in_flight": flying(6),
        **state,
    }
    view = view_of(ledger, **given)
    view.state.groups["main"].distance = FAR
    return view


async def shown(view: RunView, size: tuple[int, int] = (58, 11)) -> str:
    """The pane as a person reads it."""
    app = PaneApp(Status(view, now=lambda: 0.0))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.query_one(Status).pull()
        await settled(pilot)
        return screen_text(app)


@pytest.mark.parametrize(
    ("phase", "calls", "quiet", "word"),
    [
        ("ready", 0, True, "Ready"),
        ("running", 6, False, "RUNNING  6 of 8 in flight, 2 held"),
        ("paused", 3, False, "PAUSED, DRAINING 3"),
        ("paused", 0, True, "PAUSED  nothing in flight"),
        ("draining", 3, False, "STOPPING 3"),
        ("cancelling", 2, False, "CANCELLING 2"),
        ("stopped", 0, True, "STOPPED"),
    ],
)
async def test_every_phase_has_a_sign_and_a_word(phase: str, calls: int, quiet: bool, word: str) -> None:
    view = busy(phase=phase, in_flight=flying(calls), quiet=quiet)
    view.glyphs = ASCII
    line = (await shown(view)).splitlines()[1]
    assert word in line
    assert line.lstrip("│").split()[0] in ["o", ">", "=", "v", "#"]


async def test_gauges_tell_spent_reserved_and_free_apart() -> None:
    lines = (await shown(busy())).splitlines()
    money = next(line for line in lines if "USD" in line)
    assert "0.84 + 0.12 of 2.00" in money
    assert "█" in money
    assert "▒" in money
    assert "░" in money
    assert "70 of 120" in lines[2]
    assert "2 min of 30 min" in "".join(lines)
    assert "123k + 9.0k of 1.00M" in "".join(lines)


async def test_without_limits_only_what_was_spent_is_told() -> None:
    view = busy(match_limit=None, usd_limit=None, token_limit=None, wall_clock_limit=None)
    text = await shown(view)
    assert "so far   62 matches, 0.84 USD, 123k tokens, 2 min" in text
    assert "█" not in text


async def test_a_schedule_without_a_limit_has_a_gauge() -> None:
    view = busy(match_limit=None)
    view.state.groups["main"].expected = 90
    assert "62 of 90" in await shown(view)


async def test_the_distance_names_who_still_moves_by_their_titles() -> None:
    text = " ".join((await shown(busy(match_limit=None, usd_limit=None))).replace("│", " ").split())
    assert "43 more matches; Alpha moves 31 points, Beta 28" in text


def test_the_distance_in_words_counts_what_it_does_not_name() -> None:
    moving = tuple((f"c{number}", 30.0 + number) for number in range(5))
    words = distance_words(Distance(3, 3, (), moving, 1, 1, 1), str.upper)
    assert words == [
        "1 more match",
        "C4 moves 34 points, C3 33, C2 32, 2 more move",
        "some lack 1 match each",
        "1 candidate too few play",
        "3 of 3 snapshots",
    ]
    assert distance_words(Distance(3, 3), str) == ["settled", "3 of 3 snapshots"]
    assert distance_words(Distance(1, 3), str) == ["1 of 3 snapshots"]


async def test_of_several_groups_the_one_furthest_away_is_told() -> None:
    view = busy(match_limit=None, usd_limit=None, token_limit=None)
    view.state.groups = {
        "near": GroupState("near", distance=Distance(2, 3)),
        "far": GroupState("far", distance=FAR),
        "done": GroupState("done", stop_reason="ELO_STABLE"),
        "played": GroupState("played", stop_reason="COMPLETED"),
    }
    text = await shown(view)
    assert "2 of 4 groups ended: 1 ELO_STABLE, 1 COMPLETED" in text
    assert "furthest far: 43 more matches" in text


async def test_who_was_rejected_does_not_stand_in_the_way_of_the_stop_rule() -> None:
    view = busy()
    view.state.groups["main"].distance = Distance(
        2, 3, changed=("alpha",), moving=(("alpha", 43.0), ("beta", 31.0))
    )
    assert "Alpha moves 43" in await shown(view)
    act(view.ledger, "reject", "alpha", "rejected")
    text = await shown(view)
    assert "Alpha" not in text
    assert "Beta moves 31" in text


async def test_a_chosen_group_is_the_only_one_told_of() -> None:
    view = busy()
    view.state.groups = {
        "near": GroupState("near", distance=Distance(2, 3)),
        "far": GroupState("far", distance=FAR),
    }
    view.group = "near"
    text = await shown(view)
    assert "to stop  2 of 3 snapshots" in text
    assert "43 more" not in text


@pytest.mark.parametrize("reason", ALL_REASONS)
async def test_every_stop_reason_comes_in_words_with_what_can_be_done(reason: str) -> None:
    view = busy(phase="stopped", stop_reason=reason, stop_detail="a sentence about it", in_flight={})
    text = await shown(view)
    if reason in ("BUDGET", "WALL_CLOCK"):
        assert f"{reason}: a sentence about it" in text, "which limit says more than that it was one"
    else:
        assert f"{reason}: {REASONS[reason]}" in text
        assert "a sentence about it" in text
    assert any(words in text for words in ("R goes on", "R tries again", "opens it again"))


async def test_a_limit_that_is_used_up_names_the_key_that_raises_it() -> None:
    text = await shown(busy(phase="stopped", stop_reason="BUDGET", in_flight={}))
    assert "L raises the limit, then R goes on" in text


@pytest.mark.parametrize("width", [58, 38])
async def test_everything_at_once_keeps_what_asks_for_action(width: int) -> None:
    view = busy(trouble="the disk is full, 31 results wait", errors=3)
    view.session.seen = [ProviderView("openai", 3, 8, 0, "", 230, 4), WAITS]
    lines = (await shown(view, (width, 11))).splitlines()
    assert len(lines) == 11
    assert all(cell_len(line) <= width for line in lines)
    assert "RUNNING" in lines[1]
    assert "trouble  the disk is full" in lines[2]
    text = "\n".join(lines)
    for words in ("70 of 120", "USD", "tokens", "time", "to stop", "pace", "anthropic 6 of 8"):
        assert words in text
    if width == 58:
        assert "judge    the judge is consistent" in text


async def test_what_does_not_fit_is_counted_in_the_frame_and_scrolls() -> None:
    view = busy(trouble="the disk is full")
    view.session.seen = [WAITS]
    app = PaneApp(Status(view, now=lambda: 0.0))
    async with app.run_test(size=(38, 8)) as pilot:
        await settled(pilot)
        assert "more below" in screen_text(app).splitlines()[-1]
        await pilot.press("tab", "end")
        await settled(pilot)
        assert "the judge is consistent" in screen_text(app)


async def test_providers_say_what_they_wait_for() -> None:
    view = busy(usd_limit=None, token_limit=None)
    view.session.seen = [WAITS, ProviderView("openai", 3, 8, 0, "", 230, 4)]
    text = await shown(view, (58, 16))
    assert "anthropic 6 of 8, 2 queued, waits: rate limited, 12 s" in text
    assert "openai   3 of 8, 230 sent, 4 from the cache" in text


async def test_failed_calls_and_void_matches_are_told_while_it_is_paused() -> None:
    text = await shown(busy(phase="paused", in_flight={}, errors=3))
    assert "errors   3 failed calls, 1 void" in text


async def test_the_pace_is_measured_while_it_runs_and_forgotten_in_a_pause() -> None:
    view = busy(a=0, b=0, draw=0, void=0, started=0, match_limit=120, usd_limit=None, token_limit=None)
    view.state.wall_clock_limit, view.state.held, view.state.in_flight = None, 0, {}
    clock = [0.0]
    pane = Status(view, now=lambda: clock[0])
    app = PaneApp(pane)
    async with app.run_test(size=(58, 11)) as pilot:
        for _ in range(60):
            clock[0] += 1.0
            view.state.a += 1
            view.state.started += 1
            view.state.touch()
            pane.pull()
        await settled(pilot)
        assert "pace     1.0/s, at most about 60 s left" in screen_text(app)
        clock[0] += 70.0
        pane.pull()
        await settled(pilot)
        assert "no match for 70 s" in screen_text(app)
        view.state.phase = "paused"
        view.state.touch()
        pane.pull()
        view.state.phase = "running"
        view.state.touch()
        pane.pull()
        await settled(pilot)
        text = screen_text(app)
        assert "no match for" not in text
        assert "/s" not in text


async def test_nothing_is_drawn_again_while_nothing_has_changed() -> None:
    view = busy()
    pane = Status(view, now=lambda: 5.0)
    app = PaneApp(pane)
    async with app.run_test(size=(58, 11)) as pilot:
        await settled(pilot)
        pane.pull()
        asked = 0
        providers = view.session.providers

        def counted_providers() -> object:
            nonlocal asked
            asked += 1
            return providers()

        view.session.providers = counted_providers  # type: ignore[assignment, method-assign]
        for _ in range(20):
            pane.pull()
        assert asked == 0
        view.state.touch()
        pane.pull()
        assert asked == 1


async def test_the_judge_is_asked_about_at_most_once_a_second_and_only_after_matches() -> None:
    view = busy()
    asked = []

    async def judge_words() -> list[str]:
        asked.append(view.state.applied)
        return [f"fine after {view.state.applied}"]

    view.session.judge_words = judge_words  # type: ignore[method-assign]
    clock = [0.0]
    pane = Status(view, now=lambda: clock[0])
    app = PaneApp(pane)
    async with app.run_test(size=(58, 16)) as pilot:
        await settled(pilot)
        for seconds, applied in ((0.4, 1), (0.9, 1), (1.1, 1), (3.0, 0)):
            clock[0] = seconds
            view.state.a += applied
            view.state.touch()
            pane.pull()
            await settled(pilot)
        pane.pull()
        await settled(pilot)
        assert asked == [62, 65]
        assert "fine after 65" in screen_text(app)


async def test_a_report_that_cannot_be_read_says_why() -> None:
    view = busy()

    async def judge_words() -> list[str]:
        await asyncio.sleep(0)
        raise StoreError("the run's database is gone")

    view.session.judge_words = judge_words  # type: ignore[method-assign]
    assert "the run's database is gone" in await shown(view, (58, 16))


async def test_a_followed_run_says_that_another_process_drives_it() -> None:
    view = busy()
    view.session.drives = False
    assert "driven by another process" in await shown(view)


@pytest.mark.parametrize("text", HOSTILE_KINDS)
async def test_hostile_texts_stay_text(text: str) -> None:
    view = busy(trouble=text)
    view.facts.ledger = ledger_of([entrant("alpha", title=text), entrant("beta", title=text)])
    view.session.seen = [ProviderView(text, 1, 2, 0, text)]
    view.session.health = [text]
    told = await shown(view, (200, 60))
    assert "\x1b" not in told
    assert "\x9b" not in told
    assert "RUNNING" in told
    view.state.phase, view.state.stop_reason, view.state.stop_detail = "stopped", "IDLE", text
    assert "STOPPED" in await shown(view, (200, 60))


async def test_ascii_glyphs_are_enough() -> None:
    view = busy()
    view.glyphs = ASCII
    lines = (await shown(view)).splitlines()[1:-1]
    inner = "".join(line.strip("│") for line in lines).replace("…", "")
    assert inner.isascii()


def test_a_gauge_never_hides_what_little_there_is() -> None:
    def drawn(*figures: float, width: int = 10) -> str:
        return "".join(text for text, _ in gauge(width, *figures, glyphs=UNICODE))

    assert drawn(0, 0, 100) == "░" * 10
    assert drawn(1, 0, 1_000) == "█" + "░" * 9
    assert drawn(999, 0, 1_000) == "█" * 9 + "░"
    assert drawn(100, 0, 100) == drawn(500, 0, 100) == "█" * 10
    assert drawn(50, 0.1, 100) == "█" * 5 + "▒" + "░" * 4
    assert drawn(0, 0, 0) == "█" * 10
    assert drawn(1, 1, 10, width=0) == ""


def test_text_breaks_between_words_and_is_cut_at_the_end() -> None:
    assert fold("one two three four", 9, 2) == ["one two", "three fo…"]
    assert fold("one two", 9, 2) == ["one two"]
    assert fold("", 9, 2) == []
    assert fold("unbreakable and more", 5, 3) == ["unbr…"]
    assert all(cell_len(line) <= 7 for line in fold("混合 full width ＡＢ text", 7, 3))


def test_one_call_in_flight_is_told_in_the_singular() -> None:
    state = RunState(phase="draining", in_flight=flying(1))  # type: ignore[arg-type]
    assert phase_words(state)[:2] == ("STOPPING 1", "the call in flight finishes; once more cancels")
