"""The main text of a web page: where it stands, and what in it is not it (navigation, banners, related links).

A page that declares its main part is taken at its word. On any other the main part is where nearly all of its running
text stands, and what is mostly links is left out of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from readagent.loaders.html.notes import Notes, words_of
from readagent.loaders.html.tree import Attributes, Element, Skip
from readagent.loaders.html.weights import Weight, weigh

_DECLARED = (  # the first that names an element with text wins
    "#mw-content-text",
    ".ltx_page_main",
    "article.ltx_document",
    "main, [role=main]",
    "[itemprop=articleBody]",
    "article",
    ".entry-content, .post-content, .article-content, .article-body, .post-body, .story-body",
)
_LEAST_DECLARED = 0.25  # of the running text of the page; what holds less was declared in error
_NEARLY_ALL = 0.9  # of the running text: where that stands, there is the main part
_MOST = 0.65  # of the text that is no link
_MOSTLY_LINKS = 0.5
_NEARLY_LINKS = 0.65  # of a paragraph
_SOME_LINKS = 3  # what has fewer may be a reference
_SHORT = 250  # characters of a line on who holds the rights
_MUCH = 0.4  # of the main part: what holds as much is not left out for what it is called
_ASIDE_TAGS = frozenset({"nav", "aside", "footer", "form", "dialog", "button", "search"})
_HOLDERS = frozenset("article body center div form main section table tbody td tr".split())
_LINKED = frozenset("center div dl ol p section table td ul".split())
_UNTOUCHED = frozenset("article body html main".split())
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
_KEPT_WORDS = frozenset(
    "admonition callout caution danger footnote footnotes important info note notes tip warning".split()
)
_SKIPS = ("skip to", "skip navigation", "jump to", "zum inhalt", "aller au contenu")
_RIGHTS = re.compile(r"(?:©|\(c\)|copyright|all rights reserved|powered by)(?!\w)", re.IGNORECASE)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class MainText:
    """The element that holds the main text, and what in it to leave out."""

    element: Element
    skip: Skip
    title: Element | None = None  # a heading of the page that stands before the element


def main_text(root: Element, notes: Notes) -> MainText:
    """Where the main text of a page stands."""
    weights = weigh(root)
    body = root.css_first("body") or root
    found = _declared(root, body, weights)
    declared = found is not None
    main = found if found is not None else _densest(body, _Aside(body, weights, notes))
    aside = _Aside(main, weights, notes, links=not declared)
    return MainText(main, aside.skips, _title_before(body, main, weights))


def _declared(root: Element, body: Element, weights: dict[int, Weight]) -> Element | None:
    """The element that the page says its main text is in."""
    page = weights[body.mem_id]
    for selector in _DECLARED:
        found = _outermost(one for one in root.css(selector) if one.mem_id in weights)
        if not found:
            continue
        heaviest = max(found, key=lambda one: weights[one.mem_id].text)
        held, whole = weights[heaviest.mem_id], sum(weights[one.mem_id].text for one in found)
        if len(found) > 1 and held.text < 0.6 * whole:
            heaviest = _around(found)
            held = weights[heaviest.mem_id]
        if held.prose >= _LEAST_DECLARED * page.prose and held.text >= _LEAST_DECLARED**2 * page.text:
            return heaviest
    return None


def _outermost(elements: Iterable[Element]) -> list[Element]:
    """Those of the elements, given in order, that do not stand in another one of them."""
    found: list[Element] = []
    numbers: set[int] = set()
    for one in elements:
        if numbers.isdisjoint(around.mem_id for around in _ancestors(one)):
            found.append(one)
            numbers.add(one.mem_id)
    return found


def _around(elements: list[Element]) -> Element:
    """The innermost element that holds all of these."""
    lines = [[one, *_ancestors(one)] for one in elements]
    shared = set.intersection(*({one.mem_id for one in line} for line in lines))
    return next(one for one in lines[0] if one.mem_id in shared)


def _ancestors(element: Element) -> Iterable[Element]:
    around = element.parent
    while around is not None and around.is_element_node:
        yield around
        around = around.parent


def _densest(body: Element, aside: _Aside) -> Element:
    """The innermost element in which nearly all running text stands, and beside which there are no chapters."""
    weights = weigh(body, aside.skips)
    whole = weights[body.mem_id]
    found = body
    while whole.prose:
        inside = [one for one in _children(found) if one.mem_id in weights]
        inner = next((one for one in inside if one.tag in _HOLDERS and _is_most(weights[one.mem_id], whole)), None)
        if inner is None or any(_is_chapter(one, weights[one.mem_id]) for one in inside if one is not inner):
            break
        found = inner
    return found


def _is_most(part: Weight, whole: Weight) -> bool:
    """Whether a part holds nearly all running text of the whole, and most of any text that is no link."""
    unlinked = (whole.text - whole.linking) * _MOST
    return part.prose >= _NEARLY_ALL * whole.prose and part.text - part.linking >= unlinked


def _is_chapter(element: Element, weight: Weight) -> bool:
    return bool(weight.headings) and weight.linked < _MOSTLY_LINKS and element.tag != "h1"


def _children(element: Element) -> Iterable[Element]:
    child = element.first_child
    while child is not None:
        yield child
        child = child.next


def _title_before(body: Element, main: Element, weights: dict[int, Weight]) -> Element | None:
    """The last main heading before the main text, where there is none in it."""
    title = None
    for element in body.traverse() if not weights[main.mem_id].titles else ():
        if element.mem_id == main.mem_id:
            return title
        if element.tag == "h1" and element.mem_id in weights and weights[element.mem_id].linked < 1:
            title = element
    return None


class _Aside:
    """Tells what does not belong to the main text in an element."""

    def __init__(self, main: Element, weights: dict[int, Weight], notes: Notes, *, links: bool = False) -> None:
        self._main = main.mem_id
        self._weights = weights
        self._notes = notes
        self._much = _MUCH * weights[main.mem_id].text
        self._links = links and weights[main.mem_id].linked < _MOSTLY_LINKS

    def skips(self, node: Element, tag: str, attributes: Attributes) -> bool:
        """Whether to leave out this element."""
        number = node.mem_id
        if number == self._main or number in self._notes.elements or tag in _UNTOUCHED:
            return False
        weight = self._weights.get(number)
        if weight is None or not weight.text:
            return False
        if tag in _ASIDE_TAGS or (attributes.get("role") or "") in _ASIDE_ROLES:
            return self._is_aside(node, tag, attributes, weight)
        if tag == "header":
            return weight.linked >= _MOSTLY_LINKS and weight.text < self._much
        if attributes and weight.text < self._much and not weight.titles and _is_called_aside(attributes):
            return True
        if tag == "a":
            return (attributes.get("href") or "")[:1] == "#" and words_of(node).lower().startswith(_SKIPS)
        return self._links and tag in _LINKED and self._is_noise(node, tag, weight)

    def _is_noise(self, node: Element, tag: str, weight: Weight) -> bool:
        """Whether an element is there to lead elsewhere, or to say whose the page is."""
        if weight.links >= _SOME_LINKS and not weight.prose:
            return weight.linked >= (_MOSTLY_LINKS if tag != "p" else _NEARLY_LINKS)
        return weight.text <= _SHORT and _RIGHTS.match(words_of(node)) is not None

    def _is_aside(self, node: Element, tag: str, attributes: Attributes, weight: Weight) -> bool:
        if tag == "form":
            return weight.text < self._much
        if tag == "footer":
            return node.parent is None or node.parent.tag not in ("blockquote", "figure", "q")
        return tag != "aside" or _KEPT_WORDS.isdisjoint(_called(attributes))


def _is_called_aside(attributes: Attributes) -> bool:
    """Whether the class or the name of an element says that it is no text of the page."""
    return not _ASIDE_WORDS.isdisjoint(_called(attributes))


def _called(attributes: Attributes) -> list[str]:
    called = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return [word.lower() for word in _WORD.findall(called[:1000])]
