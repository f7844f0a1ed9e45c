"""Pools: every form they come in, what their fields mean, ids, twins, groups, and what is refused."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena_tui.candidate import Candidate, Pool
from arena_tui.errors import FileProblems
from arena_tui.pool import load_candidates, load_pool, read_pool
from arena_tui.pool_fields import slug, title_of
from arena_tui.pool_formats import SUFFIXES, Findings

SHARED = (Path(__file__).parents[2] / "../shared/data").resolve()
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside this checkout")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def jsonl(path: Path, *rows: dict[str, Any] | str) -> Path:
    """Write a JSON Lines file; a str is a raw line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), "utf-8")
    return path


def members(pool: Pool) -> list[Candidate]:
    """All candidates in pool order."""
    return [candidate for group in pool.groups for candidate in group.candidates]


def refusal(spec: Any, folder: Path, **more: Any) -> str:
    """What is said of a pool that must be refused."""
    with pytest.raises(FileProblems) as refused:
        load_pool(spec, folder, **more)
    return str(refused.value)


FULL = {
    "id": "x1",
    "text": "The first text.",
    "title": "First",
    "group": "g",
    "prompt": "Why?",
    "system": "m1",
    "class": "big",
    "parent_ids": ["p1", "p2"],
    "generation": 2,
    "rating": 1250.5,
    "strength": -0.5,
    "embedding": [0.5, 1.0],
    "review": "good",
    "meta": {"k": 1},
    "year": 1999,
}


def test_jsonl_gives_every_field_and_keeps_unknown_ones_in_meta(tmp_path: Path) -> None:
    jsonl(tmp_path / "p.jsonl", FULL, "", {"id": 2, "text": "b", "group": "g", "class": "big"})
    first, second = members(load_pool("p.jsonl", tmp_path))
    assert first == Candidate(
        id="x1",
        text="The first text.",
        title="First",
        group="g",
        system="m1",
        class_="big",
        parent_ids=("p1", "p2"),
        generation=2,
        rating=1250.5,
        strength=-0.5,
        embedding=(0.5, 1.0),
        review="good",
        meta={"year": 1999, "k": 1},
    )
    assert (second.id, second.title, second.generation, second.rating) == ("2", "b", 0, None)
    assert load_pool("p.jsonl", tmp_path).groups[0].prompt == "Why?"


def _csv(delimiter: str) -> str:
    def cell(value: Any) -> str:
        written = json.dumps(value) if isinstance(value, (dict, list)) else str(value)
        return '"' + written.replace('"', '""') + '"'

    second = {"id": "2", "text": "b;,|\tb", "group": "g", "class": "big"}
    rows = [delimiter.join(cell(row.get(key, "")) for key in FULL) for row in (FULL, second)]
    return "\r\n".join([delimiter.join(FULL), *rows]) + "\r\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_csv_is_the_same_pool_under_any_delimiter_and_encoding(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    (tmp_path / "p.csv").write_bytes(_csv(delimiter).encode(encoding))
    jsonl(
        tmp_path / "p.jsonl",
        FULL | {"year": "1999"},
        {"id": "2", "text": "b;,|\tb", "group": "g", "class": "big"},
    )
    assert load_pool("p.csv", tmp_path) == load_pool("p.jsonl", tmp_path)


