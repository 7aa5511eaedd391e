"""Compute a reply to any prompt from the text of the prompt alone, fast and deterministic.

It replaces a language model in tests, demos and benchmarks: it pauses late in a passage, shortens by selecting
sentences, and finds pages and answers by the rare words they share with the question.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

from readagent.core.words import count_words, sentences, truncate
from readagent.models.wire import encode
from readagent.testing.skim_overviews import judged, overview, rows_of

_LABEL = re.compile(r"^[ \t]*<(\d+)>[ \t]*$", re.M)
_PAGE = re.compile(r"^[ \t]*<(?:Page|Document) (\d+)>[ \t]*$", re.M)
_PART = re.compile(r"^<Part \d+, pages \d+ to \d+>[ \t]*\n(?:(?!<Page \d).*\n?)*", re.M)
_TITLE = re.compile(r"^[ \t]*<Document \".*\">[ \t]*\n", re.M)
_FOUND = re.compile(r"^Found here: “(.*)”[ \t]*$", re.M)
_OPTION = re.compile(r"^\(([A-Z]{1,2})\)[ \t]*(.*)$", re.M)
_OPENED = re.compile(r"\b(?:already|again|open)\b[^:.\n]*:([^.\n]*)", re.I)
_LIMIT = re.compile(r"\bat most (\d{1,6}) words\b")
_MOST = re.compile(r"\bat most (\d{1,6})\b(?! words)")
_AIM = re.compile(r"\baim at about (\d{1,6}) (words|characters)\b", re.I)
_SIZES = re.compile(r"\bpage has (\d{1,6}) to (\d{1,6}) words\b", re.I)
_BREAKS = re.compile(r"\bpages also end at ([<>\d, ]+)")
_WORD = re.compile(r"[^\W_]{3,}")
_ANSWER_WORDS = 100  # of a sentence that is an answer; a table may be one sentence


@dataclass(frozen=True, slots=True)
class Habits:
    """How a Skimmer reads."""

    gist_share: float = 0.15  # words of a gist, as a share of the words of the page; fewer if the prompt aims at fewer
    pages_to_open: float = 1.0  # for a question; 2.3 is two for most questions and three for three in ten
    pause: float = 0.75  # where it pauses, as a share of the possible places
    asks: float = 1.0  # share of the questions for which it opens pages at all; 0.5 is every other one
    one_pass: bool = True  # whether it can divide a passage into pages and shorten them in one reply
    own_words: bool = False  # summaries are as long as asked for, in other words, and the check doubts some statements


DEFAULT_HABITS = Habits()


@dataclass(frozen=True, slots=True)
class _Draft:
    """A reply as text, and what it contains: values, pages with gists, or pages to open."""

    text: str
    values: tuple[str, ...] = ()
    pages: tuple[tuple[int, str], ...] = ()
    wanted: tuple[str, ...] = ()


def skim(prompt: str, constraint: Mapping[str, Any] | None = None, habits: Habits = DEFAULT_HABITS) -> str:
    """Return the reply to a prompt. With ``constraint``, a JSON schema as ReadAgent sends them, it conforms to that."""
    draft = _draft(prompt, habits)
    fields = constraint.get("properties", {}) if constraint is not None else {}
    if "rows" in fields:
        return encode({"rows": rows_of(draft.text, fields["rows"]["items"]["required"])}).decode()
    if {"pages", "answer"} <= set(fields):
        return encode(_fields(draft)).decode()
    if {"pages", "parts"} <= set(fields):
        return encode({"pages": list(draft.wanted), "parts": [] if draft.wanted else list(draft.values)}).decode()
    if "lines" in fields:
        rows = (line.partition(": ") for line in draft.text.splitlines())
        return encode({"lines": [{"number": number, "text": said} for number, _, said in rows]}).decode()
    if "pages" in fields:
        return encode({"pages": [{"end": end, "gist": gist} for end, gist in draft.pages]}).decode()
    return draft.text if constraint is None else _constrained(draft.values, constraint)


def _draft(prompt: str, habits: Habits) -> _Draft:
    passages = _tagged(prompt, "passage")
    memories = _tagged(prompt, "memory")
    if (stated := _tagged(prompt, "statements")) and (quotes := _tagged(prompt, "quotes")):
        return _check(stated[-1].splitlines(), quotes[-1].splitlines())
    if memories and (text := overview(prompt, memories[-1], habits.own_words)):
        return _Draft(text)
    if stated and memories:
        return _Draft(judged(stated[-1], memories[-1], habits.own_words))
    if cards := _tagged(prompt, "cards"):
        if text := overview(prompt, cards[-1], habits.own_words):
            return _Draft(text)
        return _from_cards(prompt, cards[-1], habits)
    if memories:
        return _from_memory(prompt.replace(memories[-1], _TITLE.sub("", memories[-1])), habits)
    if len(passages) >= 2:
        return _Draft("no", ("no",))
    if not passages:
        return _Draft(gist(prompt, habits.gist_share))
    label = next((f"{name}: " for name in ("Gist", "Summary") if f"{name}: ..." in prompt), "")
    frame, labels = prompt.replace(passages[0], ""), _LABEL.findall(passages[0])
    limit, sizes, aim = _LIMIT.search(frame), _SIZES.search(frame), _AIM.search(frame)
    if aim:
        words = int(sizes[2]) if sizes else count_words(passages[0])
        if aim[2] == "characters":
            words = words * len(passages[0]) // max(1, count_words(passages[0]))
        share = int(aim[1]) / max(1, words)
        habits = replace(habits, gist_share=min(habits.gist_share, share))
    if labels and sizes and not habits.one_pass:
        return _Draft("The pages, shortened.")
    if labels and sizes:
        if limit:
            habits = replace(habits, gist_share=min(1.0, int(limit[1]) / max(1, int(sizes[2]))))
        breaks = _BREAKS.search(frame)
        ends = {int(label) for label in re.findall(r"\d+", breaks[1])} if breaks else set()
        return _in_one_pass(passages[0], (int(sizes[1]), int(sizes[2])), ends, habits)
    if limit:
        return _Draft(label + gist(passages[0], min(1.0, int(limit[1]) / max(1, count_words(passages[0])))))
    if labels and labels == [str(i + 1) for i in range(len(labels))]:
        chosen = labels[min(len(labels), max(1, round(habits.pause * len(labels)))) - 1]
        return _Draft(f"Break point: {chosen}", (chosen,))
    return _Draft(label + gist(passages[0], habits.gist_share))


def _in_one_pass(passage: str, sizes: tuple[int, int], breaks: set[int], habits: Habits) -> _Draft:
    """Split a passage with word-count labels into pages that do not cross a break, and shorten each."""
    (least, most), parts = sizes, _LABEL.split(passage)
    pieces, labels = parts[0::2], [int(label) for label in parts[1::2]]
    pages: list[tuple[int, str]] = []
    first, start = 0, 0
    while first < len(labels):
        end = next(i for i in range(first, len(labels)) if labels[i] in breaks or i == len(labels) - 1)
        legal = [i for i in range(first, end + 1) if least <= labels[i] - start <= most]
        legal = [i for i in legal if labels[end] - labels[i] >= least] or legal[-1:]
        last = legal[max(1, round(habits.pause * len(legal))) - 1] if legal else end
        pages.append((labels[last], gist("".join(pieces[first : last + 1]), habits.gist_share)))
        first, start = last + 1, labels[last]
    return _Draft("\n\n".join(f"<{label}> {text}" for label, text in pages), pages=tuple(pages))


def _tagged(prompt: str, tag: str) -> list[str]:
    """Return what is between such tags: tags on lines of their own or, if there are none, any."""
    own_line = re.findall(rf"^<{tag}>[ \t]*\n(.*?)\n?^</{tag}>[ \t]*$", prompt, re.S | re.M)
    return own_line or re.findall(rf"<{tag}>\s*(.*?)\s*</{tag}>", prompt, re.S)


def gist(passage: str, share: float) -> str:
    """Return sentences from all parts of a passage, in order, with about ``share`` of its words."""
    room = max(1, round(share * count_words(passage)))
    pieces = sentences(passage)
    kept: dict[int, str] = {}
    for index in _spread(len(pieces)):
        kept[index] = truncate(pieces[index], room)
        room -= count_words(kept[index])
        if room <= 0:
            break
    return " ".join(kept[index] for index in sorted(kept))


def _spread(count: int) -> list[int]:
    """Return all indices below ``count``, ordered so that every prefix is spread out: first, middle, quarters."""
    order: dict[int, None] = {}
    step = count
    while step > 1:
        order.update(dict.fromkeys(range(0, count, step)))
        step = (step + 1) // 2
    order.update(dict.fromkeys(range(count)))
    return list(order)


def _check(statements: Sequence[str], quotes: Sequence[str]) -> _Draft:
    """Say that a statement is supported by the quotes that have at least half of its words."""
    lines, quoted = [], [_words(quote) for quote in quotes]
    for number, statement in enumerate(statements, 1):
        words = _words(statement)
        near = [str(place) for place, some in enumerate(quoted, 1) if words and 2 * len(words & some) >= len(words)]
        lines.append(f"{number}: yes [{', '.join(near)}]" if near else f"{number}: no")
    return _Draft("\n".join(lines))


def _from_cards(prompt: str, cards: str, habits: Habits) -> _Draft:
    """Choose the documents whose cards share the rarest words with the question: at least one."""
    asked = (_tagged(prompt, "question") or [""])[-1]
    wanted = max(1, _how_many(habits.pages_to_open, asked))
    numbers = _best_pages(cards, asked)[: _at_most(prompt.replace(cards, "").replace(asked, ""), wanted)]
    return _Draft(f"Documents: {', '.join(numbers)}", tuple(numbers))


def _from_memory(prompt: str, habits: Habits) -> _Draft:
    memory = _tagged(prompt, "memory")[-1]
    opened = _tagged(prompt, "opened")
    asked = (_tagged(prompt, "question") or _tagged(prompt, "claim") or [""])[-1]
    frame = prompt
    for content in (memory, *opened, asked, *_tagged(prompt, "history")):
        frame = frame.replace(content, "")
    whole, memory = memory, "\n\n".join([_PART.sub("", memory), *(_PART.sub("", one) for one in opened)])
    if "Pages: number" in frame and not opened:
        numbers = tuple(_best_pages(memory, asked)[: _at_most(frame, _pages_for(habits, asked))])
        if numbers:
            return _Draft(f"Pages: {', '.join(numbers)}", numbers, wanted=numbers)
        if not _pages(memory) and (parts := _best_parts(whole, asked)[:1]):
            return _Draft(f"Parts: {parts[0]}", tuple(parts))
        if "Answer:" not in frame:
            return _Draft("Pages: none")
    if "STOP" in frame:
        return _next_page(frame, memory, asked, habits)
    if options := _OPTION.findall(asked):
        name, text = options[_best_option([text for _, text in options], _OPTION.sub("", asked), memory)]
        return _Draft(f"Answer: ({name}) {text}".rstrip(), (name,))
    if "Answer: true" in frame:
        verdict = "true" if _support(asked, memory) >= 0.5 else "false"
        return _Draft(f"Answer: {verdict}", (verdict,))
    sentence = truncate(_best_sentence(memory, asked), _ANSWER_WORDS)
    return _Draft(f"Answer: {sentence}", (sentence,))


def _fields(draft: _Draft) -> dict[str, Any]:
    """Return a reply that answers or asks for pages as the fields of JSON."""
    return {"pages": list(draft.wanted), "answer": "" if draft.wanted or not draft.values else draft.values[0]}


def _next_page(frame: str, memory: str, asked: str, habits: Habits) -> _Draft:
    """Open one more page, or stop. The prompt lists the pages that are open."""
    opened = {number for listed in _OPENED.findall(frame) for number in re.findall(r"\d+", listed)}
    left = [number for number in _best_pages(memory, asked) if number not in opened]
    if not left or len(opened) >= _pages_for(habits, asked):
        return _Draft("STOP", ("STOP",))
    return _Draft(f"Page: {left[0]}", (left[0], *left[1:], "STOP"))


def _how_many(pages: float, asked: str) -> int:
    """Round to a whole number of pages: 2.3 gives 3 for three questions in ten, always the same for one question."""
    return int(pages) + (_dice(asked) < pages - int(pages))


def _at_most(frame: str, wanted: int) -> int:
    """Return how many to ask for: no more than the prompt allows."""
    most = _MOST.search(frame)
    return min(wanted, int(most[1])) if most else wanted


def _pages_for(habits: Habits, asked: str) -> int:
    """Return how many pages to open for a question: none, if it is one of those that need none."""
    return _how_many(habits.pages_to_open, asked) if _dice(f"asks: {asked}") < habits.asks else 0


def _dice(text: str) -> float:
    """Return a number from 0 to 1, always the same for one text."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "replace")).digest()[:4]) / 2**32


