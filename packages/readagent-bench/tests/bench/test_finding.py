"""Pages found without a model, on a case worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from meanings import WordMeanings
from readagent.core.document import Document
from readagent.core.memory import Page
from readagent.core.question import Question
from readagent.errors import UsageError
from readagent_bench.example import Case, Example
from readagent_bench.finding import BY_MEANING, FINDERS, find_pages

pytestmark = pytest.mark.anyio

PARTS = ["Apples grow here. ", "Pears and plums lie here. ", "Nuts are cracked here. ", "Figs rot here with plums. "]
TEXT = "".join(PARTS)


def starts() -> list[int]:
    return [TEXT.index(part) for part in PARTS]


async def four_pages(case: Case) -> Sequence[Page]:
    return [Page(i, at, at + len(PARTS[i]), len(PARTS[i].split())) for i, at in enumerate(starts())]


def example(name: str, question: str, *pages: int) -> Example:
    return Example(name, Question(question), spans=tuple((starts()[p], starts()[p] + 4) for p in pages))


CASE = Case("fruit", Document.from_text(TEXT), (
    example("nuts", "Where are nuts?", 2),           # found first
    example("plums", "What of plums and figs?", 1, 3),  # page 3 first, then page 1
    example("riddle", "Where do apples grow?", 3),   # page 0 is found, page 3 was meant
))  # fmt: skip


async def test_hit_recall_and_precision_by_hand() -> None:
    one, two = await find_pages([CASE], four_pages, ["bm25"], [1, 2], None)
    assert one.scores["hit"][0, "fruit"] == {"nuts": 100, "plums": 100, "riddle": 0}
    assert one.scores["recall"][0, "fruit"] == {"nuts": 100, "plums": 50, "riddle": 0}
    assert one.scores["precision"][0, "fruit"] == {"nuts": 100, "plums": 100, "riddle": 0}
    assert two.scores["recall"][0, "fruit"]["plums"] == 100
    assert two.scores["precision"][0, "fruit"] == {"nuts": 50, "plums": 100, "riddle": 0}
    assert one.measures["recall"].mean == pytest.approx(50)


@pytest.mark.parametrize("finder", FINDERS)
async def test_every_finder_finds_what_is_named(finder: str) -> None:
    (found,) = await find_pages([CASE], four_pages, [finder], [1], WordMeanings())
    assert found.scores["hit"][0, "fruit"]["nuts"] == 100


async def test_what_cannot_be_measured_is_an_error() -> None:
    with pytest.raises(UsageError, match="unknown finder 'magic'"):
        await find_pages([CASE], four_pages, ["magic"], [1], None)
    for finder in BY_MEANING:
        with pytest.raises(UsageError, match="needs an embedder"):
            await find_pages([CASE], four_pages, [finder], [1], None)
    blank = Case("blank", CASE.document, (Example("q", Question("What?")),))
    with pytest.raises(UsageError, match="does not mark"):
        await find_pages([blank], four_pages, ["bm25"], [1], None)
