"""The method that puts all documents of a run on one shelf."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.studies import conduct
from readagent.core.document import Document
from readagent.core.question import Question
from readagent.testing.scripted import Skimmer
from readagent_bench.example import Case, Example
from readagent_bench.methods.shelf import RIGHT
from readagent_bench.records import Prediction

pytestmark = pytest.mark.anyio

GOODS = ("salt", "bread", "rope")


def case(goods: str) -> Case:
    filler = "\n\n".join(f"The {goods} seller walked on to market number {number}." for number in range(30))
    document = Document.from_text(f"The {goods} was sold to a widow.\n\n{filler}", title=f"Of {goods}")
    example = Example(f"{goods}-q", Question(f"To whom was the {goods} sold?"), references=("a widow",))
    return Case(goods, document, (example,))


async def test_every_question_is_asked_of_the_whole_shelf(tmp_path: Path) -> None:
    folder = await conduct(tmp_path / "run", Skimmer(), ("shelf:1",), [case(goods) for goods in GOODS])
    predictions = folder.records(Prediction)
    assert [one.error for one in predictions] == [""] * 3
    assert {one.notes for one in predictions} == {(RIGHT,)}
    assert all("sold to a widow" in one.text for one in predictions)
    assert all(one.pages for one in predictions)
