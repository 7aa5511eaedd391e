"""Read a reply that may be an answer or ask for pages. A reply that does both asks for pages: it is not sure yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from readagent.core.asking.reply_parts import as_lines, is_quote, plain_label
from readagent.core.asking.respond import choice_for
from readagent.core.asking.wishes import (
    ABOUT_PAGES,
    BUT,
    FORM,
    IT,
    LISTS,
    NAMES,
    NOT_NEEDED,
    ONLY_NAMES,
    UNNAMED,
    WISH,
    asks_to_read,
    declines,
    speaks_of_reading,
)
from readagent.core.form import Choice, strip_thinking, unfenced
from readagent.core.parsing.wordings import ALTERNATIVES, REJECTS, numbers_in, starts_correction
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Question

_CALL = lazy_pattern(r"[<\[|]{1,2}(?:tool|function|invoke)[\w=\- ]*[>\]|]+", re.I)
_OBJECT = lazy_pattern(r"\{.*\}", re.S)
_ARGUMENTS = ("arguments", "args", "parameters", "input", "function", "action_input")
_ACTION = lazy_pattern(r"^\W*(?:action|tool)\W{1,4}\w*(?:look|read|open|page)\w*", re.I | re.M)


def object_in(text: str) -> Any:
    """Return the value of a reply that is JSON, or that calls a tool with a JSON object; None for any other one."""
    inside = _OBJECT.search(text) if _CALL.match(text) else None
    text = inside[0] if inside else text
    return _json(text) if text.startswith(("{", "[")) else None


def calls_tool(text: str) -> bool:
    """Return whether a reply calls a tool, in whatever form."""
    return bool(_CALL.match(text) or _ACTION.match(text))


def fields_of(value: dict[str, Any], depth: int = 2) -> dict[str, Any]:
    """Return the fields of an object, and those of the arguments if it calls a tool."""
    fields = {str(name).lower().replace(" ", "_"): one for name, one in value.items()}
    for name in _ARGUMENTS if depth else ():
        inner = fields.get(name)
        if isinstance(inner := _json(inner) if isinstance(inner, str) else inner, dict):
            fields |= fields_of(inner, depth - 1)
    return fields


def numbers_of(value: Any) -> Iterator[str]:
    """Yield the numbers in a field: a number, a list of them, or a text such as "2, 7"."""
    if isinstance(value, list):
        for one in value:
            yield from numbers_of(one)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        yield from re.findall(r"\d+", str(value))


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_LABEL = lazy_pattern(
    r"^[^\w\n]{0,6}(?:(?:my |the )?(?:final )?answer|antwort|réponse|respuesta|risposta|resposta|ответ|odpowiedź"
    r"|antwoord|svar|cevap|答案|回答|答え|정답|답변|답|الإجابة|الجواب)[*_]{0,3}\s?[:：][*_]*\s*",
    re.I | re.M,
)
_LATER_LABEL = lazy_pattern(r"(?<=[.!?]\s)(?:The |My )?(?:Final )?[Aa]nswer:\s*")
_NO_END = r"(?<!\bp\.)(?<!\bpp\.)(?<!\bno\.)(?<!\bnr\.)(?<!стр\.)(?<!\n\d\.)(?<!\A\d\.)"  # a dot that ends no sentence
_SENTENCE = lazy_pattern(rf"((?<=[.!?]){_NO_END}\s+|(?<=[。！？])|\n+)")
_QUOTATION = lazy_pattern(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|„[^“”\n]{1,400}[“”]")
_WHOLE = lazy_pattern(r"[\"“„«「]([^\"“”„«»「」\n]+)[\"”“»」]")
_MARKUP = lazy_pattern(r"[*`#]+|(?<!\w)_+|_+(?!\w)")
_BRACKETS = lazy_pattern(r"\W*\[[\d\s,;]*\]\W*")
_PAGES = lazy_pattern(r"page|look|request")  # the names of fields
_ANSWERS = ("answer", "response", "reply", "choice", "verdict", "option", "result")

Kind = Literal["asks", "declines", "unclear", "other"]


@dataclass(frozen=True, slots=True)
class DirectReply:
    """An answer, or the pages that are asked for; neither, if the reply only says that no page is needed.

    The answer to a choice or a claim is its letter or verdict.
    """

    answer: str = ""
    pages: tuple[int, ...] = ()


def read_direct(reply: str, pages: Choice, question: Question) -> DirectReply | None:
    """Return what a reply means; None if that is unclear. It never raises."""
    text = unfenced(strip_thinking(reply))
    if (value := object_in(text)) is not None:
        return _from_json(value, pages, question)
    if calls_tool(text):
        return None
    return _from_text(plain_label(text), pages, question)


def _from_text(text: str, pages: Choice, question: Question) -> DirectReply | None:
    if whole := _WHOLE.fullmatch(text):
        text = whole[1]
    parts = _SENTENCE.split(text)
    sentences, gaps = parts[::2], [*parts[1::2], ""]
    kinds = _kinds(sentences, question)
    if "unclear" in kinds:
        return None
    asked = [_bare(one) for one, kind in zip(sentences, kinds, strict=True) if kind == "asks"]
    if asked and not _taken_back(sentences, kinds):
        named = _named(asked, pages)
        if named is None:
            return None
        if named:
            return DirectReply(pages=tuple(map(int, named)))
    kept = [one + gap for one, gap, kind in zip(sentences, gaps, kinds, strict=True) if kind == "other"]
    return _answered("".join(kept).strip(), question)


def _answered(text: str, question: Question) -> DirectReply | None:
    """Return the answer in what is left of a reply."""
    if not re.search(r"\w", text):
        return DirectReply()
    if question.kind == "free":
        labels = list(_LABEL.finditer(text)) or list(_LATER_LABEL.finditer(text))
        return DirectReply(text[labels[-1].end() :].strip() if labels else text)
    chosen = choice_for(question).parse(text)
    return None if chosen is None else DirectReply(chosen[0])


def _kinds(sentences: Sequence[str], question: Question) -> list[Kind]:
    """Return what each sentence does."""
    plain = [_bare(one) for one in sentences]
    only = [bool(ONLY_NAMES.fullmatch(one)) and _names(one) for one in plain]
    alone = not ABOUT_PAGES.search(question.text) and all(
        names or not one for names, one in zip(only, plain, strict=True)
    )
    kinds: list[Kind] = []
    listing = False  # after "I want to look up:"
    labelled = any(map(_LABEL.search, plain))
    for sentence, bare, names in zip(sentences, plain, only, strict=True):
        quotes = is_quote(sentence) and bare != sentence.strip()
        kind: Kind = "other"
        if not quotes and ((names and (alone or listing or FORM.fullmatch(bare))) or (listing and _names(bare))):
            kind = "asks"
        elif not quotes:
            kind = _kind(_without_options(_LABEL.sub("", bare), question), labelled)
        begins = bare.endswith((":", "：")) and not quotes and _speaks_of_pages(bare)
        listing = begins or (listing and (kind == "asks" or not bare))
        kinds.append("declines" if begins and kind in ("other", "unclear") else kind)
    for at, bare in enumerate(plain):
        if kinds[at] == "other" and WISH.search(bare) and IT.search(bare):  # "Page 2 may tell. I'd like to open it."
            named = [before for before in range(at) if kinds[before] == "other" and NAMES.search(plain[before])]
            kinds[named[-1] if named else at] = "asks" if named else "unclear"
    return ["unclear"] if listing and "asks" not in kinds else kinds


def _kind(sentence: str, labelled: bool) -> Kind:
    wishes = WISH.search(sentence) or (not labelled and asks_to_read(sentence))
    if wishes and _names(sentence):
        if NOT_NEEDED.search(sentence):
            return "other" if re.search(r"[:;,]\s+\w", sentence) else "declines"
        last = max((match.end() for match in NAMES.finditer(sentence)), default=0)
        return "other" if BUT.search(sentence, last) else "asks"
    if declines(sentence):
        return "declines"
    if NOT_NEEDED.search(sentence):
        return "other"
    return (
        "unclear"
        if (wishes and UNNAMED.search(sentence)) or (not labelled and speaks_of_reading(sentence))
        else "other"
    )


def _speaks_of_pages(sentence: str) -> bool:
    return not _LABEL.fullmatch(sentence) and bool(WISH.search(sentence) or ABOUT_PAGES.search(sentence))


def _names(sentence: str) -> bool:
    """Return whether a sentence names a page, or is a list in brackets."""
    return bool(NAMES.search(sentence) or _BRACKETS.fullmatch(sentence))


def _named(asked: Sequence[str], pages: Choice) -> tuple[str, ...] | None:
    """Return the pages that sentences ask for: none, if they are negated; None, if it is unclear which."""
    asked = [clause for one in asked for clause in _clauses_that_name(one)]
    found = pages.parse("\n".join(asked))
    if found is not None or any(one.search(sentence) for one in (REJECTS, ALTERNATIVES) for sentence in asked):
        return found
    numbers = [number for sentence in asked for match in LISTS.finditer(sentence) for number in numbers_in(match[0])]
    legal = tuple(dict.fromkeys(number for number in numbers if number in pages.values))
    return legal[: pages.most] or None


def _clauses_that_name(sentence: str) -> list[str]:
    """Return "show me page 3" of "I cannot tell; show me page 3", or else the whole sentence."""
    return [clause for clause in re.split(r"[;；]", sentence) if _names(clause)] or [sentence]


def _taken_back(sentences: Sequence[str], kinds: Sequence[Kind]) -> bool:
    """Return whether a request is taken back, and an answer given under its label after that."""
    last = max(at for at, kind in enumerate(kinds) if kind == "asks")
    after = sentences[last + 1 :]
    return any(map(starts_correction, after)) and any(_LABEL.match(one) for one in after)


def _bare(sentence: str) -> str:
    """Return a sentence without markup and without quotations inside it."""
    return _QUOTATION.sub(" ", _MARKUP.sub(" ", sentence).strip()).strip()


def _without_options(sentence: str, question: Question) -> str:
    for option in question.options:
        if len(option) > 3:
            sentence = sentence.replace(option, " ")
    return sentence


def _from_json(value: Any, pages: Choice, question: Question) -> DirectReply | None:
    if isinstance(value, list):
        legal = _legal(numbers_of(value), pages)
        return DirectReply(pages=legal) if legal else None if value else DirectReply()
    if not isinstance(value, dict):
        return None
    fields = fields_of(value)
    answer = next((fields[name] for name in _ANSWERS if fields.get(name) not in (None, "", [], {})), None)
    asking = [name for name in fields if _PAGES.search(name) and not (name == "page" and answer)]  # a reference
    named = [number for name in asking for number in numbers_of(fields[name])]
    if legal := _legal(named, pages):
        return DirectReply(pages=legal)
    if answer is None:
        return None if named or not (asking or fields.keys() & set(_ANSWERS)) else DirectReply()
    if question.kind == "free" and isinstance(answer, str):
        said = _from_text(answer, pages, question)
        return said if said is None or said.pages else DirectReply(as_lines(json.dumps({**fields, "answer": answer})))
    return _from_text(str(answer).lower() if isinstance(answer, bool) else str(answer), pages, question)


def _legal(numbers: Sequence[str] | Iterator[str], pages: Choice) -> tuple[int, ...]:
    return tuple(int(number) for number in dict.fromkeys(numbers) if number in pages.values)[: pages.most]
