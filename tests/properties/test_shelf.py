"""Whatever documents are bound together: every page and quote is led back exactly, and any reply leaves an answer."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from properties.test_reading import REPLIES, babbling
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question, Quote
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.choose import choose
from readagent.core.shelf.compare import compare_all
from readagent.core.shelf.joined import Member, bind
from readagent.core.shelf.records import Card, PageOf
from readagent.core.words import count_words
from readagent.errors import NoAnswerError
from sessions import run, session

TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=120)


@st.composite
def members(draw: st.DrawFn) -> Member:
    """A document of any text, cut into pages anywhere."""
    text = draw(TEXTS)
    document = Document.from_text(text, title=draw(st.text(max_size=20)))
    cuts = sorted(draw(st.sets(st.integers(1, len(text)), max_size=4)) | {0, len(text)})
    pages = [Page(i, a, b, count_words(text[a:b])) for i, (a, b) in enumerate(itertools.pairwise(cuts))]
    gists = tuple(Gist(f"gist {page.number}", 2) for page in pages)
    card = Card(f"{draw(st.integers(0, 10**6))}", document.title, "", "short", 1)
    return Member(card, GistMemory(document, tuple(pages), gists, Plan()))


SHELVES = st.lists(members(), min_size=1, max_size=6)


@given(SHELVES)
def test_every_page_is_led_back_to_itself(shelf: list[Member]) -> None:
    bound = bind(shelf, Plan())
    expected = [PageOf(one.card.document, one.card.title, page.number) for one in shelf for page in one.memory.pages]
    assert list(bound.pages(range(len(bound.memory.pages)))) == expected
    assert "".join(map(bound.memory.page_text, range(len(expected)))) == bound.memory.document.text
    assert [page.number for page in bound.memory.pages] == list(range(len(expected)))


@given(SHELVES, st.data())
def test_every_quote_is_led_back_to_its_own_text(shelf: list[Member], data: st.DataObject) -> None:
    bound = bind(shelf, Plan())
    text = bound.memory.document.text
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    cited = bound.cited(Quote(text[start:end], 0, 0, start, end))
    if cited is None:  # it runs over the end of its document
        assert not any(at <= start and end <= at + len(one.memory.document.text)
                       for one, at in zip(shelf, bound.starts, strict=True))  # fmt: skip
        return
    quote = cited.quote
    own = next(one for one, at in zip(shelf, bound.starts, strict=True) if at == start - quote.start)
    assert own.card.document == cited.document
    assert own.memory.document.text[quote.start : quote.end] == text[start:end]
    page = own.memory.pages[quote.page]
    assert page.start <= quote.start < page.end


@given(SHELVES, REPLIES, st.sampled_from([None, 1024, 4096]))
@settings(max_examples=60)
def test_any_reply_leaves_an_answer_with_true_citations(
    shelf: list[Member], replies: list[tuple[str, str]], window: int | None
) -> None:
    who = session(babbling(replies), window=window)  # type: ignore[arg-type]
    question = Question("Who is it?")
    chosen = run(choose([one.card for one in shelf], question, who, most=2))
    assert 1 <= len(chosen) <= 2
    texts = [one.memory.document.text for one in shelf]
    try:
        answers = [run(ask_several(shelf, question, who)), run(compare_all(shelf, question, who))]
    except NoAnswerError:
        return
    for cited in (cited for answer in answers for cited in answer.quotes):
        assert any(text[cited.quote.start : cited.quote.end] == cited.quote.text for text in texts)