def test_windows_1252_is_read_with_a_note(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_bytes("id,text\n1,naïve “quoted”\n2,other\n".encode("cp1252"))
    found = Findings()
    pool = read_pool("p.csv", tmp_path, found=found)
    assert pool is not None
    assert members(pool)[0].text == "naïve “quoted”"
    assert found.notes == ["p.csv is not written in UTF-8; it was read as cp1252"]


def test_csv_cells_over_many_lines_keep_line_numbers_right(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('id,text,rating\n1,"one\n\ntwo",3\n2,"a, b\nc",x\n3,c,4,5\n')
    said = refusal("p.csv", tmp_path)
    assert "p.csv:5: rating: expected a finite number, got 'x'" in said
    assert "p.csv:7: expected 3 cells as in the header, got 4" in said


def test_csv_with_an_open_quote_is_refused_where_it_opens(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('id,text\n1,a\n2,"b\n3,c\n')
    assert "p.csv:3: not valid CSV" in refusal("p.csv", tmp_path)


def test_csv_of_one_column_needs_no_delimiter(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text('text\n"one; two; three"\nfour\n')
    assert [c.text for c in members(load_pool("p.csv", tmp_path))] == ["one; two; three", "four"]


def test_csv_text_longer_than_the_modules_limit(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(f"id,text\n1,{'x' * 300_000}\n2,b\n")
    assert len(members(load_pool("p.csv", tmp_path))[0].text) == 300_000


def test_yaml_and_json_lists_of_texts_and_mappings(tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(
        "- a plain text\n- id: no\n  text: |\n    many\n    lines\n  at: 2024-01-01\n"
    )
    rows = ["a plain text", {"id": "no", "text": "many\nlines\n", "at": "2024-01-01"}]
    (tmp_path / "p.json").write_text(json.dumps(rows))
    pool = load_pool("p.yaml", tmp_path)
    inline = ["a plain text", {"id": "no", "text": "many\nlines\n", "meta": {"at": "2024-01-01"}}]
    assert pool == load_pool("p.json", tmp_path) == load_pool(inline, tmp_path)
    assert [c.id for c in members(pool)] == ["a-plain-text", "no"]
    assert members(pool)[1].meta == {"at": "2024-01-01"}


def test_a_folder_gives_its_texts_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "ideas"
    folder.mkdir()
    (folder / "B idea.md").write_text("# The second\n\nbody\n")
    (folder / "a.txt").write_text("first\r\nline")
    (folder / ".hidden.md").write_text("no")
    (folder / "notes.pdf").write_bytes(b"%PDF\x00")
    first, second = members(load_pool("ideas", tmp_path))
    assert (first.id, first.title, first.text) == ("a", "first", "first\nline")
    assert (second.id, second.title, second.text) == ("b-idea", "The second", "# The second\n\nbody\n")
    jsonl(folder / "sub" / "x.jsonl", {"text": "a"})
    assert "write sub/*.jsonl" in refusal("ideas/sub", tmp_path)


def test_several_files_globs_and_columns(tmp_path: Path) -> None:
    for name in ("one", "two"):
        rows = [{"q": 7, "out": f"{name} {n}", "who": name, "head": "H", "text": "old"} for n in range(2)]
        jsonl(tmp_path / "out" / f"{name}.jsonl", *rows)
    columns = {"group": "q", "text": "{head}: {{{out}}}", "system": "who"}
    pool = load_pool({"files": "out/*.jsonl", "columns": columns}, tmp_path)
    assert [(c.group, c.id, c.text) for c in members(pool)] == [
        ("7", "one", "H: {one 0}"),
        ("7", "one-2", "H: {one 1}"),
        ("7", "two", "H: {two 0}"),
        ("7", "two-2", "H: {two 1}"),
    ]
    assert members(pool)[0].meta == {"text (column)": "old"}
    assert load_pool({"files": ["out/one.jsonl", "out/two.jsonl"], "columns": columns}, tmp_path) == pool


def test_a_template_never_reaches_into_objects(tmp_path: Path) -> None:
    rows = [{"a": "x", "b": n} for n in range(2)]
    said = refusal(
        {"files": str(jsonl(tmp_path / "p.jsonl", *rows)), "columns": {"text": "{a.__class__}"}}, tmp_path
    )
    assert "has no column 'a.__class__'" in said


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"text": "outptu"}, "columns.text: p.jsonl has no column 'outptu' (did you mean output?)"),
        ({"txt": "output"}, "unknown field 'txt' (did you mean text?"),
        ({"text": "{output"}, "the template '{output' has a brace that names no column"),
        ({"text": "{}"}, "has a brace that names no column"),
        ("output", "candidates.columns: expected a mapping"),
        ({}, "no entry has the field 'text' (the fields are: 'output', 'n'; name yours with columns"),
        ({"text": "{output} {n}"}, "p.jsonl:3: text: the template needs the column 'n'"),
    ],
)
def test_wrong_columns_are_named_once(tmp_path: Path, columns: Any, sentence: str) -> None:
    jsonl(tmp_path / "p.jsonl", {"output": "a", "n": 1}, {"output": "b", "n": 2}, {"output": "c"})
    said = refusal({"files": "p.jsonl", "columns": columns}, tmp_path)
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ('{"text": "a", "id": 1, "id": 2}', "p.jsonl:2: not usable JSON: the key 'id' is given twice"),
        ('{"text": NaN}', "p.jsonl:2: not usable JSON: NaN is no finite number"),
        ('{"text": "a"', "p.jsonl:2: not valid JSON: "),
        ("[" * 100_000, "p.jsonl:2: not usable JSON: nested too deeply"),
        (
            '{"text": "a", "n": ' + "9" * 5000 + "}",
            "p.jsonl:2: not usable JSON: a number has too many digits",
        ),
        ('["a"]', "p.jsonl:2: expected a JSON object on every line, got a list"),
        ('{"text": "  "}', "p.jsonl:2: text: expected text, got an empty one"),
        ('{"text": null}', "p.jsonl:2: has no text"),
        ('{"text": 1.5}', "p.jsonl:2: text: expected text, got 1.5"),
        ('{"text": "a", "rating": 1e999}', "p.jsonl:2: rating: expected a finite number, got inf"),
        ('{"text": "a", "rating": true}', "p.jsonl:2: rating: expected a finite number, got true"),
        ('{"text": "a", "generation": 1.5}', "p.jsonl:2: generation: expected a whole number of at least 0"),
        ('{"text": "a", "embedding": [1, "x"]}', "p.jsonl:2: embedding: expected a finite number, got 'x'"),
        ('{"text": "a", "parent_ids": {"a": 1}}', "p.jsonl:2: parent_ids: expected a list of ids"),
        ('{"text": "a", "id": "a\\nb"}', "p.jsonl:2: id: expected a name on one line"),
        ('{"text": "a", "id": "a\\u0000b"}', "p.jsonl:2: id: expected a name on one line"),
        ('{"text": "a", "meta": "x"}', "p.jsonl:2: meta: not valid JSON"),
        ('{"text": "a", "year": 1e999}', "p.jsonl:2: year: expected a finite number"),
        ('{"text": "a", "id": "s", "parent_ids": "s"}', "p.jsonl:2: parent_ids: 's' descends from itself"),
    ],
)
def test_a_bad_entry_is_named_with_its_line(tmp_path: Path, row: str, sentence: str) -> None:
    jsonl(tmp_path / "p.jsonl", {"text": "good"}, row, {"text": "better"})
    said = refusal("p.jsonl", tmp_path)
    assert said.startswith(sentence)
    assert "\n" not in said


