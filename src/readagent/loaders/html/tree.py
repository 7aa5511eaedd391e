"""The tree of a page's markup, and a walk over it that needs no recursion. The one door to selectolax."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode

from readagent.loaders.html.nesting import shallow

Element = LexborNode
Attributes = Mapping[str, str | None]
Levels = Callable[[Element, str, Attributes], int]  # the level of what is set like a heading, 0 for anything else
Skip = Callable[[Element, str, Attributes], bool]  # whether to leave out an element, by itself, its tag, its attributes

TEXT = "-text"


def tree_of(html: str | bytes) -> Element:
    """The root of the tree of this markup, whatever state it is in. Bytes are taken for UTF-8."""
    text = html.decode("utf-8", "replace") if isinstance(html, bytes) else html
    text = text.encode("utf-8", "replace").decode("utf-8")
    root = LexborHTMLParser(shallow(text), scripting=True).root
    assert root is not None  # the rules of HTML give every text a root
    return root


def walk(root: Element, enter: Callable[[Element], bool], leave: Callable[[Element], None]) -> None:
    """Call ``enter`` on every node below and with the root, in order, and ``leave`` after what is in it.

    Where ``enter`` says no, what is in that node is passed over, and ``leave`` is not called.
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
    """The classes of an element, in lower case."""
    return (attributes.get("class") or "").lower().split()


def words_in(element: Element) -> str:
    """All the text in an element, its white space made single spaces."""
    words: list[str] = []

    def enter(node: Element) -> bool:
        if node.tag == TEXT:
            words.append(node.text_content or "")
        elif node.tag in ("br", "p", "div", "li"):
            words.append(" ")
        return node.tag not in ("script", "style")

    walk(element, enter, lambda _: None)
    return " ".join("".join(words).split())
