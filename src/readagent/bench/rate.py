"""Ratings of free answers by a language model, twice each: strictly, and permissively.

An answer is *exact* if either rater says yes, and *partial* if the strict one says no and the permissive one says
partially. What cannot be read, after asking once more, and is not settled by the other rater, leaves it *unrated*:
never guessed, it stays in the denominator, and is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from readagent.bench.records import Prediction
from readagent.bench.templates import templates
from readagent.core.choice import Choice
from readagent.core.concurrency import together
from readagent.core.model import Ask
from readagent.core.replies import strip_thinking
from readagent.core.session import Session

Verdict = Literal["yes", "partially", "no"]
Grade = Literal["exact", "partial", "none", "unrated"]
_BEST_FIRST: tuple[Grade, ...] = ("exact", "partial", "unrated", "none")
_WORD = re.compile(r"\b(yes|no|partial\w*|partly)\b", re.I)
_SENTENCE = re.compile(r"(?<=\w)[*_\"')]*[.!\n]")


@dataclass(frozen=True, slots=True)
class Rating:
    """What a rater made of a prediction, against the reference that it fits best."""

    rater: str
    run: int
    method: str
    case: str
    example: str
    text: str
    grade: Grade
    strict: tuple[str, ...]
    permissive: tuple[str, ...]

    @property
    def key(self) -> tuple[str, int, str, str, str, str]:
        """Which rating this is: the answer is part of it, so that another answer is rated anew."""
        return self.rater, self.run, self.method, self.case, self.example, self.text


def verdict(reply: str, legal: Sequence[Verdict]) -> Verdict | None:
    """The verdict a reply gives, in its first sentence or else in all of it; None where it gives none or several.

    "Yes, partially" is partially.
    """
    said = strip_thinking(reply)
    return _named(_SENTENCE.split(said.strip(), maxsplit=1)[0], legal) or _named(said, legal)


def _named(text: str, legal: Sequence[Verdict]) -> Verdict | None:
    found = {word.lower() for word in _WORD.findall(text)}
    partly = {word for word in found if word.startswith("part")}
    if partly:
        return "partially" if "partially" in legal and "no" not in found else None
    return next((word for word in legal if found == {word}), None)


def grade(strict: Verdict | None, permissive: Verdict | None) -> Grade:
    """What the two verdicts come to."""
    if "yes" in (strict, permissive):
        return "exact"
    if strict is None or permissive is None:
        return "unrated"
    return "partial" if permissive == "partially" else "none"


def best(grades: Sequence[Grade]) -> Grade:
    """The best of the grades against several references."""
    return min(grades, key=_BEST_FIRST.index, default="unrated")


async def rate(prediction: Prediction, session: Session) -> Rating:
    """Both raters' view of an answer. Where there is none, nothing is asked: it is wrong."""
    known = (
        session.model.name,
        prediction.run,
        prediction.method,
        prediction.case,
        prediction.example,
        prediction.text,
    )
    if prediction.error or not prediction.text.strip():
        return Rating(*known, "none", (), ())
    strict = await together(_ask(session, "strict", ("yes", "no"), prediction, one) for one in prediction.references)
    permissive = await together(
        _ask(session, "permissive", ("yes", "partially", "no"), prediction, one) for one in prediction.references
    )
    grades = [grade(one, other) for one, other in zip(strict, permissive, strict=True)]
    return Rating(*known, best(grades), tuple(map(str, strict)), tuple(map(str, permissive)))


async def _ask(
    session: Session, template: str, legal: tuple[Verdict, ...], prediction: Prediction, reference: str
) -> Verdict | None:
    fill: Callable[..., str] = templates().fill
    prompt = fill(template, question=prediction.question, answer=prediction.text, reference=reference)
    choice = Choice(legal)
    said = verdict((await session.ask(Ask("rate", prompt, choice))).text, legal)
    if said is None:
        again = prompt + fill("again", legal=choice.listed())
        said = verdict((await session.ask(Ask("rate", again, choice))).text, legal)
    return said
