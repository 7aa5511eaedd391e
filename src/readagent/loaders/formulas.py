"""A formula as one line of text: ``(a+b)/c``, ``x^(n+1)``, ``√(x+1)``; Office MathML and MathML have the same kinds.

An operand of more than one sign gets brackets, so that the line says the same as the drawn formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Part = tuple[str, str]  # the kind of an element, and its text

_SCRIPTS = {  # the signs before the second part, and before the third
    "sSup": "^", "msup": "^", "mover": "^", "limUpp": "^",
    "sSub": "_", "msub": "_", "munder": "_", "limLow": "_",
    "sSubSup": "_^", "msubsup": "_^", "munderover": "_^",
}  # fmt: skip
_BETWEEN = {"mr": ", ", "mtr": ", ", "m": "; ", "mtable": "; ", "eqArr": "; "}  # cells, and rows
_WITHOUT_LINE = ("0", "0pt", "0px")
_RUNS = ("r", "t", "")  # a word or a number may be divided into several
_NOT_SHOWN = ("annotation", "annotation-xml", "mphantom")
_ONE = re.compile(r"\d+(?:[.,]\d+)*|\([^()]*\)|.?", re.DOTALL)
_RUN_TOGETHER = re.compile(r"[\w^/]\w\|\w.?|.?\w\|\w{2}|.?\d\|\d.?")  # the ends of two parts, with a bar between them
_WORD = re.compile(r"[^\W\d_]+")


def linear(kind: str, parts: Sequence[Part], given: Callable[[str], str | None]) -> str:
    """Return the text of an element with these parts; ``given`` returns an attribute of it, None if it has none."""
    texts = [text.strip() for _, text in parts]
    signs = _SCRIPTS.get(kind, "")
    if signs and len(texts) == len(signs) + 1:
        base = texts[0] if _WORD.fullmatch(texts[0]) else _operand(texts[0])
        return base + _scripts(signs, texts[1:])
    if kind in _BETWEEN:
        return _BETWEEN[kind].join(texts)
    match kind, texts:
        case "f" | "mfrac", [above, below]:
            if given("type") == "noBar" or given("linethickness") in _WITHOUT_LINE:
                return f"{above}; {below}"
            return f"{_operand(above)}/{_operand(below)}"
        case ("rad", [degree, inside]) | ("mroot", [inside, degree]) if degree:
            return f"{_operand(inside)}^(1/{_operand(degree)})"
        case "rad" | "mroot" | "msqrt", _:
            return f"√({_joined(parts).strip()})"
        case "nary", [below, above, inside]:
            return f"{given('chr') or '∫'}{_scripts('_^', (below, above))} {inside}"
        case "d", _:
            return _fenced(texts, given("begChr"), given("endChr"), given("sepChr"), "|")
        case "mfenced", _:
            return _fenced(texts, given("open"), given("close"), given("separators"), ",")
        case "acc", _:
            return _operand(_joined(parts)) + (given("chr") or "\u0302")
        case "bar", _:
            return _operand(_joined(parts)) + ("\u0305" if given("pos") == "top" else "\u0332")
        case "mspace", _:
            return " "
    return "" if kind in _NOT_SHOWN else _joined(parts)


def _operand(text: str) -> str:
    return text if _ONE.fullmatch(text) else f"({text})"


def _scripts(signs: str, texts: Sequence[str]) -> str:
    return "".join(sign + _operand(text) for sign, text in zip(signs, texts, strict=True) if text)


def _fenced(texts: Sequence[str], before: str | None, after: str | None, between: str | None, usual: str) -> str:
    inside = (usual if between is None else between).join(texts)
    return f"{'(' if before is None else before}{inside}{')' if after is None else after}"


def _joined(parts: Sequence[Part]) -> str:
    """Return the parts one after the other; a space keeps words, numbers and scripts from running into the next."""
    pieces: list[str] = []
    last_kind, last = "", ""
    for kind, text in parts:
        same = kind == last_kind and kind in _RUNS
        if not same and _RUN_TOGETHER.fullmatch(f"{last[-2:]}|{text[:2]}"):
            pieces.append(" ")
        pieces.append(text)
        last_kind, last = (kind, text) if text else (last_kind, last)
    return "".join(pieces)
