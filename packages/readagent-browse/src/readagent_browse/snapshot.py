"""Parse the HTML of a page into a Snapshot."""

from __future__ import annotations

from collections.abc import Collection

from readagent.loaders.html.tree import TEXT, tree_of, walk, words_in
from readagent.loaders.html.tree import Element as Markup
from readagent_browse.dom import Snapshot
from readagent_browse.snapshot_builder import ID_ATTRIBUTE, SnapshotBuilder


def snapshot_of(
    html: str,
    id_attribute: str = ID_ATTRIBUTE,
    targets: Collection[str] | None = None,
    *,
    cleaned: bool = False,
) -> Snapshot:
    """Return the page in this HTML, which need not be valid.

    An element's id is the value of ``id_attribute`` if it has a usable one; the other elements that can be acted on are
    numbered in page order. With ``targets`` only the elements with these ids can be acted on. ``cleaned`` means that
    invisible elements were removed before, so that everything left counts as visible.
    """
    builder = SnapshotBuilder(id_attribute, targets, cleaned)
    root = tree_of(html)

    def enter(node: Markup) -> bool:
        tag = node.tag
        if tag == TEXT:
            builder.text(node.text_content or "")
        if tag == "head":
            builder.title = next((words_in(title) for title in node.css("title")), "")
        if tag is None or tag[0] == "-":
            return False
        return builder.open(tag, {name.lower(): value or "" for name, value in node.attributes.items()})

    walk(root, enter, lambda _: builder.close())
    return builder.build()
