"""Questions about a whole text are recognised, and answered from all of its memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.planted import perfect, story
from readagent.core.overviews.question_scope import chapter_asked_for

from readagent import AsyncReadAgent, Document, Question, load
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask
from readagent.core.overviews.global_questions import scope_of
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from readagent.testing.skim import skim
from sessions import run


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Summarise this book.", "summary"),
        ("Fasse das Buch zusammen.", "summary"),
        ("What are the main themes?", "theme"),
        ("List every time she visits the island", "list"),
        ("Who is Irma?", ""),
        ("Why does she leave?", ""),
        ("Summarise the letter", ""),
        ("Why does she cry every time she hears the song?", ""),
        ("List the characters", "list"),
    ],
)
def test_scope(question: str, scope: str) -> None:
    assert scope_of(Question(question)) == scope


CHAPTERS = "\n\n".join(
    f"# Chapter {number}\n\n"
    + " ".join(f"In {number}{at} the gate {number}x{at} was opened by Rosa." for at in range(60))
    for number in ("I", "II", "III", "IV", "V")
)


@pytest.fixture
def gates(tmp_path: Path) -> Document:
    path = tmp_path / "gates.md"
    path.write_text(CHAPTERS, "utf-8")
    return load(path)


@pytest.mark.parametrize(
    ("question", "chapters"),
    [
        ("Summarise chapter 4", "IV"),
        ("Please summarize the third chapter in 60 words.", "III"),
        ("Summarise chapters 2 to 3", "II III"),
        ("Summarise chapter 9", ""),
        ("What happens in chapter 4 to Rosa?", ""),
    ],
)
def test_the_chapter_that_a_question_asks_for(question: str, chapters: str, gates: Document) -> None:
    document = gates
    memory = GistMemory(document, (Page(0, 0, len(document.text), 1),), (Gist("", 0),), Plan())
    span = chapter_asked_for(Question(question), memory)
    told = document.text[slice(*span)] if span else ""
    assert re.findall(r"Chapter (\w+)", told) == chapters.split()


def test_a_chapter_and_a_timeline_are_answered_over_their_pages(gates: Document) -> None:
    def listing(ask: Ask) -> str:
        told = "in spring | The gate Ix0 was opened by Rosa [Page 0]" if "<Page 0>" in ask.prompt else "NONE"
        if ask.step == "check":
            return "1: yes"
        return told if ask.step == "collect" else skim(ask.prompt)

    plan = Plan(page_words=150, min_page_words=60, max_pages=2)

    async def asked() -> None:
        model = ScriptedModel(listing)
        agent = AsyncReadAgent(model, window=4096, plan=plan)
        memory = await agent.read(gates)
        model.asks.clear()
        answer = await agent.ask(memory, "Summarise chapter 4 in 60 words")
        assert answer.over_all
        assert answer.searched is not None
        assert 1 <= answer.searched.pages < answer.searched.of_pages
        (prompt,) = [ask.prompt for ask in model.asks if ask.step == "write"]
        assert "IVx3" in prompt
        assert "Vx0" not in prompt.replace("IVx0", "")
        assert " Ix0" not in prompt
        unread = await agent.ask(memory, "Summarise chapter 4", up_to="Chapter 2")
        assert not unread.over_all
        told = await agent.ask(memory, "Give me a timeline of events")
        assert told.over_all
        assert told.text == "- in spring: The gate Ix0 was opened by Rosa (Chapter I)"

    run(asked())


def test_lists_are_complete_and_the_answer_says_how_it_was_made() -> None:
    document, _, events = story(6000, 30)
    plan = Plan(page_words=200, min_page_words=80, max_pages=2)

    async def asked() -> None:
        agent = AsyncReadAgent(ScriptedModel(perfect), window=4096, plan=plan)
        memory = await agent.read(document)
        answer = await agent.ask(memory, "List every time somebody opened a gate")
        assert answer.over_all
        assert all(event in answer.text for event in events)
        assert all(re.search(r"\(page \d+\)$", line) for line in answer.text.splitlines())
        assert {"collect"} <= set(answer.trace.steps())
        assert all(quote.text == document.text[quote.start : quote.end] for quote in answer.quotes)
        half = await agent.ask(memory, "List every time somebody opened a gate", up_to="50%")
        assert events[0] in half.text
        assert events[-1] not in half.text
        looked_up = await agent.ask(memory, "List every time somebody opened a gate", look_up="parallel")
        assert not looked_up.over_all
        summary = await agent.ask(memory, "Summarise this story in 60 words.")
        assert summary.over_all
        assert summary.statements

    run(asked())
