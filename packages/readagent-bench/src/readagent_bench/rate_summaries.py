"""Ratings of summaries by a language model: how much of a reference they tell, and how much of them is in the text.

*Coverage* is the share of the statements of the reference that the summary tells, *faithfulness* the share of the
statements of the summary that the text shows to be true, given the passages that share most words with each. A verdict
that is unreadable twice counts as no, and is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar

from readagent.agent import AsyncReadAgent
from readagent.core.concurrency import together
from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.support.verdicts import verdicts
from readagent.core.window import in_groups
from readagent.core.words import sentences
from readagent.errors import UsageError
from readagent.retrieval.bm25 import Bm25, passages
from readagent_bench.folder import SUMMARY_RATINGS, Key, RunFolder
from readagent_bench.rate import by_prediction, rate_all
from readagent_bench.records import Prediction

_PASSAGES = 3  # for each statement
_AT_ONCE = 8  # statements of one prompt

Verdicts = tuple[bool | None, ...]  # of each statement; None where no reply could be read


@dataclass(frozen=True, slots=True)
class SummaryRating:
    """The verdicts of one rater on a summary, against the reference that it covers best."""

    FILE: ClassVar[str] = SUMMARY_RATINGS

    rater: str
    run: int
    method: str
    case: str
    example: str
    text: str
    covered: Verdicts
    faithful: Verdicts

    @property
    def key(self) -> tuple[str, int, str, str, str, str]:
        """Rater, prediction and summary. A new summary is rated again."""
        return self.rater, self.run, self.method, self.case, self.example, self.text

    @property
    def coverage(self) -> float:
        """The share of the statements of the reference that the summary tells."""
        return share(self.covered)

    @property
    def unread(self) -> int:
        """How many verdicts could not be read."""
        return [*self.covered, *self.faithful].count(None)


def share(verdicts: Verdicts) -> float:
    """Return the share of statements that were accepted; 0 without any."""
    return verdicts.count(True) / len(verdicts) if verdicts else 0.0


@cache
def _prompts() -> Prompts:
    return Prompts.whole(Path(__file__).parent / "prompts" / "summaries")


async def rate_summary(prediction: Prediction, document: Document, session: Session) -> SummaryRating:
    """Rate a summary; one that is missing covers nothing, and nothing is asked."""
    key = (prediction.run, prediction.method, prediction.case, prediction.example)
    told = [] if prediction.error else sentences(prediction.text)
    if not told:
        return SummaryRating(session.model.name, *key, prediction.text, (), ())
    covered = await together(_covered(prediction.text, one, session) for one in prediction.references)
    faithful = await _faithful(told, document, session)
    return SummaryRating(session.model.name, *key, prediction.text, max(covered, key=share, default=()), faithful)


async def _covered(summary: str, reference: str, session: Session) -> Verdicts:
    def prompt(statements: Sequence[str]) -> str:
        return _prompts().fill("covered", summary=escape_tags(summary), statements=_numbered(statements))

    return await _judged(sentences(reference), prompt, session)


async def _faithful(statements: Sequence[str], document: Document, session: Session) -> Verdicts:
    texts = passages(document.text)
    index = Bm25(texts)

    def prompt(some: Sequence[str]) -> str:
        near = {at for one in some for at in _best(index.scores(one))}
        shown = "\n\n".join(escape_tags(texts[at]) for at in sorted(near))
        return _prompts().fill("faithful", passages=shown, statements=_numbered(some))

    return await _judged(statements, prompt, session)


def _best(scores: Sequence[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda at: -scores[at])[:_PASSAGES]


def _numbered(statements: Sequence[str]) -> str:
    return "\n".join(f"{at}: {escape_tags(' '.join(one.split()))}" for at, one in enumerate(statements, 1))


async def _judged(statements: Sequence[str], prompt: Callable[[Sequence[str]], str], session: Session) -> Verdicts:
    """Return what the rater says of each statement; those without a verdict are asked about once more."""

    found: dict[int, bool] = {}

    async def ask(reminder: str) -> None:
        unread = [at for at in range(len(statements)) if at not in found]

        def filled(some: Sequence[int]) -> str:
            return prompt([statements[at] for at in some]) + reminder

        for group in in_groups(unread, _AT_ONCE, lambda some: session.window.fits(filled(some))):
            text = filled(group)
            said = verdicts((await session.ask(Ask("rate", text))).text, len(group), 0)
            found.update({group[at]: verdict for at, (verdict, _) in said.items()})

    await ask("")
    await ask(_prompts().fill("again"))
    return tuple(found.get(at) for at in range(len(statements)))


async def rate_summaries(
    folder: RunFolder,
    agent: AsyncReadAgent,
    documents: Mapping[str, Document],
    on_rating: Callable[[SummaryRating], None],
) -> list[str]:
    """Rate every free answer that this rater has not rated as a summary yet; return what could not be rated, and why.

    ``documents`` are those of the run, by the name of their case.
    """

    async def rate(prediction: Prediction, session: Session) -> SummaryRating:
        if prediction.case not in documents:
            raise UsageError(f"the data has no document {prediction.case!r}", hint="give the --data of the run")
        return await rate_summary(prediction, documents[prediction.case], session)

    nothing = UsageError(f"{folder.path} has no summaries to rate", hint="make some with the recipe summaries")
    return await rate_all(folder, agent, SummaryRating, rate, on_rating, raters="summary_raters", nothing=nothing)


def summary_ratings_of(folder: RunFolder, rater: str = "") -> dict[Key, SummaryRating]:
    """Return the ratings of summaries by one rater, by prediction: the named one, or the one with the most."""
    return by_prediction(folder, SummaryRating, rater)
