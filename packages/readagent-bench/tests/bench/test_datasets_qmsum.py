"""QMSum in its authors' form: a paragraph a turn, and spans that show the turns named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
