"""Formulas in office files as a line of text: fractions as (a)/(b), powers with ^, indices with _."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from readagent.loaders.office.xml import children, local

_FRACTIONS = frozenset({"f", "mfrac"})
_ROOTS = frozenset({"rad", "msqrt", "mroot"})
_MARKS = {  # what stands before the second part, and before the third
    "sSup": "^", "msup": "^", "mover": "^", "limUpp": "^",
    "sSub": "_", "msub": "_", "munder": "_", "limLow": "_",
    "sSubSup": "_^", "msubsup": "_^", "munderover": "_^",
}  # fmt: skip


def written(formula: ET.Element) -> str:
    """The text of a formula in Office's own markup or in MathML; the words of its author where they are kept."""
    for element in formula.iter():
        if local(element) == "annotation" and (text := " ".join("".join(element.itertext()).split())):
            return text
    return " ".join(_linear(formula).split())


def _linear(element: ET.Element) -> str:
    name = local(element)
    parts = [_linear(child) for kind, child in children(element) if not kind.endswith("Pr")]
    marks = _MARKS.get(name, "")
    if name in _FRACTIONS and len(parts) == 2:
        return f"({parts[0]})/({parts[1]})"
    if marks and len(parts) == len(marks) + 1:
        return parts[0] + "".join(mark + _held(part) for mark, part in zip(marks, parts[1:], strict=True) if part)
    if name == "nary" and len(parts) == 3:
        return f"{_sign(element)}_{_held(parts[0])}^{_held(parts[1])} {parts[2]}"
    if name in _ROOTS:
        return f"√({''.join(parts)})"
    return "".join(parts) or element.text or ""


def _held(text: str) -> str:
    return text if len(text) == 1 else f"({text})"


def _sign(nary: ET.Element) -> str:
    """The sign of a sum, a product or an integral."""
    for element in nary.iter():
        if local(element) == "chr":
            return next(iter(element.attrib.values()), "∫")
    return "∫"
