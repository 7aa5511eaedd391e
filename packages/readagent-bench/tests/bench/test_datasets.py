"""What all data sets have in common: their description, drawing a part, and the hash of the cases."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import lines, one_line, paragraphs, records_of, shown_by, without
from readagent.core.document import Document
from readagent.core.plan import PRESETS
from readagent.core.question import Question
from readagent.errors import DatasetError
from readagent_bench.datasets import DATASETS, load_cases
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
    first, second = one.examples
    changed = [
        replace(one, document=Document.from_text("This is b.")),
        replace(one, examples=(first,)),
        *(replace(one, examples=(replace(first, **{name: value}), second)) for name, value in
          {"question": Question("Question 0!"), "references": ("no",), "gold": "A", "spans": ((0, 4),)}.items()),
    ]  # fmt: skip
    assert len({dataset_hash([other]) for other in (one, *changed)}) == len(changed) + 1
    assert dataset_hash([replace(one, id="b")]) == dataset_hash([one])


TURNS = [
    ("Chair", "Let us begin ."), ("Ana", ""), ("Ben", "I have  the\nfigures ."), ("Ana", " \t"), ("Chair", "Go on ."),
]  # fmt: skip


def meeting(turns: list[tuple[str, str]] = TURNS, *spans: list[Any], **other: Any) -> dict[str, Any]:
    specific = {"query": "What has Ben ?", "answer": "The figures .", "relevant_text_span": list(spans)}
    return {
        "topic_list": [{"topic": "Figures", "relevant_text_span": [["0", "4"]]}],
        "general_query_list": [{"query": "Summarize the meeting.", "answer": "Ben has figures."}],
        "specific_query_list": [specific],
        "meeting_transcripts": [{"speaker": speaker, "content": content} for speaker, content in turns],
        **other,
    }


def test_a_turn_of_a_meeting_becomes_a_paragraph(tmp_path: Path) -> None:
    lines(tmp_path / "qmsum" / "val.jsonl", meeting(TURNS, ["0", "1"], ["2", "4"]), meeting(TURNS, [2, 2]))
    first, second = load_cases("qmsum", tmp_path)
    assert paragraphs(first) == ["Chair: Let us begin .", "Ben: I have the figures .", "Chair: Go on ."]
    whole, part = first.examples
    assert (whole.group, whole.spans, whole.references) == ("general", (), ("Ben has figures.",))
    assert (part.group, part.question.text) == ("specific", "What has Ben ?")
    assert shown_by(first, part) == ["Chair: Let us begin .", "Ben: I have the figures .\n\nChair: Go on ."]
    assert shown_by(second, second.examples[1]) == ["Ben: I have the figures ."]
    assert [first.id, second.id] == ["val-1", "val-2"]


@pytest.mark.parametrize(
    ("broken", "parts"),
    [
        (meeting(TURNS, ["3", "5"]), ("turns 3 to 5", "there are 5 turns from 0")),
        (without(meeting(), "meeting_transcripts"), ("missing required field `meeting_transcripts`",)),
    ],
)
def test_a_broken_meeting_is_an_error_with_its_line(broken: object, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = lines(tmp_path / "val.jsonl", meeting(), broken)
    with pytest.raises(DatasetError) as caught:
        load_cases("qmsum", tmp_path)
    one_line(caught.value, f"{path}, line 2", *parts)


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
