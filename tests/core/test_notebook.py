"""What a notebook and a shell show: pages, gists and quotes as HTML, short and telling reprs; text never acts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest

from readagent import (
    Answer,
    Citation,
    Conversation,
    Document,
    Estimate,
    Estimates,
    Gist,
    GistMemory,
    Library,
    Page,
    Plan,
    Question,
    Quote,
    ReadAgent,
    Shelf,
    ShelfAnswer,
    Statement,
    Support,
    Trace,
    Usage,
    preset,
)
from readagent.core.shelf.shelf_answer import Line
from readagent.core.trace import Call
from readagent.testing.scripted import Skimmer

EVIL = '<script>alert(1)</script><img src=x onerror="alert(2)">[click](javascript:alert(3)) ![](http://x/y) $x$ \x1b[2J'
STORY = "It was noon. " * 60 + "Irma holds the only key. " + "Then the ferry left. " * 60


class Tags(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.text = set[str](), set[str](), ""
        self.marked, self._in_mark = list[str](), False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._in_mark = tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._in_mark = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._in_mark:
            self.marked.append(data)


def memory_of(text: str, gist: str, pages: int = 1) -> GistMemory:
    size = len(text) // pages
    spans = tuple(Page(n, n * size, (n + 1) * size, 10) for n in range(pages))
    return GistMemory(Document.from_text(text, title="The Key"), spans, (Gist(gist, 3),) * pages, Plan(), "skimmer")


def answer_of(text: str, start: int, end: int, **more: object) -> Answer:
    quote = Quote(text[start:end], 0, 0, start, end, "p. 57")
    support = Support((Statement("Irma has it.", "supported", (0,)), Statement("She sings.", "unsupported")), "model")
    return replace(
        Answer(Question("Who holds it?"), "Irma has it. She sings.", None, (0,), (), 0.5, Trace(), (quote,)),
        support=support, document=Document.from_text(text), **more,
    )  # fmt: skip


def test_a_memory_is_a_table_of_places_and_gists() -> None:
    shown = Tags(memory_of(STORY, "Irma has the key.", 3)._repr_html_())
    assert "The Key" in shown.text
    assert "3 pages · 30 words in 9 · read by skimmer" in shown.text
    assert shown.text.count("Irma has the key.") == 3
    assert "page 3" in shown.text


def test_quotes_are_marked_within_the_text_around_them() -> None:
    start = STORY.index("Irma")
    shown = Tags(answer_of(STORY, start, start + 24)._repr_html_())
    assert shown.marked == ["Irma holds the only key."]
    assert "noon. Irma holds the only key. Then the ferry" in shown.text
    assert "p. 57" in shown.text
    assert "✓ supported" in shown.text
    assert "✗ not supported" in shown.text
    assert len(shown.text) < 800
    assert Tags(replace(answer_of(STORY, start, start + 24), document=None)._repr_html_()).marked == shown.marked


def test_a_shelf_shows_quotes_within_the_text_of_their_own_documents() -> None:
    other = STORY.replace("Irma", "Selma").replace("noon", "night")
    with ReadAgent(Skimmer(), library=Library.in_memory()) as agent:
        shelf = Shelf(agent, "keys")
        shelf.add(Document.from_text(STORY, title="The Key"))
        shelf.add(Document.from_text(other, title="The Other Key"))
        answer = shelf.ask("Who holds the only key?")
        assert answer.quotes
        shown = Tags(answer._repr_html_())
        for one in answer.quotes:
            text = STORY if one.title == "The Key" else other
            around = text[max(0, one.quote.start - 20) : one.quote.end + 20]
            assert " ".join(around.split()[1:-1]) in " ".join(shown.text.split())
        (kept,) = agent.library.shelves.answers("keys")
        assert kept.answer == answer
        assert kept.answer._repr_html_() == answer._repr_html_()
        for one in agent.library.documents():
            agent.library.remove(one.id)
        (kept,) = agent.library.shelves.answers("keys")
        assert "<mark>" in kept.answer._repr_html_()  # without the text around the quotes


@pytest.mark.parametrize(
    "where", ["text", "document", "gist", "title", "model", "question", "answer", "quote", "place", "shelf"]
)
def test_text_never_acts(where: str) -> None:
    memory, answer = memory_of("Some text.", "Gist."), answer_of("Some text.", 0, 4)
    shelf = ShelfAnswer(
        answer.question, "x", lines=(Line("a", EVIL, EVIL),), quotes=(Citation("a", EVIL, answer.quotes[0]),)
    )
    html = {
        "text": lambda: replace(answer, document=Document.from_text("Some " + EVIL))._repr_html_(),
        "document": lambda: Document.from_text("Some " + EVIL)._repr_html_(),
        "gist": lambda: replace(memory, gists=(Gist(EVIL, 3),))._repr_html_(),
        "title": lambda: replace(memory, document=replace(memory.document, title=EVIL))._repr_html_(),
        "model": lambda: replace(memory, model=EVIL, warnings=(EVIL,))._repr_html_(),
        "question": lambda: replace(answer, question=Question(EVIL))._repr_html_(),
        "answer": lambda: replace(answer, text=EVIL, support=Support((Statement(EVIL, "quoted"),)))._repr_html_(),
        "quote": lambda: replace(answer, quotes=(replace(answer.quotes[0], text=EVIL),))._repr_html_(),
        "place": lambda: replace(answer, quotes=(replace(answer.quotes[0], place=EVIL),))._repr_html_(),
        "shelf": lambda: shelf._repr_html_(),
    }[where]()
    shown = Tags(html)
    assert "alert(1)" in shown.text
    assert shown.tags <= {"div", "b", "i", "table", "tr", "th", "td", "mark", "ol", "li", "br"}
    assert shown.attributes <= {"class", "style"}
    assert "\x1b" not in html
    assert 'class="tex2jax_ignore' in html


def test_a_repr_is_telling() -> None:
    story = Document.from_text("Irma holds the key. Jakob sleeps.", title="The Key", source="key.txt")
    assert repr(story) == "<Document 'The Key': 6 words, from key.txt>"
    memory = GistMemory(story, (Page(0, 0, 33, 6),), (Gist("Irma has it.", 3),), Plan(), "skimmer")
    assert repr(memory) == "<GistMemory 'The Key': 1 page, 6 words in 3, read by skimmer>"
    quote = Quote("Irma holds the key.", 0, 0, 0, 19, "p. 1")
    assert repr(quote) == "Quote(text='Irma holds the key.', page=0, paragraph=0, start=0, end=19, place='p. 1')"
    support = Support((Statement("Irma.", "supported", (0,)),), "model")
    trace = Trace(calls=[Call("gist", 100, 10, Usage(150, 15), 0.5, True, "stop")])
    answer = Answer(Question("Who?"), "Irma.", None, (0,), (), 0.5, trace, (quote,), support=support)
    assert repr(answer) == "<Answer 'Irma.': supported, 1 quote, 1 opened page, 1 call>"
    assert repr(replace(answer, found_in_text=False, support=Support())).startswith(
        "<Answer 'Irma.': not in the text, "
    )
    assert repr(trace) == "<Trace: 1 call, gist 1, 165 tokens>"
    assert repr(preset("books")).startswith("Plan(page_words=3000, min_page_words=500, max_pages=3, by_importance=True")
    assert repr(Question("Who?")) == "Question(text='Who?')"
    assert all(len(repr(replace(thing, text="A long line.\n" * 500))) < 200 for thing in (answer, quote, story))
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