def test_every_problem_is_listed_but_not_without_end(tmp_path: Path) -> None:
    jsonl(tmp_path / "p.jsonl", {"text": ""}, "{", {"text": "a", "rating": "x"})
    assert len(refusal("p.jsonl", tmp_path).split("\n")) == 3
    jsonl(tmp_path / "p.jsonl", *["{"] * 10_000)
    lines = refusal("p.jsonl", tmp_path).split("\n")
    assert len(lines) == 101
    assert lines[-1] == "p.jsonl: gave up after 100 problems"


def test_two_equal_ids_in_one_group_are_refused_with_both_places(tmp_path: Path) -> None:
    jsonl(
        tmp_path / "p.jsonl", {"id": "x", "text": "a"}, {"id": "x", "text": "b", "group": "g"}, {"text": "c"}
    )
    jsonl(tmp_path / "q.jsonl", {"text": "e", "group": "g"}, {"id": " x ", "text": "d"})
    said = refusal({"files": ["p.jsonl", "q.jsonl"]}, tmp_path)
    assert said == "q.jsonl:2: the id 'x' is given twice, first at p.jsonl:1"


def test_ids_that_are_not_given_come_from_system_title_or_text_and_give_way(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"text": "a", "system": "GPT 4"},
        {"text": "b", "title": "Größe & Zahl"},
        {"text": "c", "title": "größe zahl"},
        {"text": "Some words. More"},
        {"text": "d", "id": "größe-zahl-2"},
        {"text": "e", "system": "GPT 4"},
        {"text": "???"},
    ]
    pool = load_pool(rows, tmp_path)
    assert [c.id for c in members(pool)] == [
        "GPT 4",
        "größe-zahl",
        "größe-zahl-3",
        "some-words.-more",
        "größe-zahl-2",
        "GPT 4-2",
        "candidate",
    ]


