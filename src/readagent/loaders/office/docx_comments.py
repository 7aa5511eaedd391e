"""The comments in a Word file, each with the first words of the text that it is about."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator

from readagent.core.places import shortened
from readagent.loaders.blocks import Block
from readagent.loaders.sandbox.xml import attribute, local

_SHOWN = 60  # characters of the text that a comment is about


def comment_blocks(
    comments: ET.Element, document: ET.Element, is_hidden: Callable[[ET.Element], bool]
) -> Iterator[Block]:
    """Yield the comments in their order. Runs of the document for which ``is_hidden`` holds are not quoted."""
    subjects = _subjects(document, is_hidden)
    for comment in comments:
        paragraphs = ("".join(_pieces(one)) for one in comment.iter() if local(one) == "p")
        text = " ".join(" ".join(paragraphs).split())
        if text:
            author, subject = attribute(comment, "author").strip(), subjects.get(attribute(comment, "id"), "")
            by, on = f" by {author}" if author else "", f" on “{shortened(subject, _SHOWN)}”" if subject else ""
            yield Block(f"Comment{by}{on}: {text}")


def _pieces(element: ET.Element) -> Iterator[str]:
    for one in element.iter():
        if local(one) == "t":
            yield one.text or ""
        elif local(one) in ("tab", "br", "cr"):
            yield " "


def _subjects(document: ET.Element, is_hidden: Callable[[ET.Element], bool]) -> dict[str, str]:
    """Return the start of the text that each comment is about, by the id of the comment."""
    found, open_ = dict[str, str](), set[str]()
    unseen = set[ET.Element]()
    for one in document.iter():
        kind = local(one)
        if kind == "commentRangeStart":
            open_.add(attribute(one, "id"))
        elif kind == "commentRangeEnd":
            open_.discard(attribute(one, "id"))
        elif kind == "r" and open_ and is_hidden(one):
            unseen.update(one.iter())
        elif kind in ("t", "p") and open_ and one not in unseen:
            for key in open_:
                found[key] = found.get(key, "") + (" " if kind == "p" else one.text or "")
            open_ -= {key for key in open_ if len(found[key]) > 2 * _SHOWN}  # enough is known
    return {key: " ".join(text.split()) for key, text in found.items()}
