"""Conversations in the benchmark: read at once or as they grew, and older gists shortened or not, on LoCoMo's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import whole
from bench.studies import Bench
from readagent.core.plan import Plan
from readagent_bench.datasets import load_cases

pytestmark = pytest.mark.anyio

PLAN = Plan(page_words=220, min_page_words=90)
TOPICS = ("the allotment", "a leaking kayak", "the choir", "her sister's wedding", "night shifts", "a lost cat",
          "the marathon", "sourdough", "the new bridge", "an old camera", "the flood", "moving house")  # fmt: skip


def sample() -> dict[str, Any]:
    """Twelve sessions between two people, each about one thing."""
    conversation: dict[str, Any] = {"speaker_a": "Noor", "speaker_b": "Piet"}
    for number, topic in enumerate(TOPICS, 1):
        conversation[f"session_{number}_date_time"] = f"{number}:00 pm on {number} March, 2024"
        conversation[f"session_{number}"] = [
            {
                "speaker": "Noor" if turn % 2 else "Piet",
                "dia_id": f"D{number}:{turn}",
                "text": f"On {topic} I can say thing {number}-{turn}, which took me {number * turn + 2} days to learn.",
            }
            for turn in range(1, 18)
        ]
    asked = [
        {"question": f"What did they say of {topic}?", "category": 4, "evidence": [f"D{n}:1"], "answer": f"thing {n}-1"}
        for n, topic in enumerate(TOPICS[:3], 1)
    ]
    return {"sample_id": "conv-own", "conversation": conversation, "qa": asked}


@pytest.fixture
def case(tmp_path: Path) -> Any:
    whole(tmp_path / "locomo" / "locomo10.json", [sample()])
    (case,) = load_cases("locomo", tmp_path)
    return case


async def test_a_conversation_is_read_session_by_session(case: Any) -> None:
    bench = Bench(plan=PLAN)
    question = case.examples[0].question
    outcome = await bench.answer("conversation:2", case.document, question)
    assert outcome.preparation is not None
    read, shown = outcome.preparation.whole, outcome.preparation.memory
    assert read is not None
    assert shown is not None
    assert "".join(read.page_text(page.number) for page in read.pages) == case.document.text
    assert read.gists[-1].origin == "verbatim"  # the newest turns as they are
    assert shown.words() < read.words()  # older gists are shortened
    assert all(not any(f"On {topic}" in prompt for topic in TOPICS[1:]) for prompt in bench.asked("paginate")[:1])
    at_once = await bench.answer("readagent-p:2", case.document, question)
    assert at_once.preparation is not None
    assert at_once.preparation.memory is not shown
