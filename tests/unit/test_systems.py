"""Systems as entrants: who wrote what, which groups take part, and to which group a match is dealt."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena_tui.candidate import Candidate, Group
from arena_tui.errors import UsageError
from arena_tui.formats.dealt import Dealer
from arena_tui.settings import validate
from arena_tui.systems import NOT_SAMPLED, Texts, chosen_groups, is_dealt


def group(id_: str, *systems: str, **texts: str) -> Group:
    """A group with a text by each system, distinct unless given."""
    return Group(
        id_,
        tuple(
            Candidate(id=f"{id_}-{name}", text=texts.get(name, f"{name} on {id_}"), group=id_, system=name)
            for name in systems
        ),
    )


def systems_run(**changed: object) -> object:
    return validate({"judge": "simulated", "compare": "systems", **changed})


def test_the_arena_holds_every_system_once_in_the_order_of_the_pool() -> None:
    texts = Texts([group("g", "x", "y"), group("h", "z", "y")])
    assert [c.id for c in texts.arena.candidates] == ["x", "y", "z"]
    assert texts.arena.id == "*"
    assert texts.text("h", "y").text == "y on h"


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        (
            [Group("g", (Candidate(id="c", text="t", group="g"),))],
            "candidate 'c' of group 'g' names no system",
        ),
        ([group("*", "x", "y")], "a group cannot be called '*'"),
    ],
)
def test_a_pool_that_cannot_be_compared_by_system_is_refused(groups: list[Group], said: str) -> None:
    with pytest.raises(UsageError, match="compare: systems") as refused:
        Texts(groups)
    assert said in str(refused.value)


def test_systems_of_several_classes_are_refused() -> None:
    one = Candidate(id="a", text="t", group="g", system="x", class_="passed")
    other = Candidate(id="b", text="u", group="h", system="x", class_="failed")
    with pytest.raises(UsageError, match="belong to 2 classes"):
        Texts([Group("g", (one,)), Group("h", (other,))])


def test_systems_without_a_common_group_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="'x' and 'z' have no group in common"):
        Texts([group("g", "x", "y"), group("h", "y", "z")]).shared()


def test_equal_texts_are_compared_only_where_there_is_nothing_else() -> None:
    same = group("g", "x", "y", x="the same", y="The same")
    assert Texts([same, group("h", "x", "y")]).shared()["x", "y"] == ["h"]
    assert Texts([same]).shared()["y", "x"] == ["g"]


@settings(max_examples=40)
@given(st.integers(2, 6), st.integers(1, 7), st.integers(1, 60), st.integers(0, 9))
def test_a_pair_meets_everywhere_before_it_meets_anywhere_again(
    systems: int, groups: int, meetings: int, seed: int
) -> None:
    names = [f"s{number}" for number in range(systems)]
    shared = {
        pair: [f"g{number}" for number in range(groups)]
        for one, other in combinations(names, 2)
        for pair in ((one, other), (other, one))
    }
    dealer = Dealer(shared, seed=seed)
    met: Counter[tuple[str, str, str]] = Counter()
    used: Counter[str] = Counter()
    for number in range(meetings):
        a, b = list(combinations(names, 2))[number % (systems * (systems - 1) // 2)]
        a, b = (a, b) if number % 2 else (b, a)
        before = deepcopy(dealer)
        where = dealer.deal(a, b)
        assert where == dealer.deal(a, b) == before.deal(a, b), "dealing changes nothing"
        low, high = sorted((a, b))
        least = min(met[low, high, g] for g in shared[a, b])
        assert met[low, high, where] == least
        candidates = [g for g in shared[a, b] if met[low, high, g] == least]
        assert used[where] == min(used[g] for g in candidates)
        dealer.take(a, b, where)
        met[low, high, where] += 1
        used[where] += 1


def test_ties_are_dealt_in_an_order_of_the_seed() -> None:
    shared = {("a", "b"): [f"g{n}" for n in range(20)], ("b", "a"): [f"g{n}" for n in range(20)]}
    assert len({Dealer(shared, seed=seed).deal("a", "b") for seed in range(20)}) > 5
    assert Dealer(shared, seed=3).deal("a", "b") == Dealer(shared, seed=3).deal("b", "a")


@pytest.mark.parametrize("kind", ["elo", "adaptive", "round_robin"])
def test_formats_that_run_once_over_systems_take_all_groups(kind: str) -> None:
    tournament = systems_run(format=kind, groups_sample=1)
    groups = [group(f"g{n}", "x", "y") for n in range(3)]
    assert is_dealt(tournament)  # type: ignore[arg-type]
    assert chosen_groups(groups, tournament, 1) == tuple(groups)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["swiss", "pivot", "knockout"])
def test_formats_with_a_schedule_play_on_a_sample_of_the_groups(kind: str) -> None:
    tournament = systems_run(format=kind, groups_sample=2)
    groups = [group(f"g{n}", "x", "y") for n in range(6)]
    drawn = {seed: chosen_groups(groups, tournament, seed) for seed in range(8)}  # type: ignore[arg-type]
    assert not is_dealt(tournament)  # type: ignore[arg-type]
    for chosen in drawn.values():
        assert [g.skipped for g in chosen].count(NOT_SAMPLED) == 4
    assert len({tuple(g.skipped for g in chosen) for chosen in drawn.values()}) > 1


@pytest.mark.parametrize("key", ["groups_sample: 3", "baseline: x"])
def test_settings_of_systems_are_refused_without_them(key: str) -> None:
    name, _, value = key.partition(": ")
    with pytest.raises(UsageError, match=f"{name}: only compare: systems uses it"):
        validate({"judge": "simulated", name: value})
