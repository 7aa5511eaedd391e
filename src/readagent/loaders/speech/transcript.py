"""Transcripts in plain text: each turn a paragraph, "Speaker: text", with its time where that is given."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from readagent.core.document import Document
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.speech.timestamps import clock, seconds_of
from readagent.loaders.speech.turns import Turn, opened, titled
from readagent.loaders.text.decode import decode
from readagent.loaders.text.lines import lines_of
from readagent.loaders.text.plain import title_of

_LEAST_TURNS = 5
_LEAST_SHARE = 0.4  # of the paragraphs that open a turn
_REPEATED = 0.8  # of the turns that belong to somebody who speaks more than once
_SENTENCES = 0.4  # of the turns that end like a sentence, where no times are given
_IN_ORDER = 0.8  # of the turns that follow their usual forerunner, in a form and not in a conversation
_KNOWN = 3  # turns of somebody who is not named, "Some members", by which they are known
_SAID = re.compile(r"[.!?…。！？—-][\"'”’»)\]]*$")
_CLOCK_TIME = re.compile(r"(\d+):\d{2}(?:[.,]\d+)?")


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in a transcript. What stands before the first turn, or between two, is kept as it is."""
    text, _ = decode(data, name)
    lines = lines_of(text)
    title = title_of(text)
    return compose(_blocks(lines), title="" if opened(title) else title)


def looks_like_transcript(text: str) -> bool:
    """Whether a text, or its beginning, is what several people say in turn; prose with a colon in it is not."""
    lines = lines_of(text)
    found = [(turn, said) for _, turn, said in _turns(lines) if turn]
    if len(found) < _LEAST_TURNS:
        return False
    speakers = Counter(turn.speaker for turn, _ in found)
    often = sum(count for count in speakers.values() if count > 1)
    if len([count for count in speakers.values() if count > 1]) < 2 or often < _REPEATED * len(found):
        return False
    if _is_record([turn.speaker for turn, _ in found]):
        return False
    blocks = sum(1 for before, line in itertools.pairwise(["", *lines]) if line and not before)
    paragraphs = blocks if blocks > 0.5 * len(found) else sum(1 for line in lines if line)
    stamped = sum(1 for turn, _ in found if turn.stamp) > 0.5 * len(found)
    ended = sum(1 for _, said in found if _SAID.search(said))
    return len(found) >= _LEAST_SHARE * paragraphs and (stamped or ended >= _SENTENCES * len(found))


def _is_record(names: Sequence[str]) -> bool:
    """Whether these are the fields of a form filled in again and again: three or more, always in the same order."""
    after = Counter(itertools.pairwise(names))
    usual: dict[str, int] = {}
    for (name, _), count in after.items():
        usual[name] = max(usual.get(name, 0), count)
    return len(usual) >= 3 and sum(usual.values()) >= _IN_ORDER * sum(after.values())


def _turns(lines: Iterable[str], known: Container[str] = ()) -> Iterator[tuple[int, Turn | None, str]]:
    """Paragraphs with the turn that opens each, if one does: where it begins, who speaks, and all the words."""
    turn: Turn | None = None
    kept: list[str] = []
    start = 0
    for index, line in enumerate([*lines, ""]):
        opens = opened(line, known)
        waiting = turn is not None and not kept  # the name stands over its text, a blank line may be between
        if opens or (not line and not waiting):
            if turn or kept:
                yield start, turn, " ".join(kept)
            turn, kept, start = opens, [opens.text] if opens and opens.text else [], index
        elif line:
            kept.append(line.strip())
    if turn:
        yield start, turn, " ".join(kept)


def _blocks(lines: Sequence[str]) -> list[Block]:
    named = Counter(name for line in lines if (name := titled(line)))
    found = list(_turns(lines, {name for name, count in named.items() if count >= _KNOWN}))
    recorded = _is_recording([turn.stamp for _, turn, _ in found if turn and turn.stamp])
    blocks = []
    place = ""
    for _, turn, said in found:
        if turn:
            place = _place(turn.stamp, recorded=recorded) or place
            blocks.append(Block(f"{turn.speaker}: {said}", place=place))
        else:
            blocks.append(Block(said, place=place))
    return blocks


def _is_recording(stamps: Sequence[str]) -> bool:
    """Whether ``12:31`` is twelve minutes into a recording: it begins near zero, or no clock goes so far."""
    short = [int(found[1]) for stamp in stamps if (found := _CLOCK_TIME.fullmatch(stamp))]
    return bool(short) and (short[0] < 5 or max(short) > 23 or len(short) < len(stamps))


def _place(stamp: str, *, recorded: bool) -> str:
    plain = stamp.replace(",", ".")
    if re.fullmatch(r"\d+:\d{1,2}:\d{2}(?:\.\d+)?", plain) or (recorded and _CLOCK_TIME.fullmatch(plain)):
        return clock(seconds_of(plain))
    return stamp
