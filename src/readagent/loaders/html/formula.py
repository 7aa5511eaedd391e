"""Formulas: a MathML element as one line of text, in the author's TeX if that is included."""

from __future__ import annotations

from readagent.loaders.html.tree import TEXT, Element, walk

_BETWEEN = {"msup": "^", "msub": "_", "mfrac": "/", "munder": "_", "mover": "^"}
_IGNORED = ("annotation", "annotation-xml", "mphantom")


def formula_text(math: Element) -> str:
    """Return a formula as text: its alternative text, its TeX source, or its symbols one after the other."""
    given = math.attributes.get("alttext") or _tex(math) or _symbols(math)
    return " ".join(given.replace(r"\displaystyle", "").split())


def _tex(math: Element) -> str:
    for node in math.css("annotation"):
        if "tex" in (node.attributes.get("encoding") or "").lower():
            return node.text()
    return ""


def _symbols(math: Element) -> str:
    parts: list[str] = []
    parents: list[tuple[str, int]] = []  # the tag of each open element, and how many children it has had

    def enter(node: Element) -> bool:
        tag = node.tag or ""
        if tag == TEXT:
            parts.append("".join((node.text_content or "").split()))
            return False
        if tag in _IGNORED:
            return False
        if parents:
            above, before = parents[-1]
            parts.append(_BETWEEN.get(above, "") if before else "")
            parents[-1] = (above, before + 1)
        parents.append((tag, 0))
        return True

    walk(math, enter, lambda _: parents.pop() and None)
    return "".join(parts)
