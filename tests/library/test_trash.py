"""The trash: what was removed comes back as it was, also in a copy, until its term is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from library.everything import fill_everything
from library.shelf import answer_to, kept, memory_of
from library.test_pinned import grown
from readagent.core.document import Document
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import TERM, Library
from readagent.library.jobs import JobReport
from readagent.library.rows import AnswerNote
from readagent.library.upkeep.tables import TABLES


def everything(library: Library, *without: str) -> dict[str, list[Any]]:
    """All rows of all tables but the trash."""
    names = [table.name for table in TABLES if table.name not in ("trash", *without)]
    return {name: sorted(library._db.rows(f"SELECT * FROM {name}"), key=repr) for name in names}


def test_a_document_comes_back_with_all_that_belonged_to_it(library: Library) -> None:
    document = fill_everything(library)[0].document.id
    for job in library.jobs.all():
        library.jobs.remove([job.id])
    made = library.jobs.new("overview", document=document, request={"kind": "summary"})
    library.jobs.keep(made.id, "done", JobReport(), {"markdown": "Of lamps."})
    before, shown, found = everything(library), library.row(document), library.search("ferryman")
    number = library.remove(document)
    assert number is not None
    assert (library.row(document), library.answers(), library.shelves.cards("tales")) == (None, [], [])
    assert {hit.document for hit in library.search("ferryman")} == {hit.document for hit in found} - {document}
    assert [(one.kind, one.name) for one in library.trash()] == [
        ("document", "The lamp 0"), ("answer", "And who is gone?"),
    ]  # fmt: skip
    assert library.get("key") is not None  # what was paid for stays
    assert library.check() == []
    assert library.restore(number).document == document
    assert everything(library) == before
    assert library.row(document) == shown
    assert len(library.search("ferryman")) == len(found)
    assert library.shelves.search("tales", ["lamps"], 3) == ([document], [])
    assert library.check() == []
    with pytest.raises(NotInLibraryError, match="nothing with the number"):
        library.restore(number)


def test_in_a_copy_ids_that_were_given_again_are_new(library: Library, tmp_path: Path) -> None:
    kept(library, memory_of("Another river, another text."))
    document = kept(library, memory_of(title="The lamp", source="/texts/lamp.txt"), "key")
    answer = library.keep_answer(document, "key", answer_to(), model="m")
    number = library.remove(document)
    with Library(tmp_path / "copy") as copy:
        library.copy_to(copy)
        kept(copy, memory_of("A lamp of today.", source="/texts/lamp.txt"), "key")
        assert number is not None
        copy.restore(number)
        assert copy.check() == []
        assert [one.text for one in copy.answers(document)] == [answer_to().text]
        assert sorted((one.title, one.version, one.newest) for one in copy.documents()) == [
            ("", 1, True), ("", 2, True), ("The lamp", 1, False),
        ]  # fmt: skip
        assert {hit.title for hit in copy.search("ferryman")} == {"The lamp"}
        kept(copy, memory_of("New rows get ids of their own."))
    library.restore(number)
    assert library.answer(answer).text == answer_to().text  # at its address


def test_an_answer_from_a_shelf_comes_back_while_there_is_the_shelf(library: Library) -> None:
    fill_everything(library)
    (kept,) = library.shelves.answers("tales")
    library.annotate(kept.id, AnswerNote(True, "Why?"))
    before = everything(library)
    number = library.remove_answer(kept.id) or 0
    assert library.restore(number).name == "Who?"
    assert everything(library) == before
    assert library.check() == []
    number = library.remove_answer(kept.id) or 0
    library.shelves.remove("tales")
    with pytest.raises(UsageError, match="the shelf of this answer was removed"):
        library.restore(number)


def test_what_cannot_be_restored_says_why(library: Library) -> None:
    memory = memory_of(title="The lamp")
    document = kept(library, memory)
    answers = [library.keep_answer(document, memory.key, answer_to(), model="m") for _ in range(2)]
    removed = library.remove_answer(answers[0])
    gone = library.remove(document)
    assert removed is not None and gone is not None  # noqa: PT018
    with pytest.raises(UsageError, match="not in the library") as refused:
        library.restore(removed)
    assert refused.value.hint == "restore the document first"
    library.add(memory.document)
    with pytest.raises(UsageError, match="in the library again"):
        library.restore(gone)
    library.empty_trash(library.remove(document))
    library.restore(gone)
    longer = grown(library.memory(document) or memory)
    library.grow(document, longer)
    assert library.restore(removed).name == answer_to().question.text
    assert [one.id for one in library.answers(longer.document.id)] == answers[::-1]
    assert library.check() == []


def test_the_trash_is_emptied_and_its_term_ends(tmp_path: Path) -> None:
    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    with Library(tmp_path, clock=lambda: now[0]) as library:
        first, second, third = (kept(library, memory_of(f"{text} and a lamp.")) for text in ("One", "Two", "Three"))
        library.remove(first)
        now[0] += TERM - timedelta(seconds=1)
        assert [one.until - now[0] for one in library.trash()] == [timedelta(seconds=1)]
        library.remove(second)
        assert [one.document for one in library.trash()] == [second, first]
        now[0] += timedelta(seconds=1)
        assert [one.document for one in library.trash()] == [second]
        assert library.info().counts["trash"] == 2
        library.remove(third)
        assert library.info().counts["trash"] == 2
        assert (library.empty_trash(), library.trash(), library.empty_trash()) == (2, [], 0)
        with pytest.raises(NotInLibraryError, match="nothing with the number"):
            library.empty_trash(1)


def test_a_conversation_is_not_kept(library: Library) -> None:
    said = Document.from_text("user: my secret", source="conversation:bank")
    assert library.remove(library.add(said)) is None
    assert library.trash() == []
    with pytest.raises(NotInLibraryError, match="forgotten"):
        library.add(said)
