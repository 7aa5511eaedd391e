"""Formulas: the text of a MathML element, once: as the author typed it where that is known, else in one line."""

from __future__ import annotations

from readagent.loaders.html.tree import TEXT, Element, walk

_BETWEEN = {"msup": "^", "msub": "_", "mfrac": "/", "munder": "_", "mover": "^"}
_LEFT_OUT = ("annotation", "annotation-xml", "mphantom")


def formula_text(math: Element) -> str:
    """What a formula says: its alternative text, its source in TeX, or its signs one after the other."""
    given = math.attributes.get("alttext") or _source(math) or _signs(math)
    return " ".join(given.replace(r"\displaystyle", "").split())


def _source(math: Element) -> str:
    for node in math.css("annotation"):
        if "tex" in (node.attributes.get("encoding") or "").lower():
            return node.text()
    return ""


def _signs(math: Element) -> str:
    said: list[str] = []
    parents: list[tuple[str, int]] = []  # the tag of each open element, and how many children it has had

    def enter(node: Element) -> bool:
        tag = node.tag or ""
        if tag == TEXT:
            said.append("".join((node.text_content or "").split()))
            return False
        if tag in _LEFT_OUT:
            return False
        if parents:
            above, before = parents[-1]
            said.append(_BETWEEN.get(above, "") if before else "")
            parents[-1] = (above, before + 1)
        parents.append((tag, 0))
        return True

    walk(math, enter, lambda _: parents.pop() and None)
    return "".join(said)
