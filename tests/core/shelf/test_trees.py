"""A shelf of long documents: their indexes are shown together, and any page of any of them can be opened."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import read
from readagent.core.shelf.ask import Member, ask_several, join
from readagent.core.shelf.shelf_answer import Card, PageOf, ShelfAnswer
from readagent.retrieval.hints import WordHinter
from sessions import make_session, prose, run, sensible
from shelf_members import INN

PLAN = Plan(page_words=200, min_page_words=100, max_pages=2, check=False, look_up="direct")
TITLES = ("Ash", "Birch", "Cedar")


@pytest.fixture(scope="module")
def long_ones() -> list[Member]:
    """Three documents of 9,000 words each, whose words are numbered under the document's name."""
    made = []
    for title in TITLES:
        text = prose(600).text.replace("w", title.lower()).replace("W", title)
        document = Document.from_text(text, title=title)
        session = make_session(plan=PLAN)
        memory = run(fit(run(read(document, session)), session))
        assert memory.finer is not None
        made.append(Member(Card(document.id, title, "", f"All of {title}.", 3), memory))
    return made


def looking_for(word: str) -> object:
    """A model that asks for the page that holds a word."""

    def reply(ask: Ask) -> str:
        if ask.step != "direct" or ask.material.opened:
            return "It is there." if ask.step == "direct" else sensible(ask)
        memory = ask.material.memory
        assert memory is not None
        (number,) = (page.number for page in memory.pages if f"{word} " in memory.page_text(page.number).lower())
        return f"Pages: {number}"

    return reply


def asked(members: list[Member], word: str, window: int) -> tuple[ShelfAnswer, list[Ask]]:
    session = replace(make_session(looking_for(word), PLAN, window), hinter=WordHinter())  # type: ignore[arg-type]
    answer = run(ask_several(members, Question(f"Where is {word}?"), session))
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    return answer, session.model.asks  # type: ignore[attr-defined]


@pytest.mark.parametrize(("place", "window"), [(0, 6144), (1, 32_768), (2, 6144)])
def test_any_page_of_every_document_can_be_opened(long_ones: list[Member], place: int, window: int) -> None:
    title, whole = TITLES[place], long_ones[place].whole
    word = f"{title.lower()}4500"
    answer, asks = asked(long_ones, word, window)
    (page,) = (page.number for page in whole.pages if f"{word} " in whole.page_text(page.number).lower())
    assert answer.pages == (PageOf(whole.document.id, title, page),)
    assert f"{word} " in asks[-1].prompt.lower()  # the raw page
    assert len(asks) == 2
    assert answer.left_out == ()
    assert asks[0].prompt.startswith("Below is your memory of several documents.")
    assert all(f'<Document "{title}">\n<Part ' in asks[0].prompt for title in TITLES)


def test_a_page_of_a_short_document_next_to_a_long_one_can_be_opened(long_ones: list[Member]) -> None:
    answer, asks = asked([long_ones[0], INN], "nine", 6144)
    assert answer.pages == (PageOf(INN.card.document, "The inn", 1),)
    assert "It has nine rooms." in asks[-1].prompt


def test_every_level_of_a_joined_index_covers_the_joined_text(long_ones: list[Member]) -> None:
    level = join([long_ones[0], INN, long_ones[1]], Plan()).memory
    while True:
        assert "".join(level.page_text(page.number) for page in level.pages) == level.document.text
        assert [page.number for page in level.pages] == list(range(len(level.gists)))
        if level.finer is None:
            break
        level = level.finer
