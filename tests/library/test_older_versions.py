"""A library that version 0.1.0 made: it opens, and what was paid for in it is still used."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest

from library.processes import KILLED, start
from readagent import Library, Question, ReadAgent, Shelf, load
from readagent.core.memory import Gist, GistMemory
from readagent.core.plan import preset
from readagent.library.migrate import steps
from readagent.library.pack import seal, to_json
from readagent.library.readings import _plan
from readagent.library.sqlite import SQLiteDatabase
from sessions import Counting

FIXTURES = Path(__file__).parent.parent / "fixtures"
BEFORE = steps()[:9]  # what version 0.1.0 knew
STORY, ESSAY = "The Second Two Hundred", "The Garden at Øvre Sund"
OWN_GIST = "A gist that the owner of this library wrote by hand."


@pytest.fixture
def home(own_home: Path) -> Path:
    """A home folder with the library that version 0.1.0 made."""
    data = gzip.decompress((FIXTURES / "library-0.1.0.db.gz").read_bytes())
    (own_home / "library.db").write_bytes(data)
    return own_home


def test_documents_readings_and_pinned_gists_are_loaded(home: Path) -> None:
    with Library(home) as library:
        story, essay = library.documents()
        assert [(row.title, row.state, row.pages, row.questions) for row in (story, essay)] == [
            (STORY, "done", 5, 2),
            (ESSAY, "done", 5, 0),
        ]
        assert story.source == "/home/ann/texts/story.txt"
        assert essay.metadata["author"] == "Ingrid Møller-Núñez"
        assert library.find_document("garden").id == library.find_document(essay.id[:4]).id == essay.id
        memory = library.memory(story.id)
        assert memory is not None
        assert memory.document.text == load(FIXTURES / "story.txt").text
        assert "".join(map(memory.page_text, range(5))) == memory.document.text
        assert [gist.origin for gist in memory.gists] == ["model", "user", "model", "model", "model"]
        assert (memory.plan.page_words, memory.plan.min_page_words) == (600, 280)
        page = memory.pages[1]
        assert library.pinned(story.id) == {(page.start, page.end): Gist(OWN_GIST, 10, "user")}
        back = library.unpin(memory, [1]).gists[1]
        assert (back.origin, back.words) == ("model", len(back.text.split()))
        assert back.text.startswith("She sat a long while.")
        assert library.memory(story.id, key=memory.key) == library.memory(story.id)


def test_answers_and_their_quotes_are_loaded(home: Path) -> None:
    with Library(home) as library:
        choice, free = library.answers(library.find_document("story").id)
        assert (free.question.text, free.choice, free.pages) == ("Who kept the key?", None, (0,))
        assert choice.question == Question.choice("Where does it end?", ["At sea", "At home"])
        assert (choice.text, choice.choice, choice.pages) == ("At sea", "A", (2,))
        for kept in (free, choice):
            assert (kept.did_not_fit, kept.false_quotes, kept.found_in_text, kept.up_to) == ((), 0, True, None)
            assert [quote.by_us for quote in kept.quotes] == [True] * 3
            text = library.document(kept.document).text
            assert [text[quote.start : quote.end] for quote in kept.quotes] == [quote.text for quote in kept.quotes]
            answer = library.answer(kept.id)
            assert answer.quotes == kept.quotes
            assert (answer.statements, kept.statements, answer.verified) == ((), (), False)
            assert answer.trace.steps() == {"look_up": 1, "respond": 1}


def test_shelves_are_loaded(home: Path) -> None:
    with Library(home) as library:
        (shelf,) = library.shelves.all()
        assert (shelf.name, shelf.documents, shelf.questions) == ("old", 2, 1)
        cards = library.shelves.cards("old")
        assert [(card.title, card.origin) for card in cards] == [(ESSAY, "model"), (STORY, "model")]
        (kept,) = library.shelves.answers("old")
        answer = kept.answer
        assert answer.question.text == "Who speaks of the garden?"
        assert {card.title for card in answer.documents} <= {ESSAY, STORY}
        assert (answer.did_not_fit, answer.found_in_text) == ((), True)
        assert answer.quotes
        assert all(cited.quote.by_us for cited in answer.quotes)
        assert answer.trace.calls


def test_reading_again_with_a_pinned_gist_is_not_paid_again(home: Path) -> None:
    model = Counting()
    with Library(home) as library, ReadAgent(model, library=library) as agent:
        story = agent.read(load(FIXTURES / "story.txt"))
        assert (story.gists[1].text, story.gists[1].origin) == (OWN_GIST, "user")
        essay = agent.read(load(FIXTURES / "garden.md"))
        again = Shelf(agent, "old").ask("Who speaks of the garden?")
        assert again.quotes
        for memory in (story, essay):
            Shelf(agent, "new").add(memory)
    assert {ask.step for ask in model.asks} <= {"look_up", "respond", "check"}  # what questions take today


def unpinned(library: Library) -> GistMemory:
    """The memory of the story without the pinned gist: what was asked before it was pinned is asked of this memory."""
    memory = library.memory(library.find_document("story").id)
    assert memory is not None
    return library.unpin(memory, [1])


def test_reading_again_is_not_paid_again_and_questions_get_the_same_answers(home: Path) -> None:
    model = Counting()
    with Library(home) as library, ReadAgent(model, library=library) as agent:
        before = unpinned(library)
        story = agent.read(load(FIXTURES / "story.txt"))
        assert (story.pages, story.gists) == (before.pages, before.gists)
        assert len(agent.read(load(FIXTURES / "garden.md")).pages) == 5
        for question in (Question("Who kept the key?"), Question.choice("Where does it end?", ["At sea", "At home"])):
            agent.ask(story, question)
            newer, older = (one for one in library.answers(story.document.id) if one.question == question)
            assert (newer.text, newer.choice, newer.pages) == (older.text, older.choice, older.pages)
            assert newer.quotes == older.quotes
    assert {ask.step for ask in model.asks} == {"look_up", "respond", "check"}  # their prompts have changed since


@pytest.mark.parametrize("statements", [1, 13])
@pytest.mark.slow
def test_a_killed_migration_leaves_the_library_unchanged(home: Path, statements: int) -> None:
    with start("die_migrating", home, statements) as child:
        pass
    assert child.returncode == KILLED
    old = SQLiteDatabase(home / "library.db", all_steps=BEFORE)
    with closing(old):  # the older version still uses it
        assert old.rows("PRAGMA user_version") == [(9,)]
        assert old.rows("PRAGMA integrity_check") == [("ok",)]
        assert old.rows("SELECT count(*) FROM fixed JOIN documents ON documents.id = fixed.document") == [(1,)]
        assert b'"ours":true' in old.rows("SELECT quotes FROM answers WHERE in_text AND no_room = x'5b5d'")[0][0]
    with Library(home) as library:
        assert len(library.pinned(library.find_document("story").id)) == 1
        assert library.answers()[0].quotes[0].by_us


def test_the_look_up_auto_of_a_stored_plan_is_read_as_the_usual_one() -> None:
    stored = seal(to_json({"page_words": 600, "look_up": "auto"}))
    assert _plan(stored).look_up == preset("auto").look_up
