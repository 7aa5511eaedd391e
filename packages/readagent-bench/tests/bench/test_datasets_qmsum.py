"""QMSum in its authors' form and in that of SCROLLS: a paragraph a turn, and spans that show the turns named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.dataset_files import lines, one_line, paragraphs, shown_by, without
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases

TURNS = [
    ("Chair", "Let us begin ."),
    ("Ana", ""),
    ("Ben", "I have  the\nfigures ."),
    ("Ana", " \t"),
    ("Chair", "Go on ."),
]


def meeting(turns: list[tuple[str, str]] = TURNS, *spans: list[Any], **other: Any) -> dict[str, Any]:
    specific = {"query": "What has Ben ?", "answer": "The figures .", "relevant_text_span": list(spans)}
    return {
        "topic_list": [{"topic": "Figures", "relevant_text_span": [["0", "4"]]}],
        "general_query_list": [{"query": "Summarize the meeting.", "answer": "Ben has figures."}],
        "specific_query_list": [specific],
        "meeting_transcripts": [{"speaker": speaker, "content": content} for speaker, content in turns],
        **other,
    }


def scrolls(name: str, query: str, text: str, answer: object, gap: str = "\n\n") -> dict[str, Any]:
    return {"id": name, "pid": f"{name}_0", "input": f"{query}{gap}{text}", "output": answer}


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


def test_a_span_of_silence_shows_nothing(tmp_path: Path) -> None:
    lines(tmp_path / "val.jsonl", meeting(TURNS, ["1", "1"], ["3", "4"]))
    (case,) = load_cases("qmsum", tmp_path)
    assert shown_by(case, case.examples[1]) == ["Chair: Go on ."]


def test_the_repository_itself_can_be_named(tmp_path: Path) -> None:
    lines(tmp_path / "data" / "ALL" / "jsonl" / "test.jsonl", meeting())
    assert len(load_cases("qmsum", tmp_path, "test")) == 1


@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_the_form_of_scrolls(gap: str, tmp_path: Path) -> None:
    one = "Chair: Let us begin.\nBen: I have the figures.\n\nChair: Go on.\n"
    lines(
        tmp_path / "validation.jsonl",
        scrolls("va-gq-1", "Summarize the meeting.", one, "Ben has figures.", gap),
        scrolls("va-sq-1", "What has Ben?", one, "The figures.", gap),
        scrolls("va-sq-1", "What has Ben?", one, "Figures.", gap),
        scrolls("va-sq-2", "Who was late?", "Ana: Sorry.\nBen: Never mind.", None, gap),
    )
    first, second = load_cases("qmsum", tmp_path)
    assert paragraphs(first) == ["Chair: Let us begin.", "Ben: I have the figures.", "Chair: Go on."]
    assert [(example.id, example.group) for example in first.examples] == [
        ("va-gq-1", "general"),
        ("va-sq-1", "specific"),
    ]
    assert first.examples[1].question.text == "What has Ben?"
    assert first.examples[1].references == ("The figures.", "Figures.")
    assert second.examples[0].references == ()


@pytest.mark.parametrize(
    ("broken", "parts"),
    [
        (meeting(TURNS, ["3", "5"]), ("turns 3 to 5", "there are 5 turns from 0")),
        (meeting(TURNS, ["2", "1"]), ("turns 2 to 1",)),
        (meeting(TURNS, ["-1", "1"]), ("not the numbers of two turns",)),
        (meeting(TURNS, ["1"]), ('"specific_query_list" number 1', "not the numbers of two turns")),
        (meeting(TURNS, "0"), ("not the numbers of two turns",)),  # type: ignore[arg-type]
        (meeting([("Ana", " ")]), ("has no words",)),
        (meeting(TURNS, meeting_transcripts={}), ('"meeting_transcripts" is {}, not a list',)),
        (meeting(TURNS, general_query_list=[{"query": "", "answer": "a"}]), ("the question is empty",)),
        (meeting(TURNS, general_query_list=[{"query": "q"}]), ('"answer" is missing',)),
        (without(meeting(), "meeting_transcripts"), ('"meeting_transcripts" is missing',)),
    ],
)
def test_a_broken_meeting_is_an_error_with_its_line(broken: object, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = lines(tmp_path / "val.jsonl", meeting(), broken)
    with pytest.raises(DatasetError) as caught:
        load_cases("qmsum", tmp_path)
    one_line(caught.value, f"{path}, line 2", *parts)


@pytest.mark.parametrize(
    ("broken", "part"),
    [
        (scrolls("va-sq-1", "What?", "", "a", ""), '"input" is one line'),
        (scrolls("va-sq-1", "What?", "Text", 7), '"output" is 7'),
        (without(scrolls("va-sq-1", "What?", "Text", "a"), "id"), '"id" is missing'),
    ],
)
def test_a_broken_line_of_scrolls(broken: object, part: str, tmp_path: Path) -> None:
    path = lines(tmp_path / "val.jsonl", scrolls("va-sq-0", "Who?", "Ana: I.", "Ana"), broken)
    with pytest.raises(DatasetError) as caught:
        load_cases("qmsum", tmp_path)
    one_line(caught.value, f"{path}, line 2", part)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@given(turns=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12), data=st.data())
def test_spans_are_inside_the_text_and_cover_whole_turns(
    turns: list[tuple[str, str]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    first = data.draw(st.integers(0, len(turns) - 1))
    last = data.draw(st.integers(first, len(turns) - 1))
    path = tmp_path_factory.mktemp("data") / "val.jsonl"
    path.write_text(json.dumps(meeting([*turns, ("End", "over")], [str(first), str(last)])), "utf-8")
    (case,) = load_cases("qmsum", path)
    bounds = {one.start for one in case.document.paragraphs}
    for start, end in case.examples[1].spans:
        assert 0 <= start < end <= len(case.document.text)
        assert start in bounds
        assert case.document.text[end : end + 2] == "\n\n"
        assert len(case.document.text[start:end].split("\n\n")) <= last - first + 1
