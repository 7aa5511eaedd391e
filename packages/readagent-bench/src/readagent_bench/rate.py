"""Ratings of free answers by a language model. Each answer is rated twice: with a strict and a permissive prompt.

An answer is *exact* if either verdict is yes, and *partial* if the strict one is no and the permissive one partially. A
verdict that is unreadable twice, and not settled by the other one, leaves the answer *unrated*. Verdicts are never
guessed: an unrated answer stays in the denominator and is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from readagent.agent import AsyncReadAgent
from readagent.core.concurrency import together
from readagent.core.form import Choice
from readagent.core.model import Ask
from readagent.core.session import Session
from readagent.errors import ReadAgentError, UsageError
from readagent.source import FATAL
from readagent_bench.context import rater_templates
from readagent_bench.folder import RATINGS, Key, RunFolder
from readagent_bench.records import Prediction

Verdict = Literal["yes", "partially", "no"]
Grade = Literal["exact", "partial", "none", "unrated"]
_BEST_FIRST: tuple[Grade, ...] = ("exact", "partial", "unrated", "none")


@dataclass(frozen=True, slots=True)
class Rating:
    """The grade of a prediction by one rater, against the reference that fits best.

    ``prompts`` is the fingerprint of the raters' prompts.
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
    choice = Choice(legal)
    prompt = fill(template, form=choice, question=prediction.question, answer=prediction.text, reference=reference)
    said = choice.parse((await session.ask(Ask("rate", prompt, choice))).text)
    if said is None:
        again = prompt + fill("again", form=choice)
        said = choice.parse((await session.ask(Ask("rate", again, choice))).text)
    return next((one for one in legal if said == (one,)), None)


async def rate_run(folder: RunFolder, agent: AsyncReadAgent, on_rating: Callable[[Rating], None]) -> list[str]:
    """Rate every free answer that this rater has not rated yet; return what could not be rated, with the reason.

    Ratings by other raters stay, under their names, which are in the manifest.
    """
    told = folder.manifest().get("raters", [])
    rater, prompts = (await agent.session(agent.plan)).model.name, rater_templates().fingerprint
    known = {rating.key for rating in folder.records(Rating)}
    wanted = [p for p in folder.records(Prediction) if p.references and p.kind == "free"]
    if not wanted:
        raise UsageError(f"{folder.path} has no free answers to rate", hint="options and claims need no rater")
    failed: list[str] = []

    async def one(prediction: Prediction) -> None:
        try:
            rating = await rate(prediction, await agent.session(agent.plan, keep_text=False))
        except FATAL:
            raise
        except ReadAgentError as error:
            failed.append(f"{prediction.example}: {error}")
            return
        folder.add(rating)
        on_rating(rating)

    await together(one(p) for p in wanted if (rater, *p.key, p.text, prompts) not in known)
    folder.finish(raters=sorted({*told, rater}))
    return failed


def ratings_of(folder: RunFolder, rater: str = "") -> dict[Key, Rating]:
    """Return the ratings of one rater by prediction: the named one, or the one with the most ratings."""
    found = folder.records(Rating)
    counts = Counter(rating.rater for rating in found)
    chosen = rater or max(counts, key=lambda name: counts[name], default="")
    texts = {prediction.key: prediction.text for prediction in folder.records(Prediction)}
    mine = {(r.run, r.method, r.case, r.example): r for r in found if r.rater == chosen}
    return {key: rating for key, rating in mine.items() if texts.get(key) == rating.text}
