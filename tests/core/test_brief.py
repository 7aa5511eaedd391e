"""Reprs: short, whatever the texts, and telling."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import readagent
from readagent import (
    Answer,
    Card,
    Citation,
    Conversation,
    Document,
    Entity,
    Estimate,
    Estimates,
    Extract,
    Gist,
    GistMemory,
    Library,
    Loaded,
    Note,
    Overview,
    Page,
    Person,
    Plan,
    Point,
    Question,
    Quote,
    ReadAgent,
    Reply,
    Section,
    Shelf,
    ShelfAnswer,
    ShelfSummary,
    Skipped,
    Spoken,
    Statement,
    StudyQuestion,
    Summary,
    Support,
    Term,
    TimelineEvent,
    Trace,
    Turn,
    Usage,
    preset,
)
from readagent.core.escaping import excerpt
from readagent.core.model import Ask, Vectors
from readagent.core.shelf.ask import JoinedMemory
from readagent.core.trace import Call, Fallback
from readagent.library.conversations import ConversationRow
from readagent.library.jobs import JobReport, JobRow
from readagent.library.rows import Hit
from readagent.testing.scripted import Skimmer

LONG = "A long line of a long text.\n" * 500
TEXT = Document.from_text(LONG, title="A title " * 60, source="/books/" + "x" * 300)
QUOTE = Quote(LONG, 3, 4, 10, 20, "p. 57")
CALL = Call("gist", 100, 10, Usage(150, 15), 0.5, True, "stop", LONG, LONG)
TRACE = Trace(calls=[CALL] * 40, fallbacks=[Fallback("gist", LONG, LONG, 1)])
CARD = Card("abc", LONG, "contract", LONG, 3000)
MEMORY = GistMemory(TEXT, (Page(0, 0, len(LONG), 3500),), (Gist(LONG, 3500),), Plan(task=LONG), LONG)
STATEMENT = Statement(LONG, "supported", (0,))
QUESTION = Question.choice(LONG, [LONG] * 30)
ANSWER = Answer(QUESTION, LONG, "A", (1, 2), (), 0.5, TRACE, (QUOTE,) * 9, support=Support((STATEMENT,) * 9, "model"))
ESTIMATE = Estimate(1234, 10**6, 10**7, 10**6, 1.5)
POINT = Point(LONG, (1, 2, 3, 4), "supported", QUOTE)
THINGS = [
    TEXT, QUOTE, CALL, TRACE, CARD, MEMORY, STATEMENT, QUESTION, ANSWER, ESTIMATE, MEMORY.gists[0], MEMORY.plan,
    Support((STATEMENT,) * 2), Turn(LONG, LONG), Fallback("gist", LONG, LONG), Citation("abc", LONG, QUOTE),
    ShelfAnswer(QUESTION, LONG, None, (CARD,) * 3, quotes=(Citation("abc", LONG, QUOTE),), among=9, trace=TRACE),
    Estimates(10**6, 2000, 600, 10**5, ESTIMATE, ESTIMATE, 8192, (LONG,)), Loaded(TEXT, LONG), Skipped(LONG, LONG, LONG),
    Ask("gist", LONG), Reply(LONG), Vectors(4, bytes(4096)), Hit("abc", LONG, 1, LONG), preset("books"),
    POINT, Summary((POINT,) * 9, MEMORY), Overview((POINT,) * 9, MEMORY), Section(LONG, 0, 9, (POINT,) * 9),
    Person(LONG, (LONG,) * 9, POINT, ((LONG, LONG),) * 9, tuple(range(99)), 1, 9, 99), TimelineEvent(POINT, LONG, LONG),
    Term(LONG, POINT), StudyQuestion(LONG, POINT), Entity(LONG, LONG, POINT, tuple(range(99)), 1, 9, 99),
    Note(LONG, Summary((POINT,) * 9, MEMORY)), Extract(((LONG, LONG),) * 9, POINT),
    ShelfSummary(Summary((POINT,) * 9, MEMORY), ((CARD, Summary((POINT,), MEMORY)),) * 9, JoinedMemory(MEMORY, (), ())),
    Spoken(1, LONG, LONG, 0, 9), ConversationRow(LONG, "abc", 9, 1, 0, datetime.now(UTC)),
    JobReport(LONG), JobRow(1, "ask", "abc", "", "done", datetime.now(UTC), datetime.now(UTC), {"question": LONG}),
]  # fmt: skip


def test_a_repr_is_short() -> None:
    for thing in THINGS:
        shown = repr(thing)
        assert len(shown) <= 200
        assert "\n" not in shown
        assert type(thing).__name__ in shown


def test_every_public_record_is_tried_here() -> None:
    tried = {type(thing).__name__ for thing in THINGS} | {"Page", "Usage", "Budget", "Hint"}  # numbers only
    records = {name for name in readagent.__all__ if hasattr(getattr(readagent, name), "__dataclass_fields__")}
    assert records <= tried


def test_a_repr_is_telling() -> None:
    story = Document.from_text("Irma holds the key. Jakob sleeps.", title="The Key", source="key.txt")
    assert repr(story) == "<Document 'The Key': 6 words, from key.txt>"
    memory = GistMemory(story, (Page(0, 0, 33, 6),), (Gist("Irma has it.", 3),), Plan(), "skimmer")
    assert repr(memory) == "<GistMemory 'The Key': 1 page, 6 words in 3, read by skimmer>"
    quote = Quote("Irma holds the key.", 0, 0, 0, 19, "p. 1")
    assert repr(quote) == "Quote(text='Irma holds the key.', page=0, paragraph=0, start=0, end=19, place='p. 1')"
    support = Support((Statement("Irma.", "supported", (0,)),), "model")
    trace = Trace(calls=[replace(CALL, prompt="", reply="")])
    answer = Answer(Question("Who?"), "Irma.", None, (0,), (), 0.5, trace, (quote,), support=support)
    assert repr(answer) == "<Answer 'Irma.': supported, 1 quote, 1 opened page, 1 call>"
    assert repr(replace(answer, found_in_text=False, support=Support())).startswith(
        "<Answer 'Irma.': not in the text, "
    )
    assert repr(trace) == "<Trace: 1 call, gist 1, 165 tokens>"
    assert repr(preset("books")).startswith("Plan(page_words=3000, min_page_words=500, max_pages=3, by_importance=True")
    assert repr(Question("Who?")) == "Question(text='Who?')"
    figures = Estimates(6, 1, 600, 3, Estimate(2, 6, 100, 10, 0.01), Estimate(1, 6, 50, 5, None))
    assert repr(figures) == (
        "<Estimates: 6 words in 1 page, reading takes 2 calls and 110 tokens ($0.0100),"
        " each question 1 call and 55 tokens>"
    )


def test_agents_and_what_is_over_them() -> None:
    library = Library.in_memory(clock=lambda: datetime.now(UTC))
    assert repr(library) == "<Library in memory>"
    assert repr(Library("books.db")) == "<Library 'books.db'>"
    with ReadAgent(Skimmer(), library=library) as agent:
        assert repr(agent).startswith("<ReadAgent: skimmer gist_share")
        assert repr(agent._inner).startswith("<AsyncReadAgent: skimmer")
        assert repr(Shelf(agent, "goods")) == "<Shelf 'goods'>"
        assert repr(Conversation(agent, "boat " * 90)).startswith("<Conversation 'boat boat")
    with ReadAgent("https://ann:secret@example.org/v1") as agent:
        assert "secret" not in repr(agent)
    with ReadAgent("ollama/qwen3:8b") as agent:
        assert repr(agent) == "<ReadAgent: ollama/qwen3:8b>"


def test_control_characters_do_not_act() -> None:
    assert "\x1b" not in repr(Document.from_text("x", title="a\x1b[2Jb"))
    assert excerpt("a\x1b[2J\nb") == "a␛[2J b"
