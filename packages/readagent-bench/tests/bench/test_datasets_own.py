"""A user's own folder: documents in any format, with questions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import lines, one_line, records_of, shown_by
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases
from sessions import EXAMPLES

TEXT = "The ferry went at six.\n\nNobody paid twice, and old\nMarten knew it.\n"


def asked(**other: Any) -> dict[str, Any]:
    return {"document": "ferry.txt", "question": "When did it go?", "answer": "at six", **other}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ferry.txt").write_text(TEXT, "utf-8")
    (tmp_path / "notes.md").write_text("# Notes\n\nThe mole was built of brick.\n", "utf-8")
    return tmp_path


def test_all_kinds_of_questions(folder: Path) -> None:
    lines(
        folder / "questions.jsonl",
        asked(),
        asked(id="mine", answer=["six", " at six "], evidence=["old Marten"], needs="one place", situation="pointed"),
        asked(question="Pick one.", options=["five", "six"], answer="(b)"),
        asked(question="It went at six.", answer=True, pair="1", group="times"),
        asked(question="It went at seven.", kind="claim", answer="false", pair="1"),
        asked(document="notes.md", question="What is the mole built of?", answer=None),
    )
    ferry, notes = load_cases("own", folder)
    assert (ferry.id, notes.id) == ("ferry.txt", "notes.md")
    free, mine, choice, true, false = ferry.examples
    assert (free.id, free.references, free.gold) == ("questions-1", ("at six",), "")
    assert (mine.id, mine.references, mine.group) == ("mine", ("six", "at six"), "one place, pointed")
    assert shown_by(ferry, mine) == ["old\nMarten"]
    assert (choice.question.kind, choice.gold, choice.references) == ("choice", "B", ())
    assert (true.question.kind, true.gold, true.pair, true.group) == ("claim", "true", "1", "times")
    assert (false.gold, false.pair) == ("false", "1")
    assert (notes.examples[0].references, notes.examples[0].gold) == ((), "")


@pytest.mark.parametrize(
    ("broken", "parts"),
    [
        (asked(document="nowhere.txt"), ("nowhere.txt",)),
        (asked(kind="choice"), ("needs at least two options",)),
        ({"question": "Who?"}, ("missing required field `document`",)),
    ],
)
def test_a_broken_question_is_an_error_with_its_line(broken: object, parts: tuple[str, ...], folder: Path) -> None:
    path = lines(folder / "questions.jsonl", asked(), broken)
    with pytest.raises(DatasetError) as caught:
        load_cases("own", folder)
    one_line(caught.value, f"{path}, line 2", *parts)


def test_our_own_examples_are_a_data_set() -> None:
    cases = load_cases("own", EXAMPLES)
    assert [(case.id, len(case.examples)) for case in cases] == [("meeting.txt", 20), ("story.txt", 20)]
    groups = Counter(example.group for case in cases for example in case.examples)
    assert {"one place", "distant", "arc", "distant, pointed", "distant, distracted"} <= set(groups)
    for case in cases:
        records = records_of(EXAMPLES / f"{case.id[:-4]}.questions.jsonl")
        for example, record in zip(case.examples, records, strict=True):
            assert shown_by(case, example) == record["evidence"]
            assert example.question.kind == record["kind"]
            key = [*example.references] if record["kind"] == "free" else example.gold
            assert key == (str(record["answer"]).lower() if record["kind"] == "claim" else record["answer"])
