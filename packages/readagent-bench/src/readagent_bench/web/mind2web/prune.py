"""Prune a page to a few elements with their ancestors, descendants and siblings."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from readagent_browse.dom import Node

_DEPTH, _CHILDREN, _SIBLINGS = 5, 50, 3  # as in the reference implementation


def pruned(root: Node, ids: Collection[str]) -> Node:
    """Return the tree with these elements and what is around them; only these elements keep their ids."""
    kept: set[str] = set()
    _mark(root, None, frozenset(ids), kept)
    return _only(root, kept, frozenset(ids))


def _mark(node: Node, above: Node | None, ids: frozenset[str], kept: set[str]) -> bool:
    """Add the paths of what is kept in a node; return whether one of the elements is in it."""
    found = node.id in ids
    if found:
        inside = [one.path for one in _within(node, _DEPTH)][:_CHILDREN]
        kept.update(inside)
        siblings = [one for one in above.children if isinstance(one, Node)] if above is not None else []
        place = next((i for i, one in enumerate(siblings) if one is node), 0)
        kept.update(one.path for one in siblings[max(0, place - _SIBLINGS) : place + _SIBLINGS + 1])
    for child in node.children:
        if isinstance(child, Node) and _mark(child, node, ids, kept):
            found = True
    if found:
        kept.add(node.path)
    return found


def _within(node: Node, depth: int) -> Iterator[Node]:
    for child in node.children if depth >= 0 else ():
        if isinstance(child, Node):
            yield child
            yield from _within(child, depth - 1)


def _only(node: Node, kept: set[str], ids: frozenset[str]) -> Node:
    children = tuple(
        child if isinstance(child, str) else _only(child, kept, ids)
        for child in node.children
        if isinstance(child, str) or child.path in kept
    )
    return replace(node, children=children, id=node.id if node.id in ids else "")
