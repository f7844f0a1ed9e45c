"""What makes a tournament the same one: hashes of its parts, so that a run is only resumed by its equal.

The name, the limits (but for the order in which outcomes apply) and the stop rule are left out:
they may change from one sitting to the next.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena_tui.own_prompts import digest_of

if TYPE_CHECKING:
    from arena_tui.candidate import Candidate, Group, Pool
    from arena_tui.judge_settings import AnyJudge
    from arena_tui.settings import Tournament

PARTS = (
    "task",
    "criteria",
    "candidates",
    "groups",
    "seed",
    "judge",
    "votes",
    "prompts",
    "format",
    "compare",
    "schedule",
    "ordering",
)


def identity(tournament: Tournament, pool: Pool) -> dict[str, str]:
    """Hex sha256 of the canonical JSON of each of `PARTS`; "" for a seed that is left out.

    `ordering` covers the durations of the modes too, `votes` what stands in the files of recorded votes,
    `prompts` what stands in templates of the user's own ("" without any). The order of candidates and
    groups counts, since ties and random choices follow it.
    """
    given = tournament.model_dump(mode="json")
    limits = given["limits"]
    given["format"].pop("pause_after", None)  # it changes when the run waits, not what it plays
    parts = {name: _sha256([given[name]]) for name in ("task", "judge", "format", "compare", "schedule")}
    return parts | {
        "votes": votes_identity(tournament.judge),
        "prompts": prompts_identity(tournament.judge),
        "criteria": _sha256([list(given["criteria"].items())]),
        **pool_identity(pool),
        "seed": "" if tournament.seed is None else _sha256([tournament.seed]),
        "ordering": _sha256([limits["ordering"], limits["durations"]]),
    }


def pool_identity(pool: Pool) -> dict[str, str]:
    """The parts `candidates` and `groups` of `identity`."""
    candidates = (_candidate(c) for group in pool.groups for c in group.candidates)
    return {
        "candidates": _sha256(candidates),
        "groups": _sha256(_group(group) for group in pool.groups),
    }


def identity_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """The parts that differ between two identities, in the order of `PARTS`; no seed matches any seed."""
    return [
        part
        for part in PARTS
        if old.get(part, "") != new.get(part, "")
        and not (part == "seed" and "" in (old.get(part, ""), new.get(part, "")))
    ]


def same_candidate(one: Candidate, other: Candidate) -> bool:
    """True when nothing differs that identity looks at."""
    return _candidate(one) == _candidate(other)


def votes_identity(judge: AnyJudge) -> str:
    """The part `votes` of `identity`: what stands in the files of recorded votes that a judge reads.

    A file that cannot be read counts as an empty one: whoever reads the votes says why.
    """
    digests = []
    members: tuple[AnyJudge, ...] = judge.judges if judge.kind == "panel" else (judge,)
    for member in members:
        if member.kind == "recorded":
            try:
                with open(member.file, "rb") as file:
                    digests.append(hashlib.file_digest(file, "sha256").hexdigest())
            except OSError:
                digests.append("")
    return _sha256(digests) if digests else ""


def prompts_identity(judge: AnyJudge) -> str:
    """The part `prompts` of `identity`: what stands in the templates of the user's own, "" without any."""
    members: tuple[AnyJudge, ...] = judge.judges if judge.kind == "panel" else (judge,)
    folders = [member.prompts for member in members if member.kind == "llm" and member.prompts]
    return _sha256([digest_of(Path(folder)) for folder in folders]) if folders else ""


def _sha256(values: Iterable[Any]) -> str:
    digest = hashlib.sha256()
    for value in values:
        digest.update(json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _candidate(candidate: Candidate) -> list[Any]:
    c = candidate
    return [
        c.group,
        c.id,
        c.text,
        c.title,
        c.system,
        c.class_,
        c.parent_ids,
        c.generation,
        c.rating,
        c.strength,
        c.embedding,
        c.review,
        dict(c.meta),
    ]


def _group(group: Group) -> list[Any]:
    criteria = [list(item) for item in group.criteria.items()]
    return [group.id, group.prompt, group.category, criteria, dict(group.meta)]
