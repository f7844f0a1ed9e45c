"""The screens of one candidate: its page, and the words that differ from its parent's."""

from __future__ import annotations

import pytest
from console_facts import HOSTILE_KINDS, act, entrant, ledger_of, play, screen_text, settled, view_of
from screen_app import ScreenApp

from arena_tui.candidate import Candidate
from arena_tui.console.glyphs import ASCII
from arena_tui.console.ledger import Ledger
from arena_tui.console.messages import Copied, EntrantActed
from arena_tui.console.screens.candidate import CandidateScreen
from arena_tui.console.screens.diff import DiffScreen
from arena_tui.console.view import RunView
from arena_tui.console.widgets.candidate_words import reason_of
from arena_tui.console.widgets.kin_rows import KinRows, PlayedRows
from arena_tui.console.woven import weave
from arena_tui.errors import ArenaError
from arena_tui.store.board_rows import EntrantFact, MatchFact
from arena_tui.store.match_rows import MatchRecord, SaidRecord


def family() -> list[EntrantFact]:
    return [
        entrant("alpha"),
        entrant("beta"),
        entrant(
            "kid", parent_ids=("alpha", "beta", "gone"), generation=1, system="writer-2", class_="physics"
        ),
        entrant("grandkid", parent_ids=("kid",), generation=2),
        entrant("twin", twin_of="kid"),
    ]


def record(group: str, seq: int, *reasons: str, **fields: object) -> MatchRecord:
    given: dict[str, object] = {
        **{
            "a": "a",
            "b": "b",
            "mode": "pairwise",
            "orders": ("ab",),
            "why": "",
            "round": None,
            "winner": "a",
        },
        **{"applied_no": seq, "a_before": 1200.0, "a_after": 1212.0, "b_before": 1200.0, "b_after": 1188.0},
        **{"p_a": None, "void_reason": "", "overruled": False, "flags": (), "turns": ()},
        "said": tuple(SaidRecord("ab", "first", None, reason, ()) for reason in reasons),
        **fields,
    }
    return MatchRecord(group=group, seq=seq, **given)  # type: ignore[arg-type]


def shown(ledger: Ledger, id_: str = "kid", **texts: Candidate) -> ScreenApp:
    view = view_of(ledger)
    view.facts.texts = {("main", name): candidate for name, candidate in texts.items()}
    return ScreenApp(CandidateScreen(view, "main", id_))


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_it_shows_text_review_record_kin_and_matches(size: tuple[int, int]) -> None:
    ledger = ledger_of(family(), 60)
    act(ledger, "pin", "kid", "pinned")
    ledger.flag("main", "kid", ("addresses the judge",))
    kid = ledger.find("main", "kid")
    kid.rank_low, kid.rank_high, kid.p_best = 2, 4, 0.25
    kid.low, kid.fitted, kid.high = 1100.0, 1170.0, 1240.0
    app = shown(ledger, kid=Candidate("kid", "The text.", review="It is sound.", meta={"lab": 7}))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = screen_text(app)
        for words in (
            *(
                "Kid  kid  [pinned]",
                f"rank {kid.rank} (2 to 4)",
                f"rating {kid.rating:.0f}",
                "BT 1170 [1100, 1240]",
            ),
            *(f"{kid.wins}-{kid.draws}-{kid.losses} won-drawn-lost", "best with 25%", "generation 1"),
            *("system writer-2", "class physics", "flags: addresses the", "The text.", "parent    Alpha"),
            *("against", "It is sound."),
        ):
            assert " ".join(words.split()) in " ".join(text.split())
        if size[0] == 200:
            for words in ("lab: 7", "gone (not in this run)", "child     Grandkid", "twin      Twin", "┤"):
                assert words in text


async def test_every_match_tells_result_opponent_and_what_it_did_to_the_rating() -> None:
    ledger = ledger_of(family())
    for seq, (winner, gain) in enumerate((("a", 12.0), ("b", -9.5), ("draw", 0.0), ("void", 0.0)), 1):
        a, b = ledger.find("main", "kid"), ledger.find("main", "beta")
        changes = (a.rating, a.rating + gain, b.rating, b.rating - gain)
        ledger.apply(
            [MatchFact(seq, "main", seq, "kid", "beta", "pairwise", winner, *changes, seq == 2, False)]
        )
    ledger.apply(
        [MatchFact(5, "main", 5, "beta", "kid", "debate", "void", None, None, None, None, False, True)]
    )
    app = shown(ledger)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        rows = app.shown.query_one(PlayedRows)
        told = [" ".join(rows.draw(index, 90).plain.split()) for index in range(rows.count())]
        assert told == [
            "5 withdrawn Beta debate",
            "4 void Beta pairwise",
            "3 draw Beta +0.0 pairwise",
            "2 lost ! Beta -9.5 pairwise",
            "1 won Beta +12.0 pairwise",
        ]


