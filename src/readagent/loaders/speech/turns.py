"""Turns of speakers in plain text: which lines open one, who speaks, and when.

Known layouts: ``Anna: text``, ``[00:12:31] Anna: text``, ``Anna (12:31): text``, ``Anna  12:31`` over the text,
``[Anna] 10:02:33`` over it, ``12/03/2024, 10:02 - Anna: text``, ``[10:02] <anna> text``.
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_STAMP = rf"[\[(]?(?P<stamp>(?:{_DAY},?\s+)?{_TIME})[\])]?"
_NAME = r"(?P<name>[^\W_][^\n:;,!?<>\[\]()\"“”]{0,39}?(?:\s?\((?:[^\n():]|\([^\n():]{0,80}\)){1,160}\))?)"
_LINE = re.compile(
    rf"\s*+(?:{_STAMP}\s*+(?:[-–|]\s*+)?)?{_NAME}\s*+(?:[\[(]\s*+(?P<after>{_TIME})\s*+[\])]\s*+)?[:：](?:\s++|$)"
)
_NICK = re.compile(rf"\s*+(?:{_STAMP}\s*+)?<[@+ ]?(?P<name>[^<>\s][^<>\n]{{0,39}})>\s++")
_OVER = (
    re.compile(rf"\s*{_NAME}(?:\s{{2,}}|\t|\s*[-–|•]\s*|\s+(?=[\[(]))[\[(]?(?P<stamp>{_TIME})[\])]?\s*"),
    re.compile(rf"\s*\[(?P<name>[^\[\]\n]{{1,40}})\]\s+(?P<stamp>{_TIME})\s*"),
    re.compile(rf"\s*[\[(]?(?P<stamp>{_TIME})[\])]?(?:\s{{2,}}|\t|\s*[-–|]\s*|(?<=[\])])\s*){_NAME}\s*"),
)
_FAR = 400  # characters of a line within which its colon must stand
_NO_ONE = frozenset(
    """abstract address answer appendix args attention author bcc by caption cc chapter comment contact copyright
    critical date debug default description edit editor email error example fatal fig figure file files format
    from ftp hint http https important info input isbn item keywords language license location mailto name note
    notes nota output page parameters part ps phone place position price published question raises re reference
    references release remember required result returns see section sender sent source status step subject subtitle
    summary table tag tags tel time tip title todo to topic total trace translator type update url usage version
    volume warn warning website what when where why year yields""".split()
)


@dataclass(frozen=True, slots=True)
class Turn:
    """The opening of a turn: ``text`` is what stands on the same line, ``stamp`` the time as it is written."""

    speaker: str
    text: str = ""
    stamp: str = ""


def opened(line: str, known: Container[str] = ()) -> Turn | None:
    """The turn that this line opens, or None. A line without a time must begin with what can be a name, or is one."""
    head = line[:_FAR]
    if ":" not in head and "：" not in head and "<" not in head:
        return None
    found = _LINE.match(head) or _NICK.match(head)
    if found:
        after = found.groupdict().get("after")
        turn = Turn(found["name"].strip(), line[found.end() :].strip(), found["stamp"] or after or "")
        return turn if turn.speaker in known or is_name(turn.speaker, stamped=bool(turn.stamp)) else None
    for layout in _OVER if len(line) < _FAR else ():
        if over := layout.fullmatch(line):
            turn = Turn(over["name"].strip(), "", over["stamp"])
            return turn if is_name(turn.speaker, stamped=True) else None
    return None


def titled(line: str) -> str:
    """What stands before the colon of a line, if it may be somebody who is not named, such as "Some members"."""
    found = _LINE.match(line[:_FAR])
    name = found["name"].strip() if found else ""
    return name if name[:1].isupper() and is_name(name, stamped=True) and len(name.split()) <= 4 else ""


def is_name(name: str, *, stamped: bool) -> bool:
    """Whether these words can name a speaker: few, no full stop at the end of a long one, capitals where it counts."""
    words = name.partition("(")[0].split()
    if (
        not 1 <= len(words) <= 6
        or len(name) > 200
        or words[0].lower().strip(".*_") in _NO_ONE
        or not any(c.isalpha() for c in name)
    ):
        return False
    if stamped:
        return True
    if len(words) > 4 or any(word.islower() and word not in _PARTICLES for word in words):
        return False
    return not (name.endswith(".") and len(words) > 1 and not name.isupper())


_PARTICLES = frozenset("de del della der den di da dos du la le van von zu af al bin ibn und and of the y e".split())
