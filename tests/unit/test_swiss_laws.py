"""The laws of Swiss pairing, whatever happens: draws, voids, rejections, late candidates, classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

import pytest
from elo_runs import candidate
from hypothesis import example, given, settings
from hypothesis import strategies as st
from swiss_runs import (
    WINNERS,
    Run,
    can_pair,
    discrepancies,
    pool,
    random_judge,
    replay,
    times_per_round,
    tournament,
)

from arena_tui.facts import Intervention

SIZES = st.one_of(st.integers(2, 12), st.integers(2, 64))


def played(size: int, classes: str, seed: int, *, restless: bool = True, **options: object) -> Run:
    """A whole run in which people come and go at random, if `restless`."""
    rng = Random(seed)
    run = Run(tournament(pool(size, classes), seed=seed, **options), random_judge(seed))

    def disturb(run: Run) -> None:
        if not restless or rng.random() > 0.15:
            return
        out = sorted(set(run.entrants) - run.playing)
        kind = rng.choice(["reject", "reject", "restore", "add", "overrule"])
        if kind == "reject" and run.playing:
            run.act(Intervention("reject", "main", rng.choice(sorted(run.playing))))
        elif kind == "restore" and out:
            run.act(Intervention("restore", "main", rng.choice(out)))
        elif kind == "add":
            class_ = rng.choice(classes) if classes else None
            added = candidate(f"late{len(run.entrants)}", class_=class_)
            run.act(Intervention("add", "main", added=added))
        elif kind == "overrule" and (held := [seq for seq in run.said if seq not in run.withdrawn]):
            seq, winner = rng.choice(held), rng.choice(WINNERS)
            run.act(Intervention("overrule", "main", seq=seq, winner=winner))

    return run.finish(disturb)


def check_laws(run: Run, excused: Mapping[str, tuple[int, ...]] | None = None) -> None:
    excused = excused or {}
    assert run.format.finished() == "COMPLETED"
    assert [step.seq for step in run.games] == list(range(1, len(run.games) + 1))
    assert all(count == 1 for count in times_per_round(run.games).values())
    met: set[frozenset[str]] = set()
    byes: Counter[str] = Counter()
    held = {step.seq for step in run.held()}
    brackets = run.format.details()["brackets"]
    shuffle = {id_: at for b in brackets.values() for at, id_ in enumerate(b["shuffle"])}
    for number, playing in run.starts.items():
        steps = [step for step in run.games if step.round == number]
        assert all(run.entrants[s.a].class_ == run.entrants[s.b].class_ for s in steps)
        scores = run.scores_before[number]
        for label, bracket in brackets.items():
            members = {id_ for id_ in playing if (run.entrants[id_].class_ or "") == label}
            paired = {id_ for s in steps for id_ in (s.a, s.b) if (run.entrants[id_].class_ or "") == label}
            given_, asked = set(bracket["byes"][number - 1]), set(bracket["excused"][number - 1])
            if not paired:
                assert not given_ | asked
                continue
            assert asked == {id_ for id_ in members if number in excused.get(id_, ())}
            available = members - asked
            assert paired | given_ == available, "nobody else is idle"
            assert len(given_) == len(available) % 2
            for id_ in given_:
                fewest = min(byes[other] for other in available)
                assert byes[id_] == fewest, "nobody sits out twice while another has not"
                below = [
                    other
                    for other in available
                    if byes[other] == fewest
                    and (scores[other], -shuffle[other]) < (scores[id_], -shuffle[id_])
                ]
                assert not any(can_pair(available - {other}, met) for other in below)
            byes.update(given_)
        pairs = [frozenset((step.a, step.b)) for step in steps if step.seq in held]
        assert not met.intersection(pairs), "no rematch"
        met.update(pairs)


@settings(max_examples=40)
@given(SIZES, st.sampled_from(["", "x", "xy", "xyz"]), st.integers(0, 2**32))
@example(2, "", 0)
@example(3, "", 0)
@example(5, "xyz", 3)
def test_the_laws_hold_whoever_comes_and_goes(size: int, classes: str, seed: int) -> None:
    run = played(size, classes, seed, rounds=Random(seed).choice([None, None, 3, 5]))
    check_laws(run)
    for row in run.format.pairings():
        if row["b"] is not None:
            scores = run.scores_before[row["round"]]
            assert (row["score_a"], row["score_b"]) == (scores[row["a"]], scores[row["b"]])


@settings(max_examples=25)
@given(SIZES, st.integers(0, 2**32))
def test_the_laws_hold_with_requested_byes(size: int, seed: int) -> None:
    rng = Random(seed)
    excused = {
        f"c{i:02d}": (rng.randint(1, 3), rng.randint(1, 6)) for i in rng.sample(range(size), size // 3)
    }
    run = played(size, "", seed, restless=False, excused=excused)
    check_laws(run, excused)


@settings(max_examples=15)
@given(st.integers(2, 20), st.integers(0, 2**32))
def test_a_schedule_longer_than_the_field_ends_where_no_round_is_legal(size: int, seed: int) -> None:
    run = played(size, "", seed, restless=False, rounds=40)
    check_laws(run)
    [bracket] = run.format.details()["brackets"].values()
    assert bracket["played"] <= size - 1 + size % 2
    met = {frozenset((step.a, step.b)) for step in run.games}
    byes = {id_ for ids in bracket["byes"] for id_ in ids}
    ids = set(run.entrants)
    if size % 2 and byes < ids:
        assert not any(can_pair(ids - {id_}, met) for id_ in ids - byes)
    elif size % 2 == 0:
        assert not can_pair(ids, met)


@settings(max_examples=15)
@given(st.integers(2, 9), st.integers(0, 2**32), st.data())
def test_a_replayed_journal_is_the_run_at_every_prefix(size: int, seed: int, data: st.DataObject) -> None:
    run = played(size, "xy", seed)
    cut = data.draw(st.integers(0, len(run.journal)))
    resumed = tournament(pool(size, "xy"), seed=seed, rounds=None)
    replay(resumed, run.journal[:cut])
    rest = Run(resumed)
    chosen = rest.plan()
    planned = [e for e in run.journal[cut:] if not isinstance(e, Intervention)]
    expected = []
    for entry in run.journal[cut:]:
        if entry not in chosen:
            break
        expected.append(entry)
    assert chosen[: len(expected)] == expected
    if planned and cut and not isinstance(run.journal[cut], Intervention):
        assert chosen == expected
    assert not discrepancies(tournament(pool(size, "xy"), seed=seed), run.journal)


def test_the_checker_names_the_round_that_does_not_follow() -> None:
    run = played(9, "", 4, restless=False)
    other = discrepancies(tournament(9, seed=5), run.journal)
    assert len(other) == 4
    assert all("in round 1, derived" in sentence for sentence in other)


@pytest.mark.parametrize("size", [4, 6, 8, 12, 16])
def test_an_even_field_plays_half_as_many_rounds_as_it_has_entrants_for_certain(size: int) -> None:
    """Dirac: after r rounds everybody has size - 1 - r opponents left, which is enough up to size / 2."""
    for seed in range(4):
        run = played(size, "", seed, restless=False, rounds=size // 2)
        assert len(run.games) == (size // 2) ** 2
        check_laws(run)