async def test_the_reason_of_the_match_under_the_cursor_is_read_and_told() -> None:
    ledger = ledger_of(family(), 40)
    app = shown(ledger)
    lines = list(ledger.matches_of(ledger.find("main", "kid")))
    app.shown.view.facts.matches = {
        ("main", lines[0].seq): record("main", lines[0].seq, "clear bounds"),
        ("main", lines[1].seq): record("main", lines[1].seq, void_reason="no answer"),
    }
    async with app.run_test(size=(100, 40)) as pilot:
        await settled(pilot)
        assert f"match {lines[0].seq}: clear bounds" in screen_text(app)
        app.shown.query_one(PlayedRows).focus()
        await pilot.press("j")
        await settled(pilot)
        assert f"match {lines[1].seq}: void, no answer" in screen_text(app)
        await pilot.press("j", "enter")
        await settled(pilot)
        assert f"match {lines[2].seq}: nothing is stored of it" in screen_text(app)
        assert [(each.group, each.seq) for each in app.said] == [("main", lines[2].seq)]


def test_a_reason_is_told_once_though_both_orders_gave_it() -> None:
    assert reason_of(record("main", 1, "same", "same", "other")) == "same / other"
    assert reason_of(record("main", 1)) == "no reason was given"
    assert reason_of(record("main", 1, "so", flags=("tie broken",))) == "so (flags: tie broken)"


async def test_enter_on_a_relative_opens_it_and_a_missing_one_stays_closed() -> None:
    app = shown(ledger_of(family()))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        app.shown.query_one(KinRows).focus()
        await pilot.press("j", "enter", "j", "enter", "j", "enter")
        await settled(pilot)
        assert [each.entrant.id for each in app.said] == ["beta", "grandkid"]


