"""Subtitles, SRT and VTT: cues joined into the paragraphs a person would write down, each with its time.

A paragraph ends where the speaker changes, after a long pause, and at the end of a sentence once there is enough of
it. Captions that roll, each repeating the line before, are told once.
"""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from readagent.core.document import Document
from readagent.core.words import count_words
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.speech.timestamps import clock, seconds_of
from readagent.loaders.speech.turns import opened
from readagent.loaders.text.decode import decode
from readagent.loaders.text.lines import lines_of

_PAUSE = 2.0  # seconds of silence that end a paragraph where a sentence has ended
_LONG_PAUSE = 8.0  # and that end it in any case
_ENOUGH = 60  # words after which the end of a sentence ends the paragraph
_ROLLING = 0.3  # of the cues that repeat a line, where captions roll
_NAMED = 0.05  # of the cues that name a speaker, where only the first of a turn does
_MOST = 150  # words after which the end of a cue does
_TIMES = re.compile(
    r"^\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?)\s*-->\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?)"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>\n]{1,80})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,200}\}")
_BREAK = re.compile(r"\\[Nh]")
_TURN = re.compile(r"^\s*(?:[-–—‐]\s*(?=\S)|(?:>>|&gt;&gt;)>?\s*)")
_SOUND = re.compile(r"^[\[(♪♫\s][^\])]*[\])♪♫\s]*$")
_SENTENCE_END = re.compile(r"[.!?…。！？♪][\"'”’»)\]]*$")
_ASIDE = ("NOTE", "STYLE", "REGION")


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from ``start`` to ``end``, in seconds; ``speaker`` is named by VTT alone."""

    start: float
    end: float
    lines: tuple[str, ...]
    speaker: str = ""


def parse(data: bytes, name: str, options: Options) -> Document:
    """The document in subtitles; their times are its places."""
    text, _ = decode(data, name)
    lines = lines_of(text)
    return compose(paragraphs(_spoken(_with_speakers(list(cues(lines))))), title=_title(lines))


def cues(lines: Iterable[str]) -> Iterator[Cue]:
    """The cues in order. The numbers before the times, notes and styles are left out, and so are broken cues."""
    times: re.Match[str] | None = None
    kept: list[str] = []
    ends_at_blank = False
    for line in lines:
        found = _TIMES.match(line)
        if found or "-->" in line:
            if kept and kept[-1].strip().isdecimal():
                kept.pop()  # the number of the next cue
            yield from _cue(times, kept)
            times, kept = found, []
        elif not line.strip():
            if ends_at_blank and kept:
                yield from _cue(times, kept)
                times, kept = None, []
        elif line.lstrip("\ufeff").startswith("WEBVTT") and times is None:
            ends_at_blank = True
        elif ends_at_blank and not kept and line.startswith(_ASIDE):
            times = None
        else:
            kept.append(line)
    yield from _cue(times, kept)


def _cue(times: re.Match[str] | None, lines: list[str]) -> Iterator[Cue]:
    if times and lines:
        start, end = seconds_of(times[1]), seconds_of(times[2])
        voices = [voice for line in lines for voice in _VOICE.findall(line)]
        yield Cue(start, max(start, end), tuple(_clean(line) for line in lines), voices[0].strip() if voices else "")


def _clean(line: str) -> str:
    """A line without tags and entities."""
    if "<" in line or "{" in line:
        line = _TAG.sub("", _VOICE.sub("", line))
    return " ".join(html.unescape(_BREAK.sub(" ", line)).split())


def _with_speakers(found: list[Cue]) -> list[Cue]:
    """The cues with their speakers known where words name them, "Anna: Hello": in each cue, or where a turn begins."""
    named = [turn if turn and turn.text else None for turn in (opened(cue.lines[0]) for cue in found)]
    times = Counter(turn.speaker for turn in named if turn)
    often = sum(count for count in times.values() if count > 1)
    each = times.total() >= 0.5 * len(found)
    if not each and (often < 0.8 * times.total() or often < _NAMED * len(found) or len(times) < 2):
        return found
    known, speaker = list[Cue](), ""
    for cue, turn in zip(found, named, strict=True):
        speaker = turn.speaker if turn else ("" if each else speaker)
        lines = (turn.text, *cue.lines[1:]) if turn else cue.lines
        known.append(replace(cue, speaker=speaker or cue.speaker, lines=lines))
    return known


def _spoken(found: Sequence[Cue]) -> Iterator[Cue]:
    """The cues without lines that the one before has shown already, where the captions roll."""
    shown = [tuple(line for line in cue.lines if line) for cue in found]
    pairs = list(itertools.pairwise(shown))
    if sum(1 for before, lines in pairs if _fresh(before, lines) != lines) < _ROLLING * len(pairs):
        yield from (replace(cue, lines=lines) for cue, lines in zip(found, shown, strict=True) if lines)
        return
    for cue, before, lines in zip(found, [(), *shown], shown, strict=False):
        fresh = _fresh(before, lines)
        if fresh:
            yield replace(cue, lines=fresh)


def _fresh(before: tuple[str, ...], lines: tuple[str, ...]) -> tuple[str, ...]:
    """What is new in these lines: their beginning may be the end of what was shown, or be it all and more words."""
    for shared in range(min(len(before), len(lines), 4), 0, -1):
        if before[-shared:] == lines[:shared]:
            return lines[shared:]
    if before and lines and len(before[-1]) > 3 and lines[0].startswith(before[-1] + " "):
        return (lines[0][len(before[-1]) + 1 :], *lines[1:])
    return lines


def paragraphs(found: Iterable[Cue]) -> Iterator[Block]:
    """Cues joined: what one person says, up to a pause or to the end of a sentence once there is enough."""
    parts: list[str] = []
    start, until, speaker, words = 0.0, 0.0, "", 0
    for cue in found:
        for index, line in enumerate(cue.lines):
            turn = bool(_TURN.match(line)) and (line[:1] not in "-–—‐" or not parts or _ends(parts[-1]))
            line = _TURN.sub("", line) if turn else line
            pause = cue.start - until if index == 0 else 0.0
            changed = index == 0 and cue.speaker != speaker
            if parts and (turn or changed or _closes(parts[-1], pause, words)):
                yield _block(parts, start, speaker)
                parts, words = [], 0
            if not parts:
                start, speaker = cue.start, cue.speaker
            parts.append(line)
            words += count_words(line)
        until = max(until, cue.end)
    if parts:
        yield _block(parts, start, speaker)


def _ends(text: str) -> bool:
    return bool(_SENTENCE_END.search(text[-50:])) or (len(text) < 200 and bool(_SOUND.match(text)))


def _closes(last: str, pause: float, words: int) -> bool:
    """Whether a paragraph ends after this line."""
    if pause >= _LONG_PAUSE or words >= _MOST:
        return True
    return _ends(last) and (pause >= _PAUSE or words >= _ENOUGH)


def _block(parts: list[str], start: float, speaker: str) -> Block:
    text = " ".join(parts)
    return Block(f"{speaker}: {text}" if speaker else text, place=clock(start))


def _title(lines: list[str]) -> str:
    """What a VTT file says after its mark, where that is a title."""
    first = lines[0].removeprefix("\ufeff") if lines else ""
    said = first.removeprefix("WEBVTT").strip(" -\t") if first.startswith("WEBVTT") else ""
    return said if 0 < len(said) <= 90 and ":" not in said and "=" not in said else ""
