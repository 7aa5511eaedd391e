"""The title of a text: its first heading, as reStructuredText, AsciiDoc, Markdown, POD and manual pages mark one.

A text that marks no heading may begin with a line that stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from readagent.core.words import count_words
from readagent.loaders.text.headings import is_chapter

_MAX_LINES, _MAX_SIZE = 3000, 300_000  # of the text in which headings are looked for; the size in characters
_MAX_CHARACTERS, _MAX_WORDS = 120, 18  # of a title
_MARKED = re.compile(r"(?P<marks>#{1,6}|={1,6})[ \t]+(?P<title>\S.*?)(?:[ \t]+(?P=marks))?")
_COMMAND = re.compile(r"(?P<marks>=head[1-4]|\.S[Hh])[ \t]+(?P<title>\S.*)")
_ADORNMENT = re.compile(r"([!-/:-@[-`{-~])\1{2,}")  # the line below a heading, and perhaps above it
_FIELD = re.compile(r"[\w-]+:[ \t]")
_OPENINGS = "\"'“„«»‹‘¿¡"
_JOINERS = "\u200c\u200d"  # which some scripts and emoji are spelt with
_SECTION = re.compile(
    r"(?i)(?:chapter|part|book|section|act|scene|page)?\s*(?:\d+|[ivxlc]+)\b[.:)]?|(?:table of )?contents"
)
_INLINE = re.compile(r":[\w.:+-]+:(?=`)|`+|(?<=\w)_+(?=\s|$)")  # roles, code and references
_TROFF = re.compile(r'\\f(?:\[\w*\]|\(..|.)|\\[&/,|^]|\\(?=[ -])|^\.\\".*$|^\.\S+[ \t]*|"', re.MULTILINE)
_POD = re.compile(r"[BCFILS]<+[ \t]*(.*?)[ \t]*>+")


@dataclass(frozen=True, slots=True)
class _Heading:
    line: int
    marks: str  # those of its level
    words: str


def title_of(text: str) -> str:
    """Return the title of a text, or an empty string.

    It is the first heading, if no prose comes before it and the next one does not begin with the same word, as in a
    list of versions; of a manual page what it has as its name. Else it is the first line, if that is short, on its
    own, and reads like a title.
    """
    lines = text[:_MAX_SIZE].lstrip().splitlines()[:_MAX_LINES]
    found = list(_headings(lines))
    if found and _is_name(found[0]):
        return _fitting(_name(lines, found[0]))
    if found and _begins(lines[: found[0].line]):
        level = [one.words for one in found if one.marks == found[0].marks]
        return "" if is_entry(level) else _fitting(_INLINE.sub("", level[0]))
    return _alone(lines)


def is_entry(headings: Sequence[str]) -> bool:
    """Whether the first of the headings on one level begins like the second: "Version 2", then "Version 1"."""
    first = [heading.split()[0] for heading in headings[:2]]
    return len(first) == 2 and (first[0] == first[1] or all(any(map(str.isdigit, word)) for word in first))


def _fitting(title: str) -> str:
    """Return a title without what is not printed; an empty string if it is too long, or the heading of a part."""
    title = "".join(c for c in " ".join(title.strip("#*_=- \t").split()) if c.isprintable() or c in _JOINERS)
    short = len(title) <= _MAX_CHARACTERS and count_words(title) <= _MAX_WORDS
    part = _SECTION.fullmatch(title) or is_chapter(title)
    return title if short and any(map(str.isalpha, title)) and not part else ""


def _alone(lines: Sequence[str]) -> str:
    """Return the first line if it stands alone, begins like prose, and does not end like a sentence."""
    alone = len(lines) > 1 and not lines[1].strip() and any(map(str.strip, lines[2:]))
    first = lines[0].strip().removeprefix("* ") if alone else ""
    begins = first[:1].isalnum() or first[:1] in _OPENINGS
    return _fitting(first) if first and begins and first[-1] not in ".,;:-" else ""


def _headings(lines: Sequence[str]) -> Iterator[_Heading]:
    for at, line in enumerate(lines):
        words = line.strip()
        before, after = (lines[near].strip() if 0 <= near < len(lines) else "" for near in (at - 1, at + 1))
        if found := _COMMAND.fullmatch(line) or (None if before else _MARKED.fullmatch(line.rstrip())):
            if found["marks"][0] != "#" or after[:1] != "#":  # else a comment
                yield _Heading(at, found["marks"], found["title"])
        elif words and _ADORNMENT.fullmatch(after) and len(after) >= len(words) - 2 and not _ADORNMENT.fullmatch(words):
            above = before == after
            if above or not (before or line[0].isspace()):
                yield _Heading(at - above, after[0] * (1 + above), words)


def _begins(lines: Sequence[str]) -> bool:
    """Whether these lines are no prose: fields, comments and directives, which begin with a sign, and their text."""
    starts = [line for before, line in zip(["", *lines], lines, strict=False) if line.strip() and not before.strip()]
    prose = any(line[0].isalnum() and not _FIELD.match(line) for line in starts)
    return not prose and not (starts and starts[0][0].isspace())


def _is_name(heading: _Heading) -> bool:
    """Whether the name of a manual page is below this heading, which comes first in it."""
    return heading.marks[0] == "." or (heading.marks == "=head1" and heading.words.strip() == "NAME")


def _name(lines: Sequence[str], heading: _Heading) -> str:
    """Return the name of a manual page, and what it is about."""
    said = list[str]()
    for line in lines[heading.line + 1 :]:
        if _COMMAND.fullmatch(line) or (said and not line.strip()):
            break
        said += [line] if line.strip() and not line.startswith("X<") else []  # X<> is for an index
    name = "\n".join(said)
    if heading.marks[0] == "=":
        return _POD.sub(r"\1", name)
    return _TROFF.sub("", name.replace(".Nd ", "- "))
