"""Split the reply to several numbered questions into the reply to each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from readagent.core.asking.respond import choice_for
from readagent.core.question import Question
from readagent.core.replies import strip_thinking, unfenced
from readagent.core.tags import escape_tags

_AFTER = r"[*_\])>]{0,4}\s{0,2}(?:[:：.)–—-]|$)[*_]{0,3}[ \t]*"
_MARKED = re.compile(
    r"^[^\w\n]{0,6}(?:q|a|(?:question|answer|frage|antwort|pregunta|respuesta|réponse|вопрос|ответ|问题|答案|質問"
    r"|回答)[ \t]?)"
    rf"[#.]?(\d{{1,3}}){_AFTER}",
    re.I | re.M,
)
_NUMBERED = re.compile(rf"^[^\w\n]{{0,6}}(\d{{1,3}}){_AFTER}", re.M)
_LISTS = ("replies", "answers", "questions", "results", "responses")
_NUMBER_FIELDS = ("question", "number", "id", "q")


def numbered(questions: Sequence[Question]) -> str:
    """Return the questions as a prompt shows them: ``Q1: …``, a claim as such."""
    shown = (f"Claim: {one.shown()}" if one.kind == "claim" else one.shown() for one in questions)
    return "\n\n".join(f"Q{number}: {escape_tags(text)}" for number, text in enumerate(shown, 1))


def split_replies(reply: str, questions: Sequence[Question]) -> dict[int, str]:
    """Return the part of a reply for each question that has one, by its place. It never raises."""
    text = unfenced(strip_thinking(reply))
    found = dict(_from_json(text)) if text.startswith(("{", "[")) else {}
    found = found or dict(_from_lines(text, _MARKED)) or dict(_from_lines(text, _NUMBERED))
    parts = {number - 1: part.strip() for number, part in found.items() if 1 <= number <= len(questions)}
    return {at: said for at, part in parts.items() if (said := _without_question(part, questions[at]))}


def _from_lines(text: str, mark: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield each number with the text after it; where a number is repeated, the last one counts."""
    found = list(mark.finditer(text))
    ends = [*(one.start() for one in found[1:]), len(text)]
    for one, end in zip(found, ends, strict=False):
        yield int(one[1]), text[one.end() : end]


def _without_question(part: str, question: Question) -> str:
    """Return a reply without the question that it repeats first."""
    rest = part.removeprefix(question.shown().strip()).removeprefix(question.text.strip()).strip()
    if rest == part or question.kind == "free" or choice_for(question).parse(rest) is not None:
        return rest
    return part  # a claim or an option may be repeated as the answer


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
