"""Ratings of free answers by a language model. Each answer is rated twice: with a strict and a permissive prompt.

An answer is *exact* if either verdict is yes, and *partial* if the strict one is no and the permissive one partially. A
verdict that is unreadable twice, and not settled by the other one, leaves the answer *unrated*. Verdicts are never
guessed: an unrated answer stays in the denominator and is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from readagent.agent import AsyncReadAgent
from readagent.core.choice import Choice
from readagent.core.concurrency import together
from readagent.core.model import Ask
from readagent.core.replies import strip_thinking
from readagent.core.session import Session
from readagent.errors import UsageError
from readagent_bench.folder import RATINGS, Key, RunFolder
from readagent_bench.rating import by_prediction, rate_all
from readagent_bench.records import Prediction
from readagent_bench.templates import rater_templates

Verdict = Literal["yes", "partially", "no"]
Grade = Literal["exact", "partial", "none", "unrated"]
_BEST_FIRST: tuple[Grade, ...] = ("exact", "partial", "unrated", "none")
_WORD = re.compile(r"\b(yes|no|partial\w*|partly)\b", re.I)
_SENTENCE = re.compile(r"(?<=\w)[*_\"')]*[.!\n]")


@dataclass(frozen=True, slots=True)
class Rating:
    """The grade of a prediction by one rater, against the reference that fits best.

    ``prompts`` is the fingerprint of the raters' prompts; empty for ratings of version 0.2 and earlier.
    """

    FILE: ClassVar[str] = RATINGS

    rater: str
    run: int
    method: str
    case: str
    example: str
    text: str
    grade: Grade
    strict: tuple[str, ...]
    permissive: tuple[str, ...]
    prompts: str = ""

    @property
    def key(self) -> tuple[str, int, str, str, str, str, str]:
        """Rater, prediction, answer and prompts, so that a new answer is rated again, and all with new prompts."""
        return self.rater, self.run, self.method, self.case, self.example, self.text, self.prompts


def verdict(reply: str, legal: Sequence[Verdict]) -> Verdict | None:
    """Return the verdict in the first sentence of a reply, or else in all of it; None if there is none or several.

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
    """Return the grade for the two verdicts."""
    if "yes" in (strict, permissive):
        return "exact"
    if strict is None or permissive is None:
        return "unrated"
    return "partial" if permissive == "partially" else "none"


def best(grades: Sequence[Grade]) -> Grade:
    """Return the best of the grades against several references."""
    return min(grades, key=_BEST_FIRST.index, default="unrated")


async def rate(prediction: Prediction, session: Session) -> Rating:
    """Rate an answer with both prompts. A missing answer is wrong, and nothing is asked."""
    known = (
        session.model.name,
        prediction.run,
        prediction.method,
        prediction.case,
        prediction.example,
        prediction.text,
    )
    if prediction.error or not prediction.text.strip():
        return Rating(*known, "none", (), (), rater_templates().fingerprint)
    strict = await together(_ask(session, "strict", ("yes", "no"), prediction, one) for one in prediction.references)
    permissive = await together(
        _ask(session, "permissive", ("yes", "partially", "no"), prediction, one) for one in prediction.references
    )
    grades = [grade(one, other) for one, other in zip(strict, permissive, strict=True)]
    verdicts = tuple(map(str, strict)), tuple(map(str, permissive))
    return Rating(*known, best(grades), *verdicts, rater_templates().fingerprint)


async def _ask(
    session: Session, template: str, legal: tuple[Verdict, ...], prediction: Prediction, reference: str
) -> Verdict | None:
    fill: Callable[..., str] = rater_templates().fill
    prompt = fill(template, question=prediction.question, answer=prediction.text, reference=reference)
    choice = Choice(legal)
    said = verdict((await session.ask(Ask("rate", prompt, choice))).text, legal)
    if said is None:
        again = prompt + fill("again", legal=choice.listed())
        said = verdict((await session.ask(Ask("rate", again, choice))).text, legal)
    return said


async def rate_run(folder: RunFolder, agent: AsyncReadAgent, on_rating: Callable[[Rating], None]) -> list[str]:
    """Rate every free answer that this rater has not rated yet; return what could not be rated, with the reason."""
    nothing = UsageError(f"{folder.path} has no free answers to rate", hint="options and claims need no rater")
    prompts = (rater_templates().fingerprint,)
    return await rate_all(folder, agent, Rating, rate, on_rating, raters="raters", nothing=nothing, version=prompts)


def ratings_of(folder: RunFolder, rater: str = "") -> dict[Key, Rating]:
    """Return the ratings of one rater by prediction: the named one, or the one with the most ratings."""
    return by_prediction(folder, Rating, rater)
