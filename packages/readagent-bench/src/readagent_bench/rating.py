"""What all ratings share: every free answer of a run is rated once by each rater, and one rater is reported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from readagent.agent import AsyncReadAgent
from readagent.core.concurrency import together
from readagent.core.session import Session
from readagent.errors import ReadAgentError, UsageError
from readagent.many import FATAL
from readagent_bench.folder import Key, Record, RunFolder
from readagent_bench.records import Prediction


class Rated(Record, Protocol):
    """A rating of a prediction. Its ``text`` is what was rated: a new answer is rated again."""

    @property
    def rater(self) -> str: ...
    @property
    def run(self) -> int: ...
    @property
    def method(self) -> str: ...
    @property
    def case(self) -> str: ...
    @property
    def example(self) -> str: ...
    @property
    def text(self) -> str: ...


RatedT = TypeVar("RatedT", bound=Rated)


async def rate_all(
    folder: RunFolder,
    agent: AsyncReadAgent,
    kind: type[RatedT],
    rate: Callable[[Prediction, Session], Awaitable[RatedT]],
    on_rating: Callable[[RatedT], None],
    *,
    raters: str,
    nothing: UsageError,
    version: tuple[str, ...] = (),
) -> list[str]:
    """Rate every free answer that this rater has not rated yet; return what could not be rated, with the reason.

    Ratings by other raters stay, under their names, which the manifest lists as ``raters``. ``nothing`` is raised if
    the run has no free answers. ``version`` is the last part of the keys of ratings, if they have one.
    """
    told = folder.manifest().get(raters, [])
    rater = (await agent.session(agent.plan)).model.name
    known = {rating.key for rating in folder.records(kind)}
    wanted = [p for p in folder.records(Prediction) if p.references and p.kind == "free"]
    if not wanted:
        raise nothing
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

    await together(one(p) for p in wanted if (rater, *p.key, p.text, *version) not in known)
    folder.finish(**{raters: sorted({*told, rater})})
    return failed


def by_prediction(folder: RunFolder, kind: type[RatedT], rater: str = "") -> dict[Key, RatedT]:
    """Return the ratings of one rater by prediction: the named one, or the one with the most ratings."""
    found = folder.records(kind)
    counts = Counter(rating.rater for rating in found)
    chosen = rater or max(counts, key=lambda name: counts[name], default="")
    texts = {prediction.key: prediction.text for prediction in folder.records(Prediction)}
    mine = {(r.run, r.method, r.case, r.example): r for r in found if r.rater == chosen}
    return {key: rating for key, rating in mine.items() if texts.get(key) == rating.text}
