"""The HTML tree of a page, and a walk over it without recursion. The only module that uses selectolax."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from readagent.loaders.html.nesting import limit_nesting

Element = LexborNode
Attributes = Mapping[str, str | None]
HeadingLevel = Callable[[Element, str, Attributes], int]  # element, tag, attributes -> heading level, or 0
Skip = Callable[[Element, str, Attributes], bool]  # element, tag, attributes -> whether to leave it out

TEXT = "-text"


def tree_of(html: str | bytes) -> Element:
    """Parse markup, however broken, and return the root element. Bytes are decoded as UTF-8."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    text = text.encode("utf-8", "replace").decode("utf-8")
    root = LexborHTMLParser(limit_nesting(text), scripting=True).root
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