async def test_keys_act_on_the_candidate_and_y_copies_its_whole_text() -> None:
    ledger = ledger_of(family())
    app = shown(ledger, kid=Candidate("kid", "long " * 30_000 + "\x1b[2Jend"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("i", "x", "n", "d", "y")
        act(ledger, "pin", "kid", "pinned")
        await pilot.press("i")
        act(ledger, "reject", "kid", "rejected")
        await pilot.press("x")
        await settled(pilot)
        acted = [each.verb for each in app.said if isinstance(each, EntrantActed)]
        assert acted == ["pin", "reject", "focus", "diff", "unpin", "restore"]
        copied = [each.text for each in app.said if isinstance(each, Copied)]
        assert copied == ["long " * 30_000 + "end"]


async def test_a_twin_shows_its_originals_record_and_sends_actions_there() -> None:
    ledger = ledger_of(family(), 40)
    app = shown(ledger, "twin")
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        kid = ledger.find("main", "kid")
        assert f"rating {kid.rating:.0f}" in screen_text(app)
        assert "twin of Kid" in screen_text(app)
        assert app.shown.query_one(PlayedRows).count() == len(list(ledger.matches_of(kid)))
        await pilot.press("i")
        await settled(pilot)
        assert app.said == []
        assert app.noticed == ["Twin is a twin: act on its original, Kid"]


async def test_it_moves_with_a_live_run_and_the_cursor_stays_on_its_match() -> None:
    ledger = ledger_of(family(), 40)
    app = shown(ledger)
    async with app.run_test(size=(200, 60)) as pilot:
        await settled(pilot)
        rows = app.shown.query_one(PlayedRows)
        rows.focus()
        await pilot.press("j")
        on, before = rows.lines[1], rows.count()
        play(ledger, 40, seed=9)
        app.shown.pull()
        await settled(pilot)
        assert rows.count() > before
        assert rows.lines[rows.cursor] == on
        assert f"rating {ledger.find('main', 'kid').rating:.0f}" in screen_text(app)


async def test_at_a_moment_before_it_was_there_it_says_so() -> None:
    app = shown(ledger_of(family()))
    app.shown.view.past = ledger_of(family()[:2])
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert "kid is not there at this moment of the run" in screen_text(app)
        await pilot.press("i")
        assert app.said == []


async def test_a_text_that_cannot_be_read_leaves_a_sentence_in_its_place() -> None:
    class Broken:
        def __init__(self, ledger: Ledger) -> None:
            self.ledger = ledger

        async def candidate(self, group: str, id_: str) -> Candidate:
            raise ArenaError("the database is gone")

        async def match(self, group: str, seq: int) -> MatchRecord | None:
            raise ArenaError("the database is gone too")

        async def at(self, pos: int) -> Ledger:
            raise ArenaError("not asked for here")

    ledger = ledger_of(family(), 20)
    view = RunView(view_of(ledger).session, Broken(ledger))
    app = ScreenApp(CandidateScreen(view, "main", "kid"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "the database is gone" in screen_text(app)
        assert "the database is gone too" in screen_text(app)


@pytest.mark.parametrize("hostile", HOSTILE_KINDS)
async def test_text_from_outside_is_shown_as_text_on_the_candidate_screen(hostile: str) -> None:
    ledger = ledger_of(
        [
            entrant("a", title=hostile, system=hostile, class_=hostile),
            entrant("b", title=hostile, parent_ids=("a", hostile)),
        ],
        10,
    )
    ledger.flag("main", "b", (hostile,))
    last = next(ledger.matches_of(ledger.find("main", "b")))
    text = Candidate("b", hostile, title=hostile, review=hostile, meta={hostile: hostile})
    app = shown(ledger, "b", b=text)
    app.shown.view.facts.matches = {("main", last.seq): record("main", last.seq, hostile, flags=(hostile,))}
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        await pilot.press("d", "y")
        await settled(pilot)
        assert "Review" in screen_text(app)
        for char in "\x1b\x07\x9b\u202e":
            assert char not in screen_text(app)


def test_a_woven_text_holds_the_later_one_whole_and_every_word_left_out() -> None:
    before = "Iron raises export production, at low cost.\nIt is new."
    after = "Iron by ships raises export.\nIt is untested and new."
    pieces = weave(before, after)
    assert "".join(text for kind, text in pieces if kind != "removed") == after
    assert [text for kind, text in pieces if kind == "removed"] == ["production, at low cost"]
    assert [text for kind, text in pieces if kind == "added"] == ["by ships", "untested and"]
    assert weave("same", "same") == [("same", "same")]
    assert weave("", "new words") == [("added", "new words")]
    assert [kind for kind, _ in weave("old words", "")] == ["removed"]


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_what_differs_from_the_parent_is_told_by_signs(size: tuple[int, int]) -> None:
    view = view_of(ledger_of(family()))
    view.glyphs = ASCII
    view.facts.texts = {
        ("main", "alpha"): Candidate("alpha", "Iron raises export production.", title="Alpha"),
        ("main", "beta"): Candidate("beta", "Copper raises export.", title="Beta"),
        ("main", "kid"): Candidate("kid", "Iron by ships raises export.", title="Kid"),
    }
    app = ScreenApp(DiffScreen(view, "main", "kid"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = screen_text(app)
        assert "Iron {+by ships+} raises export [-production-]." in text
        assert "Kid against Alpha (parent 1 of 2): 2 words added, 1 left out" in text
        await pilot.press("o")
        await settled(pilot)
        assert "Kid against Beta (parent 2 of 2)" in screen_text(app)
        assert "[-Copper-]" in screen_text(app)
        await pilot.press("y")
        await settled(pilot)
        assert app.said[-1].text.endswith("raises export.")


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_a_text_that_is_mostly_rewritten_stands_beside_its_parents(size: tuple[int, int]) -> None:
    view = view_of(ledger_of(family()))
    view.facts.texts = {
        ("main", "alpha"): Candidate("alpha", "# Iron\nraises 1,000 trees.", title="Alpha"),
        ("main", "beta"): Candidate("beta", "Ships plant kelp in cold water."),
        ("main", "kid"): Candidate("kid", "Ships plant kelp in warm water.", title="Kid"),
    }
    app = ScreenApp(DiffScreen(view, "main", "kid"))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        text = screen_text(app)
        assert "mostly rewritten, 6 words added, 5 left out" in text
        for words in ("Parent: Alpha", "# Iron", "Child: Kid", "Ships plant kelp in warm water."):
            assert words in text
        assert "{+" not in text
        beside = any("# Iron" in line and "Ships" in line for line in text.split("\n"))
        assert beside == (size[0] > 100)
        await pilot.press("o")
        await settled(pilot)
        text = screen_text(app)
        assert "mostly" not in text
        assert "{+warm+} [-cold-]" in text or "[-cold-] {+warm+}" in text


async def test_a_candidate_without_a_known_parent_has_nothing_to_differ_from() -> None:
    ledger = ledger_of([entrant("a"), entrant("b", parent_ids=("gone",))])
    for id_, words in (("a", "it has no parent"), ("b", "gone is not in this run")):
        app = ScreenApp(DiffScreen(view_of(ledger), "main", id_))
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            assert words in screen_text(app)
            await pilot.press("o", "y")
            assert app.said == []


@pytest.mark.parametrize("hostile", HOSTILE_KINDS)
async def test_text_from_outside_is_shown_as_text_in_a_difference(hostile: str) -> None:
    view = view_of(ledger_of([entrant("a", title=hostile), entrant("b", title=hostile, parent_ids=("a",))]))
    view.facts.texts = {
        ("main", "a"): Candidate("a", f"one {hostile} two", title=hostile),
        ("main", "b"): Candidate("b", f"one two {hostile} {hostile}", title=hostile),
    }
    app = ScreenApp(DiffScreen(view, "main", "b"))
    async with app.run_test(size=(100, 24)) as pilot:
        await settled(pilot)
        assert "against" in screen_text(app)
        for char in "\x1b\x07\x9b\u202e":
            assert char not in screen_text(app)
