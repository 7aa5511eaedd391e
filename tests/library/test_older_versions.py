"""A library that version 0.1.0 made: it opens, and what was paid for in it is still used."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from pathlib import Path

import pytest

from library.processes import KILLED, start
from readagent import Library, Question, ReadAgent, Shelf, load
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory
from readagent.core.plan import preset
from readagent.core.question import Quote
from readagent.core.shelf.shelf_answer import Card
from readagent.library.migrate import steps
from readagent.library.pack import compress, seal, to_bytes, to_json
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


TEXT = Document.from_text("a")
TRICKY = 'say "source": and {"ours":false,"in_text":0} \\"no_room\\": and \ud800 "max_words":1'


def test_the_migration_renames_fields_and_leaves_texts_alone(tmp_path: Path) -> None:
    with closing(SQLiteDatabase(tmp_path / "library.db", all_steps=BEFORE)) as old:
        _write_as_before(old)
    with Library(tmp_path) as library:
        (kept,) = library.answers()
        assert kept.quotes == (Quote(TRICKY, 0, 1, 2, 3, TRICKY, False, True),)
        assert (kept.did_not_fit, kept.found_in_text) == ((7,), False)
        memory = library.memory(TEXT.id)
        assert memory is not None
        assert (memory.plan.page_words, memory.plan.min_page_words) == (11, 10)
        assert memory.plan.instructions == TRICKY
        assert memory.gists == (Gist("mine", 1, "user"),)
        assert library.unpin(memory, [0]).gists == (Gist(TRICKY, 3, "lead"),)
        (shelf_answer,) = library.shelves.answers("s")
        answer = shelf_answer.answer
        assert answer.documents == answer.left_out == (Card(TEXT.id, TRICKY, "", TRICKY, 3, "lead", "g"),)
        assert [page.page for page in answer.did_not_fit] == [7]
        assert (answer.text, answer.found_in_text) == (TRICKY, False)
        assert [cited.quote.by_us for cited in (*answer.quotes, *answer.lines[0].quotes)] == [True, True]


def _write_as_before(old: SQLiteDatabase) -> None:
    """Fill a library as version 0.1.0 did, with texts that look like the names in JSON that change."""
    when = "2025-01-01T00:00:00+00:00"
    quote = {"text": TRICKY, "page": 0, "paragraph": 1, "start": 2, "end": 3, "place": TRICKY, "exact": False}
    quote["ours"] = True
    card = {
        "document": TEXT.id,
        "title": TRICKY,
        "kind": "",
        "text": TRICKY,
        "words": 3,
        "source": "lead",
        "gists": "g",
    }
    cited = {"document": TEXT.id, "title": TRICKY, "quote": quote}
    answer = {
        "question": {"text": TRICKY, "options": [], "kind": "free"},
        "text": TRICKY,
        "documents": [card],
        "left_out": [card],
        "no_room": [{"document": TEXT.id, "title": TRICKY, "page": 7}],
        "quotes": [cited],
        "in_text": False,
        "lines": [{"document": TEXT.id, "title": TRICKY, "text": TRICKY, "quotes": [cited]}],
    }
    plan = {"max_words": 11, "min_words": 10, "instructions": TRICKY, "expand": "in place", "chains": 1}
    made = {"text": TRICKY, "words": 3, "source": "lead"}
    old.rows("INSERT INTO documents VALUES (?, x'', x'', 1, ?, x'7b7d', x'90', x'61')", TEXT.id, when)
    old.rows(
        "INSERT INTO readings (id, document, key, model, prompts, plan, state, started, finished, fallbacks)"
        " VALUES (1, ?, 'k', x'6d', 'p', ?, 'done', ?, ?, x'5b5d')",
        TEXT.id, _compact(plan), when, when,
    )  # fmt: skip
    old.rows("INSERT INTO pages VALUES (1, 1, 0, 0, 1, 1, 1, 'user', ?)", b"mine")
    old.rows("INSERT INTO fixed VALUES (?, x'', 0, 1, 1, 'user', ?, ?, ?)", TEXT.id, when, b"mine", _compact(made))
    old.rows("INSERT INTO questions VALUES (1, ?, 1, x'', 'free', ?, ?, x'5b5d')", TEXT.id, when, to_bytes(TRICKY))
    old.rows(
        "INSERT INTO answers (id, question, pages, no_room, compression, model, made, text, trace, quotes, in_text)"
        " VALUES (1, 1, x'5b5d', ?, 0.5, x'6d', ?, x'61', ?, ?, 0)",
        _compact([7]), when, compress(b"{}"), _compact([quote]),
    )  # fmt: skip
    old.rows("INSERT INTO shelves VALUES (1, x'73', ?)", when)
    old.rows("INSERT INTO shelf_answers VALUES (1, 1, x'6d', ?, ?, ?)", when, _compact(answer), compress(b"{}"))


def _compact(value: object) -> bytes:
    return to_bytes(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def test_the_look_up_auto_of_a_stored_plan_is_read_as_the_usual_one() -> None:
    stored = seal(to_json({"page_words": 600, "look_up": "auto"}))
    assert _plan(stored).look_up == preset("auto").look_up
