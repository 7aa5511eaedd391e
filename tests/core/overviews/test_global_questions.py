"""Questions about a whole text are recognised, and answered from all of its memory."""

from __future__ import annotations

import re

import pytest
from benchmarks.planted import perfect, story

from readagent import Answer, AsyncReadAgent, Question
from readagent.core.overviews.global_questions import scope_of
from readagent.core.plan import Plan
from readagent.testing import ScriptedModel
from sessions import run


@pytest.mark.parametrize(
    ("question", "scope"),
    [
        ("Summarise this book.", "summary"),
        ("Please summarize the document in 100 words", "summary"),
        ("Give me a short overview of the novel", "summary"),
        ("What is this paper about?", "summary"),
        ("Summary", "summary"),
        ("tl;dr", "summary"),
        ("Fasse das Buch zusammen.", "summary"),
        ("Résume ce livre", "summary"),
        ("¿De qué trata este libro?", "summary"),
        ("What are the main themes?", "theme"),
        ("How does the tone change?", "theme"),
        ("How does her view of him develop over the course of the story?", "theme"),
        ("What are the key findings?", "theme"),
        ("List every time she visits the island", "list"),
        ("List all the decisions", "list"),
        ("How many times does he lie?", "list"),
        ("Who is Irma?", ""),
        ("What is the summary on page 3 about?", ""),
        ("Why does she leave?", ""),
        ("Who wrote the summary of the report?", ""),
        ("How does she change the wheel of the cart?", ""),
        ("What did the witness summarise for the court on Tuesday?", ""),
        ("Is the overview window broken?", ""),
        ("When does he grow tired of it?", ""),
        ("Summarise the letter", ""),
        ("Summarise the chapter in which Lydia elopes", ""),
        ("Summarise the meeting between Darcy and Lady Catherine", ""),
        ("What was the book about that Mary was reading?", ""),
        ("Why does she cry every time she hears the song?", ""),
        ("How does Anna change the tyre during the storm?", ""),
        ("What is this about?", "summary"),
        ("I need a summary of this book", "summary"),
        ("Write a 100-word summary of this novel", "summary"),
        ("Summary please", "summary"),
        ("Worum geht es in diesem Buch?", "summary"),
        ("Gib mir eine Zusammenfassung", "summary"),
        ("Fais un résumé du livre", "summary"),
        ("Haz un resumen del libro", "summary"),
        ("What are the themes?", "theme"),
        ("Was sind die Hauptthemen?", "theme"),
        ("List the characters", "list"),
        ("Make a list of all the letters", "list"),
        ("Nenne alle Personen", "list"),
    ],
)
def test_scope(question: str, scope: str) -> None:
    assert scope_of(Question(question)) == scope


def test_options_and_claims_are_never_about_the_whole() -> None:
    assert scope_of(Question.claim("List all the decisions")) == ""
    assert scope_of(Question.choice("What are the main themes?", ["love", "war"])) == ""


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


def test_in_a_batch_a_question_about_the_whole_is_answered_over_all_and_the_others_share_calls() -> None:
    document, _, events = story(6000, 30)
    plan = Plan(page_words=200, min_page_words=80, max_pages=2, look_up="direct")

    async def asked() -> None:
        model = ScriptedModel(perfect)
        agent = AsyncReadAgent(model, window=8192, plan=plan)
        memory = await agent.read(document)
        model.asks.clear()
        questions = ["Who opened gate 3?", "List every time somebody opened a gate", "Who opened gate 5?"]
        told: list[int] = []
        answers = await agent.ask_all(memory, questions, batch=8, each=lambda place, _: told.append(place))
        assert [isinstance(one, Answer) and one.over_all for one in answers] == [False, True, False]
        assert [isinstance(one, Answer) and one.question.text for one in answers] == questions
        listed = answers[1]
        assert isinstance(listed, Answer)
        assert all(event in listed.text for event in events)
        assert sorted(told) == [0, 1, 2]
        shared = [ask.prompt for ask in model.asks if ask.step == "batch"]
        assert shared
        assert all("gate 3?" in prompt and "gate 5?" in prompt and "List every" not in prompt for prompt in shared)

    run(asked())
