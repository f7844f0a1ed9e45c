"""How one comparison is put to a model: its texts in disguise, its requests from the templates, its dialogue.

The same question always gives the same words under the same secret, so that a resumed conversation fits
onto its stored part, and the replies of an earlier run to the same words can serve again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena_tui.judging.base import Question, Reply, Verdict
from arena_tui.judging.conversation import Call, Dialogue, Refusal
from arena_tui.judging.debate import Debate, Role, Speech
from arena_tui.judging.labels import Disguise, disguise
from arena_tui.judging.letters import TOP, letter_tokens, letters_in
from arena_tui.judging.pairwise import Pairwise
from arena_tui.judging.prompts import Value, load
from arena_tui.judging.score import Scoring, repeats_of
from arena_tui.judging.shown_texts import criteria_lines, shown
from arena_tui.judging.verdict import DRAW_WORDS, parse_verdict
from arena_tui.judging.verdict_text import Unreadable
from arena_tui.providers.base import Message, Part, Request, TokenLogprobs

if TYPE_CHECKING:
    from arena_tui import settings

OVERALL = "overall"
"""What the only score is called where there are no criteria."""
_REMEMBERED = 512  # comparisons whose wording is kept: those in flight and planned
_CUT_OFF = "(The turn above was cut off at its limit of length.)"


class Wording:
    """The wording of all comparisons of one judge. `secret` is the run's."""

    def __init__(
        self, settings: settings.LlmJudge, *, secret: bytes, task: str, criteria: Mapping[str, str]
    ) -> None:
        self._settings = settings
        self._secret = secret
        self._task = task
        self._criteria = dict(criteria)
        self._known: OrderedDict[tuple[str, int, str], Worded] = OrderedDict()

    def of(self, question: Question) -> Worded:
        """How `question` is put."""
        key = (question.group, question.seq, question.orientation)
        known = self._known.get(key)
        if known is not None and known.question is question:
            self._known.move_to_end(key)
            return known
        worded = Worded(
            question,
            self._settings,
            self._secret,
            self._task if question.task is None else question.task,
            self._criteria if question.criteria is None else question.criteria,
        )
        self._known[key] = worded
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return worded

    def forget(self, question: Question) -> None:
        """The question was read and will hardly be asked about again."""
        self._known.pop((question.group, question.seq, question.orientation), None)