def _pages(memory: str) -> list[tuple[str, str]]:
    parts = _PAGE.split(memory)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def _words(text: str) -> set[str]:
    return {word[:6] for word in _WORD.findall(text.lower())}


def _best_pages(memory: str, asked: str) -> list[str]:
    """Return the numbers of all pages, those that share the rarest words with the question first."""
    pages = [(number, _words(text)) for number, text in _pages(memory)]
    spread = Counter(word for _, words in pages for word in words)
    wanted = _words(asked)
    scores = {number: fsum(1 / spread[word] for word in words & wanted) for number, words in pages}
    return sorted(scores, key=lambda number: (-scores[number], int(number)))


def _best_parts(memory: str, asked: str) -> list[str]:
    """Return the numbers of all parts of an index, those that share most words with the question first."""
    wanted = _words(asked)
    parts = [(found[0].split(",")[0].split()[1], found[0]) for found in _PART.finditer(memory)]
    return [number for number, text in sorted(parts, key=lambda one: -len(_words(one[1]) & wanted))]


def _best_sentence(memory: str, asked: str) -> str:
    told = _FOUND.sub(r"\1", _PAGE.sub("", memory))
    pieces = [piece for piece in sentences(told) if any(map(str.isalnum, piece))]  # not "…"
    words = [_words(piece) for piece in pieces]
    spread = Counter(word for some in words for word in some)
    wanted = _words(asked)
    scores = [fsum(1 / spread[word] for word in some & wanted) for some in words]
    return pieces[max(range(len(pieces)), key=lambda i: (scores[i], -i))] if pieces else "The text does not say."


