"""Cutting a page: the best depth is chosen, long elements are split, tiny ones are joined."""

from __future__ import annotations

from readagent_browse.snapshot import snapshot_of
from readagent_browse.snippets import cut, unevenness
from web_pages import SHOP, shop_page


def nested(depth: int, parts: int, words: int) -> str:
    """Return a page with parts of this many words at this depth; html is at depth 0, body at 1."""
    inner = "".join(f"<section><p>{' '.join(f'w{i}' for _ in range(words))}</p></section>" for i in range(parts))
    return "<html><body>" + "<div>" * (depth - 2) + inner


def test_the_depth_with_the_most_even_sizes_is_chosen() -> None:
    page = snapshot_of(nested(6, 8, 100))
    assert [snippet.words for snippet in cut(page, 100)] == [100] * 8
    assert cut(page, 100) == cut(page, 100, depth=6)
    assert [snippet.paths for snippet in cut(page, 100)][1] == (
        "/html[1]/body[1]/div[1]/div[1]/div[1]/div[1]/section[2]",
    )


def test_with_a_fixed_depth_only_long_elements_are_split() -> None:
    page = snapshot_of(nested(6, 3, 100))
    assert [snippet.words for snippet in cut(page, 1000, depth=2)] == [300]
    assert [snippet.words for snippet in cut(page, 100, depth=2)] == [100, 100, 100]
    assert [snippet.words for snippet in cut(page, 40, depth=6)] == [40, 40, 20] * 3


def test_tiny_neighbours_are_joined() -> None:
    page = snapshot_of(nested(6, 50, 5))
    sizes = [snippet.words for snippet in cut(page, 100)]
    assert sum(sizes) == 250
    assert len(sizes) < 15


def test_unevenness_is_zero_if_all_sizes_are_as_wanted() -> None:
    assert unevenness([50, 50], 50) == 0
    assert unevenness([50, 50], 100) == unevenness([200, 200], 100)
    assert unevenness([90, 110], 100) < unevenness([10, 190], 100)
    assert unevenness([], 100) == 0


def test_every_element_is_in_one_snippet_and_no_snippet_is_too_long() -> None:
    for html in (SHOP, shop_page(5000)):
        page = snapshot_of(html)
        snippets = cut(page, 120)
        assert [element for snippet in snippets for element in snippet.elements] == list(page.elements)
        assert max(snippet.words for snippet in snippets) <= 130  # closing tags are not counted while cutting
        assert all(f"id={element.id}" in snippet.html for snippet in snippets for element in snippet.elements)


def test_text_that_is_only_a_control_character_is_nothing() -> None:
    page = snapshot_of("<p>\x1b</p><p>Lamps</p>")
    assert [snippet.html for snippet in cut(page, 1)] == ["Lamps"]
