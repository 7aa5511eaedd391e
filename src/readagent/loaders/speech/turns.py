"""Turns of speakers in plain text: which lines begin one, who speaks, and when."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from datetime import UTC, datetime

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,3})?(?:\s?[AaPp]\.?\s?[Mm]\b\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_STAMP = rf"[\[(]?(?P<stamp>(?:{_DAY},?\s+)?{_TIME})[\])]?"
_NAME = r"(?P<name>[^\W_][^\n:;,!?<>\[\]()\"“”]{0,39}?(?:\s?\((?:[^\n():]|\([^\n():]{0,80}\)){1,160}\))?)"
_LINE = re.compile(
    rf"\s*+(?:{_STAMP}\s*+(?:[-–|]\s*+)?)?{_NAME}\s*+(?:[\[(]\s*+(?P<after>{_TIME})\s*+[\])]\s*+)?[:：](?:\s++|$)"
)
_NICK = re.compile(rf"\s*+(?:{_STAMP}\s*+)?<[@+ ]?(?P<name>[^<>\s][^<>\n]{{0,39}})>\s++")
_ABOVE_TEXT = (
    re.compile(rf"\s*{_NAME}(?:\s{{2,}}|\t|\s*[-–|•]\s*|\s+(?=[\[(]))[\[(]?(?P<stamp>{_TIME})[\])]?\s*"),
    re.compile(rf"\s*\[(?P<name>[^\[\]\n]{{1,40}})\]\s+(?P<stamp>{_TIME})\s*"),
    re.compile(rf"\s*[\[(]?(?P<stamp>{_TIME})[\])]?(?:\s{{2,}}|\t|\s*[-–|]\s*|(?<=[\])])\s*){_NAME}\s*"),
)
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")  # marks of direction, around numbers
_HALF = r"[^\W\d_]{1,2}\.?(?:\s?[^\W\d_]{1,2}\.?)?"  # of a day, as AM or p. m., before or after the time
_EXPORTED = re.compile(  # a message, as messengers export it; some languages have a word between day and time
    r"\s*+(?P<bracket>\[)?(?P<stamp>(?P<day>\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{1,4}\.?)"
    rf",?\s+(?:[^\W\d_]{{1,4}}\.?\s*)?\d{{1,2}}[:.]\d\d(?:[:.]\d\d)?(?:\s?{_HALF})?)"
    r"(?(bracket)\]\s*+|(?:\s+[-–]|[:,])\s++)(?P<rest>\S.*)"
)
_SENDER = re.compile(r"(?:~\s?)?(?P<name>[^\n:\"“”„«]{1,60}?)\s?:(?:\s++|$)")
_ZOOM = re.compile(  # "From Anna to Everyone:", in other languages "\t De  Anna :", in the cloud "\tAnna:\t"
    r"(?P<stamp>\d\d:\d\d:\d\d)(?:\s+(?:From|(?<=\t )\w{1,12}(?=  ))\s+|\t(?=[^\t]*:\t))(?P<name>\S.{0,99}?)"
    r"(?:\s+[Tt]o\s+(?!to\s)(?P<to>[^\s:].{0,99}?)(?:\s*\((?:Direct Message|Privately)\))?)?\s*:(?:\s+(?P<rest>.*)|$)"
)
_TELEPHONE = re.compile(r"\+?\(?\d[\d\s().\u2010\u2011-]{4,24}\d")
_MAX_OFFSET = 400  # characters of a line within which its colon must come
_NOT_A_NAME = frozenset(
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
    """The start of a turn: ``text`` is the rest of the line, ``stamp`` the time as it is written.

    A notice of a messenger, such as that somebody left, has no speaker.
    """

    speaker: str
    text: str = ""
    stamp: str = ""
    day: str = ""  # the part of ``stamp`` that is a date


def turn_in(line: str, known: Container[str] = ()) -> Turn | None:
    """Return the turn that this line begins, or None. Without a time, it must begin with a plausible or known name."""
    if turn := exported_in(line):
        return turn
    head = line[:_MAX_OFFSET]
    if ":" not in head and "：" not in head and "<" not in head:
        return None
    found = _LINE.match(head) or _NICK.match(head)
    if found:
        after = found.groupdict().get("after")
        turn = Turn(found["name"].strip(), line[found.end() :].strip(), found["stamp"] or after or "")
        return turn if turn.speaker in known or is_name(turn.speaker, stamped=bool(turn.stamp)) else None
    for layout in _ABOVE_TEXT if len(line) < _MAX_OFFSET else ():
        if found := layout.fullmatch(line):
            turn = Turn(found["name"].strip(), "", found["stamp"])
            return turn if is_name(turn.speaker, stamped=True) else None
    return None


def exported_in(line: str, *, any_name: bool = False) -> Turn | None:
    """Return the message of an exported chat that this line begins, or None.

    With ``any_name``, in what is known to be such a chat, all that stands before the first colon is the sender.
    """
    line = _INVISIBLE.sub("", line)
    if not line.lstrip("[ \t")[:1].isdigit():
        return None
    if sent := _ZOOM.match(line):
        to = sent["to"] if sent["to"] and sent["to"] != "Everyone" else ""
        return Turn(f"{sent['name']} (to {to})" if to else sent["name"], (sent["rest"] or "").strip(), sent["stamp"])
    found = _EXPORTED.fullmatch(line)
    if found is None or (found["rest"].startswith("<") and _NICK.match(found["rest"])):
        return None
    stamp, day, rest = found["stamp"], found["day"], found["rest"]
    sender = _SENDER.match(rest)
    name = sender["name"].strip() if sender else ""
    if sender is None or not (any_name or _TELEPHONE.fullmatch(name) or is_name(name, stamped=True)):
        return Turn("", rest, stamp, day)
    return Turn(name, rest[sender.end() :].strip(), stamp, day)


def group_name(line: str) -> str:
    """Return the text before the colon if it may be a speaker without a name, such as "Some members"."""
    found = _LINE.match(line[:_MAX_OFFSET])
    name = found["name"].strip() if found else ""
    return name if name[:1].isupper() and is_name(name, stamped=True) and len(name.split()) <= 4 else ""


def is_name(name: str, *, stamped: bool) -> bool:
    """Whether these words can name a speaker: few words, capitalised, not ending like a sentence."""
    words = name.partition("(")[0].split()
    if (
        not 1 <= len(words) <= 6
        or len(name) > 200
        or words[0].lower().strip(".*_") in _NOT_A_NAME
        or not any(c.isalpha() for c in name)
    ):
        return False
    if stamped:
        return True
    if len(words) > 4 or any(word.islower() and word not in _PARTICLES for word in words):
        return False
    return not (name.endswith(".") and len(words) > 1 and not name.isupper())


_PARTICLES = frozenset("de del della der den di da dos du la le van von zu af al bin ibn und and of the y e".split())


_PART = re.compile(r"\d+")


def seconds_of(time: str) -> float:
    """Return the seconds in a time of hours, minutes and seconds; the first parts may be missing."""
    whole, _, fraction = time.strip().replace(",", ".").partition(".")
    total = 0
    for part in _PART.findall(whole)[:3]:
        total = total * 60 + int(part[:9])
    return total + (float(f"0.{fraction}") if fraction.isdecimal() else 0.0)


def clock(seconds: float) -> str:
    """Return a time such as ``0:41:07``."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"


def date_time(stamp: float) -> str:
    """Return the date and time of a Unix timestamp in seconds or milliseconds; empty if it is out of range."""
    if 1e11 < stamp < 1e15:
        stamp /= 1000
    if not 1e8 <= stamp < 1e11:
        return ""
    try:
        return datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M")
    except (OverflowError, OSError, ValueError):
        return ""
