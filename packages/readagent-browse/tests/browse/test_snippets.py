"""Cutting a page: the best depth is chosen, long elements are split, tiny ones are joined."""

from __future__ import annotations

from readagent_browse.snapshot import snapshot_of
from readagent_browse.snippets import cut
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


def test_every_element_is_in_one_snippet_and_no_snippet_is_too_long() -> None:
    for html in (SHOP, shop_page(5000)):
        page = snapshot_of(html)
        snippets = cut(page, 120)
        assert [element for snippet in snippets for element in snippet.elements] == list(page.elements)
        assert max(snippet.words for snippet in snippets) <= 130  # closing tags are not counted while cutting
        assert all(f"id={element.id}" in snippet.html for snippet in snippets for element in snippet.elements)
