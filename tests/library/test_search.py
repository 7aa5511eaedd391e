"""Full-text search: words and phrases, and any other input."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from library.shelf import memory_of, texts
from readagent.core.plan import Plan
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
    [
        ("私は昨日東京駅で友達に会った。", "東京", "[東京]"),
        ("他昨天在北京的火车站见到了朋友。", "火车站", "[火车站]"),
        ("ผมไปกรุงเทพเมื่อวานนี้", "กรุงเทพ", "กรุงเทพ"),
        ("Wir trafen uns in 東京 um acht.", "東京", "[東京]"),
    ],
)
def test_scripts_without_spaces_are_found_inside_a_line(
    library: Library, shelve: Callable[..., str], text: str, word: str, shown: str
) -> None:
    shelve(memory_of(text, size=1000))
    (hit,) = library.search(word)
    assert shown in hit.snippet
    assert library.search(word[::-1]) == []


@pytest.mark.parametrize("nothing", ["", "   ", '""', '"', "***", "_", "\0", "- + ( )"])
def test_a_search_without_words_is_a_usage_error(library: Library, nothing: str) -> None:
    with pytest.raises(UsageError):
        library.search(nothing)


@pytest.mark.parametrize(
    "typed",
    [
        'river"',
        '"river',
        'river" OR "lamp',
        "river OR zebra",
        "river NOT lamp",
        "text : river",
        "river*",
        "^river",
        "NEAR(river lamp, 2)",
        "{text gist}: river",
        "river\0lamp",
        "'; DROP TABLE pages; --",
        "river AND",
        "(river",
        "\ud800river",
        "a" * 5000,
    ],
)
def test_no_query_is_a_syntax_error(library: Library, lamp: str, typed: str) -> None:
    library.search(typed)
    assert library.search("river")


def test_fts_operators_are_ordinary_words(library: Library, lamp: str) -> None:
    assert library.search("river OR zebra") == []
    assert library.search("river NOT lamp") == []
    assert library.search("riv*") == []
    assert library.search("gist:anna") == []


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with Library(tmp_path_factory.mktemp("filled")) as library:
        memory = memory_of(LAMP)
        reading = library.start_reading(
            library.add(memory.document), "k", model="m", prompts="p", plan=Plan(), window=None
        )
        library.finish_reading(reading, memory)
        yield library


@settings(deadline=None)
@given(texts | st.lists(st.sampled_from(['"', "lamp", "OR", "(", "*", " ", "\0", "^", ":", "-"])).map("".join))
def test_any_input_is_searched_or_refused(filled: Library, typed: str) -> None:
    try:
        filled.search(typed)
    except UsageError:
        assert not any(character.isalnum() for character in typed)