def test_equal_texts_after_folding_are_twins_of_the_earlier_one(tmp_path: Path) -> None:
    rows = [
        {"id": "a", "text": "Ｆull  width\nTEXT"},
        {"id": "b", "text": "other"},
        {"id": "c", "text": "full width text "},
        {"id": "d", "text": "FULL WIDTH TEXT"},
        {"id": "e", "text": "full width text", "group": "g2"},
        {"id": "f", "text": "new", "group": "g2"},
        {"id": "g", "text": "full width text", "class": "k"},
    ]
    found = Findings()
    pool = read_pool(rows, tmp_path, found=found)
    assert pool is not None
    assert {c.id: c.twin_of for c in members(pool)} == {
        "a": None,
        "b": None,
        "c": "a",
        "d": "a",
        "e": None,
        "f": None,
        "g": None,  # another class, and classes never meet
    }
    assert found.notes == [
        "2 candidates have the text of an earlier one and share its rating: 'c' = 'a', 'd' = 'a'",
        "1 candidate of the group 'main' can meet nobody, alone in its class: 'g' ('k')",
    ]


def test_a_group_that_cannot_play_is_skipped_with_the_reason(tmp_path: Path) -> None:
    rows = [
        {"group": "one", "text": "a"},
        {"group": "same", "text": "a"},
        {"group": "same", "text": "A"},
        {"group": "apart", "text": "a", "class": "x"},
        {"group": "apart", "text": "b", "class": "y"},
        {"group": "plays", "text": "a"},
        {"group": "plays", "text": "b"},
    ]
    pool = load_pool(rows, tmp_path, groups=[{"id": "empty"}, {"id": "one"}])
    assert {group.id: group.skipped for group in pool.groups} == {
        "empty": "it has no candidates",
        "one": "it has only one candidate",
        "same": "its 2 candidates all have the same text",
        "apart": "no two different candidates are of one class",
        "plays": None,
    }
    assert [group.id for group in pool.playable] == ["plays"]
    assert "none of the 3 groups can play; 'one': it has only one candidate" in refusal(rows[:5], tmp_path)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "the pool has no candidates"),
        (["a"], "no match can be held: the group 'main' cannot play, it has only one candidate"),
        (["a", " A"], "its 2 candidates all have the same text"),
    ],
)
def test_no_group_that_can_play_is_refused(tmp_path: Path, rows: list[str], sentence: str) -> None:
    assert sentence in refusal(rows, tmp_path)


def test_one_candidate_alone_can_be_added_to_a_run(tmp_path: Path) -> None:
    jsonl(tmp_path / "new.jsonl", {"id": "n", "text": "fresh"})
    assert [c.id for c in load_candidates("new.jsonl", tmp_path)] == ["n"]
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(FileProblems, match="no candidate to add in "):
        load_candidates("none.jsonl", tmp_path)


