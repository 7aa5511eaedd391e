"""Questions about a whole text: recognised by their wording, and answered from all of its memory.

"What are the main themes?" needs no page in particular, and "List every visit to the island" needs all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from readagent.core.asking.answer_language import not_in_text
from readagent.core.events import AnswerText
from readagent.core.memory import GistMemory
from readagent.core.overviews.lists import hits
from readagent.core.overviews.records import Point
from readagent.core.overviews.write import summarize
from readagent.core.patterns import lazy_pattern
from readagent.core.question import Answer, Question, Quote, Searched
from readagent.core.session import Session
from readagent.core.support.records import Statement, Support

Scope = Literal["summary", "theme", "list", ""]
_TEXTS = (
    "book|novel|story|text|document|paper|article|report|thesis|play|script|transcript|meeting|chapter|contract|essay|file"
    "|buch|roman|geschichte|dokument|artikel|bericht|livre|texte|histoire|libro|texto|documento|historia|novela"
)
_POLITE = r"^\W*(?:(?:please|can you|could you|would you|kindly|bitte|kannst du|peux-tu|puedes)[ ,]+)*"
_SUMMARY = lazy_pattern(
    _POLITE + r"(?:summari[sz]e\b|sum up\b|tl;?dr\b|recap\b|(?:give|write|make|provide)(?: me)? (?:a|an|the)"
    r"(?: \w+){0,2} (?:summary|overview|synopsis|recap)\b|(?:summary|overview|synopsis)\b(?: of\b|\W*$)"
    rf"|what(?:'s| is| was) (?:this|the|that) (?:{_TEXTS}) (?:all )?about\b|what happens in (?:this|the) (?:{_TEXTS})\b"
    rf"|fass\w* .*\bzusammen|worum geht es in (?:diesem|dem|der|dieser) (?:{_TEXTS})|r[ée]sume[sz]?\b|resume[nr]?\b"
    rf"|de quoi parle (?:ce|le|cette|la) (?:{_TEXTS})|de qu[ée] trata (?:este|el|esta|la) (?:{_TEXTS}))",
    re.I,
)
_WHOLE = lazy_pattern(
    rf"\b(?:this|the|that|whole|entire|dieses?|das|ce|cette|este|esta|el|la|le)\s+(?:\w+ )?(?:{_TEXTS})\b", re.I
)
_ONLY = lazy_pattern(_POLITE + r"(?:(?:a|an|the)\s+)?(?:summari[sz]e|sum up|summary|overview|tl;?dr|recap)\W*$", re.I)
_THEME = lazy_pattern(
    r"\bwhat (?:are|is|were|was) the (?:main|central|key|major|overall|core|principal|most important|recurring|common)"
    r" (?:\w+ )?(?:themes?|ideas?|points?|arguments?|messages?|topics?|take-?aways?|findings?|conclusions?|motifs?"
    r"|claims?|issues|decisions|conflicts?)\b|\bwhat themes\b"
    r"|\bhow (?:does|do|did) .{3,80}\b(?:changes?|develops?|evolves?|shifts?|grows?)\b"
    r"(?:\W*$|.{0,20}\b(?:over|through(?:out)?|across|during|in the course|as the|from beginning)\b)"
    r"|\b(?:over|throughout) the (?:whole |entire )?"
    rf"(?:course of the )?(?:{_TEXTS})\b|\bacross the (?:whole|entire) (?:{_TEXTS})\b",
    re.I,
)
_LIST = lazy_pattern(
    _POLITE + r"(?:list|name|enumerate|find|show|collect|give|mention|identify)(?: me)? (?:every|all|each)\b"
    r"|\b(?:every|each) (?:single )?(?:time|occasion|instance|mention|occurrence|place where)\b|\bhow many times\b"
    r"|^\W*(?:what|which|who) (?:are|were) all (?:the|of)\b|\ball the (?:times|occasions|places where)\b",
    re.I,
)
_LENGTH = lazy_pattern(r"\b(\d{2,4}) words\b", re.I)
_SHORT = lazy_pattern(r"\b(?:in )?(?:one|a single|1|two|2) sentences?\b", re.I)
_WORDS, _SHORT_WORDS = 200, 40
_QUOTES = 6  # quotes of an answer


def scope_of(question: Question) -> Scope:
    """Return whether a question asks for a summary, a theme or a list over the whole text; "" if for none of these."""
    text = question.text.partition("\n(")[0].strip()
    if question.kind != "free":
        return ""
    if _ONLY.match(text) or (_SUMMARY.match(text) and (_WHOLE.search(text) or len(text.split()) <= 3)):
        return "summary"
    if _LIST.search(text):
        return "list"
    return "theme" if _THEME.search(text) else ""


async def answer_over_all(
    memory: GistMemory, question: Question, session: Session, scope: Scope, up_to: int | None = None
) -> Answer:
    """Answer a question from all pages of a memory, which ends at ``up_to``, if that is given."""
    if scope == "list":
        opened = await _hinted(memory, question, session)
        points: Sequence[Point] = await hits(memory, session, question.text, opened=opened)
        text = "\n".join(f"- {one.text}" for one in points)
    else:
        about = question.text if scope == "theme" else ""
        points = (await summarize(memory, session, words=_words(question.text), about=about)).points
        text = " ".join(one.text for one in points)
    quotes, statements = _support(points, with_quotes=session.plan.quotes)
    text = text or not_in_text(question)
    session.emit(AnswerText(text))
    return Answer(
        question,
        text,
        None,
        (),
        (),
        compression=memory.compression,
        trace=session.trace,
        quotes=quotes,
        found_in_text=bool(points),
        up_to=up_to,
        support=Support(statements, "model" if session.plan.check else "rules") if points else Support(),
        searched=Searched(len(memory.pages), len(memory.pages)),
        over_all=True,
        document=memory.document,
    )


async def _hinted(memory: GistMemory, question: Question, session: Session) -> list[int]:
    """Return the pages that a search finds, which are shown in full: gists may have left out what is listed."""
    if session.hinter is None:
        return []
    found = await session.hinter.hints(memory, question)
    return [hint.page for hint in found if hint.score > 0][: session.plan.max_pages]


def _words(text: str) -> int:
    if length := _LENGTH.search(text):
        return max(10, min(5000, int(length[1])))
    return _SHORT_WORDS if _SHORT.search(text) else _WORDS


def _support(points: Sequence[Point], *, with_quotes: bool) -> tuple[tuple[Quote, ...], tuple[Statement, ...]]:
    """Return some of the quotes of points, evenly over the text, and the points as statements that rest on them."""
    having = [one for one in points if one.quote is not None] if with_quotes else []
    count = min(_QUOTES, len(having))
    chosen = [having[at * len(having) // count] for at in range(count)]
    quotes: list[Quote] = []
    for one in chosen:
        if one.quote is not None and one.quote not in quotes:
            quotes.append(one.quote)
    statements = tuple(
        Statement(one.text, one.state, (quotes.index(one.quote),) if one.quote in quotes else ()) for one in points
    )
    return tuple(quotes), statements
