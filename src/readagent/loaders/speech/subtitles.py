"""Subtitles (SRT, VTT, SBV, ASS and TTML): cues are joined into paragraphs, each with its time.

A paragraph ends when the speaker changes, after a long pause, and at the end of a sentence once it is long enough.
Rolling captions, which repeat the line before, are included once.
"""

from __future__ import annotations

import html
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree.ElementTree import Element

from readagent.core.document import Document
from readagent.core.words import count_words
from readagent.loaders.blocks import Block, compose
from readagent.loaders.formats import Options
from readagent.loaders.sandbox.xml import attribute, element_of, local, text_in, whole
from readagent.loaders.speech.turns import clock, seconds_of, turn_in
from readagent.loaders.text.decode import decode, lines_of

_PAUSE = 2.0  # seconds of silence that end a paragraph after the end of a sentence
_LONG_PAUSE = 8.0  # seconds of silence that always end a paragraph
_ENOUGH_WORDS = 60  # after which the end of a sentence ends the paragraph
_MAX_WORDS = 150  # after which the end of a cue ends the paragraph
_ROLLING = 0.3  # share of cues that repeat a line in rolling captions
_MIN_NAMED = 0.05  # share of cues that name a speaker, if only the first cue of a turn does
_TIMES = re.compile(
    r"^\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?)\s*-->\s*((?:\d+:)?\d{1,2}:\d{1,2}(?:[,.]\d{1,3})?)"
    r"|^(\d+:\d\d:\d\d\.\d{3}),(\d+:\d\d:\d\d\.\d{3})$"
)
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>\n]{1,80})>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|<\d[\d:.]{0,20}>|\{\\[^{}]{0,200}\}")
_BREAK = re.compile(r"\\[Nh]")
_TURN = re.compile(r"^\s*(?:[-–—‐]\s*(?=\S)|(?:>>|&gt;&gt;)>?\s*)")
_SOUND = re.compile(r"^[\[(♪♫\s][^\])]*[\])♪♫\s]*$")
_SENTENCE_END = re.compile(r"[.!?…。！？♪][\"'”’»)\]]*$")
_NOBODY = ("", "NTP")  # as the name of who speaks, in an ASS file
_DRAWING = re.compile(r"\{(?:[^{}\\]|\\(?!p[1-9]))*+\\p[1-9][^{}]*+\}[^{}]*+")
_OVERRIDE = re.compile(r"\{[^{}]*\}")
_XML = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*<(?:[?!]|(?:\w+:)?tt[\s>])")
_OFFSET = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(h|ms|m|s|f|t)")
_VTT_COMMENTS = ("NOTE", "STYLE", "REGION")


@dataclass(frozen=True, slots=True)
class Cue:
    """What is shown from ``start`` to ``end``, in seconds; only VTT names a ``speaker``."""

    start: float
    end: float
    lines: tuple[str, ...]
    speaker: str = ""


def parse(data: bytes, name: str, options: Options) -> Document:
    """Return subtitles as a document; their times are its places."""
    if _XML.match(data[:200].replace(b"\0", b"")):
        root = element_of(data, "text", name)
        return _document(list(_paragraph_cues(root)), text_in(root, "title"))
    lines = lines_of(decode(data, name)[0])
    events = sorted(_events(lines), key=lambda cue: cue.start)
    return _document(events or list(cues(lines)), _title(lines))


def _document(found: list[Cue], title: str) -> Document:
    return compose(paragraphs(_without_repeats(_with_speakers(found))), title=title)


def cues(lines: Iterable[str]) -> Iterator[Cue]:
    """Yield the cues in order, without cue numbers, comments, styles and broken cues."""
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
        elif ends_at_blank and not kept and line.startswith(_VTT_COMMENTS):
            times = None
        else:
            kept.append(line)
    yield from _cue(times, kept)


def _cue(times: re.Match[str] | None, lines: list[str]) -> Iterator[Cue]:
    if times and lines:
        start, end = seconds_of(times[1] or times[3]), seconds_of(times[2] or times[4])
        voices = [voice for line in lines for voice in _VOICE.findall(line)]
        yield Cue(start, max(start, end), tuple(_clean(line) for line in lines), voices[0].strip() if voices else "")


def _events(lines: Iterable[str]) -> Iterator[Cue]:
    """Yield the cues of an ASS or SSA file, whose columns it names; without drawings, and the same cue once."""
    columns, seen = list[str](), set[Cue]()
    for line in lines:
        kind, _, rest = line.strip().partition(":")
        if kind == "Format":
            columns = [column.strip().lower() for column in rest.split(",", 50)]
        elif kind == "Dialogue" and "text" in columns:
            row = dict(zip(columns, rest.split(",", len(columns) - 1), strict=False))
            said = _OVERRIDE.sub("", _DRAWING.sub("", row.get("text", "")))
            start, end = seconds_of(row.get("start", "")), seconds_of(row.get("end", ""))
            shown, name = tuple(_clean(part) for part in re.split(r"\\[Nn]", said)), row.get("name", "").strip()
            cue = Cue(start, max(start, end), shown, "" if name in _NOBODY else name)
            if cue not in seen and any(shown):
                yield cue
            seen.add(cue)