def test_groups_come_from_a_list_or_a_file_in_its_order(tmp_path: Path) -> None:
    rows = [{"text": t, "group": g} for g in ("b", "a", "c") for t in ("x", "y")]
    listed = [
        {"id": "a", "prompt": "Pa", "category": "k", "criteria": ["Clear"], "meta": {"level": 3}},
        {"id": "b", "criteria": {"New": "is it new?"}},
    ]
    pool = load_pool(rows, tmp_path, groups=listed)
    assert [group.id for group in pool.groups] == ["a", "b", "c"]
    first, second, third = pool.groups
    assert (first.prompt, first.category, first.criteria, first.meta) == (
        "Pa",
        "k",
        {"Clear": "Clear"},
        {"level": 3},
    )
    assert (second.prompt, second.criteria, third.prompt) == (None, {"New": "is it new?"}, None)
    jsonl(tmp_path / "g.jsonl", *({"key": g.pop("id"), **g.pop("meta", {}), **g} for g in map(dict, listed)))
    assert load_pool(rows, tmp_path, groups={"files": "g.jsonl", "columns": {"id": "key"}}) == pool


@pytest.mark.parametrize(
    ("groups", "sentence"),
    [
        ([{"id": "main"}, {"id": "main"}], "the group 'main' is listed twice, first at pool, groups[0]"),
        ([{"prompt": "p"}], "groups[0]: has no id"),
        ([{"id": "elsewhere"}], "groups: no candidate belongs to a listed group"),
        (5, "groups: expected a file, a folder, a list or {files: ...}, got 5"),
        ("nowhere.jsonl", "no such file or folder: 'nowhere.jsonl'"),
    ],
)
def test_wrong_groups_are_refused(tmp_path: Path, groups: Any, sentence: str) -> None:
    assert sentence in refusal(["a", "b"], tmp_path, groups=groups)


def test_two_prompts_for_one_group_are_refused(tmp_path: Path) -> None:
    rows = [{"text": "a", "prompt": "p"}, {"text": "b"}, {"text": "c", "prompt": "q"}]
    assert "candidates[2]: the prompt of the group 'main' differs" in refusal(rows, tmp_path)
    assert "differs from the one in the list of groups" in refusal(
        rows[:2], tmp_path, groups=[{"id": "main", "prompt": "other"}]
    )


def test_parents_as_list_json_or_commas(tmp_path: Path) -> None:
    rows = [
        {"id": i, "text": i, "parent_ids": p}
        for i, p in zip("abcd", (["x", 7], '["x", 7]', "x, 7,", 7), strict=True)
    ]
    assert [c.parent_ids for c in members(load_pool(rows, tmp_path))] == [("x", "7")] * 3 + [("7",)]


def test_a_circle_of_parents_is_refused(tmp_path: Path) -> None:
    rows = [{"id": "a", "text": "a", "parent_ids": ["c"]}, {"id": "b", "text": "b", "parent_ids": ["a"]}]
    assert len(members(load_pool(rows, tmp_path))) == 2
    rows.append({"id": "c", "text": "c", "parent_ids": ["b"]})
    assert "descends from itself" in refusal(rows, tmp_path)


def test_embeddings_of_unequal_length_are_refused(tmp_path: Path) -> None:
    rows = [{"text": "a", "embedding": [1, 2]}, {"text": "b", "embedding": "1 2 3"}]
    assert "embedding: expected 2 numbers as at pool, candidates[0], got 3" in refusal(rows, tmp_path)


def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    jsonl(tmp_path / "p.jsonl", '{"text": "a \\ud800 b", "k": "\\udfff"}', '{"text": "\\ud83d\\ude00"}')
    first, second = members(load_pool("p.jsonl", tmp_path))
    assert (first.text, first.meta, second.text) == ("a \ufffd b", {"k": "\ufffd"}, "\U0001f600")


