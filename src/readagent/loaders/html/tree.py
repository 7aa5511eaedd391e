"""The HTML tree of a page, made from markup whose nesting is limited first. The only module that uses selectolax."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

_MAX_DEPTH = 500  # open elements; ordinary pages have a few dozen, and the time for parsing grows with the square
_TAG = re.compile(  # a tag; a comment, script or style sheet is passed over
    r"""<!--.*?(?:-->|\Z)|<(?P<raw>script|style)\b[^<>]*(?<!/)>.*?(?:</(?P=raw)\s*>|\Z)"""
    r"""|<(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*)(?P<rest>(?:[^<>"'=]|=\s*(?:"[^"]*"|'[^']*')|["'=])*+)>""",
    re.DOTALL | re.IGNORECASE,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr keygen frame".split())
_NOT_NESTED = frozenset(  # their end tags may be left out, or they are closed with the paragraph
    "html head body p li dt dd td th tr tbody thead tfoot colgroup caption option optgroup rt rp a abbr b big cite code"
    " em font i nobr s small span strike strong sub sup tt u".split()
)


def limited(html: str) -> str:
    """Return the same markup without the tags of elements nested too deeply; empty tags of XHTML get an end tag."""
    xml = html.lstrip("\ufeff \t\r\n").startswith("<?xml") or 'xmlns="http://www.w3.org/1999/xhtml"' in html[:2000]
    if xml and "<![CDATA[" in html:
        html = _CDATA.sub(lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), html)
    kept: list[str] = []
    done = 0
    for start, end, replacement in _changes(html, xml):
        kept += (html[done:start], replacement)
        done = end
    return "".join([*kept, html[done:]]) if done else html


def _changes(html: str, xml: bool) -> Iterator[tuple[int, int, str]]:
    """Yield what to replace: start, end and replacement."""
    depth = 0
    for tag in _TAG.finditer(html):
        name = (tag["name"] or "").lower()
        if not name or name in _VOID:
            continue
        if xml and not tag["end"] and tag["rest"].endswith("/"):
            yield tag.start(), tag.end(), f"<{tag['name']}{tag['rest'][:-1]}></{tag['name']}>"
        elif name in _NOT_NESTED:
            continue
        elif tag["end"]:
            depth = max(0, depth - 1)
        elif depth < _MAX_DEPTH:
            depth += 1
        else:
            yield tag.start(), tag.end(), " "


Element = LexborNode
Attributes = Mapping[str, str | None]
HeadingLevel = Callable[[Element, str, Attributes], int]  # element, tag, attributes -> heading level, or 0
Skip = Callable[[Element, str, Attributes], bool]  # element, tag, attributes -> whether to leave it out

TEXT = "-text"


def tree_of(html: str | bytes) -> Element:
    """Parse markup, however broken, and return the root element. Bytes are decoded as UTF-8."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    text = text.encode("utf-8", "replace").decode("utf-8")
    root = LexborHTMLParser(limited(text), scripting=True).root
    assert root is not None  # HTML parsing always gives a root
    return root


def walk(root: Element, enter: Callable[[Element], bool], leave: Callable[[Element], None]) -> None:
    """Call ``enter`` on the root and every node below it, in document order, and ``leave`` after its children.

    If ``enter`` returns False, the children are skipped and ``leave`` is not called.
    """
    if not enter(root):
        return
    open_nodes = [root]
    node = root.first_child
    while open_nodes:
        if node is None:
            node = open_nodes.pop()
            leave(node)
            node = node.next if open_nodes else None
        elif enter(node):
            open_nodes.append(node)
            node = node.first_child
        else:
            node = node.next


def classes_of(attributes: Attributes) -> list[str]:
    """Return the classes of an element, in lower case."""
    return (attributes.get("class") or "").lower().split()


def words_in(element: Element) -> str:
    """Return all text in an element, with white space reduced to single spaces."""
    words: list[str] = []

    def enter(node: Element) -> bool:
        if node.tag == TEXT:
            words.append(node.text_content or "")
        elif node.tag in ("br", "p", "div", "li"):
            words.append(" ")
        return node.tag not in ("script", "style")

    walk(element, enter, lambda _: None)
    return " ".join("".join(words).split())
