"""What all data sets have in common: their description, drawing a part, and the hash of the cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from readagent.core.document import Document
from readagent.core.plan import PRESETS
from readagent.core.question import Question
from readagent_bench.datasets import DATASETS
from readagent_bench.datasets.dataset import dataset_hash
from readagent_bench.datasets.files import data_folder
from readagent_bench.records import Case, Example
from sessions import EXAMPLES

DOCS = EXAMPLES.parent / "docs" / "datasets.md"


def case(name: str, questions: int, *, paired: bool = False) -> Case:
    examples = [
        Example(f"{name}-{n}", Question(f"Question {n}?"), ("yes",), pair=f"{name}-{n // 2}" if paired else "")
        for n in range(questions)
    ]
    return Case(name, Document.from_text(f"This is {name}."), tuple(examples))


def test_every_data_set_is_fully_described() -> None:
    page = DOCS.read_text("utf-8")
    for name, known in DATASETS.items():
        assert known.name == name
        assert known.preset in PRESETS
        assert known.licence
        assert known.split() == known.default
        assert f"`{name}`" in page
        assert known.homepage in page
        assert known.preset in next(line for line in page.splitlines() if line.startswith(f"| `{name}`"))


def test_the_folder_of_data_sets(tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("READAGENT_DATASETS", raising=False)
    assert data_folder(None, tmp_path) == tmp_path / "datasets"
    assert data_folder(None) == own_home / "datasets"
    monkeypatch.setenv("READAGENT_DATASETS", str(tmp_path / "here"))
    assert data_folder(None, tmp_path) == tmp_path / "here"
    assert data_folder(tmp_path / "there", tmp_path) == tmp_path / "there"


def test_the_hash_differs_if_a_text_question_or_key_does() -> None:
    one = case("a", 2)
    first = one.examples[0]
    others = [
        replace(one, document=Document.from_text("This is b.")),
        replace(one, examples=one.examples[:1]),
        replace(one, examples=one.examples[::-1]),
        *(
            replace(one, examples=(changed, one.examples[1]))
            for changed in (
                replace(first, question=Question("Question 0!")),
                replace(first, question=Question.claim("Question 0?")),
                replace(first, references=("no",)),
                replace(first, references=("yes", "")),
                replace(first, gold="A"),
                replace(first, pair="x"),
                replace(first, spans=((0, 4),)),
            )
        ),
    ]
    hashes = {dataset_hash([other]) for other in (one, *others)}
    assert len(hashes) == len(others) + 1
    assert dataset_hash([one, one]) not in hashes
    assert dataset_hash([replace(one, id="b")]) == dataset_hash([one])
    assert dataset_hash([replace(one, document=Document.from_text("half \ud83d a pair"))])
