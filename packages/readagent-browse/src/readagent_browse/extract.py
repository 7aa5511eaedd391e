"""Extracts: a short form of parts of a page without a model, made of their own headings, elements and words.

Very long pages get these instead of gists: they cost no call, and every element in them stands with its id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, log

from readagent.core.words import lead
from readagent_browse.dom import Element
from readagent_browse.ids import id_ranges
from readagent_browse.snippets import Snippet

_TAG = re.compile(r"<[^<>]*>")
_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.*?)</h\1>", re.DOTALL)
_ID = re.compile(r"<\w[^<>]*? id=([^\s<>]+)")
_WORD = re.compile(r"[^\W\d_]{3,24}")
_BRACKETS = str.maketrans("[]", "()")  # in the words of a page they would look like ids
_HEADING_SHARE = 0.5  # of the tokens of an extract that headings may take; elements and words share the rest
_ELEMENT_SHARE = 0.6  # of what headings leave
_ID_SHARE = 0.35  # of the tokens of an extract with all ids that the rest of the ids may take
_OFTEN = 3  # an element whose name occurs more often on the page says little about a part of it
_HEADING_WORDS = 10
_LEAD_WORDS = 10
_SEPARATOR_TOKENS = 2

Count = Callable[[str], int]


def plain_text(html: str) -> str:
    """Return the text of a snippet in one line, without tags."""
    return " ".join(_TAG.sub(" ", html).split())


@dataclass(slots=True)
class PageWords:
    """How often the words and the names of elements occur on a page; ``in_snippets`` are the words of each snippet.

    ``places`` are the headings that each snippet begins under, as "Chapter > Section".
    """

    snippets: Sequence[Snippet]
    in_snippets: list[Counter[str]] = field(init=False)
    places: list[str] = field(init=False)
    _having: Counter[str] = field(init=False)
    _labels: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.in_snippets = [Counter(_words(plain_text(snippet.html))) for snippet in self.snippets]
        self.places = list(_places(self.snippets))
        self._having = Counter(word for words in self.in_snippets for word in words)
        self._labels = Counter(element.label for snippet in self.snippets for element in snippet.elements)

    def weight(self, word: str) -> float:
        """Return how rare a word is on the page: 0 if it is in every snippet."""
        return log(len(self.snippets) / max(1, self._having[word]))

    def rarity(self, element: Element) -> float:
        """Return the weight of the rarest word in the name of an element; below 0 if its name is a common one."""
        if self._labels[element.label] > _OFTEN:
            return -inf
        return max((self.weight(word) for word in _words(element.label)), default=-1.0)

    def distinctive(self, indexes: Sequence[int]) -> list[str]:
        """Return the words that tell these snippets from the others, the most distinctive first."""
        found: Counter[str] = Counter()
        for index in indexes:
            found.update(self.in_snippets[index])
        scores = {word: count * self.weight(word) for word, count in found.items() if self.weight(word) > 0}
        return sorted(scores, key=lambda word: (-scores[word], word))


def _places(snippets: Sequence[Snippet]) -> Iterator[str]:
    above: dict[int, str] = {}
    for snippet in snippets:
        first = _HEADING.match(snippet.html)
        path = [text for level, text in sorted(above.items()) if first is None or level < int(first[1])]
        yield " > ".join([*path[:1], *path[1:][-2:]])
        for match in _HEADING.finditer(snippet.html):
            above = {level: text for level, text in above.items() if level < int(match[1])}
            if text := _heading_text(match):
                above[int(match[1])] = text


def _heading_text(match: re.Match[str]) -> str:
    return " ".join(plain_text(match[2]).translate(_BRACKETS).split()[:_HEADING_WORDS])


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def extract(
    snippets: Sequence[Snippet], words: PageWords, tokens: int, count: Count, *, all_ids: bool = False
) -> tuple[str, tuple[str, ...]]:
    """Return an extract of these snippets in about so many tokens, and the ids of the elements that it names.

    With ``all_ids``, the ids of the elements that it does not name follow, as far as there is room.
    """
    known = {element.id for snippet in snippets for element in snippet.elements}
    shown: set[str] = set()
    room = int(tokens * (1 - _ID_SHARE)) if all_ids else tokens
    place = words.places[snippets[0].index]
    lines = [f"in {place}"] if place and 2 * count(place) <= room else []
    chosen = _headings(snippets, known, int(_HEADING_SHARE * (room - sum(map(count, lines)))), count)
    if chosen:
        lines.append("; ".join(chosen))
    elif all_ids:
        lines.append(lead(plain_text(snippets[0].html).translate(_BRACKETS), _LEAD_WORDS))
    left = room - sum(map(count, lines))
    for text in chosen:
        shown.update(name for name in re.findall(r"\[([^\[\]]+)\]", text) if name in known)
    elements = _elements(snippets, words, shown, int(_ELEMENT_SHARE * left), count)
    if elements:
        lines.append(", ".join(label_with_id(element) for element in elements))
        shown.update(element.id for element in elements)
        left -= count(lines[-1])
    if more := _fitting(_new_words(snippets, words, " ".join(lines).casefold()), left, count):
        lines.append(f"words: {', '.join(more)}")
    if all_ids:
        rest = [element.id for snippet in snippets for element in snippet.elements if element.id not in shown]
        ranges = _fitting(id_ranges(rest), tokens - sum(map(count, lines)), count)
        if ranges:
            lines.append(f"[{', '.join(ranges)}]")
            shown.update(_expanded(ranges, rest))
    ids = tuple(element.id for snippet in snippets for element in snippet.elements if element.id in shown)
    return ". ".join(lines), ids


def _headings(snippets: Sequence[Snippet], known: set[str], tokens: int, count: Count) -> list[str]:
    """Return headings in page order, with their ids: those of the highest levels, or some of a level if not all fit."""
    found: list[tuple[int, str]] = []
    for snippet in snippets:
        for match in _HEADING.finditer(snippet.html):
            if text := _heading_text(match):
                name = _ID.search(match[0])
                found.append((int(match[1]), f"{text} [{name[1]}]" if name and name[1] in known else text))
    chosen: list[int] = []
    for level in sorted({level for level, _ in found}):
        places = [place for place, (one, _) in enumerate(found) if one == level]
        fitting = _spread([found[place][1] for place in places], tokens, count)
        chosen += [places[one] for one in fitting]
        tokens -= sum(count(found[places[one]][1]) + _SEPARATOR_TOKENS for one in fitting)
        if len(fitting) < len(places):
            break
    return [found[place][1] for place in sorted(chosen)]


def _elements(
    snippets: Sequence[Snippet], words: PageWords, shown: set[str], tokens: int, count: Count
) -> list[Element]:
    """Return the elements to name, in page order: fields, those with the rarest names, and some of the others."""
    found = [element for snippet in snippets for element in snippet.elements if element.id not in shown]
    rarity = {element.id: words.rarity(element) for element in found}
    named = [element for element in found if rarity[element.id] > -inf]
    offered = [element for element in named if rarity[element.id] > 0 or element.operations != ("click",)]
    offered.sort(key=lambda element: (element.operations == ("click",), -rarity[element.id]))
    fitting = _fitting([label_with_id(element) for element in offered], tokens, count)
    chosen = {element.id for element in offered[: len(fitting)]}
    if len(fitting) == len(offered):
        rest = [element for element in named if element.id not in chosen]
        tokens -= sum(count(text) + _SEPARATOR_TOKENS for text in fitting)
        chosen |= {rest[place].id for place in _spread([label_with_id(element) for element in rest], tokens, count)}
    return [element for element in found if element.id in chosen]


def label_with_id(element: Element) -> str:
    """Return the name of an element and its id, as extracts contain them."""
    return f"{element.label.translate(_BRACKETS)} [{element.id}]"


def _new_words(snippets: Sequence[Snippet], words: PageWords, said: str) -> Iterator[str]:
    known = set(_words(said))
    return (word for word in words.distinctive([snippet.index for snippet in snippets]) if word not in known)


def _fitting(texts: Sequence[str] | Iterator[str], tokens: int, count: Count) -> list[str]:
    """Return the first texts that fit into so many tokens, with what separates them."""
    kept: list[str] = []
    for text in texts:
        tokens -= count(text) + _SEPARATOR_TOKENS
        if tokens < 0:
            break
        kept.append(text)
    return kept


def _spread(texts: Sequence[str], tokens: int, count: Count) -> list[int]:
    """Return the places of as many of the texts as fit, evenly spread, in their order."""
    number = len(texts)
    while number:
        chosen = [place * len(texts) // number for place in range(number)]
        fitting = len(_fitting([texts[place] for place in chosen], tokens, count))
        if fitting == number:
            return chosen
        number = min(number - 1, fitting + 1)
    return []


def _expanded(ranges: Sequence[str], ids: Sequence[str]) -> Iterator[str]:
    """Yield the ids in ranges that were made from these ids, in order."""
    places = {name: place for place, name in enumerate(ids)}
    for one in ranges:
        first, _, last = one.partition("-") if one not in places else (one, "", "")
        yield from ids[places[first] : places[last or first] + 1]
