"""How sure the offline reader is: the chances of extracts, and extracts that count together."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="needs the extra `local`")

from readagent.embedded.confidence import chances, evidence, is_absent
from readagent.embedded.extracts import group_extracts
from readagent.embedded.reader import Found
from readagent.retrieval.evidence import Passage


def found(page: int, start: int, text: str, answer: str) -> tuple[Passage, Found]:
    at = text.index(answer)
    return Passage(page, start, text, 0.5), Found(at, at + len(answer), 1.0)


def test_the_chances_leave_room_for_none_being_right() -> None:
    likely = chances([0.0, 0.0])
    assert likely == pytest.approx([1 / 3, 1 / 3])
    assert chances([]) == []
    assert is_absent([])
    assert chances([800.0, -800.0]) == pytest.approx([1.0, 0.0])


def test_a_passage_that_seems_to_answer_is_better_evidence() -> None:
    assert evidence(5.0, 0.9) > evidence(5.0, 0.1) > evidence(-5.0, 0.1)


def test_equal_and_overlapping_extracts_count_together() -> None:
    pairs = [
        found(0, 0, "It was Ann.", "Ann"),
        found(1, 0, "They saw Bob there.", "Bob"),
        found(2, 0, "“ann!” he cried.", "ann"),
        found(1, 5, "saw Bob there.", "saw Bob"),
    ]
    grouped = group_extracts(pairs, [0.2, 0.25, 0.15, 0.05])
    assert [number for number, _ in grouped] == [0, 1]
    assert [certainty for _, certainty in grouped] == pytest.approx([0.35, 0.3])
