"""Documents, readings, calls, answers and exports."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from library.shelf import STORY, answer_to, memory_of
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.question import Quote
from readagent.core.trace import Fallback
from readagent.errors import LibraryError, NotInLibraryError
from readagent.library import Library, as_markdown
from readagent.records.export import as_json

Shelve = Callable[..., str]


def test_the_file_is_created_on_first_use(tmp_path: Path) -> None:
    library = Library(tmp_path / "home")
    assert library.size() == 0
    assert not (tmp_path / "home").exists()
    assert library.documents() == []
    assert library.path == tmp_path / "home" / "library.db"
    assert library.size() > 0
    library.close()
    assert library.get("nothing") is None  # opens again
    library.close()


def test_the_first_reply_of_a_key_stays(library: Library) -> None:
    library.put("k", "m", Ask("gist", "shorten this"), Reply("first"))
    library.put("k", "m", Ask("gist", "shorten this"), Reply("second"))
    reply = library.get("k")
    assert reply is not None
    assert (reply.text, reply.paid) == ("first", False)


def test_a_title_or_source_is_only_added_if_missing(library: Library) -> None:
    library.add(Document.from_text(STORY))
    library.add(Document.from_text(STORY, title="The lamp"))
    library.add(Document.from_text(STORY, title="Another", source="/texts/lamp.txt"))
    (row,) = library.documents()
    assert (row.title, row.source) == ("The lamp", "/texts/lamp.txt")


def test_places_are_replaced_only_by_those_of_the_same_source_and_paragraphs(library: Library) -> None:
    def stored(place: str, source: str = "/texts/lamp.pdf", heading: int = 0) -> set[str]:
        document = Document.from_text(STORY, source=source)
        paragraphs = tuple(replace(one, place=place, heading=heading) for one in document.paragraphs)
        name = library.add(replace(document, paragraphs=paragraphs))
        return {one.place for one in library.document(name).paragraphs}

    assert stored("page 1") == {"page 1"}
    assert stored("page 301") == {"page 301"}
    assert stored("page 9", source="/texts/copy.pdf") == {"page 301"}
    assert stored("page 9", heading=1) == {"page 301"}
    assert stored("") == {"page 301"}


def test_the_list_shows_the_state_of_each_document(library: Library, shelve: Shelve) -> None:
    added = library.add(Document.from_text("only added"))
    begun = library.add(Document.from_text("begun but not finished"))
    library.start_reading(begun, "k", model="m", prompts="p", plan=Plan(), window=None)
    memory = memory_of()
    done = shelve(memory)
    library.keep_answer(done, "key", answer_to(), model="m")
    rows = {row.id: row for row in library.documents()}
    assert [rows[name].state for name in (added, begun, done)] == ["added", "reading", "done"]
    row = rows[done]
    assert (row.pages, row.gist_words, row.questions) == (len(memory.pages), memory.words(), 1)
    assert row.words == memory.document.words
    assert (rows[begun].pages, rows[begun].gist_words) == (0, 0)


def test_the_newest_finished_reading_is_the_memory(tmp_path: Path) -> None:
    times = iter(datetime(2024, 1, 1, tzinfo=UTC) + timedelta(hours=n) for n in range(100))
    with Library(tmp_path, clock=lambda: next(times)) as library:
        small, large = memory_of(size=20), memory_of(size=60)
        document = library.add(small.document)
        assert library.memory(document) is None
        first = library.start_reading(document, "small", model="m", prompts="p", plan=Plan(), window=None)
        second = library.start_reading(document, "large", model="m", prompts="p", plan=Plan(), window=None)
        library.finish_reading(second, large)
        assert library.memory(document) == large
        assert library.memory(document, key="small") is None
        library.finish_reading(first, small)
        assert library.memory(document) == small
        assert library.memory(document, key="large") == large
        assert [row.key for row in library.readings(document)] == ["large", "small"]
        assert len(library.search("river")) == 1  # found once, not once for each reading


def test_a_reading_with_the_same_key_continues(library: Library) -> None:
    document = library.add(Document.from_text(STORY))
    plan = Plan()
    first = library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None)
    assert library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None) == first
    library.finish_reading(first, memory_of())
    library.finish_reading(first, memory_of())
    assert library.start_reading(document, "k", model="m", prompts="p", plan=plan, window=None) == first
    assert library.memory(document, key="k") == memory_of()


def test_fallbacks_are_stored_with_the_reading(library: Library, shelve: Shelve) -> None:
    memory = memory_of()
    memory.trace.fallbacks.append(Fallback("gist", "the reply was empty", "lead", 1))
    document = shelve(memory)
    assert library.readings(document)[0].fallbacks == tuple(memory.trace.fallbacks)


def test_removing_a_document_leaves_only_the_cached_replies(library: Library, shelve: Shelve) -> None:
    library.put("k", "m", Ask("gist", "shorten this"), Reply("short"))
    other = shelve(memory_of("Another river, another text."))
    document = shelve(memory_of())
    number = library.keep_answer(document, "key", answer_to(), model="m")
    library.remove(document)
    assert [row.id for row in library.documents()] == [other]
    assert [hit.document for hit in library.search("river")] == [other]
    assert library.answers() == []
    assert library.readings(document) == []
    assert library.memory(document) is None
    for gone in (lambda: library.document(document), lambda: library.answer(number), lambda: library.remove(document)):
        with pytest.raises(NotInLibraryError):
            gone()
    assert library.get("k") is not None
    assert library.forget_calls() == 1
    assert library.get("k") is None


def test_readings_and_answers_need_a_document(library: Library) -> None:
    memory = memory_of()
    with pytest.raises(NotInLibraryError):
        library.start_reading(memory.document.id, "k", model="m", prompts="p", plan=Plan(), window=None)
    with pytest.raises(NotInLibraryError):
        library.keep_answer(memory.document.id, "k", answer_to(), model="m")
    document = library.add(memory.document)
    reading = library.start_reading(document, "k", model="m", prompts="p", plan=Plan(), window=None)
    library.remove(document)
    with pytest.raises(NotInLibraryError, match="removed"):
        library.finish_reading(reading, memory)


def test_answers_come_newest_first_and_by_thread(library: Library, shelve: Shelve) -> None:
    one, two = shelve(memory_of()), shelve(memory_of("Another text."))
    library.keep_answer(one, "key", answer_to("first?"), model="m", thread="t")
    library.keep_answer(two, "key", answer_to("second?"), model="m")
    library.keep_answer(one, "key", answer_to("third?"), model="m", thread="t")
    assert [kept.question.text for kept in library.answers()] == ["third?", "second?", "first?"]
    assert [kept.question.text for kept in library.answers(one)] == ["third?", "first?"]
    assert [kept.question.text for kept in library.answers(thread="t")] == ["third?", "first?"]
    assert {kept.reading for kept in library.answers()} == {"key"}


def test_threads_may_share_it(library: Library) -> None:
    def put(start: int) -> None:
        for n in range(start, start + 20):
            library.put(str(n), "m", Ask("gist", "p"), Reply(str(n)))

    threads = [threading.Thread(target=put, args=(start,)) for start in (0, 20, 40, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(library.get(str(n)) or Reply("")).text for n in range(80)] == [str(n) for n in range(80)]


def test_a_home_that_cannot_be_created_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LibraryError) as caught:
        Library(tmp_path / "file").documents()
    assert str(tmp_path / "file") in str(caught.value)
    assert caught.value.hint
    (tmp_path / "folder.db").mkdir()
    with pytest.raises(LibraryError):
        Library(tmp_path / "folder.db").documents()


def kept(library: Library, shelve: Shelve, memory: GistMemory) -> str:
    document = shelve(memory)
    library.keep_answer(document, "key", answer_to("Who is Anna?"), model="m")
    library.keep_answer(document, "key", answer_to("And\nthen?"), model="m")
    return document


def test_the_json_export_has_the_documented_format(library: Library, shelve: Shelve) -> None:
    memory = memory_of(STORY + "\ud800", title="The lamp")
    document = kept(library, shelve, memory)
    value = json.loads(as_json(memory, library.answers(document)))
    assert value["readagent"] == 2
    assert value["document"]["title"] == "The lamp"
    assert value["plan"]["page_words"] == memory.plan.page_words
    assert "".join(page["text"] for page in value["pages"]) == STORY + "?"
    first = value["pages"][0]
    assert set(first) == {"number", "start", "end", "place", "words", "text", "gist", "gist_words", "gist_origin",
                          "gist_problem"}  # fmt: skip
    assert (first["number"], first["start"], first["gist"], first["gist_origin"]) == (0, 0, "short 0", "model")
    assert [one["question"] for one in value["answers"]] == ["And\nthen?", "Who is Anna?"]
    assert value["answers"][0]["pages"] == [1, 0]
    assert json.loads(as_json(memory))["answers"] == []


def test_the_markdown_export_shows_near_passages_as_such(library: Library, shelve: Shelve) -> None:
    memory = memory_of("One page of text.", title="A page", size=100)
    answer = library.answers(kept(library, shelve, memory))[0]
    quote = Quote("One page", 0, 0, 0, 8, by_us=True)
    near = as_markdown(memory, [replace(answer, quotes=(quote,), found_in_text=False)])
    assert "*Nearest passages:*\n\n> One page" in near
    assert "*Nearest passages, found for this answer:*" in as_markdown(memory, [replace(answer, quotes=(quote,))])
    own = replace(quote, by_us=False)
    assert "Nearest passages" not in as_markdown(memory, [replace(answer, quotes=(own,))])


def test_the_markdown_export_has_gists_and_answers(library: Library, shelve: Shelve) -> None:
    memory = memory_of("One page of text.", title="A page", size=100)
    document = kept(library, shelve, memory)
    text = as_markdown(memory, library.answers(document))
    assert text == (
        '---\ntitle: "A page"\nwords: 4\npages: 1\ntags: [readagent]\n---\n\n'
        "# A page\n\n4 words in 1 page; the gists have 2 words, 50% fewer. Read by model-1.\n\n"
        "## Page 1\n\nshort 0\n\n## Questions\n\n"
        "### Who is Anna?\n\nA ferryman.\n\n*Opened: page 2; page 1.*\n\n"
        "### And then?\n\nA ferryman.\n\n*Opened: page 2; page 1.*\n"
    )
