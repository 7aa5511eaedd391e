"""Find the main text of a web page, by what the page declares and by where its prose is.

If the page declares its main part, that is used. Otherwise the main part is the element with nearly all of the prose.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from readagent.loaders.html.after_text import AfterText
from readagent.loaders.html.furniture import MOSTLY_LINKS, Furniture, weigh_shown
from readagent.loaders.html.metadata import site_of
from readagent.loaders.html.notes import Notes
from readagent.loaders.html.tree import TEXT, Element, Skip, walk
from readagent.loaders.html.weights import Weight, weigh

_DECLARED = (  # the first selector that finds an element with text wins
    "#mw-content-text",
    ".ltx_page_main",
    "article.ltx_document",
    "[itemprop=articleBody]",
    "main, [role=main]",
    "article",
    ".entry-content, .post-content, .article-content, .article-body, .post-body, .story-body",
)
_MIN_DECLARED = 0.25  # of the prose of the page; an element with less was declared by mistake
_MIN_LEFT = 0.1  # of the sentences of the main part; if less would be left, nothing is left out of it
_NEARLY_ALL = 0.9  # share of the prose that makes an element the main part
_MIN_UNLINKED = 0.65  # share of the text outside of links that the main part must contain
_PLAIN = 0.5  # share of sentences in plain paragraphs
_CHAPTER_LINKS = 0.1  # a part with a heading and without prose is a chapter if it has fewer links
_CONTAINERS = frozenset("article body center div form main section table tbody td tr".split())


@dataclass(frozen=True, slots=True)
class MainText:
    """The nodes that contain the main text, what to leave out of them, and the words outside of them.

    A main heading before the main part, and what stands between the two, come first; notes come last.
    """

    nodes: list[Element]
    furniture: Furniture | None
    words_outside: int

    @property
    def skip(self) -> Skip | None:
        """Says which elements of the nodes to leave out."""
        return self.furniture.skips if self.furniture else None

    @property
    def words_left_out(self) -> int:
        """How many words were left out, once the nodes have been read."""
        return self.words_outside + (self.furniture.words if self.furniture else 0)


def main_text(root: Element, notes: Notes) -> MainText:
    """Find the main text of a page."""
    body = root.css_first("body") or root
    weights = weigh_shown(root, body)
    declared = _declared(root, body, weights)
    main = declared or _densest(body, weights, notes)
    nodes = [*_before(body, main, weights), main]
    nodes += _notes_outside(body, nodes, notes)
    page = weights[body.mem_id]
    words_outside = page.words + page.hidden_words - sum(_words(node, weights) for node in nodes)
    after = AfterText(main, weights, notes, site_of(root), declared=declared is not None).blocks()
    furniture = Furniture(main, weights, notes, declared=declared is not None, after=after)
    left = weigh(main, furniture.is_furniture)[main.mem_id]
    enough = left.sentences >= _MIN_LEFT * weights[main.mem_id].sentences
    return MainText(nodes, furniture if enough else None, words_outside)


def _declared(root: Element, body: Element, weights: dict[int, Weight]) -> Element | None:
    """Return the element that the page declares as its main text."""
    page = weights[body.mem_id]
    for selector in _DECLARED:
        found = _outermost(one for one in root.css(selector) if one.mem_id in weights)
        if not found:
            continue
        heaviest = max(found, key=lambda one: weights[one.mem_id].text)
        weight, total = weights[heaviest.mem_id], sum(weights[one.mem_id].text for one in found)
        if len(found) > 1 and weight.text < 0.6 * total:
            heaviest = _common_ancestor(found)
            weight = weights[heaviest.mem_id]
        if weight.prose >= _MIN_DECLARED * page.prose and weight.text >= _MIN_DECLARED**2 * page.text:
            return heaviest
    return None


def _outermost(elements: Iterable[Element]) -> list[Element]:
    """Return the elements, given in document order, that are not inside another one of them."""
    found: list[Element] = []
    ids: set[int] = set()
    for one in elements:
        if ids.isdisjoint(ancestor.mem_id for ancestor in _ancestors(one)):
            found.append(one)
            ids.add(one.mem_id)
    return found


def _common_ancestor(elements: list[Element]) -> Element:
    """Return the innermost element that contains all of these."""
    chains = [[one, *_ancestors(one)] for one in elements]
    shared = set.intersection(*({one.mem_id for one in chain} for chain in chains))
    return next(one for one in chains[0] if one.mem_id in shared)


def _densest(body: Element, weights: dict[int, Weight], notes: Notes) -> Element:
    """Return the innermost element with nearly all of the prose, and with no chapters outside of it."""
    counted = weigh(body, Furniture(body, weights, notes, declared=False).skips)
    whole = counted[body.mem_id]
    found = body
    while whole.prose:
        inside = [one for one in _children(found) if one.mem_id in counted and counted[one.mem_id].text]
        inner = next((one for one in inside if _is_most(one, counted[one.mem_id], whole)), None)
        if inner is None or any(
            _is_chapter(one, counted[one.mem_id], weights[one.mem_id]) for one in inside if one is not inner
        ):
            break
        place = [one.mem_id for one in inside].index(inner.mem_id)
        beside = (*inside[max(0, place - 1) : place], *inside[place + 1 : place + 2])
        if any(_is_plain(one, counted[one.mem_id], weights[one.mem_id]) for one in beside):
            break
        found = inner
    return found


def _is_most(element: Element, part: Weight, whole: Weight) -> bool:
    """Whether an element contains nearly all prose of the whole, and most of the text outside of links."""
    return (
        element.tag in _CONTAINERS
        and part.prose >= _NEARLY_ALL * whole.prose
        and part.unlinked_text >= _MIN_UNLINKED * whole.unlinked_text
    )


def _is_plain(element: Element, counted: Weight, full: Weight) -> bool:
    """Whether an element is paragraphs without links."""
    return not full.links and counted.sentences >= _PLAIN * full.text


def _is_chapter(element: Element, counted: Weight, full: Weight) -> bool:
    """Whether an element with a heading is a part of the text; ``counted`` is its weight without furniture."""
    if not counted.headings or element.tag == "h1":
        return False
    return counted.link_share < MOSTLY_LINKS if counted.prose else full.link_share < _CHAPTER_LINKS


def _children(element: Element) -> Iterable[Element]:
    child = element.first_child
    while child is not None:
        yield child
        child = child.next


def _words(node: Element, weights: dict[int, Weight]) -> int:
    """Return how many visible words are in a node."""
    if node.tag == TEXT:
        return len((node.text_content or "").split())
    return weights[node.mem_id].words if node.mem_id in weights else 0


# What stands outside of the main part and belongs to it


def _before(body: Element, main: Element, weights: dict[int, Weight]) -> list[Element]:
    """Return the main heading before the main part, and what stands between the two."""
    return _from_title_to(main, _title_before(body, main, weights))


def _notes_outside(body: Element, nodes: list[Element], notes: Notes) -> list[Element]:
    """Return the notes that are not in the nodes."""
    inside = {node.mem_id for node in nodes}
    found: list[Element] = []

    def enter(node: Element) -> bool:
        if node.mem_id in notes.elements and node.mem_id not in inside:
            found.append(node)
            return False
        return node.mem_id not in inside

    walk(body, enter, lambda _: None)
    return found


def _ancestors(element: Element) -> Iterable[Element]:
    """Yield the elements around an element, innermost first."""
    ancestor = element.parent
    while ancestor is not None and ancestor.is_element_node:
        yield ancestor
        ancestor = ancestor.parent


def _title_before(body: Element, main: Element, weights: dict[int, Weight]) -> Element | None:
    """Return the last h1 before the main text, if the main text contains none."""
    title = None
    for element in body.traverse() if not weights[main.mem_id].titles else ():
        if element.mem_id == main.mem_id:
            return title
        if element.tag == "h1" and element.mem_id in weights and weights[element.mem_id].link_share < 1:
            title = element
    return None


def _from_title_to(main: Element, title: Element | None) -> list[Element]:
    """Return the title and the nodes between it and the main part, in document order."""
    around = {one.mem_id for one in _ancestors(main)}
    found: list[Element] = []
    node = title
    while node is not None and node.mem_id != main.mem_id:
        if node.mem_id in around:
            node = node.first_child
            continue
        found.append(node)
        while node is not None and node.next is None:
            node = node.parent
        node = node.next if node is not None else None
    return found
