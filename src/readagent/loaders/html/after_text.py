"""What follows the text of an article: comments, descriptions of other articles, invitations to subscribe."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from readagent.loaders.html.furniture import MOSTLY_LINKS
from readagent.loaders.html.metadata import Site
from readagent.loaders.html.notes import Notes
from readagent.loaders.html.tree import Element, classes_of
from readagent.loaders.html.weights import Weight

_MOST = 0.5  # of the text of an element, in what is named comments inside it
_COMMENTS = re.compile(  # ids and classes
    r"(?:.*[-_])?comments?(?:[-_](?:area|block|body|container|list|section|thread|wrap|wrapper))?"
    r"|commentlist|disqus[-_]thread|respond"
)


def is_comments(element: Element, weights: dict[int, Weight]) -> bool:
    """Whether an element, or most of what is in it, is named comments by the page."""
    least = _MOST * weights[element.mem_id].text
    inside = (
        one for one in element.css("[id], [class]") if one.mem_id in weights and weights[one.mem_id].text >= least
    )
    return any(map(_is_named_comments, (element, *inside)))


def _is_named_comments(element: Element) -> bool:
    names = ((element.attributes.get("id") or "").lower(), *classes_of(element.attributes))
    return any(map(_COMMENTS.fullmatch, names))


def elements_in(parent: Element, weights: dict[int, Weight]) -> Iterable[Element]:
    """Yield the children of an element that contain text."""
    child = parent.first_child
    while child is not None:
        if child.mem_id in weights and weights[child.mem_id].text:
            yield child
        child = child.next


_COLUMN = 0.5  # share of the prose of the element around it
_PROSE = 0.8  # share of prose that makes a block a part of the text, if it has few links
_SOME_PROSE = 0.5  # with one link at most
_FEW_LINKS = 0.1  # share of linked text
_MANY_LINKS = 0.4
_MIN_LINKS = 3
_MIN_LINE = 3  # words of a line without links, such as the name of the author
_SHORT = 300  # bytes of a block, such as a form, that is left out although it has hardly any links
_SENTENCES = 0.5  # share of sentences that makes a block in a declared article a part of the text
_MAX_SENTENCES = 0.3  # of all sentences, in blocks that are left out and are not comments
_MIN_TEXT = 300  # bytes of prose besides comments; with less, the comments may be the text
_COLUMNS = frozenset("article body center div form main section table tbody td tr".split())
_BOXES = frozenset("article aside center div footer form header nav section".split())
_BESIDE = _BOXES | frozenset("ol table tbody td tr ul".split())
_MATTER = "dl, math, pre, table"
_FIELDS = "button, form, input:not([type=checkbox]), textarea"


class AfterText:
    """Finds the blocks after the text of an article that do not belong to it."""

    def __init__(self, main: Element, weights: dict[int, Weight], notes: Notes, site: Site, *, declared: bool) -> None:
        self._main = main
        self._weights = weights
        self._notes = notes.elements
        self._site = site
        self._article = _article(main, weights).mem_id if declared else None
        self._whole = weights[main.mem_id]

    def blocks(self) -> frozenset[int]:
        """Return the ids of the blocks. Comments stay if they are the text, and the others if too much would go."""
        found = list(self._found()) if self._site is not Site.OTHER else []
        comments = {one.mem_id for one in found if is_comments(one, self._weights)}
        others = {one.mem_id for one in found} - comments
        if self._whole.prose - sum(self._weights[one].prose for one in comments) < _MIN_TEXT:
            comments = set()
        blocks = [self._weights[one] for one in others]
        if sum(one.sentences for one in blocks) > _MAX_SENTENCES * self._whole.sentences:
            others = {one for one in others if self._weights[one].link_share >= MOSTLY_LINKS}
        return frozenset(comments | others)

    def _found(self) -> Iterator[Element]:
        node = self._main
        while True:
            inside = list(elements_in(node, self._weights))
            comments = {one.mem_id: one for one in self._comments(inside)}
            yield from comments.values()
            inside = [one for one in inside if one.mem_id not in comments]
            prose = [self._weights[one.mem_id].prose for one in inside]
            most = max(prose, default=0)
            whole = self._weights[node.mem_id].prose
            column = prose.index(most) if most else -1
            if most < _COLUMN * whole or not most or inside[column].tag not in _COLUMNS:
                yield from self._last(inside)
                return
            yield from (one for one in inside[column + 1 :] if self._is_foreign(one, _BESIDE))
            node = inside[column]

    def _comments(self, inside: list[Element]) -> Iterator[Element]:
        """Yield the comments on an article, which may be longer than its text, if little follows them."""
        before, after = sum(self._weights[one.mem_id].prose for one in inside), 0
        for one in reversed(inside) if self._site is Site.ARTICLE else ():
            prose = self._weights[one.mem_id].prose
            before -= prose
            if before < _MIN_TEXT or after >= _MIN_TEXT:
                return
            if is_comments(one, self._weights) and not self._has_notes(one):
                yield one
            else:
                after += prose

    def _last(self, inside: list[Element]) -> Iterator[Element]:
        """Yield the last blocks inside the column."""
        for one in reversed(inside):
            if not self._is_foreign(one, _BOXES):
                return
            yield one

    def _is_foreign(self, block: Element, tags: frozenset[str]) -> bool:
        weight = self._weights[block.mem_id]
        if block.tag not in _BESIDE or self._has_notes(block):
            return False
        if is_comments(block, self._weights):
            return True
        if block.tag not in tags or _is_text(block, weight):
            return False
        if (
            weight.sentences >= _SENTENCES * weight.text
            and self._is_in_article(block)
            and not self._has_headlines(block)
        ):
            return False
        if weight.prose and self._site is not Site.ARTICLE:
            return weight.link_share >= _MANY_LINKS and weight.links >= _MIN_LINKS
        return weight.link_share >= _FEW_LINKS or weight.text <= _SHORT

    def _is_in_article(self, block: Element) -> bool:
        """Whether a block without fields is in the element that the page declares as its article."""
        outer = block.parent if block.css_first(_FIELDS) is None else None
        while outer is not None and outer.mem_id not in (self._article, self._main.mem_id):
            outer = outer.parent
        return outer is not None and outer.mem_id == self._article

    def _has_headlines(self, block: Element) -> bool:
        """Whether several headings in a block are links, as those of other articles are. An article may have such."""
        if self._article != self._main.mem_id or self._main.tag == "article":
            return False
        headings = (self._weights.get(one.mem_id) for one in block.css("h2, h3, h4, h5, h6"))
        return sum(one is not None and one.text > 0 and one.link_share == 1 for one in headings) > 1

    def _has_notes(self, block: Element) -> bool:
        return any(one.mem_id in self._notes for one in block.traverse())


def _is_text(block: Element, weight: Weight) -> bool:
    """Whether a block belongs to the text by what is in it: prose, words without links, a table, a listing."""
    if weight.prose >= _PROSE * weight.text and weight.link_share <= _FEW_LINKS:
        return True
    if weight.prose >= _SOME_PROSE * weight.text and weight.links <= 1:
        return True
    if not weight.links:
        return weight.words >= _MIN_LINE and (weight.text > _SHORT or block.css_first(_FIELDS) is None)
    return weight.link_share < _MANY_LINKS and block.css_first(_MATTER) is not None


def _article(main: Element, weights: dict[int, Weight]) -> Element:
    """Return the article in the declared main part, if one has most of its prose."""
    for one in main.css("[itemprop=articleBody], article"):
        if one.mem_id in weights and weights[one.mem_id].prose >= _COLUMN * weights[main.mem_id].prose:
            return one
    return main
