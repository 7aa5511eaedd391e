"""The form in which a model says whether statements are supported: ``1: yes [2]`` or ``1: no``, a line for each."""

from __future__ import annotations

import re

from readagent.core.form import Form, Lines
from readagent.core.patterns import lazy_pattern

Verdicts = dict[int, tuple[bool, tuple[int, ...]]]  # by index: whether it is supported, and by which quotes

_SAID = lazy_pattern(r"[\s*_`\"']*(yes|no|unknown)\b(.*)", re.I | re.S)
_UNKNOWN = lazy_pattern(r"^\d+: unknown\b", re.M)
_OPPOSITE = {"yes": lazy_pattern(r"\bno\b", re.I), "no": lazy_pattern(r"\byes\b", re.I)}
_QUOTES = lazy_pattern(r"\[([\d,;\s]+)\]")
_BARE = lazy_pattern(r"[\s,:(]*(?:quotes?\s*)?(\d+(?:[\s,;]+\d+)*)[\s).]*$", re.I)


def verdict_form(statements: int, *, quotes: bool = True) -> Form:
    """Return the form of a reply about so many statements; with ``quotes`` it names those that show a statement."""
    example = "yes [2]" if quotes else "yes"
    return Form((Lines("", tuple(map(str, range(1, statements + 1))), example=f"{example}\n1: no"),))


def verdicts(reply: str, statements: int, quotes: int) -> Verdicts:
    """Return what a reply says of statements, by index, with the indices of the quotes that it names.

    A statement of which it says nothing, ``unknown`` or two things is left out.
    """
    filled = verdict_form(statements).parse(reply)
    lines = filled.lines.get("", ()) if filled is not None else ()
    if not lines and statements == 1 and _SAID.match(reply):
        lines = (("1", reply),)
    found: Verdicts = {}
    doubted: set[int] = set()
    for number, said in lines:
        at, verdict = int(number) - 1, _read(said, quotes)
        if verdict is None or found.setdefault(at, verdict)[0] != verdict[0]:
            doubted.add(at)
    return {at: verdict for at, verdict in found.items() if at not in doubted}


def _read(said: str, quotes: int) -> tuple[bool, tuple[int, ...]] | None:
    read = _SAID.match(said.partition("\n\n")[0])  # below it there may be reasons, in which "No" begins a sentence
    word = "" if read is None else read[1].lower()
    if read is None or word == "unknown" or (word in _OPPOSITE and _OPPOSITE[word].search(read[2])):
        return None
    if word == "no":
        return False, ()
    bare = _BARE.match(read[2])
    named = _QUOTES.findall(read[2]) or ([bare[1]] if bare else [])
    numbers = dict.fromkeys(int(one) - 1 for part in named for one in re.findall(r"\d{1,9}", part))
    return (True, tuple(numbers)) if all(0 <= one < quotes for one in numbers) or not quotes else None


def does_not_judge(reply: str) -> bool:
    """Return whether a reply is that of the offline reader, which does not say what supports a statement."""
    return bool(_UNKNOWN.search(reply))
