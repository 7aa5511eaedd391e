"""Find the main text of a web page, and what to leave out of it (navigation, banners, related links).

If the page declares its main part, that is used. Otherwise the main part is the element with nearly all of the prose,
and elements that are mostly links are left out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from readagent.loaders.html.notes import Notes, short_text
from readagent.loaders.html.tree import Attributes, Element, Skip
from readagent.loaders.html.weights import Weight, weigh

_DECLARED = (  # the first selector that finds an element with text wins
    "#mw-content-text",
    ".ltx_page_main",
    "article.ltx_document",
    "main, [role=main]",
    "[itemprop=articleBody]",
    "article",
    ".entry-content, .post-content, .article-content, .article-body, .post-body, .story-body",
)
_MIN_DECLARED = 0.25  # of the prose of the page; an element with less was declared by mistake
_NEARLY_ALL = 0.9  # share of the prose that makes an element the main part
_MIN_UNLINKED = 0.65  # share of the text outside of links that the main part must contain
_MOSTLY_LINKS = 0.5  # share of linked text
_MOSTLY_LINKS_IN_PARAGRAPH = 0.65
_MIN_LINKS = 3  # an element with fewer links may be a reference
_MAX_COPYRIGHT = 250  # characters of a copyright line
_MAX_ASIDE = 0.4  # share of the main part; a larger element is never left out because of its class
_ASIDE_TAGS = frozenset({"nav", "aside", "footer", "form", "dialog", "button", "search"})
_CONTAINERS = frozenset("article body center div form main section table tbody td tr".split())
_LINK_LISTS = frozenset("center div dl ol p section table td ul".split())
_ALWAYS_KEPT = frozenset("article body html main".split())
_ASIDE_ROLES = frozenset(
    "navigation banner contentinfo complementary search dialog alertdialog menu menubar toolbar form directory"
    " doc-toc doc-pagelist".split()
)
_ASIDE_WORDS = frozenset(
    "ad ads advert advertisement advertising banner breadcrumb breadcrumbs catlinks consent cookie cookies disqus"
    " footer gdpr hatnote jump masthead menu modal nav navbar navbox navigation newsletter noprint pager"
    " pagination paywall"
    " popup printfooter promo promoted promotion recommended recommendations related share sharing shortcuts sidebar"
    " signup skip social sponsor sponsored subscribe subscription tags toc toolbar tracking widget comments"
    " commentlist respond".split()
)
_KEPT_ASIDES = frozenset(
    "admonition callout caution danger footnote footnotes important info note notes tip warning".split()
)
_SKIP_LINKS = ("skip to", "skip navigation", "jump to", "zum inhalt", "aller au contenu")
_COPYRIGHT = re.compile(r"(?:©|\(c\)|copyright|all rights reserved|powered by)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class MainText:
    """The element that contains the main text, and what to leave out of it."""

    element: Element
    skip: Skip
    title: Element | None = None  # a main heading before the element


def main_text(root: Element, notes: Notes) -> MainText:
    """Find the main text of a page."""
    weights = weigh(root)
    body = root.css_first("body") or root
    found = _declared(root, body, weights)
    declared = found is not None
    main = found if found is not None else _densest(body, _AsideFilter(body, weights, notes))
    aside = _AsideFilter(main, weights, notes, links=not declared)
    return MainText(main, aside.skips, _title_before(body, main, weights))


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


def _ancestors(element: Element) -> Iterable[Element]:
    ancestor = element.parent
    while ancestor is not None and ancestor.is_element_node:
        yield ancestor
        ancestor = ancestor.parent


def _densest(body: Element, aside: _AsideFilter) -> Element:
    """Return the innermost element with nearly all of the prose, and with no chapters outside of it."""
    weights = weigh(body, aside.skips)
    whole = weights[body.mem_id]
    found = body
    while whole.prose:
        inside = [one for one in _children(found) if one.mem_id in weights]
        inner = next((one for one in inside if one.tag in _CONTAINERS and _is_most(weights[one.mem_id], whole)), None)
        if inner is None or any(_is_chapter(one, weights[one.mem_id]) for one in inside if one is not inner):
            break
        found = inner
    return found


def _is_most(part: Weight, whole: Weight) -> bool:
    """Whether a part contains nearly all prose of the whole, and most of the text outside of links."""
    unlinked = (whole.text - whole.linked_text) * _MIN_UNLINKED
    return part.prose >= _NEARLY_ALL * whole.prose and part.text - part.linked_text >= unlinked


def _is_chapter(element: Element, weight: Weight) -> bool:
    return bool(weight.headings) and weight.link_share < _MOSTLY_LINKS and element.tag != "h1"


def _children(element: Element) -> Iterable[Element]:
    child = element.first_child
    while child is not None:
        yield child
        child = child.next


def _title_before(body: Element, main: Element, weights: dict[int, Weight]) -> Element | None:
    """Return the last h1 before the main text, if the main text contains none."""
    title = None
    for element in body.traverse() if not weights[main.mem_id].titles else ():
        if element.mem_id == main.mem_id:
            return title
        if element.tag == "h1" and element.mem_id in weights and weights[element.mem_id].link_share < 1:
            title = element
    return None


class _AsideFilter:
    """Decides which elements inside the main part do not belong to the main text."""

    def __init__(self, main: Element, weights: dict[int, Weight], notes: Notes, *, links: bool = False) -> None:
        self._main = main.mem_id
        self._weights = weights
        self._notes = notes
        self._max_size = _MAX_ASIDE * weights[main.mem_id].text
        self._links = links and weights[main.mem_id].link_share < _MOSTLY_LINKS

    def skips(self, node: Element, tag: str, attributes: Attributes) -> bool:
        """Whether to leave out this element."""
        element_id = node.mem_id
        if element_id == self._main or element_id in self._notes.elements or tag in _ALWAYS_KEPT:
            return False
        weight = self._weights.get(element_id)
        if weight is None or not weight.text:
            return False
        if tag in _ASIDE_TAGS or (attributes.get("role") or "") in _ASIDE_ROLES:
            return self._is_aside(node, tag, attributes, weight)
        if tag == "header":
            return weight.link_share >= _MOSTLY_LINKS and weight.text < self._max_size
        if attributes and weight.text < self._max_size and not weight.titles and _has_aside_name(attributes):
            return True
        if tag == "a":
            return (attributes.get("href") or "")[:1] == "#" and short_text(node).lower().startswith(_SKIP_LINKS)
        return self._links and tag in _LINK_LISTS and self._is_noise(node, tag, weight)

    def _is_noise(self, node: Element, tag: str, weight: Weight) -> bool:
        """Whether an element is a list of links or a copyright line."""
        if weight.links >= _MIN_LINKS and not weight.prose:
            return weight.link_share >= (_MOSTLY_LINKS if tag != "p" else _MOSTLY_LINKS_IN_PARAGRAPH)
        return weight.text <= _MAX_COPYRIGHT and _COPYRIGHT.match(short_text(node)) is not None

    def _is_aside(self, node: Element, tag: str, attributes: Attributes, weight: Weight) -> bool:
        if tag == "form":
            return weight.text < self._max_size
        if tag == "footer":
            return node.parent is None or node.parent.tag not in ("blockquote", "figure", "q")
        return tag != "aside" or _KEPT_ASIDES.isdisjoint(_name_words(attributes))


def _has_aside_name(attributes: Attributes) -> bool:
    """Whether the class or id of an element says that it is not part of the text."""
    return not _ASIDE_WORDS.isdisjoint(_name_words(attributes))


def _name_words(attributes: Attributes) -> list[str]:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return [word.lower() for word in _WORD.findall(names[:1000])]