def test_line_separators_inside_json_do_not_break_lines(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"text": "a\u2028b\x85c"}\n{"text": "d"}\n', "utf-8")
    assert members(load_pool("p.jsonl", tmp_path))[0].text == "a\u2028b\x85c"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda p: p.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" * 9), "is not text, expected a pool"),
        (lambda p: p.write_bytes(bytes(range(256))), "is not text"),
        (lambda p: p.write_bytes(b""), "the pool has no candidates"),
        (lambda p: p.mkdir(), "has no .md or .txt file"),
        (lambda p: None, "no such file or folder"),
        (lambda p: p.symlink_to(p), "p.jsonl"),
        (lambda p: p.symlink_to("/dev/zero"), "is a device or a pipe"),
        (lambda p: p.write_text('[{"text": "a"}]'), "expected a JSON object on every line"),
        (lambda p: p.write_text('[\n{"text": "a"}\n]'), "a JSON list belongs in a .json file"),
    ],
)
def test_what_is_no_pool_gets_one_sentence(
    tmp_path: Path, make: Callable[[Path], Any], sentence: str
) -> None:
    make(tmp_path / "p.jsonl")
    said = refusal("p.jsonl", tmp_path)
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (5, "candidates: expected a file, a folder, a list or {files: ...}, got 5"),
        ({"file": "x"}, "unknown key 'file' (did you mean files?)"),
        ({"files": [3]}, "candidates.files: expected a path, got 3"),
        ([3], "candidates[0]: expected a text or a mapping, got 3"),
        ("out/*.jsonl", "no file matches 'out/*.jsonl'"),
        ("x\0y", "no such file or folder"),
        ("idea.pdf", "is of an unknown kind '.pdf'"),
        (["idea.md", "b"], "the text 'idea.md' is the name of a file"),
        ("idea.mdd", "no such file or folder: 'idea.mdd' (did you mean idea.md?)"),
    ],
)
def test_wrong_specs_are_refused(tmp_path: Path, spec: Any, sentence: str) -> None:
    (tmp_path / "idea.pdf").write_text("x")
    (tmp_path / "idea.md").write_text("x")
    assert sentence in refusal(spec, tmp_path)


def test_titles_are_the_first_words_and_slugs_are_plain() -> None:
    assert title_of("\n## **Hello**  world\nmore") == "Hello** world"
    assert title_of("word " * 40) == "word " * 13 + "word…"
    assert title_of("x" * 100) == "x" * 71 + "…"
    assert title_of("---\n***") == "--- ***"
    assert slug("  A/B\u202etest!! ") == "a-b-test"


@given(content=st.binary(max_size=300), suffix=st.sampled_from(sorted(SUFFIXES)))
def test_any_bytes_are_a_pool_or_a_sentence(content: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, f"p{suffix}").write_bytes(content)
        try:
            pool = load_pool(f"p{suffix}", Path(folder))
        except FileProblems as error:
            said = str(error)
            assert said.startswith(("p.", "pool:", folder, str(Path(folder).resolve())))
        else:
            assert pool.playable


_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(st.sampled_from([*FULL, "\ud800"]), _VALUE, max_size=6), max_size=5))
def test_any_entries_are_a_pool_or_sentences(rows: list[dict[str, Any]]) -> None:
    try:
        pool = load_pool(rows, Path.cwd())
    except FileProblems as error:
        said = str(error)
        assert said.startswith("pool: ")
        return
    for group in pool.groups:
        ids = [candidate.id for candidate in group.candidates]
        assert len(set(ids)) == len(ids)
        assert all(c.twin_of is None or c.twin_of in ids for c in group.candidates)
        json.dumps([[c.id, c.text, dict(c.meta)] for c in group.candidates], allow_nan=False).encode()