class Worded:
    """One comparison as the model sees it. Implements `debate.Script`.

    `hide` and `reveal` are those of its disguise; `repeats` is how often the very same request is made.
    """

    def __init__(
        self,
        question: Question,
        settings: settings.LlmJudge,
        secret: bytes,
        task: str,
        criteria: Mapping[str, str],
    ) -> None:
        self.question = question
        self._settings = settings
        self._task = task
        self._criteria = criteria
        first, second = question.first, question.second
        self._texts, self._flags, refusal = shown(settings, first, second)
        also = [words for words in (first.review, second.review, question.prompt) if words]
        self._disguise: Disguise = disguise(secret, *self._texts, labels=settings.labels, also=also)
        self.hide, self.reveal = self._disguise.hide, self._disguise.reveal
        self.labels = self._disguise.labels
        self._scores = question.mode == "score"
        self._prompts = Path(settings.prompts) if settings.prompts else None
        self.repeats = repeats_of(settings.n_evaluations) if self._scores else 1
        self.dialogue: Dialogue = Refusal(refusal) if refusal else self._dialogue()

    def request(self, call: Call, sample: int, *, logprobs: bool | None) -> Request:
        """The request of a call as it is sent. `logprobs` is whether the server gives them, if known."""
        request = call.request
        if self._scores and logprobs is not False:
            request = replace(request, top_logprobs=TOP)
        if sample and self._settings.is_mock:  # which has no chance of its own
            request = replace(request, params={"seed": sample})
        return request

    def with_logprobs(self, reply: Reply, tokens: Sequence[TokenLogprobs]) -> Reply:
        """The reply with the probabilities of those of its tokens that matter: the scores' letters."""
        if not self._scores or not tokens:
            return reply
        try:
            letters = letters_in(reply.text, self.labels)
        except Unreadable:
            return reply
        return replace(reply, logprobs=letter_tokens(tokens, self.labels, letters))

    def read(self, replies: Sequence[Reply]) -> Verdict:
        """The dialogue's verdict with what is to be said of the texts and their labels."""
        verdict = self.dialogue.read(replies)
        reason = verdict.reason
        if self._disguise.has_random_labels and verdict.winner != "invalid":
            reason = f"[1 is {self.labels[0]}, 2 is {self.labels[1]}]\n\n{reason}"
        return replace(verdict, reason=reason, flags=(*verdict.flags, *self._flags))

    # --- requests --------------------------------------------------------------------------------

    def _dialogue(self) -> Dialogue:
        settings = self._settings
        draw_words = (self._disguise.tie,) if self._disguise.has_random_labels else DRAW_WORDS
        parse = partial(parse_verdict, labels=self.labels, draws=settings.draws, draw_words=draw_words)
        match self.question.mode:
            case "score":
                names = list(self._criteria) or [OVERALL]
                return Scoring(
                    self._score_request,
                    names,
                    repeats=self.repeats,
                    labels=self.labels,
                    words=self._again(verdict=False),
                    floor=settings.score_floor,
                    draws=settings.draws,
                )
            case "debate" if not settings.single_call:
                return Debate(self, settings.debate_turns, parse)
            case mode:
                template = "debate_single_call" if mode == "debate" else "pairwise"
                request = self._request(
                    template, shared=False, criteria=criteria_lines(self._criteria), draws=settings.draws
                )
                return Pairwise(request, self._again(verdict=True), parse)

    def _score_request(self, number: int) -> Request:
        name, words = list(self._criteria.items())[number] if self._criteria else ("", "")
        calls = max(1, len(self._criteria)) * self.repeats
        return self._request(
            "score", shared=calls > 1, criterion=name, criterion_text="" if words == name else words
        )

    def advocate(self, role: Role, said: Sequence[Speech]) -> Request:
        """See `debate.Script`."""
        side = role.side or 0
        return self._request(
            "debate_advocate",
            shared=True,
            criteria=criteria_lines(self._criteria),
            draws=self._settings.draws,
            turns=self._turns(said),
            own=self.labels[side],
            other=self.labels[1 - side],
            opening=role.purpose == "opening",
            rebuttal=role.purpose == "rebuttal",
            answer=role.purpose == "answer",
        )

    def judge(self, role: Role, said: Sequence[Speech], *, may_ask: bool) -> Request:
        """See `debate.Script`."""
        decides, draws = role.purpose == "verdict", self._settings.draws
        return self._request(
            "debate_judge",
            shared=True,
            criteria=criteria_lines(self._criteria),
            draws=draws,
            turns=self._turns(said),
            verdict=decides,
            may_ask=may_ask,
        )

    def speaker(self, role: Role) -> str:
        """See `debate.Script`."""
        return "judge" if role.side is None else f"advocate of {self.labels[role.side]}"

    @property
    def format_again(self) -> str:
        """See `debate.Script`."""
        return self._again(verdict=True)

    def _again(self, *, verdict: bool) -> str:
        first, second = self.labels
        draws = verdict and self._settings.draws
        _, user = load("reask", self._prompts).fill(
            tie=self._disguise.tie, label_1=first, label_2=second, verdict=verdict, draws=draws
        )
        return "".join(part.text for part in user)

    def _request(self, template: str, *, shared: bool, **values: Value) -> Request:
        """A filled template. Unless a prefix with the texts is `shared` by further calls, nothing of it is
        marked for the provider's cache: what is written there and never read costs more than plain input."""
        system, user = load(template, self._prompts).fill(
            tie=self._disguise.tie,
            task=self._task,
            guidance=self._settings.judge_prompt,
            **self._material(),
            **values,
        )
        if not shared:
            user = tuple(Part(part.text) for part in user)
        return Request(system, (Message("user", user),), self._settings.model.max_tokens)

    def _material(self) -> dict[str, str]:
        """What every template shows of the comparison."""
        (first, second), (label_1, label_2) = self._texts, self.labels
        fence, question = self._disguise.fence, self.question
        reviews = [
            fence("review", label, candidate.review) if candidate.review else ""
            for label, candidate in ((label_1, question.first), (label_2, question.second))
        ]
        return {
            "prompt": fence("prompt", "-", question.prompt) if question.prompt else "",
            "first": fence("text", label_1, first),
            "first_review": reviews[0],
            "second": fence("text", label_2, second),
            "second_review": reviews[1],
            "label_1": label_1,
            "label_2": label_2,
        }

    def _turns(self, said: Sequence[Speech]) -> tuple[str, ...]:
        return tuple(self._turn(number, speech) for number, speech in enumerate(said))

    def _turn(self, number: int, speech: Speech) -> str:
        side = speech.role.side
        speaker = "judge" if side is None else f"advocate-{self.labels[side]}"
        block = self._disguise.fence("turn", speaker, speech.text, turn=number)
        return f"{block}\n\n{_CUT_OFF}" if speech.cut else block
