"""The transcript follows judges that say nothing while they think, in a real run."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from console_runs import arena, tournament

JUDGE = """\
import json, pathlib, sys, time
asked = json.load(sys.stdin)
folder, held = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
if {asked[slot]["text"].rsplit(None, 1)[-1] for slot in ("first", "second")} == held:
    while not (folder / "go").exists():  # the first match takes until it is let go
        time.sleep(0.05)
time.sleep(0.3)
print(json.dumps({"winner": "first", "reason": "it begins small"}))
"""


def number(screen: str) -> str:
    found = re.search(r"match (\d+),", screen)
    return found[1] if found else ""


def test_a_quick_program_is_followed_and_a_match_that_waits_for_an_earlier_one_says_so(
    tmp_path: Path,
) -> None:
    home, folder = tmp_path / "home", tmp_path / "files"
    file = tournament(folder)
    (folder / "judge.py").write_text(JUDGE, encoding="utf-8")
    command = json.dumps([sys.executable, str(folder / "judge.py"), str(folder), "Alpha", "Beta"])
    file.write_text(
        "name: quick\ntask: Which plan is better?\ncandidates: pool.jsonl\nformat: elo\n"
        f"judge: {{kind: command, command: {command}}}\n"
        "limits: {concurrency: 4, matches: 400}\nstop: none\nseed: 1\n",
        encoding="utf-8",
    )
    with arena(home, file) as terminal:
        terminal.wait_for("Enter starts")
        terminal.press("enter")
        held = terminal.wait_for("held until an")
        assert "is better" in held
        assert "it begins small" in held
        assert '"winner"' not in held
        (folder / "go").touch()
        terminal.wait_for("beats")
        for _ in range(3):
            before = number(terminal.text())
            shown = terminal.wait_for(lambda text, before=before: number(text) not in ("", before))
            assert "following" in shown
            assert "RUNNING" in shown
