"""Whatever documents are joined: pages and quotes map back exactly, and any reply gives an answer."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.test_reading import REPLIES, babbling
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question, Quote
from readagent.core.shelf.ask import Member, ask_several, join
from readagent.core.shelf.cards import choose
from readagent.core.shelf.compare import compare_all
from readagent.core.shelf.shelf_answer import Card, PageOf
from readagent.core.words import count_words
from readagent.errors import NoAnswerError
from sessions import make_session, run

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=120)


@st.composite
def members(draw: st.DrawFn) -> Member:
    """Return a document of any text, cut into pages anywhere."""
    text = draw(TEXTS)
    document = Document.from_text(text, title=draw(st.text(max_size=20)))
    cuts = sorted(draw(st.sets(st.integers(1, len(text)), max_size=4)) | {0, len(text)})
    pages = [Page(i, a, b, count_words(text[a:b])) for i, (a, b) in enumerate(itertools.pairwise(cuts))]
    gists = tuple(Gist(f"gist {page.number}", 2) for page in pages)
    card = Card(f"{draw(st.integers(0, 10**6))}", document.title, "", "short", 1)
    return Member(card, GistMemory(document, tuple(pages), gists, Plan()))


SHELVES = st.lists(members(), min_size=1, max_size=6)


@given(SHELVES)
def test_every_joined_page_maps_back_to_its_document(shelf: list[Member]) -> None:
    joined = join(shelf, Plan())
    expected = [PageOf(one.card.document, one.card.title, page.number) for one in shelf for page in one.memory.pages]
    assert list(joined.pages(range(len(joined.memory.pages)))) == expected
    assert "".join(map(joined.memory.page_text, range(len(expected)))) == joined.memory.document.text
    assert [page.number for page in joined.memory.pages] == list(range(len(expected)))


@given(SHELVES, st.data())
def test_every_quote_maps_back_to_its_document(shelf: list[Member], data: st.DataObject) -> None:
    joined = join(shelf, Plan())
    text = joined.memory.document.text
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    cited = joined.cite(Quote(text[start:end], 0, 0, start, end))
    if cited is None:  # it runs over the end of its document
        assert not any(at <= start and end <= at + len(one.memory.document.text)
                       for one, at in zip(shelf, joined.starts, strict=True))  # fmt: skip
        return
    quote = cited.quote
    own = next(one for one, at in zip(shelf, joined.starts, strict=True) if at == start - quote.start)
    assert own.card.document == cited.document
    assert own.memory.document.text[quote.start : quote.end] == text[start:end]
    page = own.memory.pages[quote.page]
    assert page.start <= quote.start < page.end


@pytest.mark.slow
@given(SHELVES, REPLIES, st.sampled_from([None, 1024, 4096]))
@settings(max_examples=60)
def test_any_reply_leaves_an_answer_with_true_citations(
    shelf: list[Member], replies: list[tuple[str, str]], window: int | None
) -> None:
    session = make_session(babbling(replies), window=window)  # type: ignore[arg-type]
    question = Question("Who is it?")
    chosen = run(choose([one.card for one in shelf], question, session, most=2))
    assert 1 <= len(chosen) <= 2
    texts = [one.memory.document.text for one in shelf]
    try:
        answers = [run(ask_several(shelf, question, session)), run(compare_all(shelf, question, session))]
    except NoAnswerError:
        return
    for cited in (cited for answer in answers for cited in answer.quotes):
        assert any(text[cited.quote.start : cited.quote.end] == cited.quote.text for text in texts)
