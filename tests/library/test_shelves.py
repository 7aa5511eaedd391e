"""Shelves: names, documents, cards and answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings

from library.shelf import memory_of, questions, texts, traces
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import Card, ShelfAnswer
from readagent.core.trace import Trace
from readagent.errors import NotInLibraryError, UsageError
from readagent.library import Library

Shelve = Callable[..., str]


@pytest.fixture
def put(library: Library, shelve: Shelve) -> Callable[..., str]:
    """Return a function that reads a text, makes its card and puts it on a shelf."""
    if not library.shelves.all():
        library.shelves.new("tales")

    def one(
        text: str, card: str = "", *, source: str = "", title: str = "", shelf: str = "tales", key: str = "k"
    ) -> str:
        document = shelve(memory_of(text, title=title, source=source), key)
        library.shelves.keep_card(key, Card(document, title or text[:10], "", card or text, 3))
        library.shelves.put(shelf, document)
        return document

    return one


def on_shelf(library: Library, shelf: str = "tales") -> list[str]:
    return [card.document for card in library.shelves.cards(shelf)]


def test_the_name_of_a_shelf_is_unique(library: Library) -> None:
    assert library.shelves.new("  old   tales ").name == "old tales"
    with pytest.raises(UsageError, match="there is a shelf 'old tales' already"):
        library.shelves.new("old tales")
    for name, reason in (
        ("  ", "needs a name"),
        ("a\x1b[31mb", "cannot have control characters"),
        ("x" * 101, "at most 100 characters"),
        ("..", "cannot be"),
    ):
        with pytest.raises(UsageError, match=reason):
            library.shelves.new(name)
    assert [(row.name, row.documents, row.questions) for row in library.shelves.all()] == [("old tales", 0, 0)]


def test_a_shelf_is_found_by_its_name_or_a_prefix_and_close_names_are_suggested(library: Library) -> None:
    with pytest.raises(NotInLibraryError, match="there are no shelves yet"):
        library.shelves.find("tales")
    for name in ("contracts", "contracts 2", "novels"):
        library.shelves.new(name)
    assert library.shelves.find("Contracts").name == "contracts"
    assert library.shelves.find("nov").name == "novels"
    with pytest.raises(NotInLibraryError) as unclear:
        library.shelves.find("cont")
    assert unclear.value.hint == "did you mean 'contracts' or 'contracts 2'?"
    assert unclear.value.candidates == ("contracts", "contracts 2")
    with pytest.raises(NotInLibraryError) as mistyped:
        library.shelves.find("novel's")
    assert "'novels'" in mistyped.value.hint
    with pytest.raises(NotInLibraryError) as unknown:
        library.shelves.find("zebra")
    assert "readagent shelf list" in unknown.value.hint


def test_documents_keep_their_order_and_may_be_on_several_shelves(library: Library, put: Shelve) -> None:
    library.shelves.new("other")
    first, second = put("Salt came up the river."), put("Bread was baked on Mondays.")
    library.shelves.put("tales", first)  # a second time changes nothing
    library.shelves.put("other", second)
    assert on_shelf(library) == [first, second]
    assert on_shelf(library, "other") == [second]
    library.shelves.take_off("tales", second)
    assert (on_shelf(library), on_shelf(library, "other")) == ([first], [second])
    with pytest.raises(NotInLibraryError, match="is not on the shelf"):
        library.shelves.take_off("tales", second)
    with pytest.raises(NotInLibraryError, match="no document"):
        library.shelves.put("tales", "0" * 16)


def test_documents_are_found_by_their_cards_and_by_their_pages(library: Library, put: Shelve) -> None:
    library.shelves.new("other")
    salt = put("Salt came up the river in barges.", "A merchant sells what he should not.")
    bread = put("Bread was baked on Mondays.", "Of bakers, and a merchant.")
    put("Barges and merchants.", "Merchants.", shelf="other")
    assert library.shelves.search("tales", ["merchants"], 9) == ([bread, salt], [])
    assert library.shelves.search("tales", ["barges", "zebra"], 9) == ([], [salt])
    assert library.shelves.search("tales", ['"', "", "*", 'a"b'], 9) == ([], [])
    assert len(library.shelves.search("tales", ["merchant"], 1)[0]) == 1


@given(questions, texts, texts, traces)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_any_answer_and_any_card_are_stored_unchanged(
    library: Library, shelve: Shelve, question: Question, text: str, title: str, trace: Trace
) -> None:
    if not library.shelves.all():
        library.shelves.new("tales")
    document = shelve(memory_of())
    card = Card(document, title, text, text, 7, "lead")
    library.shelves.keep_card("key", card)
    assert library.shelves.card(document, "key") == card
    answer = ShelfAnswer(question, text, None, (card,), trace=trace)
    library.shelves.keep_answer("tales", answer, model=title)
    kept = library.shelves.answers("tales")[0]
    assert (kept.answer, kept.answer.trace, kept.model) == (answer, trace, title)
