"""Full-text search: words and phrases, and any other input."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from library.shelf import memory_of
from readagent.errors import UsageError
from readagent.library import Hit, Library

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


def test_all_words_must_occur_and_phrases_in_order(library: Library, lamp: str) -> None:
    assert library.search("anna ferryman slept gone") == []
    assert library.search('"frozen river"')
    assert library.search('"river frozen"') == []
    assert library.search("RIVER Frozen")


def test_accents_do_not_matter(library: Library, lamp: str) -> None:
    assert library.search("cafe")
    assert library.search("CAFÉ")


def test_gists_are_searched_too(library: Library, lamp: str) -> None:
    assert library.search("eerie")


def test_a_search_can_be_limited_to_one_document(library: Library, lamp: str, shelve: Callable[..., str]) -> None:
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


@pytest.mark.parametrize("nothing", ["", "- + ( )"])
def test_a_search_without_words_is_a_usage_error(library: Library, nothing: str) -> None:
    with pytest.raises(UsageError):
        library.search(nothing)


@pytest.mark.parametrize(
    "typed",
    ['river"', "river NOT lamp", "NEAR(river lamp, 2)", "'; DROP TABLE pages; --", "a" * 5000],
)
def test_no_query_is_a_syntax_error(library: Library, lamp: str, typed: str) -> None:
    library.search(typed)
    assert library.search("river")