def _best_option(options: Sequence[str], stem: str, memory: str) -> int:
    """Return the option whose words occur together with those of the question in one sentence."""
    wanted, named = _words(stem), [_words(option) for option in options]
    scores = [0.0] * len(options)
    for piece in sentences(_PAGE.sub("", memory)):
        words = _words(piece)
        near = 1 + len(words & wanted)
        for i, some in enumerate(named):
            scores[i] = max(scores[i], near * len(words & some) / (len(some) + 1))
    return max(range(len(options)), key=lambda i: (scores[i], -i))


def _support(claim: str, memory: str) -> float:
    """Return the largest share of the claim's words that one sentence of the memory contains."""
    words = _words(claim)
    return max((len(words & _words(piece)) / max(1, len(words)) for piece in sentences(memory)), default=0.0)


def _constrained(values: Sequence[str], schema: Mapping[str, Any]) -> str:
    """Format values according to a schema: an object with an ``answer``, which is a value or a list."""
    inner = schema["properties"]["answer"]
    several = inner.get("type") == "array"
    legal: list[str] = inner.get("items", {}).get("enum", []) if several else inner.get("enum", [])
    named = [value for value in values if value in legal]
    if several:
        least, most = inner.get("minItems", 0), inner.get("maxItems", len(legal))
        rest = (value for value in legal if value not in named)
        while len(named) < least and (value := next(rest, None)) is not None:
            named.append(value)
        answer: Any = named[:most]
    else:
        answer = (named or legal or [""])[0]
    return encode({"answer": answer}).decode()
