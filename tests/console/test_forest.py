"""The family forest as data: order, columns, founders, states, folding and filters."""

from __future__ import annotations

import random

import pytest
from console_facts import act, entrant, ledger_of, play

from arena_tui.console.deeds import deed_on
from arena_tui.console.family import Row, letters_of
from arena_tui.console.forest import Forest
from arena_tui.console.ledger import Ledger
from arena_tui.store.board_rows import GroupFact


def child(id_: str, *parents: str, generation: int = 0, **fields: object):
    return entrant(id_, parent_ids=parents, generation=generation, **fields)


def ids(rows: list[Row]) -> list[str]:
    return [row.node.id for row in rows]


FAMILY = [
    entrant("alpha"),
    entrant("beta"),
    child("a1", "alpha"),
    child("b1", "beta", "a1"),
    child("a2", "alpha"),
    child("a11", "a1", "beta"),
]


def test_nodes_stand_depth_first_under_their_first_parent_and_are_not_repeated() -> None:
    forest = Forest(ledger_of(FAMILY))
    assert ids(forest.rows()) == ["alpha", "a1", "a11", "a2", "beta", "b1"]
    assert forest.find(("main", "b1")).others == ("a1",)
    assert forest.find(("main", "a11")).others == ("beta",)
    assert [(row.node.id, row.last) for row in forest.rows()][1:4] == [
        ("a1", False),
        ("a11", True),
        ("a2", True),
    ]


def test_the_column_is_the_longest_known_path_or_the_stored_generation_when_that_is_larger() -> None:
    forest = Forest(
        ledger_of([*FAMILY, child("late", "alpha", generation=7), child("later", "late", generation=1)])
    )
    columns = {node.id: node.column for node in forest.nodes}
    assert columns == {
        **{"alpha": 0, "beta": 0, "a1": 1, "a2": 1, "a11": 2},
        **{"b1": 2, "late": 7, "later": 8},  # b1: by way of its second parent
    }
    assert forest.columns == 9


def test_a_child_of_two_lineages_belongs_to_its_first_parents_founder() -> None:
    forest = Forest(ledger_of(FAMILY))
    assert {node.id: node.founder.letters for node in forest.nodes} == {
        **{"alpha": "a", "a1": "a", "a2": "a", "a11": "a"},
        **{"beta": "b", "b1": "b"},
    }


def test_a_parent_that_no_candidate_is_gets_a_place_of_its_own() -> None:
    forest = Forest(
        ledger_of([entrant("alpha"), child("x", "gone", generation=3), child("y", "gone", generation=4)])
    )
    assert ids(forest.rows()) == ["alpha", "gone", "x", "y"]
    gone = forest.find(("main", "gone"))
    assert (gone.state, gone.entrant, gone.column) == ("missing", None, 2)
    assert forest.title("main", "gone") == "gone (missing)"


@pytest.mark.parametrize(
    "entrants",
    [
        [child("a", "c"), child("b", "a"), child("c", "b")],
        [child("a", "a")],
        [child("a", "b"), child("b", "a"), child("c", "a", "b")],
        [entrant("r"), child("a", "r", "b"), child("b", "r", "a")],
        [child("a", "b"), child("b", "c"), child("c", "b"), child("d", "gone", "d")],
    ],
)
def test_a_circle_of_parents_ends_and_shows_everybody_once(entrants: list[object]) -> None:
    forest = Forest(ledger_of(entrants))
    shown = [each for each in ids(forest.rows()) if each != "gone"]
    assert sorted(shown) == sorted(each.id for each in entrants)
    for node in forest.nodes:
        assert node.under is None or node.under.column < node.column


def test_the_edge_that_closes_a_circle_is_told_as_a_further_parent() -> None:
    forest = Forest(ledger_of([child("a", "c"), child("b", "a"), child("c", "b")]))
    assert ids(forest.rows()) == ["a", "b", "c"]
    assert forest.find(("main", "a")).others == ("c",)


def test_founders_count_on_after_z_and_share_eight_hues() -> None:
    assert [letters_of(number) for number in (0, 25, 26, 27, 701, 702)] == ["a", "z", "aa", "ab", "zz", "aaa"]
    forest = Forest(ledger_of([entrant(f"e{number}") for number in range(30)]))
    assert {founder.hue for founder in forest.founders} == set(range(8))
    assert forest.founders[28].letters == "ac"


def test_states_tell_the_living_from_newborn_dead_waiting_and_twins() -> None:
    ledger = ledger_of(
        [
            *(entrant("alpha"), entrant("beta"), entrant("out"), entrant("draft", state="draft")),
            entrant("same", twin_of="alpha"),
        ]
    )
    forest = Forest(ledger)
    assert [node.state for node in forest.nodes] == ["newborn", "newborn", "newborn", "waiting", "twin"]
    act(ledger, "reject", "out", "rejected")
    play(ledger, 20)
    assert [node.state for node in forest.nodes] == ["living", "living", "dead", "waiting", "twin"]


