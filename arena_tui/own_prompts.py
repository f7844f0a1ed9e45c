"""Templates of the user's own in place of a judge's shipped prompts: `judge.prompts` names their folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

from arena_tui.errors import FileProblems, Problem
from arena_tui.text_files import label_of

NAMES = ("pairwise", "debate_advocate", "debate_judge", "debate_single_call", "score", "reask")
"""The templates that a judge uses."""


def problems_of(folder: Path) -> list[Problem]:
    """What is wrong with a folder of templates: it is missing, or a template is faulty or of no use."""
    from arena_tui.judging import prompts  # YAML and templates only where somebody has some

    label = label_of(folder)
    if not folder.is_dir():
        return [Problem(label, None, "no such folder")]
    found = sorted(path.stem for path in folder.glob("*.md") if path.name != "README.md")
    if not found:
        return [Problem(label, None, f"holds no template, expected {NAMES[0]}.md, {NAMES[1]}.md or others")]
    problems = []
    for name in found:
        if name not in NAMES:
            known = ", ".join(NAMES)
            problems.append(Problem(label, None, f"{name}.md is no prompt of a judge; those are {known}"))
            continue
        try:
            prompts.load(name, folder)
        except FileProblems as error:
            problems += error.problems
    return problems


def digest_of(folder: Path) -> str:
    """Hex sha256 over the templates in a folder; one that cannot be read counts as missing."""
    digest = hashlib.sha256()
    for name in NAMES:
        try:
            text = (folder / f"{name}.md").read_bytes()
        except OSError:
            continue
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()
