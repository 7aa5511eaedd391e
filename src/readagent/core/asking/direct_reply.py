"""Read a reply that may be an answer or ask for pages. A reply that does both asks for pages: it is not sure yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from readagent.core.asking.reply_markup import as_lines
from readagent.core.asking.reply_parts import is_quote
from readagent.core.asking.respond import choice_for
from readagent.core.asking.wishes import ABOUT_PAGES, BUT, NAMES, ONLY_NAMES, WISH, declines
from readagent.core.choice import Choice
from readagent.core.parsing.wordings import starts_correction
from readagent.core.question import Question
from readagent.core.replies import strip_thinking, unfenced

_LABEL = re.compile(
    r"^[^\w\n]{0,6}(?:(?:my |the )?(?:final )?answer|antwort|réponse|respuesta|risposta|resposta|ответ|odpowiedź|antwoord|svar|cevap"
    r"|答案|回答|答え|정답|답변|답|الإجابة|الجواب)[*_]{0,3}\s?[:：][*_]*\s*",
    re.I | re.M,
)
_SENTENCE = re.compile(r"((?<=[.!?])(?<!\bp\.)(?<!\bpp\.)(?<!\bno\.)(?<!\bnr\.)(?<!стр\.)\s+|(?<=[。！？])|\n+)")
_QUOTATION = re.compile(r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|„[^“”\n]{1,400}[“”]")
_MARKUP = re.compile(r"[*`#]+|(?<!\w)_+|_+(?!\w)")
_PAGE_FIELDS = ("pages", "look_up", "lookup", "page_numbers", "requested_pages", "pages_needed", "needed_pages", "request")
_ANSWER_FIELDS = ("answer", "response", "reply", "choice", "verdict", "option", "result")


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
    if text.startswith(("{", "[")) and (value := _json(text)) is not None:
        return _from_json(value, text, pages, question)
    return _from_text(text, pages, question)


def _from_text(text: str, pages: Choice, question: Question) -> DirectReply | None:
    pieces = _SENTENCE.split(text)
    kinds = _kinds(pieces[::2], question)
    if "?" in kinds:
        return None
    asked = [piece for piece, kind in zip(pieces[::2], kinds, strict=True) if kind == "asks"]
    if asked and not _taken_back(pieces[::2], kinds):
        named = pages.parse("\n".join(map(_bare, asked)))
        if named is None:
            return None
        if named:
            return DirectReply(pages=tuple(map(int, named)))
    kept = [piece + gap for piece, gap, kind in zip(pieces[::2], [*pieces[1::2], ""], kinds, strict=True) if not kind]
    return _answered("".join(kept).strip(), question)


def _answered(text: str, question: Question) -> DirectReply | None:
    """Return the answer in what is left of a reply."""
    if not re.search(r"\w", text):
        return DirectReply()
    if question.kind == "free":
        labels = list(_LABEL.finditer(text))
        return DirectReply(text[labels[-1].end() :].strip() if labels else text)
    chosen = choice_for(question).parse(text)
    return None if chosen is None else DirectReply(chosen[0])


def _kinds(sentences: list[str], question: Question) -> list[str]:
    """Return for each sentence whether it ``asks`` for pages, says that it wants ``none``, is unclear, or else ""."""
    plain = [_without_options(_bare(one), question) for one in sentences]
    names_only = [bool(ONLY_NAMES.fullmatch(one)) and _names(one) for one in plain]
    alone = all(only or not one.strip() for only, one in zip(names_only, plain, strict=True))
    about_pages = bool(ABOUT_PAGES.search(question.text))
    kinds: list[str] = []
    listing = False
    for sentence, one, only in zip(sentences, plain, names_only, strict=True):
        kind, quote = "", is_quote(sentence) and any(mark in sentence for mark in "\"“«「")
        if quote:
            listing = False
        elif _names(one) and (WISH.search(_unlabelled(one)) or listing):
            late = BUT.search(one, max(match.end() for match in NAMES.finditer(one)) if NAMES.search(one) else 0)
            kind = "" if late and not listing else "asks"
        elif (only and alone) or (listing and only):
            kind = "" if about_pages and not listing else "asks"
        elif declines(one):
            kind = "none"
        elif WISH.search(_unlabelled(one)) and re.search(r"\b(?:more|other|further) pages?\b|\bfull (?:text|pages?)\b", one):
            kind = "?"
        wishes = bool(WISH.search(one)) or bool(ABOUT_PAGES.search(one))
        if one.rstrip().endswith((":", "：")) and wishes and not _LABEL.fullmatch(sentence.strip()):
            listing, kind = True, kind or "none"
        elif one.strip() and kind != "asks":
            listing = False
        kinds.append(kind)
    if "asks" not in kinds and kinds.count("none") and "none" in kinds and listing:
        return ["?"]
    return kinds


def _names(sentence: str) -> bool:
    """Return whether a sentence names a page, or is a list in brackets."""
    return bool(NAMES.search(sentence) or re.fullmatch(r"\W*\[[\d\s,;]*\]\W*", sentence))


def _taken_back(sentences: list[str], kinds: list[str]) -> bool:
    """Return whether a request is taken back, and an answer given under its label after that."""
    last = len(kinds) - 1 - kinds[::-1].index("asks")
    after = sentences[last + 1 :]
    return any(map(starts_correction, after)) and any(_LABEL.match(one) for one in after)


def _bare(sentence: str) -> str:
    """Return a sentence without markup and without quotations inside it."""
    sentence = _MARKUP.sub(" ", sentence).strip()
    if sentence[:1] in "\"“«「'" and sentence.count(sentence[:1]) <= 2:  # the whole reply in quotation marks
        sentence = sentence.strip("\"“”«»「」' ")
    return _QUOTATION.sub(" ", sentence)


def _unlabelled(sentence: str) -> str:
    return _LABEL.sub("", sentence)


def _without_options(sentence: str, question: Question) -> str:
    for option in question.options:
        if len(option) > 3:
            sentence = sentence.replace(option, " ")
    return sentence


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _from_json(value: Any, text: str, pages: Choice, question: Question) -> DirectReply | None:
    if isinstance(value, list):
        named = [str(one) for one in value if str(one) in pages.values]
        return DirectReply(pages=tuple(map(int, named))[: pages.most]) if named else None if value else DirectReply()
    if not isinstance(value, dict):
        return None
    fields = {str(name).lower().replace(" ", "_"): one for name, one in value.items()}
    named = list(_numbers(next((fields[name] for name in _PAGE_FIELDS if name in fields), None)))
    legal = tuple(dict.fromkeys(number for number in named if number in pages.values))
    if legal:
        return DirectReply(pages=tuple(map(int, legal))[: pages.most])
    answer = next((fields[name] for name in _ANSWER_FIELDS if fields.get(name) not in (None, "", [], {})), None)
    if answer is None:
        return None if named or not fields.keys() & {*_PAGE_FIELDS, *_ANSWER_FIELDS} else DirectReply()
    if question.kind == "free" and isinstance(answer, str):
        said = _from_text(answer, pages, question)
        return said if said is None or said.pages else DirectReply(as_lines(text))
    return _from_text(str(answer).lower() if isinstance(answer, bool) else str(answer), pages, question)


def _numbers(value: Any) -> Iterator[str]:
    """Yield the numbers in a field: a number, a list of them, or a text such as "2, 7"."""
    if isinstance(value, list):
        for one in value:
            yield from _numbers(one)
    elif isinstance(value, int | str) and not isinstance(value, bool):
        yield from re.findall(r"\d+", str(value))
