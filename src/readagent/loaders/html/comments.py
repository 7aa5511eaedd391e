"""Comments of readers: blocks of the same kind, each with a name, a time and what the reader says."""

from __future__ import annotations

from collections.abc import Iterable

from readagent.loaders.html.tree import TEXT, Element, classes_of, walk
from readagent.loaders.html.visibility import NO_TEXT
from readagent.loaders.html.weights import Weight

Kind = tuple[str, str]  # of a block: its tag and its first class

_MIN_COMMENTS = 3
_MOST = 0.5  # of the text, in blocks of the same kind; and of these blocks, with a name and a time
_MAX_LEVELS = 6  # from the element inwards to the comments
_MAX_NAME = 60  # characters of a name or a time; what the reader says is longer
_SECTION_HEADINGS = "h1, h2, h3"  # the heading of a comment, if it has one, is lower


def kind_of(element: Element) -> Kind:
    """Return what the blocks of a list or of a text have in common."""
    return element.tag or "", "".join(classes_of(element.attributes)[:1])


def is_comments(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether an element is a list of comments, perhaps with a title and a form."""
    level = [element]
    for _ in range(_MAX_LEVELS):
        groups: dict[tuple[int, Kind], list[Element]] = {}
        for number, parent in enumerate(level):
            for one in elements_in(parent, weights):
                groups.setdefault((number, kind_of(one)), []).append(one)
        for alike in groups.values():
            text = sum(weights[one.mem_id].text for one in alike)
            if len(alike) >= _MIN_COMMENTS and text >= _MOST * weights[element.mem_id].text:
                return sum(map(_is_comment, alike)) >= _MOST * len(alike)
        level = [one for alike in groups.values() for one in alike]
    return False


def elements_in(parent: Element, weights: dict[int, Weight]) -> Iterable[Element]:
    """Yield the children of an element that contain text."""
    child = parent.first_child
    while child is not None:
        if child.mem_id in weights and weights[child.mem_id].text:
            yield child
        child = child.next


def _is_comment(block: Element) -> bool:
    """Whether a block has short texts before a long one, and a number in one of them, as in "2 days ago"."""
    if block.css_first(_SECTION_HEADINGS) is not None:
        return False
    texts = _texts(block)
    longest = texts.index(max(texts, key=len))
    short = [one for one in texts[:longest] if len(one) <= _MAX_NAME]
    return (
        len(texts[longest]) > _MAX_NAME
        and len(short) > 1
        and any(character.isdigit() for one in short for character in one)
    )


def _texts(block: Element) -> list[str]:
    texts: list[str] = []

    def enter(node: Element) -> bool:
        if node.tag == TEXT and (text := " ".join((node.text_content or "").split())):
            texts.append(text)
        return node.tag not in NO_TEXT

    walk(block, enter, lambda _: None)
    return texts
