"""The overview at the end of a run: from the matches that decided, and never in the run's way."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from arena_tui import Result, arun, load
from arena_tui.conventions import fenced
from arena_tui.engine.opening import Driver, create
from arena_tui.errors import UsageError
from arena_tui.judging import models
from arena_tui.judging.base import FREE
from arena_tui.judging.build import check_judge
from arena_tui.providers.base import Completion, FaultKind, ProviderError, Request, StreamEvent, Tokens
from arena_tui.providers.mock import MockProvider
from arena_tui.providers.request_key import worst_case
from arena_tui.report.overview_text import overview_lines, overview_notes
from arena_tui.running import drive
from arena_tui.store.reader import Reader

IDS = ("amber", "birch", "cedar", "dune", "ember", "fern")
CANDIDATES = [
    {"id": id_, "title": f"Title of {id_}", "text": f"A text on {id_}.", "strength": 2.0 - n}
    | {"system": f"sys-{n}"}
    for n, id_ in enumerate(IDS)
]
ENDS = {"rule": "stability", "top_k": 2, "n": 2, "eps": 500, "min_matches_before_stable": 20}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARENA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


class Writer:
    """A provider that notes what it is asked and answers `reply`, after the faults that are due."""

    simulated = False
    params: Mapping[str, Any] = MappingProxyType({})
    base_url = "here"
    capabilities = MockProvider("x").capabilities

    def __init__(self, reply: str = "## 1\nIt won #1 (match 2).", *faults: FaultKind) -> None:
        self.name = "mock:writer"
        self.reply = reply
        self.faults = list(faults)
        self.asked: list[Request] = []
        self.tokens = Tokens(input=300, output=50)
        self.gate: asyncio.Event | None = None
        self.called = asyncio.Event()

    async def stream(self, request: Request) -> AsyncIterator[StreamEvent]:
        self.asked.append(request)
        self.called.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.faults:
            kind = self.faults.pop(0)
            raise ProviderError(kind, f"{self.name}: {kind}", tokens=Tokens(input=100))
        yield Completion(self.reply, "stop", self.tokens)

    async def probe(self, **_: bool) -> Any:
        return self.capabilities

    async def close(self) -> None:
        pass

    @property
    def prompt(self) -> str:
        """All that the last request says."""
        request = self.asked[-1]
        return "".join(part.text for part in (*request.system, *request.messages[0].parts))


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Callable[[Writer], Writer]:
    """Let a writer stand in for the model of the overview."""

    def taken(writer: Writer) -> Writer:
        monkeypatch.setattr(models, "provider_of", lambda target, stage=None: writer)
        return writer

    return taken


def tournament(**more: Any) -> Any:
    model = {"model": "mock:writer", "price": {"input": 10, "output": 100}, "attempts": 3, "max_tokens": 500}
    given = {"task": "Which is best?", "candidates": CANDIDATES, "stop": ENDS, "seed": 5}
    given |= {"judge": {"kind": "simulated", "mode": "pairwise"}, "overview": {"model": model, "top_k": 3}}
    return load(given | more)


def written(result: Result, group: str = "main") -> dict[str, Any]:
    assert result.overview is not None
    return dict(result.overview["groups"][group])


async def test_best_texts_and_the_matches_that_decided_are_what_the_writer_sees(
    take: Callable[[Writer], Writer],
) -> None:
    writer = take(Writer())
    criteria = {"Speed": "Is it fast?", "Cost": "Cost"}
    result = await arun(tournament(criteria=criteria))
    assert result.stop_reason == "ELO_STABLE"
    assert len(writer.asked) == 1
    assert "Which is best?" in writer.prompt
    assert "- Speed: Is it fast?\n- Cost\n" in writer.prompt
    blocks = list(fenced(writer.prompt))
    texts = [(block.label, block.body) for block in blocks if block.kind == "text"]
    best = [row.id for row in result.standings[:3]]
    assert texts == [(str(place), f"A text on {id_}.") for place, id_ in enumerate(best, 1)]
    assert len({block.id for block in blocks}) == 1
    with Reader(Path(result.db)) as reader:
        played = {row["seq"]: row for row in reader.matches()}
    shown = [block for block in blocks if block.kind == "turn"]
    assert shown
    for block in shown:
        row = played[int(block.label.removeprefix("match-"))]
        assert block.body == row["rationale"]
        won, lost = ("hyp_a", "hyp_b") if row["winner"] == "a" else ("hyp_b", "hyp_a")
        names = [
            f"text {best.index(row[side]) + 1}" if row[side] in best else "another text"
            for side in (won, lost)
        ]
        assert f"match {row['seq']}: {names[0]} beat {names[1]}\n<<<turn" in writer.prompt
    for candidate in CANDIDATES:
        assert str(candidate["title"]) not in writer.prompt
        assert str(candidate["system"]) not in writer.prompt


async def test_overview_is_in_the_result_in_show_and_on_the_bill(take: Callable[[Writer], Writer]) -> None:
    take(Writer("## 1\nIt won #1 and match 2, and #999."))
    result = await arun(tournament())
    assert result.overview is not None
    assert (result.overview["model"], result.overview["simulated"]) == ("mock:writer", False)
    assert result.overview["notes"] == {}
    assert written(result)["citations"]["999"] == "no such match"
    assert written(result)["candidates"]["1"] == {
        "id": result.standings[0].id,
        "title": result.standings[0].title,
    }
    cost = (300 * 10 + 50 * 100) / 1e6
    assert result.overview["usage"]["usd"] == pytest.approx(cost)
    assert result.usage == {
        "input_tokens": 300, "cached_input_tokens": 0, "output_tokens": 50, "usd": pytest.approx(cost),
    }  # fmt: skip
    assert result.calls == {"sent": 1, "failed": 0, "from_cache": 0}
    told = "\n".join(overview_lines(result.overview))
    assert f"text 1: {result.standings[0].title} ({result.standings[0].id})" in told
    assert "#999 [there is no such match]" in told
    assert json.loads(json.dumps(result.to_dict()))["overview"] == result.overview


async def test_every_group_gets_its_own(take: Callable[[Writer], Writer]) -> None:
    writer = take(Writer())
    groups = [{"id": "g1", "prompt": "the first prompt"}, {"id": "g2"}]
    pool = [c | {"group": group} for group in ("g1", "g2") for c in CANDIDATES]
    result = await arun(tournament(candidates=pool, groups=groups))
    assert result.overview is not None
    assert set(result.overview["groups"]) == {"g1", "g2"}
    assert len(writer.asked) == 2
    prompts = [
        [
            block.body
            for block in fenced("".join(p.text for p in request.messages[0].parts))
            if block.kind == "prompt"
        ]
        for request in writer.asked
    ]
    assert sorted(prompts) == [[], ["the first prompt"]]


@pytest.mark.parametrize("stop", [{"limits": {"matches": 10}, "stop": {"rule": "none"}}, {"overview": None}])
async def test_no_overview_where_none_is_asked_for_or_the_run_may_go_on(
    take: Callable[[Writer], Writer], stop: dict[str, Any]
) -> None:
    writer = take(Writer())
    result = await arun(tournament(**stop))
    assert (result.overview, writer.asked) == (None, [])


@pytest.mark.parametrize("limits", [{"tokens": 600}, {"usd": 0.01}, {"per_group": {"tokens": 600}}])
async def test_limits_leave_it_out_with_a_sentence(
    take: Callable[[Writer], Writer], limits: dict[str, Any]
) -> None:
    writer = take(Writer())
    result = await arun(tournament(limits=limits))
    assert (result.stop_reason, writer.asked) == ("ELO_STABLE", [])
    assert result.overview is not None
    assert result.overview["groups"] == {}
    (note,) = result.overview["notes"].values()
    assert note.startswith("writing it may ")
    assert list(overview_notes(result.overview, 0)) == [f"the overview is missing or not whole: {note}"]
    assert (result.usage["input_tokens"], result.usage["usd"]) == (0, 0.0)


async def test_failed_attempts_are_paid_and_the_limit_holds_for_all_of_them(
    take: Callable[[Writer], Writer], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def at_once(_seconds: float) -> None:
        return None

    patient = models.ModelClient
    monkeypatch.setattr(models, "ModelClient", lambda *args, **more: patient(*args, **more, sleep=at_once))
    writer = take(Writer("fine", "server", "server"))
    result = await arun(tournament())
    assert written(result)["text"] == "fine"
    assert result.calls == {"sent": 3, "failed": 2, "from_cache": 0}
    assert result.usage["input_tokens"] == 2 * 100 + 300
    worst = worst_case(writer.asked[0])
    # A second attempt does not fit beside what the first took. The task is another one, of equal size,
    # so that the cache has no reply to it.
    writer = take(Writer("fine", "server", "server"))
    limits = {"tokens": worst.input + worst.output + 99}
    again = await arun(tournament(task="Which is nice?", limits=limits))
    assert again.overview is not None
    assert again.overview["notes"] == {"main": "the limits leave no room for another attempt"}
    assert (again.usage["input_tokens"], again.calls["sent"]) == (100, 1)


async def test_the_same_overview_is_never_bought_twice(take: Callable[[Writer], Writer]) -> None:
    take(Writer())
    first = await arun(tournament())
    writer = take(Writer())
    again = await arun(tournament())
    assert written(again) == written(first)
    assert (writer.asked, again.usage["input_tokens"], again.calls["sent"]) == ([], 0, 0)


@pytest.mark.parametrize(
    ("kind", "said"), [("refused", "mock:writer: refused"), ("rejected", "mock:writer: rejected")]
)
async def test_a_model_that_fails_never_fails_the_run(
    take: Callable[[Writer], Writer], kind: FaultKind, said: str
) -> None:
    take(Writer("never", kind))
    result = await arun(tournament())
    assert result.stop_reason == "ELO_STABLE"
    assert result.overview is not None
    assert result.overview["groups"] == {}
    assert said in result.overview["notes"]["main"]


async def test_an_empty_or_cut_reply_is_told(take: Callable[[Writer], Writer]) -> None:
    take(Writer("  "))
    result = await arun(tournament())
    assert result.overview is not None
    assert result.overview["notes"] == {"main": "mock:writer sent an empty reply"}


def only_run(home: Path) -> Path:
    (db,) = home.glob("runs/*.db")
    return db


async def test_what_was_under_way_when_it_was_cut_off_stays_booked(
    take: Callable[[Writer], Writer], home: Path
) -> None:
    writer = take(Writer())
    writer.gate = asyncio.Event()
    running = asyncio.create_task(arun(tournament()))
    await writer.called.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    with Reader(only_run(home)) as reader:
        meta, spent, by_group = reader.meta(), reader.spent(), reader.spent_by_group()
    assert meta["stop_reason"] == "ELO_STABLE", "the run had ended by itself"
    stored = json.loads(meta["overview"])
    assert stored["notes"] == {"main": "the writing was cut off"}
    assert spent.tokens > 500
    assert by_group == {"main": (spent.tokens, spent.usd)}


async def test_a_signal_ends_the_writing_and_the_run_has_ended_by_itself(
    take: Callable[[Writer], Writer],
) -> None:
    writer = take(Writer())
    writer.gate = asyncio.Event()
    given = tournament()
    path = create(given.settings, given.pool, source=None)
    running = asyncio.create_task(drive(path))
    await writer.called.wait()
    os.kill(os.getpid(), signal.SIGINT)
    result, code = await running
    assert (code, result.stop_reason) == (0, "ELO_STABLE")
    assert result.overview is not None
    assert result.overview["notes"] == {"main": "the writing was cut off"}
    assert result.calls["sent"] == 1


async def test_a_resumed_run_counts_what_its_overview_took(take: Callable[[Writer], Writer]) -> None:
    take(Writer())
    first = await arun(tournament())
    db = Path(first.db)
    with Driver(db, lambda *_: SilentJudge()) as driver:  # type: ignore[arg-type,return-value]
        budget = driver.engine().budget
    assert budget.run.spent.tokens == budget.groups["main"].spent.tokens == 350
    writer = take(Writer("the second one"))
    again = await arun(tournament(), db=db, stop__min_matches_before_stable=30)
    assert written(again)["text"] == "the second one"
    assert len(writer.asked) == 1
    assert again.usage["input_tokens"] == 600
    assert again.overview is not None
    assert again.overview["after_matches"] == sum(again.matches.values()) - again.matches["held"] > 20
    assert list(overview_notes(again.overview, 1000)) != []


class SilentJudge:
    label, keeps_replies = "silent", False
    notes = ()

    def planned(self, question: object) -> None:
        pass

    def worst_case(self, question: object, replies: object = ()) -> object:
        return FREE

    def answered(self, question: object, replies: object) -> bool:
        return True


def test_a_model_that_cannot_be_asked_is_refused_before_the_run_begins(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    given = tournament(overview={"model": "anthropic:claude-sonnet-5-5"})
    with pytest.raises(UsageError, match="ANTHROPIC_API_KEY"):
        check_judge(given.settings)
    assert not home.exists()
