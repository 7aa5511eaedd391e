"""The example texts and their forty questions, through the public API, against a server on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from readagent import GistMemory, Question, ReadAgent, load
from readagent.errors import NoAnswerError
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

QUESTIONS: list[dict[str, Any]] = [
    json.loads(line)
    for file in sorted(EXAMPLES.glob("*.questions.jsonl"))
    for line in file.read_text("utf-8").splitlines()
]
PRESETS = {"story.txt": "articles", "meeting.txt": "meetings"}


@pytest.fixture(scope="module")
def agents() -> Iterator[dict[str, tuple[ReadAgent, GistMemory]]]:
    """An agent and a memory for each text."""
    with LoopbackServer().in_thread() as server:
        agents = {name: ReadAgent("skimmer", base_url=server.base_url, plan=plan) for name, plan in PRESETS.items()}
        yield {name: (agent, agent.read(load(EXAMPLES / name))) for name, agent in agents.items()}
        for agent in agents.values():
            agent.close()


def question_of(record: dict[str, Any]) -> Question:
    match record["kind"]:
        case "choice":
            return Question.choice(record["question"], record["options"])
        case "claim":
            return Question.claim(record["question"])
        case _:
            return Question(record["question"])


@pytest.mark.parametrize("record", QUESTIONS[::4], ids=[record["id"] for record in QUESTIONS[::4]])
def test_every_question_is_answered(agents: dict[str, tuple[ReadAgent, GistMemory]], record: dict[str, Any]) -> None:
    agent, memory = agents[record["document"]]
    try:
        answer = agent.ask(memory, question_of(record))
    except NoAnswerError:
        return
    assert answer.text.strip()
    assert set(answer.pages) <= set(range(len(memory.pages)))
    assert len(answer.pages) <= memory.plan.max_pages
    if record["kind"] == "choice":
        assert record["options"]["ABCDEFGH".index(answer.choice or "")] == answer.text
        assert record["answer"] in "ABCDEFGH"[: len(record["options"])]
    elif record["kind"] == "claim":
        assert answer.choice in ("true", "false")
        assert isinstance(record["answer"], bool)
    else:
        assert answer.choice is None
        assert record["answer"]


def test_the_evidence_occurs_once_and_on_a_page(agents: dict[str, tuple[ReadAgent, GistMemory]]) -> None:
    for record in QUESTIONS:
        _, memory = agents[record["document"]]
        pages = [memory.page_text(page.number) for page in memory.pages]
        for excerpt in record["evidence"]:
            assert memory.document.text.count(excerpt) == 1
            assert any(excerpt in page for page in pages), f"it lies across two pages: {excerpt}"


def test_the_pages_are_the_text(agents: dict[str, tuple[ReadAgent, GistMemory]]) -> None:
    for _, memory in agents.values():
        plan, words = memory.plan, [page.words for page in memory.pages]
        assert "".join(memory.page_text(page.number) for page in memory.pages) == memory.document.text
        assert all(plan.min_page_words <= count <= plan.page_words for count in words[:-1])
        assert words[-1] <= plan.page_words
        assert 0.8 < memory.compression < 0.9