@needs_shared
def test_real_pools_load_whole() -> None:
    arguments = load_pool(
        {
            "files": "argument_tournament/candidates.jsonl",
            "columns": {"group": "topic", "prompt": "question", "class": "stance"},
        },
        SHARED,
    )
    assert [len(group.candidates) for group in arguments.groups] == [25, 27, 35, 28]
    assert all(group.prompt for group in arguments.groups)
    answers = load_pool(
        {
            "files": "gpt4_double_roundrobin/candidates.jsonl",
            "columns": {"group": "question_id", "prompt": "question"},
        },
        SHARED,
    )
    assert len(answers.playable) == 18
    assert {c.id for c in answers.groups[0].candidates} == {c.system for c in answers.groups[0].candidates}
    prompts = load_pool(
        {"files": "evolved_prompts/lineage_with_text.jsonl", "columns": {"parent_ids": "parent_id"}}, SHARED
    )
    assert len(members(prompts)) == 156
    trajectories = {
        "files": "agent_trajectories/trajectories.jsonl",
        "columns": {"group": "task", "system": "agent"},
    }
    assert [len(group.candidates) for group in load_pool(trajectories, SHARED).groups] == [10] * 7


@pytest.mark.parametrize(
    ("rows", "groups", "sentence"),
    [
        ([{"text": "a", "strenght": 2}], None, "unknown field 'strenght' (did you mean strength?)"),
        ([{"txt": "a"}], None, "unknown field 'txt' (did you mean text?)"),
        ([{"text": "a", "zzz": 2}], None, "unknown field 'zzz' (known: id, text, "),
        (
            ["a", "b"],
            [{"id": "main", "promt": "z"}],
            "groups[0]: unknown field 'promt' (did you mean prompt?)",
        ),
        (["a", "b"], [{"promt": "z"}], "groups[0]: unknown field 'promt' (did you mean prompt?)"),
    ],
)
def test_mistyped_fields_of_inline_entries_are_refused(
    tmp_path: Path, rows: list[Any], groups: list[Any] | None, sentence: str
) -> None:
    with pytest.raises(FileProblems) as refused:
        load_pool([*rows, "x", "y"], tmp_path, groups=groups)
    (told,) = refused.value.problems
    assert sentence in str(told)


def test_files_keep_what_their_columns_say_and_a_missing_text_names_the_near_one(tmp_path: Path) -> None:
    jsonl(tmp_path / "p.jsonl", {"text": "a", "strenght": 2}, {"text": "b"}, {"txt": "c"})
    with pytest.raises(FileProblems) as refused:
        load_pool("p.jsonl", tmp_path)
    (told,) = refused.value.problems
    assert str(told).endswith("p.jsonl:3: has no text (is it 'txt'? Then write text)")
    jsonl(tmp_path / "p.jsonl", {"text": "a", "strenght": 2}, {"text": "b"})
    assert members(load_pool("p.jsonl", tmp_path))[0].meta == {"strenght": 2}


def test_those_alone_in_their_classes_are_told_of(tmp_path: Path) -> None:
    rows = [{"id": f"{n}", "text": f"t{n}", "class": c} for n, c in enumerate("xxyyz")]
    found = Findings()
    assert read_pool([*rows, {"id": "n", "text": "no class"}], tmp_path, found=found) is not None
    assert found.notes == [
        "2 candidates of the group 'main' can meet nobody, alone in their classes: '4' ('z'), 'n' (no class)"
    ]


@pytest.mark.parametrize("title", ["\u200b", "\u2060\u200d \ufeff", "\u2800\u3164", "\ufe0f\u0301"])
def test_a_title_that_shows_nothing_gives_way_to_the_id(tmp_path: Path, title: str) -> None:
    first, second = members(load_pool([{"id": "one", "text": "a", "title": title}, {"text": "b"}], tmp_path))
    assert (first.title, second.title) == ("one", "b")


def test_an_id_that_shows_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileProblems, match=r"a character that shows, got '\\u200b'"):
        load_pool([{"id": "\u200b", "text": "a"}, "b"], tmp_path)
