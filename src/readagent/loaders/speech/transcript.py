"""Transcripts in plain text: each turn is a paragraph, "Speaker: text", with its time if one is given."""

from __future__ import annotations

import datetime
import itertools
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from readagent.core.document import Document
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.speech.turns import Turn, clock, exported_in, group_name, seconds_of, turn_in
from readagent.loaders.text.decode import decode, lines_of
from readagent.loaders.text.titles import title_of

_MIN_TURNS = 5
_MIN_EXPORTED = 2
_SAMPLE = 1000  # lines that tell whether a text is such a chat
_MIN_SENT = 0.1  # of the lines of an exported chat begin a message
_MIN_SHARE = 0.4  # of the paragraphs begin a turn
_MIN_REPEATED = 0.8  # of the turns are by someone who speaks more than once
_MIN_SENTENCES = 0.4  # of the turns end like a sentence, if there are no times
_FORM_ORDER = 0.8  # of the labels follow the same label as usual: a form, not a conversation
_MIN_GROUP_TURNS = 3  # before a label such as "Some members" counts as a speaker
_SENTENCE_END = re.compile(r"[.!?…。！？—-][\"'”’»)\]]*$")
_NUMBER = re.compile(r"\d+")
_CLOCK_TIME = re.compile(r"(\d+):\d{2}(?:[.,]\d+)?")


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return a transcript as a document. Text before the first turn or between turns is kept."""
    text, _ = decode(data, name)
    lines = lines_of(text)
    title = title_of(text)
    return compose(_blocks(lines), title="" if turn_in(title) else title)


def looks_like_transcript(text: str) -> bool:
    """Whether a text, or its beginning, is a transcript of several speakers, and not prose with colons."""
    lines = lines_of(text)
    if _is_exported(lines):
        return True
    found = [(turn, said) for _, turn, said in _turns(lines) if turn and turn.speaker]
    if len(found) < _MIN_TURNS:
        return False
    speakers = Counter(turn.speaker for turn, _ in found)
    often = sum(count for count in speakers.values() if count > 1)
    if len([count for count in speakers.values() if count > 1]) < 2 or often < _MIN_REPEATED * len(found):
        return False
    if _is_form([turn.speaker for turn, _ in found]):
        return False
    blocks = sum(1 for before, line in itertools.pairwise(["", *lines]) if line and not before)
    paragraphs = blocks if blocks > 0.5 * len(found) else sum(1 for line in lines if line)
    stamped = sum(1 for turn, _ in found if turn.stamp) > 0.5 * len(found)
    ended = sum(1 for _, said in found if _SENTENCE_END.search(said))
    return len(found) >= _MIN_SHARE * paragraphs and (stamped or ended >= _MIN_SENTENCES * len(found))


def _is_exported(lines: Sequence[str]) -> bool:
    """Whether the lines are messages as messengers and Zoom export them: "12/03/2021, 10:01 - Anna: text"."""
    filled = [line for line in lines[:_SAMPLE] if line]
    if not filled or exported_in(filled[0]) is None:
        return False
    turns = [turn for line in filled if (turn := exported_in(line))]
    senders = sum(1 for turn in turns if turn.speaker)
    return senders >= _MIN_EXPORTED and len(turns) >= _MIN_SENT * len(filled)


def _is_form(names: Sequence[str]) -> bool:
    """Whether these are the fields of a repeated form: three or more, always in the same order."""
    after = Counter(itertools.pairwise(names))
    usual: dict[str, int] = {}
    for (name, _), count in after.items():
        usual[name] = max(usual.get(name, 0), count)
    return len(usual) >= 3 and sum(usual.values()) >= _FORM_ORDER * sum(after.values())


def _turns(
    lines: Iterable[str], known: Container[str] = (), *, exported: bool = False
) -> Iterator[tuple[int, Turn | None, str]]:
    """Yield each paragraph: its first line, the turn it begins (or None), and its text."""
    turn: Turn | None = None
    kept: list[str] = []
    start = 0
    for index, line in enumerate([*lines, ""]):
        begins = exported_in(line, any_name=True) if exported else turn_in(line, known)
        waiting = turn is not None and not kept  # the name is above its text, perhaps with a blank line between
        if begins or (not line and not waiting):
            if turn or kept:
                yield start, turn, " ".join(kept)
            turn, kept, start = begins, [begins.text] if begins and begins.text else [], index
        elif line:
            kept.append(line.strip())
    if turn:
        yield start, turn, " ".join(kept)


def _blocks(lines: Sequence[str]) -> list[Block]:
    exported = _is_exported(lines)
    named = Counter(name for line in lines if not exported and (name := group_name(line)))
    known = {name for name, count in named.items() if count >= _MIN_GROUP_TURNS}
    found = list(_turns(lines, known, exported=exported))
    recorded = _is_recording([turn.stamp for _, turn, _ in found if turn and turn.stamp])
    days = _dates([turn.day for _, turn, _ in found if turn and turn.day])
    blocks = []
    place = speaker = ""
    for _, turn, said in found:
        if turn:
            speaker = turn.speaker
            day = days.get(turn.day)
            stamp = day + turn.stamp[len(turn.day) :].replace(",", "", 1) if day else turn.stamp
            place = _place(stamp, recorded=recorded) or place
        label = f"{speaker}: " if turn and speaker else ""
        blocks.append(Block(label + said, place=place, speaker=speaker))
    return blocks


def _dates(days: Sequence[str]) -> dict[str, str]:
    """Return the days of a chat in order as ISO dates; nothing where they do not tell if the day or the month is first.

    That order counts in which fewer dates are impossible or earlier than the one before.
    """
    orders = [{day: _date(day, month_first=first) for day in set(days)} for first in (False, True)]
    faults = []
    for dates in orders:
        inverted = sum(dates[after] < dates[before] for before, after in itertools.pairwise(days))
        faults.append(inverted + sum(not dates[day] for day in days))
    best = orders[faults.index(min(faults))]
    return {day: iso for day, iso in best.items() if iso} if faults[0] != faults[1] or orders[0] == orders[1] else {}


def _date(day: str, *, month_first: bool) -> str:
    """Return a date such as 12/3/21 as 2021-03-12, or an empty string if there is none."""
    parts = [int(part) for part in _NUMBER.findall(day)]
    if len(_NUMBER.findall(day)[0]) == 4:
        year, month, date = parts
    else:
        date, month, year = (parts[1], parts[0], parts[2]) if month_first else parts
    try:
        return datetime.date(year + 2000 if year < 100 else year, month, date).isoformat()
    except ValueError:
        return ""


def _is_recording(stamps: Sequence[str]) -> bool:
    """Whether ``12:31`` means twelve minutes into a recording: times start near zero or go beyond 24."""
    short = [int(found[1]) for stamp in stamps if (found := _CLOCK_TIME.fullmatch(stamp))]
    return bool(short) and (short[0] < 5 or max(short) > 23 or len(short) < len(stamps))


def _place(stamp: str, *, recorded: bool) -> str:
    plain = stamp.replace(",", ".")
    if re.fullmatch(r"\d+:\d{1,2}:\d{2}(?:\.\d+)?", plain) or (recorded and _CLOCK_TIME.fullmatch(plain)):
        return clock(seconds_of(plain))
    return stamp