def _paragraph_cues(root: Element) -> Iterator[Cue]:
    """Yield the cues of a TTML file: its paragraphs with their times, or those of the spans in them.

    A paragraph without any has that of the part that it is in, or comes when the one before it ends.
    """
    names = {attribute(one, "id"): text_in(one, "name") for one in root.iter() if local(one) == "agent"}
    for element in root.iter():
        if local(element) == "br":
            element.text = "\0"  # which XML cannot contain
        for child in element if attribute(element, "begin") else ():
            if local(child) in ("div", "p") and not any(attribute(one, "begin") for one in child.iter()):
                child.attrib.update({name: attribute(element, name) for name in ("begin", "end")})
    until = 0.0
    for element in root.iter():
        if local(element) == "p":
            timed = [one for one in element.iter() if attribute(one, "begin")]
            start = _moment(attribute(timed[0], "begin"), root) if timed else until
            until = max(start, _moment(attribute(timed[-1], "end"), root) if timed else start)
            shown = tuple(" ".join(part.split()) for part in "".join(element.itertext()).split("\0"))
            yield Cue(start, until, shown, names.get(attribute(element, "agent"), ""))
            element.clear()  # a paragraph in it is none of its own


def _moment(time: str, root: Element) -> float:
    """Return the seconds in a time of TTML, such as 00:01:02.5, 62.5s, or a number of frames or ticks."""
    found = _OFFSET.fullmatch(time.strip())
    if found is None:
        return seconds_of(time)
    rate = whole(attribute(root, {"f": "frameRate", "t": "tickRate"}.get(found[2], ""))) or 1
    return float(found[1]) * {"h": 3600, "m": 60, "s": 1, "ms": 0.001}.get(found[2], 1 / rate)


def _clean(line: str) -> str:
    """Return a line without tags and entities."""
    if "<" in line or "{" in line:
        line = _TAG.sub("", _VOICE.sub("", line))
    return " ".join(html.unescape(_BREAK.sub(" ", line)).split())


def _with_speakers(found: list[Cue]) -> list[Cue]:
    """Return the cues with the speakers that their text names, as in "Anna: Hello", in each cue or at each turn."""
    named = [turn if turn and turn.text else None for turn in (turn_in(cue.lines[0]) for cue in found)]
    counts = Counter(turn.speaker for turn in named if turn)
    often = sum(count for count in counts.values() if count > 1)
    each = counts.total() >= 0.5 * len(found)
    if not each and (often < 0.8 * counts.total() or often < _MIN_NAMED * len(found) or len(counts) < 2):
        return found
    result, speaker = list[Cue](), ""
    for cue, turn in zip(found, named, strict=True):
        speaker = turn.speaker if turn else ("" if each else speaker)
        lines = (turn.text, *cue.lines[1:]) if turn else cue.lines
        result.append(replace(cue, speaker=speaker or cue.speaker, lines=lines))
    return result


def _without_repeats(found: Sequence[Cue]) -> Iterator[Cue]:
    """Yield the cues; in rolling captions, without lines that the cue before has already shown."""
    shown = [tuple(line for line in cue.lines if line) for cue in found]
    pairs = list(itertools.pairwise(shown))
    if sum(1 for before, lines in pairs if _new_lines(before, lines) != lines) < _ROLLING * len(pairs):
        yield from (replace(cue, lines=lines) for cue, lines in zip(found, shown, strict=True) if lines)
        return
    for cue, before, lines in zip(found, [(), *shown], shown, strict=False):
        new = _new_lines(before, lines)
        if new:
            yield replace(cue, lines=new)


def _new_lines(before: tuple[str, ...], lines: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is new in these lines, which may begin with the last lines or the last words shown before."""
    for shared in range(min(len(before), len(lines), 4), 0, -1):
        if before[-shared:] == lines[:shared]:
            return lines[shared:]
    if before and lines and len(before[-1]) > 3 and lines[0].startswith(before[-1] + " "):
        return (lines[0][len(before[-1]) + 1 :], *lines[1:])
    return lines


def paragraphs(found: Iterable[Cue]) -> Iterator[Block]:
    """Join cues: what one person says, up to a pause, or to the end of a sentence once it is long enough."""
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
    if pause >= _LONG_PAUSE or words >= _MAX_WORDS:
        return True
    return _ends(last) and (pause >= _PAUSE or words >= _ENOUGH_WORDS)


def _block(parts: list[str], start: float, speaker: str) -> Block:
    text = " ".join(parts)
    return Block(f"{speaker}: {text}" if speaker else text, place=clock(start), speaker=speaker)


def _title(lines: list[str]) -> str:
    """Return the title in the first line of a VTT file, or an empty string."""
    first = lines[0].removeprefix("\ufeff") if lines else ""
    title = first.removeprefix("WEBVTT").strip(" -\t") if first.startswith("WEBVTT") else ""
    return title if 0 < len(title) <= 90 and ":" not in title and "=" not in title else ""
