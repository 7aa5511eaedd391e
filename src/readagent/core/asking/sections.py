"""Split the reply to several numbered questions into the reply to each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from readagent.core.asking.reply_parts import is_quote
from readagent.core.asking.respond import choice_for
from readagent.core.escaping import escape_tags
from readagent.core.form import strip_thinking, unfenced
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question

_AFTER = r"[*_\])>]{0,4}\s{0,2}(?:[:：.)–—-]|$)[*_]{0,3}[ \t]*"
_MARKED = lazy_pattern(
    r"^[^\w\n]{0,6}(?:q|a|(?:question|answer|frage|antwort|pregunta|respuesta|réponse|вопрос|ответ|问题|答案|質問"
    r"|回答)[ \t]?)"
    rf"[#.]?(\d{{1,3}}){_AFTER}",
    re.I | re.M,
)
_NUMBERED = lazy_pattern(rf"^[^\w\n]{{0,6}}(\d{{1,3}}){_AFTER}", re.M)
_INLINE = lazy_pattern(r"(?<![\w*_])[*_]{0,3}Q(\d{1,3})[*_]{0,3}\s?[:：][*_]{0,3}\s*")
_FINAL = lazy_pattern(r"^\W*(?:(?:my|the) )?final (?:answers|replies)\W*$", re.I | re.M)
_OPENS = lazy_pattern(r"\*{1,3}(?=\w)|(?<!\w)_{1,3}(?=[^\W_])")
_GATHERED = lazy_pattern(r"^\W*(?:(?:supporting )?(?:quotes?|quotations?|passages?)|evidence)\W*$", re.I | re.M)
_LISTS = ("replies", "answers", "questions", "results", "responses")
_NUMBER_FIELDS = ("question", "number", "id", "q")


def numbered(questions: Sequence[Question]) -> str:
    """Return the questions as a prompt shows them: ``Q1: …``, a claim as such."""
    shown = (f"Claim: {one.shown()}" if one.kind == "claim" else one.shown() for one in questions)
    return "\n\n".join(f"Q{number}: {escape_tags(text)}" for number, text in enumerate(shown, 1))


def split_replies(reply: str, questions: Sequence[Question]) -> dict[int, str]:
    """Return the part of a reply for each question that has one, by its place. It never raises.

    A question has none if its number stands twice or out of order: an answer may have lines such as ``Q2: 6 million``.
    """
    text = unfenced(strip_thinking(reply))
    found = dict(_from_json(text)) if text.startswith(("{", "[")) else {}
    found = found or _from_text(text, questions)
    parts = {number - 1: part.strip() for number, part in found.items() if 1 <= number <= len(questions)}
    return {at: said for at, part in parts.items() if (said := _without_question(part, questions[at]))}


def _from_text(text: str, questions: Sequence[Question]) -> dict[int, str]:
    """Return the text after each number at the beginning of a line, or inside lines if all of them are in order."""
    if final := _FINAL.search(text):
        text = text[final.end() :]
    marks = list(_MARKED.finditer(text)) or list(_NUMBERED.finditer(text))
    inline = list(_INLINE.finditer(text))
    if len(marks) < len(inline) and [int(mark[1]) for mark in inline] == list(range(1, len(questions) + 1)):
        return {number: part.rstrip(" ;") for number, part in _without_gathered(_parts(text, inline))}
    parts = _without_repeated(_parts(text, marks), questions)
    numbers = [number for number, _ in parts]
    doubtful = _out_of_order(numbers)
    for number, part in parts:
        if any(int(mark[1]) not in numbers for mark in _INLINE.finditer(part)):  # it holds the reply to another one
            doubtful.add(number)
    return {number: part for number, part in _without_gathered(parts) if number not in doubtful}


def _parts(text: str, marks: Sequence[re.Match[str]]) -> list[tuple[int, str]]:
    """Return each number with the text up to the next one; emphasis that began before the number is removed."""
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    parts = []
    for mark, end in zip(marks, ends, strict=False):
        part, opens = text[mark.end() : end], _OPENS.search(mark[0])
        if opens and mark[0].count(opens[0]) == 1:
            part = part.replace(opens[0], "", 1)
        parts.append((int(mark[1]), part))
    return parts


def _without_repeated(parts: Sequence[tuple[int, str]], questions: Sequence[Question]) -> list[tuple[int, str]]:
    """Return the parts without those that only repeat the question above its answer, as in ``Q1: Who?`` ``A1: Ann``."""
    following = [*(number for number, _ in parts[1:]), None]
    return [
        (number, part)
        for (number, part), after in zip(parts, following, strict=False)
        if number != after or not 1 <= number <= len(questions) or _rest(part.strip(), questions[number - 1])
    ]


def _out_of_order(numbers: Sequence[int]) -> set[int]:
    """Return the numbers that do not rise from one to the next, and the one before them; none if all of them fall."""
    if all(first > second for first, second in pairwise(numbers)):
        return set()
    falls = [at for at, number in enumerate(numbers) if any(number <= before for before in numbers[:at])]
    if not falls:
        return set()
    first = next(at for at, number in enumerate(numbers) if any(number >= after for after in numbers[at + 1 :]))
    return set(numbers[max(0, first - 1) : falls[-1] + 1])


def _without_gathered(parts: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the parts without quotes of all answers that are gathered under a heading below the last one."""
    if len(parts) < 2 or any(is_quote(line) for _, part in parts[:-1] for line in part.splitlines()):
        return list(parts)
    number, last = parts[-1]
    return [*parts[:-1], (number, _GATHERED.split(last)[0])]


def _without_question(part: str, question: Question) -> str:
    """Return a reply without the question that it repeats first."""
    rest = _rest(part, question)
    if rest == part or question.kind == "free" or choice_for(question).parse(rest) is not None:
        return rest
    return part  # a claim or an option may be repeated as the answer


def _rest(part: str, question: Question) -> str:
    for repeated in ("Claim:", question.shown(), question.text):
        part = part.removeprefix(repeated.strip()).lstrip()
    return part.strip()


def _from_json(text: str) -> Iterator[tuple[int, str]]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list | dict)), value)
    pairs = value.items() if isinstance(value, dict) else enumerate(value, 1) if isinstance(value, list) else ()
    for name, one in pairs:
        named = next((one[field] for field in _NUMBER_FIELDS if field in one), name) if isinstance(one, dict) else name
        number = re.search(r"\d{1,3}", str(named))
        if number:
            yield int(number[0]), one if isinstance(one, str) else json.dumps(_unnumbered(one))


def _unnumbered(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: one for name, one in value.items() if name not in _NUMBER_FIELDS}
