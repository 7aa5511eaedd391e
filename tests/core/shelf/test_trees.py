"""A shelf of long documents in a small window: parts can be looked into in every document, then pages opened."""

from __future__ import annotations

from dataclasses import replace

import pytest
from readagent.core.gists.merge import fit

from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.reading import read
from readagent.core.shelf.ask import Member, ask_several, join
from readagent.core.shelf.shelf_answer import Card, PageOf, ShelfAnswer
from sessions import make_session, prose, run, sensible
from shelf_members import INN

WINDOW = 6144
PLAN = Plan(page_words=200, min_page_words=100, max_pages=2, check=False)
TITLES = ("Ash", "Birch", "Cedar")


@pytest.fixture(scope="module")
def trees() -> list[Member]:
    """Three documents of 9,000 words each, whose words are numbered under the document's name."""
    made = []
    for title in TITLES:
        text = prose(600).text.replace("w", title.lower()).replace("W", title)
        document = Document.from_text(text, title=title)
        session = make_session(plan=PLAN, window=WINDOW)
        memory = run(fit(run(read(document, session)), session))
        assert memory.finer is not None
        made.append(Member(Card(document.id, title, "", f"All of {title}.", 3), memory))
    return made


def looking_for(word: str, *, answer: str = "It is there.") -> object:
    """A model that always chooses the entry whose pages hold a word."""

    def reply(ask: Ask) -> str:
        if ask.step != "look_up":
            return answer if ask.step == "respond" else sensible(ask)
        memory, choice = ask.material.memory, ask.choice
        assert memory is not None
        assert choice is not None
        (number,) = (page.number for page in memory.pages if f"{word} " in memory.page_text(page.number).lower())
        kind = choice.label
        return f"{kind}: {number if str(number) in choice.values else choice.values[0]}"

    return reply


def asked(members: list[Member], word: str, **how: str) -> tuple[ShelfAnswer, list[Ask]]:
    session = make_session(looking_for(word, **how), replace(PLAN, look_up="parallel"), WINDOW)  # type: ignore[arg-type]
    answer = run(ask_several(members, Question(f"Where is {word}?"), session))
    assert all(session.window.fits(ask.prompt) for ask in session.model.asks)  # type: ignore[attr-defined]
    return answer, session.model.asks  # type: ignore[attr-defined]


@pytest.mark.parametrize("place", range(3))
def test_the_right_page_of_every_document_can_be_opened(trees: list[Member], place: int) -> None:
    title, whole = TITLES[place], trees[place].whole
    word = f"{title.lower()}4500"
    answer, asks = asked(trees, word)
    (page,) = (page.number for page in whole.pages if f"{word} " in whole.page_text(page.number).lower())
    assert answer.pages == (PageOf(whole.document.id, title, page),)
    assert f"{word} " in asks[-1].prompt.lower()  # the raw page
    assert [ask.step for ask in asks] == ["look_up", "look_up", "respond"]
    assert answer.left_out == ()


def test_the_first_prompt_shows_the_parts_of_all_documents(trees: list[Member]) -> None:
    _, asks = asked(trees, "birch4500")
    prompt = asks[0].prompt
    assert prompt.startswith("Below is an index of several long documents.")
    parts = sum(len(member.memory.pages) for member in trees)
    assert all(f"<Part {number}>" in prompt for number in range(parts))
    assert all(f'<Document "{title}">\n<Part ' in prompt for title in TITLES)
    session = make_session(window=WINDOW)
    assert session.window.count(prompt) > 0.85 * (session.window.prompt or 0)


def test_a_page_of_a_short_document_next_to_a_long_one_can_be_opened(trees: list[Member]) -> None:
    answer, asks = asked([trees[0], INN], "nine")
    assert answer.pages == (PageOf(INN.card.document, "The inn", 1),)
    assert "It has nine rooms." in asks[-1].prompt


def test_every_level_of_a_joined_tree_covers_the_joined_text(trees: list[Member]) -> None:
    level = join([trees[0], INN, trees[1]], Plan()).memory
    while True:
        assert "".join(level.page_text(page.number) for page in level.pages) == level.document.text
        assert [page.number for page in level.pages] == list(range(len(level.gists)))
        if level.finer is None:
            break
        level = level.finer
