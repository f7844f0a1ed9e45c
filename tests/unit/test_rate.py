"""`arena rate`: what is printed of a log, and in which sentence it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compared import SHARED, needs_shared

from arena_tui.cli import main


class Rated:
    """One run of the command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def report(self) -> dict[str, Any]:
        assert self.code == 0, self.err
        return dict(json.loads(self.out))


class Rate:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys

    def __call__(self, log: str | Path, *options: str) -> Rated:
        with pytest.raises(SystemExit) as ended:
            main(["rate", str(log), *options])
        out, err = self._capsys.readouterr()
        return Rated(int(ended.value.code or 0), out, err)

    def log(self, *rows: dict[str, Any]) -> Path:
        path = self.folder / "log.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path


@pytest.fixture
def rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Rate:
    monkeypatch.chdir(tmp_path)
    return Rate(tmp_path, capsys)


def won(a: str, b: str, times: int = 1, **more: Any) -> list[dict[str, Any]]:
    return [{"a": a, "b": b, "winner": "a", **more}] * times


@needs_shared
def test_citations_to_six_digits(rate: Rate) -> None:
    folder = SHARED / "bt_reference"
    wanted = {
        row["item"]: row for row in map(json.loads, (folder / "expected.jsonl").read_text().splitlines())
    }
    rows = []
    for line in (folder / "citations.csv").read_text().splitlines()[1:]:
        a, b, wins_a, wins_b = line.split(",")
        rows += won(a, b, weight=int(wins_a)) + won(b, a, weight=int(wins_b))
    report = rate(rate.log(*rows), "--prior", "none", "--json").report
    assert report["log_likelihood"] == pytest.approx(wanted["__fit__"]["log_likelihood"], abs=1e-6)
    for row in report["standings"]:
        assert row["strength"] == pytest.approx(wanted[row["id"]]["log_strength_centred"], abs=1e-6)
        assert row["se"] == pytest.approx(wanted[row["id"]]["se_centred"], abs=1e-6)
        assert row["rating"] == pytest.approx(wanted[row["id"]]["elo_mean1500"], abs=1e-4)
    assert [row["rank"] for row in report["standings"]] == [1, 2, 3, 4]
    assert report["slot_effect"] is None


@needs_shared
def test_foreign_log_of_eight_systems(rate: Rate) -> None:
    folder = SHARED / "gpt4_double_roundrobin"
    wanted = {
        row["system"]: row
        for row in map(json.loads, (folder / "reference_bt.jsonl").read_text().splitlines())
    }
    columns = "a=slot_a,b=slot_b,winner=verdict,group=question_id"
    options = ("--columns", columns, "--method", "bt", "--prior", "none", "--json")
    plain = rate(folder / "verdicts.csv", *options)
    clustered = rate(folder / "verdicts.csv", *options, "--cluster").report
    assert (plain.report["comparisons"], plain.report["skipped"]) == (4467, 13)
    assert "13 rows left out" in plain.err
    ratios = []
    for row, wide in zip(plain.report["standings"], clustered["standings"], strict=True):
        assert row["strength"] == pytest.approx(wanted[row["id"]]["log_strength_centred"], abs=1e-6)
        assert row["se"] == pytest.approx(wanted[row["id"]]["se_centred"], abs=1e-6)
        assert wide["strength"] == row["strength"]
        ratios.append(wide["se"] / row["se"])
    assert sum(ratios) / len(ratios) == pytest.approx(1.8, abs=0.2)


def test_table_and_what_it_rests_on(rate: Rate) -> None:
    rows = [
        *won("x", "y", 6, first="a"),
        *won("y", "x", 3, first="b"),
        {"a": "x", "b": "y", "winner": "tie", "first": "x"},
    ]
    done = rate(rate.log(*rows))
    assert done.code == 0
    table = done.out.splitlines()
    assert table[0].split() == ["rank", "range", "id", "rating", "95", "%", "P(best)", "W-D-L", "matches"]
    assert table[1].split()[2] == "x"
    assert "6-1-3" in table[1]
    text = " ".join(done.out.split())
    assert "Bradley-Terry over 10 comparisons: a tie is an outcome of its own (Davidson, nu " in text
    assert "strengths have a normal prior of scale " in text
    assert "on this judge's own scale" in text
    assert "Being shown first is worth " in text


def test_an_empty_log_is_a_sentence(rate: Rate) -> None:
    done = rate(rate.log())
    assert (done.code, done.out) == (0, "no usable votes, so there is nothing to rate\n")
    report = rate(rate.log(), "--json", "--method", "davidson", "--prior", "none").report
    assert (report["standings"], report["components"], report["comparisons"]) == ([], [], 0)


def test_sets_that_never_met_have_no_common_order(rate: Rate) -> None:
    log = rate.log(*won("x", "y", 2), *won("y", "x"), *won("p", "q"), *won("q", "r", 2), *won("r", "p"))
    report = rate(log, "--json").report
    assert report["components"] == [["p", "q", "r"], ["x", "y"]]
    assert [(row["rank"], row["component"]) for row in report["standings"]] == [
        (1, 1), (2, 1), (3, 1), (1, 2), (2, 2),
    ]  # fmt: skip
    for component in (1, 2):
        chances = [row["p_best"] for row in report["standings"] if row["component"] == component]
        assert sum(chances) == pytest.approx(1)
    assert "These are 2 sets that never met" in " ".join(rate(log).out.split())


