"""Search: words and phrases in full text, any other input, and cards by their vectors; many documents are no more work."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from library.shelf import kept, memory_of
from readagent.core.document import Document
from readagent.core.model import Vectors
from readagent.core.shelf.shelf_answer import Card
from readagent.errors import UsageError
from readagent.library import Hit, Library
from readagent.library.search import MOST_WORDS

LAMP = "Anna carried the lamp over the frozen river. " * 3 + "The café was closed. A naïve ferryman slept."


@pytest.fixture
def lamp(shelve: Callable[..., str]) -> str:
    return shelve(memory_of(LAMP, title="The lamp", gist="Anna crosses; eerie"))


def pages(hits: list[Hit]) -> set[int]:
    return {hit.page for hit in hits}


def test_a_hit_names_document_page_and_passage(library: Library, lamp: str) -> None:
    hit = library.search("ferryman")[0]
    assert (hit.document, hit.title, hit.page) == (lamp, "The lamp", 4)
    assert "[ferryman] slept" in hit.snippet
    assert "<b>ferryman</b>" in library.search("ferryman", marks=("<b>", "</b>"))[0].snippet
    for found in ('"frozen river"', "RIVER Frozen", "cafe", "CAFÉ", "eerie"):  # the last one is in the gist
        assert library.search(found), found
    for missing in ("anna ferryman slept gone", '"river frozen"'):
        assert library.search(missing) == [], missing


def test_a_clause_is_found_however_its_number_is_printed(library: Library, shelve: Callable[..., str]) -> None:
    for text in ("12.1(a) At once.", "12.1 (a) At once.", "12.1 Fees\n\n(a) At once.", "12.2 Fees\n\n(a) At once."):
        shelve(memory_of(text, title=text, size=1000))
    assert {hit.title[:7] for hit in library.search("12.1(a)")} == {"12.1(a)", "12.1 (a", "12.1 Fe"}
    assert len(library.search('"12.1(a)"')) == 2


def test_a_search_can_be_limited(library: Library, lamp: str, shelve: Callable[..., str]) -> None:
    other = shelve(memory_of("Another lamp, a lesser one.", title="Other"))
    assert {hit.document for hit in library.search("lamp")} == {lamp, other}
    assert {hit.document for hit in library.search("lamp", document_id=other)} == {other}
    assert len(library.search("lamp", limit=1)) == 1


@pytest.mark.parametrize(
    ("text", "word", "shown"),
    [("私は昨日東京駅で友達に会った。", "東京", "[東京]"), ("Wir trafen uns in 東京 um acht.", "東京", "[東京]")],
)
def test_scripts_without_spaces_are_found_inside_a_line(
    library: Library, shelve: Callable[..., str], text: str, word: str, shown: str
) -> None:
    shelve(memory_of(text, size=1000))
    (hit,) = library.search(word)
    assert shown in hit.snippet
    assert library.search(word[::-1]) == []


@pytest.mark.parametrize(
    "typed",
    ['river"', "river NOT lamp", "NEAR(river lamp, 2)", "'; DROP TABLE pages; --", "a" * 5000],
)
def test_no_query_is_a_syntax_error(library: Library, lamp: str, typed: str) -> None:
    library.search(typed)
    assert library.search("river")
    with pytest.raises(UsageError, match="no words"):
        library.search("- + ( )")


def test_only_the_first_different_words_of_a_query_are_searched(library: Library, shelve: Callable[..., str]) -> None:
    words = [f"w{number}" for number in range(MOST_WORDS)]
    document = shelve(memory_of(f"{' '.join(words)}.\n\nAnd more.", title="Words", size=1000))
    for typed in (" ".join([*words[:3] * 50, *words, "gone"]), f'"{" ".join(words)} gone"', "w0 and W0 more " * 9_000):
        assert [hit.document for hit in library.search(typed)] == [document]
        assert library.count_found(typed) == (1, 1)
    assert library.search("w0 gone") == []
    library.shelves.open("tales")
    library.shelves.put("tales", document)
    assert library.shelves.search("tales", [*words, "gone"], 9)[1] == [document]


NAME = "embedder"


def unit(*rows: list[float]) -> Vectors:
    numbers = np.array(rows, np.float32)
    numbers /= np.linalg.norm(numbers, axis=1, keepdims=True)
    return Vectors(numbers.shape[1], numbers.tobytes())


def shelved(library: Library, number: int, vectors: Vectors | None, *, shelf: str = "tales", name: str = NAME) -> str:
    """Put a document with a card and its vector on a shelf, and return its id."""
    memory = memory_of(f"Text number {number} on {shelf}.", title=f"Text {number}")
    document = kept(library, memory)
    library.shelves.open(shelf)
    library.shelves.put(shelf, document)
    library.shelves.keep_card(memory.key, Card(document, memory.document.title, "", "A text.", 5))
    assert not library.shelves.has_vector(document, memory.key, name)
    if vectors is not None:
        library.shelves.keep_vector(document, memory.key, name, vectors)
        assert library.shelves.has_vector(document, memory.key, name)
        assert not library.shelves.has_vector(document, memory.key, "another")
    return document


def test_the_nearest_documents_of_a_shelf_come_first(library: Library) -> None:
    near, nearer = shelved(library, 0, unit([1, 1, 0])), shelved(library, 1, unit([1, 0.1, 0]))
    far = shelved(library, 2, unit([-1, 0, 0.2]))
    shelved(library, 3, unit([1, 0, 0]), shelf="others")
    shelved(library, 4, unit([1, 0, 0]), name="another model")
    shelved(library, 5, unit([1, 0]))
    shelved(library, 6, None)
    find = library.shelves.nearest
    assert find("tales", NAME, unit([1, 0, 0]), 9) == [nearer, near, far]
    assert find("tales", NAME, unit([1, 0, 0]), 2) == [nearer, near]
    assert set(find("tales", NAME, unit([-1, 0, 0], [1, 0, 0]), 2)) == {nearer, far}
    assert find("tales", "unknown", unit([1, 0, 0]), 9) == []
    assert find("tales", NAME, unit([1, 0, 0, 0]), 9) == []
    assert find("tales", NAME, Vectors(0, b""), 9) == []


def test_a_card_that_is_replaced_or_removed_is_not_found_by_its_old_vector(library: Library) -> None:
    changed, removed = (shelved(library, number, unit([1, 0])) for number in range(2))
    memory = library.memory(changed)
    assert memory is not None
    library.shelves.keep_card(memory.key, Card(changed, "Text 0", "", "Another card.", 5))
    library.remove(removed)
    assert library.shelves.nearest("tales", NAME, unit([1, 0]), 9) == []
    library.shelves.keep_vector(changed, memory.key, NAME, unit([0, 1]))
    library.shelves.keep_vector(changed, memory.key, NAME, unit([1, 1]))
    assert library.shelves.nearest("tales", NAME, unit([1, 0]), 9) == [changed]


def letter(number: int) -> Document:
    return Document.from_text(f"Letter {number}. The ferry was late.", source=f"/letters/{number}.txt")


_QUESTIONS: dict[str, Callable[[Library], object]] = {
    "row": lambda library: library.row(letter(0).id),
    "add": lambda library: library.add(letter(0), current=True),
}


@pytest.mark.parametrize("question", _QUESTIONS)
def test_the_work_for_one_document_does_not_grow_with_the_library(question: str) -> None:
    with Library.in_memory() as library:
        library.add(letter(0))
        few = steps_of(library, _QUESTIONS[question])
        for number in range(1, 200):
            library.add(letter(number))
        assert steps_of(library, _QUESTIONS[question]) <= 2 * few


def test_the_work_for_a_list_does_not_grow_with_the_pages() -> None:
    steps = []
    for size in (400, 4):
        with Library.in_memory() as library:
            for number in range(20):
                memory = memory_of(f"{number} {'The ferry was late. ' * 50}", size=size)
                kept(library, memory, "k")
            steps.append(steps_of(library, Library.documents))
            assert {row.pages for row in library.documents()} == {len(memory.pages)}
    few, many = steps
    assert many <= 1.1 * few


def steps_of(library: Library, ask: Callable[[Library], object]) -> int:
    """Return how many steps SQLite takes for a question, in tens."""
    connection = library._db._opened()
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(step, 10)
    ask(library)
    connection.set_progress_handler(None, 10)
    return steps