def test_shares_are_parts_of_the_playing_of_each_group() -> None:
    ledger = ledger_of(FAMILY, groups=("main", "other"))
    for id_ in ("solo", "duo"):
        ledger.admit(entrant(id_, group="other"))
    act(ledger, "reject", "a2", "rejected")
    shares = Forest(ledger).shares()
    assert [(each.founder.node.id, each.living, each.share) for each in shares] == [
        ("alpha", 3, 3 / 5),
        ("beta", 2, 2 / 5),
        ("solo", 1, 1 / 2),
        ("duo", 1, 1 / 2),
    ]
    assert [each.founder.letters for each in shares] == ["a", "b", "a", "b"]


def test_folding_hides_the_descendants_and_counts_them() -> None:
    rows = Forest(ledger_of(FAMILY)).rows(folded={("main", "alpha")})
    assert [(row.node.id, row.hidden) for row in rows] == [("alpha", 3), ("beta", 0), ("b1", 0)]


def test_the_living_keep_their_dead_ancestors_so_that_no_branch_hangs_in_the_air() -> None:
    ledger = ledger_of(FAMILY)
    for id_ in ("a1", "a2", "beta", "b1"):
        act(ledger, "reject", id_, "rejected")
    rows = Forest(ledger).rows(show="alive")
    assert [(row.node.id, row.context) for row in rows] == [("alpha", False), ("a1", True), ("a11", False)]


def test_one_lineage_is_one_founders_tree() -> None:
    forest = Forest(ledger_of(FAMILY))
    assert ids(forest.rows(show="lineage", lineage=forest.founders[1])) == ["beta", "b1"]


def test_words_are_looked_for_in_title_id_and_system_whatever_is_folded() -> None:
    forest = Forest(ledger_of([*FAMILY, child("deep", "a11", title="Ocean Iron", system="gpt")]))
    rows = forest.rows(folded={("main", "alpha")}, words="IRON gpt")
    assert [(row.node.id, row.context) for row in rows] == [
        *(("alpha", True), ("a1", True), ("a11", True)),
        ("deep", False),
    ]
    assert forest.rows(words="nothing holds this") == []
    assert ids(forest.rows(show="lineage", lineage=forest.founders[1], words="b1")) == ["beta", "b1"]


def test_a_group_has_a_forest_of_its_own_and_ids_may_repeat_in_another() -> None:
    ledger = ledger_of(FAMILY, groups=("main", "other"))
    ledger.admit(entrant("alpha", group="other"))
    ledger.admit(child("a1", "alpha", group="other"))
    assert ids(Forest(ledger, "other").rows()) == ["alpha", "a1"]
    assert len(Forest(ledger).rows()) == len(FAMILY) + 2


def test_a_pool_without_parents_has_no_lineage_and_an_empty_ledger_no_nodes() -> None:
    assert not Forest(ledger_of([entrant("a"), entrant("b")])).has_lineage
    assert Forest(ledger_of(FAMILY)).has_lineage
    empty = Ledger()
    assert Forest(empty).rows() == []
    empty.open_group(GroupFact("main", None, "open", None, ""))
    assert Forest(empty, "main").rows() == []


def test_every_random_forest_shows_each_candidate_once_below_an_ancestor_of_a_lower_column() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        size = rng.randrange(1, 40)
        entrants = [
            child(f"e{number}", *(f"e{rng.randrange(size + 3)}" for _ in range(rng.choice((0, 1, 1, 2)))))
            for number in range(size)
        ]
        forest = Forest(ledger_of(entrants))
        there = [node for node in forest.nodes if node.entrant is not None]
        assert len(there) == size == len({node.key for node in there})
        assert [node.place for node in forest.nodes] == list(range(len(forest.nodes)))
        for node in forest.nodes:
            assert node.size == 1 + sum(below.size for below in node.below)
            assert node.under is None or node.under.column < node.column
            assert node.founder.node.place <= node.place < node.founder.node.place + node.founder.node.size


def test_a_chain_of_ten_thousand_is_no_deeper_than_memory() -> None:
    entrants = [entrant("e0"), *(child(f"e{number}", f"e{number - 1}") for number in range(1, 10_000))]
    forest = Forest(ledger_of(entrants))
    assert forest.columns == 10_000
    assert len(forest.rows(words="e9999")) == 10_000


def test_what_a_key_asks_for_depends_on_the_candidates_state() -> None:
    ledger = ledger_of([entrant("a"), child("b", "a"), entrant("same", title="Same", twin_of="a")])
    a, b, same = ledger.entrants
    assert deed_on("pin", a, ledger) == ("pin", "")
    act(ledger, "pin", "a", "pinned")
    assert deed_on("pin", a, ledger) == ("unpin", "")
    act(ledger, "reject", "a", "rejected")
    assert deed_on("reject", a, ledger) == ("restore", "")
    assert deed_on("focus", b, ledger) == ("focus", "")
    assert deed_on("diff", b, ledger) == ("diff", "")
    assert deed_on("diff", a, ledger) == ("", "A has no parent to differ from")
    assert deed_on("pin", same, ledger) == ("", "Same is a twin: act on its original, A")
