"""How long a large pool takes to load, beside what reading its JSON alone takes."""

from __future__ import annotations

import csv
import json
import random
import time
from pathlib import Path

import pytest

from arena_tui.pool import load_pool

CANDIDATES = 10_000
CHARACTERS = 5_000


def texts(accented: bool) -> list[str]:
    """Distinct texts of 5,000 characters of random words, plain ASCII or with accents."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz" + ("äéèöüßñ" if accented else "")
    words = ["".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(5_000)]
    return [" ".join(rng.choices(words, k=CHARACTERS // 4))[:CHARACTERS] for _ in range(CANDIDATES)]


@pytest.mark.benchmark
@pytest.mark.parametrize("accented", [False, True], ids=["ascii", "accented"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_ten_thousand_candidates_of_5_kb_load(tmp_path: Path, suffix: str, accented: bool) -> None:
    """The bar is 3 s; the floor is json.loads of every line of the same texts."""
    path = tmp_path / f"pool.{suffix}"
    bodies = texts(accented)
    lines = [json.dumps({"id": f"c{n}", "text": body, "year": n}) for n, body in enumerate(bodies)]
    if suffix == "jsonl":
        path.write_text("\n".join(lines), "utf-8")
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(
                [("id", "text", "year"), *((f"c{n}", b, n) for n, b in enumerate(bodies))]
            )
    started = time.perf_counter()
    for line in lines:
        json.loads(line)
    floor = time.perf_counter() - started
    started = time.perf_counter()
    pool = load_pool(path.name, tmp_path)
    taken = time.perf_counter() - started
    assert len(pool.groups[0].entrants) == CANDIDATES
    kind = f"{suffix}, accented" if accented else suffix
    print(
        f"\npool load ({kind}): {CANDIDATES} candidates of {CHARACTERS} characters "
        f"in {taken:.2f} s, json.loads alone {floor:.2f} s, ratio {taken / floor:.1f} (bar: 3 s)"
    )
