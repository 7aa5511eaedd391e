"""How much text each element of a page contains, how much of it is links, and how much is prose."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readagent.loaders.html.notes import short_text
from readagent.loaders.html.tree import TEXT, Element, Skip, walk
from readagent.loaders.html.visibility import NO_TEXT, is_hidden, is_label

_MIN_PROSE = 80  # bytes directly in an element from which on it is prose
_MAX_LINK_SHARE = 0.35  # of prose; listings may have more
_MIN_SENTENCE = 20  # bytes outside of links, directly in an element that ends like a sentence
_MAX_SENTENCE_LINKS = 0.6  # share of the text of a sentence
_INLINE = frozenset("a abbr acronym b bdi bdo big cite code del dfn em font i ins kbd mark math nobr q ruby s samp"
                     " small span strike strong sub sup time tt u var wbr".split())  # fmt: skip
_SENTENCE_ENDS = frozenset(".!?:;…。！？：।؟۔")
_CLOSING = "'\"’”»)]」』）"


@dataclass(slots=True)
class Weight:
    """Counts for an element: words, shown or hidden; text, linked text, prose and sentences in bytes; links; headings.

    Prose is long paragraphs with few links; sentences are prose, and short paragraphs that say something besides links.

    Bytes, because a Chinese sentence has fewer characters than an English one, but about as many bytes.
    """

    words: int = 0
    hidden_words: int = 0
    text: int = 0
    linked_text: int = 0
    prose: int = 0
    sentences: int = 0
    links: int = 0
    titles: int = 0  # headings of level 1
    headings: int = 0  # headings of levels 1 and 2

    @property
    def link_share(self) -> float:
        """The share of the text that is in links."""
        return self.linked_text / self.text if self.text else 0.0

    @property
    def unlinked_text(self) -> int:
        """The text outside of links."""
        return self.text - self.linked_text

    def add(self, other: Weight) -> None:
        """Add the counts of another element."""
        self.words += other.words
        self.hidden_words += other.hidden_words
        self.text += other.text
        self.linked_text += other.linked_text
        self.prose += other.prose
        self.sentences += other.sentences
        self.links += other.links
        self.titles += other.titles
        self.headings += other.headings


def weigh(root: Element, skip: Skip | None = None) -> dict[int, Weight]:
    """Return the weight of the root and every element below it, by element id. Hidden elements have none."""
    counter = _Counter(skip)
    walk(root, counter.enter, counter.leave)
    return counter.weights


class _Counter:
    def __init__(self, skip: Skip | None) -> None:
        self._skip = skip
        self.weights: dict[int, Weight] = {}
        self._open: list[tuple[Weight, Weight]] = []  # for each open element: all its content, and its direct text
        self._links = 0
        self._said: list[bool] = []  # for each open element: whether a piece of its direct text ends like a sentence

    def enter(self, node: Element) -> bool:
        tag = node.tag
        if tag == TEXT:
            words = (node.text_content or "").split()
            size = len("".join(words).encode())
            for weight in self._open[-1] if self._open else ():
                weight.words += len(words)
                weight.text += size
                weight.linked_text += size if self._links else 0
            if words and self._said and ends_sentence(words[-1]):
                self._said[-1] = True
            return False
        if tag is None or tag[0] == "-" or tag in NO_TEXT:
            return False
        attributes = node.attributes
        if attributes and is_label(node, tag, attributes):
            return False
        if (attributes or tag == "dialog") and is_hidden(tag, attributes):
            if self._open:
                self._open[-1][0].hidden_words += _words_in(node)
            return False
        if self._skip and self._skip(node, tag, attributes):
            return False
        link = tag == "a" and "href" in attributes
        self._links += link
        weight = Weight(links=int(link), titles=int(tag == "h1"), headings=int(tag in ("h1", "h2")))
        self.weights[node.mem_id] = weight
        self._open.append((weight, Weight()))
        self._said.append(False)
        return True

    def leave(self, node: Element) -> None:
        weight, own = self._open.pop()
        said = self._said.pop()
        tag = node.tag or ""
        self._links -= tag == "a" and "href" in node.attributes
        if tag not in _INLINE:
            is_prose = own.text >= _MIN_PROSE and (tag == "pre" or own.link_share <= _MAX_LINK_SHARE)
            weight.prose += own.text if is_prose else 0
            weight.sentences += own.text if is_prose or (said and _is_sentence(own)) else 0
        if not self._open:
            return
        outer, outer_own = self._open[-1]
        outer.add(weight)
        if tag in _INLINE:
            outer_own.add(own)
            self._said[-1] |= said


def ends_sentence(text: str) -> bool:
    """Whether a text without white space at its end ends like a sentence."""
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS


def _is_sentence(own: Weight) -> bool:
    """Whether the direct text of an element says something besides its links."""
    return own.unlinked_text >= _MIN_SENTENCE and own.link_share <= _MAX_SENTENCE_LINKS


def _words_in(hidden: Element) -> int:
    """Return how many words are in an element that is hidden."""
    words = 0

    def enter(node: Element) -> bool:
        nonlocal words
        if node.tag == TEXT:
            words += len((node.text_content or "").split())
        return node.tag not in NO_TEXT

    walk(hidden, enter, lambda _: None)
    return words


HEADING = re.compile("h[1-6]")
_MAX_OUTWARD = 4  # elements around a list in which its heading is looked for
_MIN_SAID = 4  # bytes, such as a year


def is_described(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether most entries of a list say something besides their links: authors, a year, a description."""
    entries = [weights[one.mem_id] for one in element.css("li, dd, tr") if one.mem_id in weights]
    return 2 * sum(one.unlinked_text >= _MIN_SAID for one in entries) > len(entries) > 0


def heading_before(element: Element) -> Element | None:
    """Return the heading that stands right before an element, or before an element that begins with it."""
    node: Element | None = element
    for _ in range(_MAX_OUTWARD):
        before = node.prev if node is not None else None
        while before is not None and (before.tag or "-")[0] == "-" and not (before.tag == TEXT and short_text(before)):
            before = before.prev
        if before is not None:
            return before if HEADING.fullmatch(before.tag or "") else None
        node = node.parent if node is not None else None
    return None
