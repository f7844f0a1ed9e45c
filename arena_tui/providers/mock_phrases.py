"""What the mock provider's speeches are put together from: pools of phrases, one drawn from each.

`{me}` and `{you}` are labels of texts, `{mine}` and `{yours}` a few words quoted from them. No phrase
holds a verdict.
"""

from __future__ import annotations


def _pool(text: str) -> tuple[str, ...]:
    """The paragraphs of a text, each on one line."""
    return tuple(" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n"))


OPENING = _pool("""
Text {me} makes one claim that can be checked: “{mine}”. It says what would have to be seen for it to fail,
and that is more than most proposals dare.

In short, text {me} starts from “{mine}” and builds on it step by step. Nothing in it has to be taken on
faith, and the next experiment follows from the text itself.

What I value in text {me} is how little it assumes. “{mine}” can be tested with what a good laboratory has
already, and either answer would teach us something.

Text {me} names its mechanism. From “{mine}” it is one step to a prediction, and the prediction differs from
what everybody would expect anyway.

Let me sum up text {me}: “{mine}”. The question is open, the method is at hand, and a negative result would
still be worth its paper.

I speak for text {me} because it commits itself. “{mine}” is a sentence that can turn out to be wrong, and the
text knows where.
""")

ATTACK = _pool("""
Text {you} asks for more trust. Where it says “{yours}” I miss the control that would rule out the plain
explanation.

A question to the other side: what result would make you give up “{yours}”? I find none in the text.

Against that, text {you} says “{yours}”, and the rest depends on it. If that one step fails, little is left.

Text {you} reads well, but “{yours}” is an aim and not yet a plan: neither the effort nor the order of the
work is given.

The weak point of text {you} is “{yours}”. It may be so; it may as well be the selection of the sample.

I ask the other side how “{yours}” would be told apart from a mere correlation. Text {you} passes over it.
""")

REPLY = _pool("""
I grant that “{yours}” is the stronger side of text {you}. It still does not answer the objection: the effect
could come from something else.

The other side calls my text narrow. I call it finished: “{mine}” states what is done, and anybody could
repeat it.

It was said that text {me} leaves the cost open. It does; but “{yours}” leaves open whether there is an
effect at all.

One weakness of text {me} is fair: “{mine}” needs a larger sample than it says. That can be mended, while the
gap in text {you} cannot.

To the question about “{mine}”: a null result in the first group would end it, and text {me} puts that group
first.

My opponent reads “{mine}” as a promise. It is a condition, and the text says what follows if it is not met.
""")

QUESTIONS = _pool("""
To the advocate of {me}: which observation would end “{mine}”, and when would it be made?

To the advocate of {me}: how large an effect does “{mine}” expect, and from how many cases?

To the advocate of {me}: is “{mine}” more than a correlation, and how would one know?

To the advocate of {me}: what is new about “{mine}”?
""")

CLOSING = _pool("""
If only one of the two could be tried this year, I would try text {me}.

So the risk is smaller with text {me}, and the gain no less.

I rest on that: text {me} can be wrong in a way we would notice.

That is why text {me} deserves the first place here.

Whoever has to decide on Monday can begin with text {me}.
""")

WEIGHING = _pool("""
Both can be argued well. “{mine}” in text {me} is the more specific claim; “{yours}” in text {you} promises
more and shows less of the way.

What decides for me is whether one could be wrong. Text {me} says so openly (“{mine}”), text {you} keeps it
vague (“{yours}”).

Text {you} has the better opening, “{yours}”. But the case of text {me} holds when I ask what to do first:
“{mine}”.

I set aside style and length ({words_me} words against {words_you}). On substance “{mine}” carries text {me}
further than “{yours}” carries text {you}.

Novelty speaks for text {you} (“{yours}”), testability for text {me} (“{mine}”). Here the second counts for
more.

The doubt about “{yours}” was never answered. The doubt about “{mine}” was, and that settles it for text {me}.
""")

LEVEL = _pool("""
I find no difference that would hold on a second reading: “{mine}” and “{yours}” are equally specific, and
both lack the same control.

Text {me} is ahead on mechanism (“{mine}”), text {you} on feasibility (“{yours}”), and neither by much.

With “{mine}” on one side and “{yours}” on the other, each text has one strong step and one missing.
""")

SCORING = _pool("""
I compared “{mine}” in text {me} with “{yours}” in text {you} on this point alone.

On this point text {me} offers “{mine}”, text {you} “{yours}”.

For this criterion I looked at “{mine}” (text {me}) and “{yours}” (text {you}).
""")

REMARKS = _pool("""
The reasons are named and hang together.

Most steps are given; one is taken for granted.

It says what decided, and what would have changed it.

Short, but it can be followed.
""")

OVERVIEW = _pool("""
{label}: what carried it was “{quote}”{cited}. It won where the other text stayed vague.

{label}: judges came back to “{quote}”{cited}; its losses were close.

{label}: “{quote}” was the point that decided most often{cited}.
""")

UNREADABLE = (
    "{contract}: both, each in its way",
    "I would rather not choose between them.",
    "{contract}:",
    "Which one is better depends on what is wanted.",
    "{contract}: the third",
)
