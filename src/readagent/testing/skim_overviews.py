"""What a Skimmer replies to the prompts of overviews: statements, lines of fields and verdicts, with their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from readagent.core.words import count_words, sentences, truncate

_FORM = re.compile(r"^(?:\.\.\. \[Page 7\]|([^<\n]*) \| pages$)", re.M)
_DATE = re.compile(r"\b(?:\d{1,2} )?(?:[A-Z][a-z]+ )?(1\d{3}|20\d{2})\b")
_ENTRY = re.compile(r"^[ \t]*<Page ([\d, ]+)>[ \t]*$", re.M)
_TITLE = re.compile(r"^[ \t]*<Document \".*\">[ \t]*\n?", re.M)
_WORDS = re.compile(r"\b(?:about|most) (\d{1,6}) words\b")
_COUNT = re.compile(r"^Write (\d{1,4}) questions", re.M)
_PARTS = re.compile(r"into (\d+) to \d+ parts")
_SECTION = re.compile(r"^(\d+): .*\(pages (\d+) to (\d+)\)$", re.M)
_NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})+\b")
_TERM = re.compile(r"\b([A-Z]{2,}|[A-Z][a-z]{3,})\b")
_WORD = re.compile(r"[^\W_]{3,}")

_STATEMENT = 20  # words of a statement of a summary, as models write them
_DOUBTED = 8  # one statement in so many is doubted where that is asked for


def overview(prompt: str, memory: str, own_words: bool = False) -> str:
    """Return the reply to a prompt of an overview with this memory; "" if it is none.

    With ``own_words``, texts are as long as the prompt asks for, and their sentences are not those of the memory.
    """
    frame = prompt.replace(memory, "")
    if "Person N: number" in frame:
        return "NONE"
    form = _FORM.search(frame)
    if form is None:
        return ""
    entries = list(_entries(memory))
    columns = (form[1] or "").split(" | ")
    if sections := _SECTION.findall(frame):
        return "\n".join(_section(entries, *map(int, section)) for section in sections)
    if parts := _PARTS.search(frame):
        return _parts(entries, int(parts[1]))
    if columns[0] == "date":
        return "\n".join(_events(entries)) or "NONE"
    if columns[0] == "term":
        return "\n".join(_named(entries, _TERM, "{name} | {said}")) or "NONE"
    if columns[:2] == ["name", "kind"]:
        return "\n".join(_named(entries, _TERM, "{name} | - | {said}")) or "NONE"
    if columns[0] == "name":
        return "\n".join(_named(entries, _NAME, "{name} | - | {said} | -")) or "NONE"
    if count := _COUNT.search(frame):
        chosen = _evenly(entries, int(count[1]))
        return "\n".join(f"What is told here? | {_clean(text)} | {pages}" for pages, text in chosen)
    if columns[0] and columns[0] != "item":
        own = [" | ".join([_clean(text), *["-"] * (len(columns) - 1), pages]) for pages, text in _sentences(entries)]
        return "\n".join(own) or "NONE"
    asked = re.search(r"<question>\n(.*?)\n</question>", frame, re.S)
    words = _WORDS.search(frame)
    if words is None or "Note down everything" in frame:
        near = [(pages, text) for pages, text in _sentences(entries) if _shares(text, asked[1] if asked else "")]
        place = "{} | {}" if columns[0] else "{} [Page {}]"
        return "\n".join(place.format(_clean(text), pages) for pages, text in near) or "NONE"
    line = "\n" if "on a line" in frame else " "
    if own_words:
        return line.join(_retold(list(_sentences(entries)), int(words[1])))
    room, told = int(words[1]), list[str]()
    for pages, text in _evenly(list(_sentences(entries)), max(1, room // 12)):
        told.append(f"{truncate(_clean(text), room).rstrip('.')} [Page {pages}].")
        room -= count_words(text)
        if room < 5:
            break
    return line.join(told)


def rows_of(text: str, keys: Sequence[str]) -> list[dict[str, object]]:
    """Return lines with bars as rows with these keys; the last one has the pages as numbers."""
    rows: list[dict[str, object]] = []
    for line in text.splitlines():
        *cells, pages = line.split(" | ")
        named = [int(one) for one in re.findall(r"\d+", pages)]
        named = list(range(named[0], named[-1] + 1)) if "-" in pages else named
        if len(cells) + 1 == len(keys):
            rows.append(dict(zip(keys, [*cells, named], strict=True)))
    return rows


def _retold(pairs: list[tuple[str, str]], words: int) -> Iterator[str]:
    """Yield statements of the length that models write, until there are about so many words."""
    count = max(1, round(words / _STATEMENT))
    for at in range(count if pairs else 0):
        pages, text = pairs[at * len(pairs) // count]
        said = (_clean(text).rstrip(".").split() * _STATEMENT)[: min(words, _STATEMENT)]
        yield f"{' '.join(said[len(said) // 2 :] + said[: len(said) // 2])} [Page {pages}]."


def judged(statements: str, memory: str, doubts: bool = False) -> str:
    """Say of each statement whether the memory has at least half of its words; with ``doubts``, deny some anyway."""
    known = _words(memory)
    lines = []
    for number, statement in enumerate(statements.splitlines(), 1):
        words = _words(statement.partition(":")[2])
        matches = 2 * len(words & known) >= len(words) and not (doubts and number % _DOUBTED == 0)
        lines.append(f"{number}: {'yes' if matches else 'no'}")
    return "\n".join(lines)


def _entries(memory: str) -> Iterator[tuple[str, str]]:
    parts = _ENTRY.split(_TITLE.sub("", memory))
    yield from zip(parts[1::2], (text.strip() for text in parts[2::2]), strict=True)


def _sentences(entries: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for pages, text in entries:
        for sentence in sentences(text):
            if any(map(str.isalnum, sentence)):
                yield pages, sentence


def _evenly(pairs: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    count = min(count, len(pairs))
    return [pairs[at * len(pairs) // count] for at in range(count)]


def _named(entries: list[tuple[str, str]], names: re.Pattern[str], form: str) -> Iterator[str]:
    for pages, sentence in _sentences(entries):
        inside = sentence if names is _NAME else sentence.partition(" ")[2]
        for name in dict.fromkeys(names.findall(inside)):
            yield f"{form.format(name=name, said=_clean(sentence))} | {pages}"


def _events(entries: list[tuple[str, str]]) -> Iterator[str]:
    for pages, sentence in _sentences(entries):
        if told := _DATE.search(sentence):
            yield f"{told[1]} | {_clean(told[0])} | {_clean(sentence)} | {pages}"


def _section(entries: list[tuple[str, str]], number: int, first: int, last: int) -> str:
    own = [(pages, text) for pages, text in entries if first <= int(pages.split(",")[0]) <= last] or entries[:1]
    pages, text = own[0]
    return f"{number} | {_clean(sentences(text)[0])} | {pages}"


def _parts(entries: list[tuple[str, str]], count: int) -> str:
    numbers = [int(pages.split(",")[0]) for pages, _ in entries]
    count = min(count, len(entries))
    starts = [at * len(entries) // count for at in range(count)]
    lines = []
    for place, at in enumerate(starts):
        end = numbers[starts[place + 1]] - 1 if place + 1 < count else numbers[-1]
        lines.append(
            f"Part {place + 1} | {_clean(sentences(entries[at][1])[0])} | {numbers[at]}-{max(numbers[at], end)}"
        )
    return "\n".join(lines)


def _clean(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


def _words(text: str) -> set[str]:
    return {word[:6] for word in _WORD.findall(text.lower())}


def _shares(text: str, asked: str) -> bool:
    return bool({one for one in _words(asked) if len(one) > 4} & _words(text))