def test_no_maximum_is_a_sentence_with_names_and_a_remedy(rate: Rate) -> None:
    log = rate.log(*won("best", "x"), *won("best", "y"), *won("x", "y"), *won("y", "x"))
    done = rate(log, "--prior", "none")
    assert done.code == 2
    assert "best won every comparison; use --prior map" in done.err
    report = rate(log, "--json").report
    assert (report["undefeated"], report["winless"]) == (["best"], [])
    assert "best won every comparison: only the prior bounds" in " ".join(rate(log).out.split())


def test_elo_depends_on_the_order_and_says_so(rate: Rate) -> None:
    there, back = won("x", "y"), won("y", "x")
    one = rate(rate.log(*there, *back), "--method", "elo", "--json").report["standings"]
    other = rate(rate.log(*back, *there), "--method", "elo", "--json").report["standings"]
    assert [row["id"] for row in one] == ["y", "x"]
    assert [row["id"] for row in other] == ["x", "y"]
    assert one[0]["rating"] == pytest.approx(other[0]["rating"])
    assert one[0]["rating"] + one[1]["rating"] == pytest.approx(2400)
    assert one[0]["low"] is None
    tie = rate(rate.log(*there, *back), "--json").report["standings"]
    assert tie[0]["rating"] == pytest.approx(tie[1]["rating"])
    assert [row["rank"] for row in tie] == [1, 1]
    assert "Another order gives other ratings" in " ".join(
        rate(rate.log(*there), "--method", "elo").out.split()
    )


def test_slot_terms_need_a_first_in_every_row(rate: Rate) -> None:
    known = won("x", "y", 8, first="a") + won("x", "y", 5, first="b") + won("y", "x", 5, first="a")
    report = rate(rate.log(*known), "--json").report
    assert set(report["slot_effect"]) == {"logits", "se", "z"}
    partly = rate(rate.log(*known, *won("x", "y")), "--json")
    assert partly.report["slot_effect"] is None
    assert "no slot term: 1 row says nothing of who was shown first" in partly.err
    by_judge = [row | {"judge": f"m{at % 2}"} for at, row in enumerate(known)]
    assert set(rate(rate.log(*by_judge), "--json").report["slot_effect"]) == {"m0", "m1"}


def test_each_group_can_be_rated_alone(rate: Rate) -> None:
    log = rate.log(*won("x", "y", 3, group="p"), *won("y", "x", 3, group="q"), *won("z", "x", group="q"))
    groups = rate(log, "--per-group", "--json").report["groups"]
    assert [row["id"] for row in groups["p"]["standings"]] == ["x", "y"]
    assert {row["id"] for row in groups["q"]["standings"]} == {"x", "y", "z"}
    lines = rate(log, "--per-group").out.splitlines()
    assert [line for line in lines if line in ("p", "q")] == ["p", "q"]


def test_inflation_comes_from_pairs_that_recur(rate: Rate) -> None:
    ids = "vwxyz"  # in a circle, each beats the two behind it: no strengths explain that
    rows = [
        row
        for i, a in enumerate(ids)
        for j, b in enumerate(ids[i + 1 :], 1)
        for row in won(*((a, b) if j <= 2 else (b, a)), 5)
    ]
    plain, wide = (rate(rate.log(*rows), "--json", *more).report for more in ((), ("--inflate",)))
    assert (plain["pair_variance"], wide["pair_variance"] > 0) == (None, True)
    for narrow, wider in zip(plain["standings"], wide["standings"], strict=True):
        assert wider["se"] > narrow["se"]
    one_match = rate(rate.log(*(row | {"match": 1} for row in rows)), "--json", "--inflate").report
    assert one_match["pair_variance"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--method", "elo", "--inflate"), "Elo has no prior and no intervals"),
        (("--cluster",), "--cluster needs two groups or more, and log.jsonl has 0"),
        (("--per-group",), "--per-group needs two groups or more"),
        (("--cluster", "--per-group"), "leave out --cluster"),
        (("--columns", "x=y"), "--columns x=y: write OURS=THEIRS"),
    ],
)
def test_options_that_contradict_are_refused(rate: Rate, options: tuple[str, ...], said: str) -> None:
    done = rate(rate.log(*won("x", "y")), *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_bad_rows_are_named(rate: Rate) -> None:
    done = rate(rate.log(*won("x", "y"), *won("x", "x")))
    assert (done.code, done.out) == (2, "")
    assert done.err == "arena: log.jsonl:2: 'x' meets itself; a and b must be two\n"


def test_names_are_disarmed(rate: Rate) -> None:
    done = rate(rate.log(*won("x\u202eevil", "y", 2)))
    assert "\u202e" not in done.out
    assert "xevil won every comparison" in " ".join(done.out.split())
