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
from readagent.core.places import page_name
from readagent.core.question import Answer, Question, Quote, Searched
from readagent.core.session import Session
from readagent.core.support.records import Statement, Support

Scope = Literal["summary", "theme", "list", ""]
TEXTS = (
    "book|novel|story|text|document|paper|article|report|thesis|play|script|transcript|meeting|contract|essay|file|e-?book"
    "|buch|roman|geschichte|dokument|artikel|bericht|vertrag|livre|texte|roman|histoire|article|rapport|contrat"
    "|libro|texto|documento|historia|novela|artículo|informe|contrato"
)
_THIS = (
    r"(?:(?:this|the|that|these|those|all|my|whole|entire|dieses?|diesem|das|dem|den|der|die|ce|ces|cette|le|la|les|du"
    r"|este|esta|estos|estas|el|los|las|del)\s+)*"
    rf"(?:{TEXTS})s?"
)
_END = (  # what may follow: a length, a reader, or nothing
    r"(?:[\s,]+(?:please|briefly|for me|bitte|s'il (?:te|vous) pla[iî]t|por favor|so far"
    r"|(?:in|with|using|for|within|to|up to|as|en|auf|mit|für|pour|para|bis)\s+[^?]{1,60}))*\W*$"
)
POLITE = (
    r"^\W*(?:(?:please|can you|could you|would you|kindly|bitte|kannst du|können sie|peux-tu|pouvez-vous|puedes)[ ,]+)*"
)
_WANT = (
    r"(?:(?:give|write|make|provide|create|show|i (?:need|want|would like)|i'd like|gib|schreib\w*|erstell\w*|fais"
    r"|faites|donne\w*|haz|escribe|dame|hazme)(?:[ -](?:me|mir|moi|us|uns|nous|nos))?\s+)?"
)
_NOUN = (
    r"(?:(?:an?|the|une?|eine?|un|una|der|die|das|le|la|el)\s+)?(?:[\w-]+\s+){0,2}"
    r"(?:summary|overview|synopsis|recap|zusammenfassung|überblick|résumé|resumen|sinopsis)"
)
_SUMMARY = lazy_pattern(
    rf"{POLITE}(?:(?:summari[sz]e|sum up|recap)(?:\s+(?:it|this|{_THIS}))?|tl;?dr"
    rf"|fass\w*\s+(?:(?:es|das|{_THIS})\s+)?zusammen"
    rf"|r[ée]sume[sz]?\s+{_THIS}|resume\s+{_THIS}|{_WANT}{_NOUN}(?:\s+(?:of|von|über|de|du|del)?\s*(?:it|this|{_THIS}))?"
    rf"|what(?:'s| is| was) (?:this|it|{_THIS}) (?:all )?about|what happens in (?:this|it|{_THIS})"
    rf"|worum geht(?:'s| es)(?: (?:hier|in {_THIS}))?|de quoi parle {_THIS}|de qu[ée] trata (?:esto|{_THIS})){_END}",
    re.I,
)
_THEME = lazy_pattern(
    rf"{POLITE}(?:what (?:are|is|were|was) the (?:(?:main|central|key|major|overall|core|principal|most important"
    r"|recurring|common|overarching)\s+(?:\w+ )?(?:themes?|ideas?|points?|arguments?|messages?|topics?|take-?aways?"
    r"|findings?|conclusions?|motifs?|claims?|issues|decisions|conflicts?)|themes?|take-?aways)"
    rf"(?:\s+(?:of|in|from|on)\s+{_THIS})?|(?:what|which) themes\b[^?]{{0,60}}"
    r"|was sind die (?:\w+ )?(?:haupt)?themen|quels sont les (?:principaux )?th[èe]mes"
    r"|cu[áa]les son los (?:principales )?temas)"
    rf"{_END}|^\W*how (?:does|do|did) [^?]{{3,80}}\b(?:change|develop|evolve|shift)s?"
    r"(?:\s+(?:over|throughout|through|across|during|in the course|as|from)\b[^?]*)?\W*$",
    re.I,
)
_LIST = lazy_pattern(
    rf"{POLITE}(?:(?:list|name|enumerate|find|show|collect|give|mention|identify)(?: me)? (?:every|all|each)\b"
    r"|(?:make|give me|write|create) a list of\b|list the\b|how (?:many times|often)\b"
    r"|(?:what|which|who) (?:are|were) all (?:the|of)\b|(?:liste|nenne|zähle)\b.{0,20}\b(?:alle|jede[nsr]?)\b"
    r"|(?:liste|énumère|enumère|cite)\w*\s+(?:tou(?:te)?s|chaque)\b|(?:enumera|lista|nombra)\w*\s+(?:tod[oa]s|cada)\b)",
    re.I,
)
_HOW_MANY = lazy_pattern(r"\W*how (?:many|often)\b", re.I)
_LENGTH = lazy_pattern(r"\b(\d{2,4}) words\b", re.I)
_SHORT = lazy_pattern(r"\b(?:in )?(?:one|a single|1|two|2) sentences?\b", re.I)
_WORDS, _SHORT_WORDS = 200, 40
_QUOTES = 6  # quotes of an answer


def scope_of(question: Question) -> Scope:
    """Return whether a question asks for a summary, a theme or a list over the whole text; "" if for none of these."""
    text = question.text.partition("\n(")[0].strip()
    if question.kind != "free":
        return ""
    if _SUMMARY.match(text):
        return "summary"
    if _LIST.match(text):
        return "list"
    return "theme" if _THEME.match(text) else ""


async def answer_over_all(
    memory: GistMemory, question: Question, session: Session, scope: Scope, up_to: int | None = None
) -> Answer:
    """Answer a question from all pages of a memory, which ends at ``up_to``, if that is given."""
    points = await points_over_all(memory, question, session, scope)
    if scope == "list":
        text = _listed(points, memory, question.text)
    else:
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


async def points_over_all(memory: GistMemory, question: Question, session: Session, scope: Scope) -> Sequence[Point]:
    """Return what all pages of a memory say to a question: the items of a list, or the statements of a text."""
    if scope == "list":
        return await hits(memory, session, question.text, opened=await _hinted(memory, question, session))
    about = question.text if scope == "theme" else ""
    return (await summarize(memory, session, words=words_wanted(question.text), about=about)).points


async def _hinted(memory: GistMemory, question: Question, session: Session) -> list[int]:
    """Return the pages that a search finds, which are shown in full: gists may have left out what is listed."""
    if session.hinter is None:
        return []
    found = await session.hinter.hints(memory, question)
    return [hint.page for hint in found if hint.score > 0][: session.plan.max_pages]


def _listed(points: Sequence[Point], memory: GistMemory, asked: str) -> str:
    """Return a list with the place of each item; their number first if that is asked for."""
    places = memory.document.places([memory.pages[one.pages[0]].start for one in points])
    lines = [f"- {one.text} ({page_name(one.pages[0], place)})" for one, place in zip(points, places, strict=True)]
    return "\n".join([*([f"{len(points)}:"] if points and _HOW_MANY.match(asked) else []), *lines])


def words_wanted(text: str) -> int:
    """Return how many words the answer to a question may have, by its wording."""
    if length := _LENGTH.search(text):
        return max(10, min(5000, int(length[1])))
    return _SHORT_WORDS if _SHORT.search(text) else _WORDS


def evenly(points: Sequence[Point]) -> list[Point]:
    """Return the points whose quotes an answer shows, evenly over the text."""
    count = min(_QUOTES, len(points))
    return [points[at * len(points) // count] for at in range(count)]


def _support(points: Sequence[Point], *, with_quotes: bool) -> tuple[tuple[Quote, ...], tuple[Statement, ...]]:
    """Return some of the quotes of points, evenly over the text, and the points as statements that rest on them."""
    having = [one for one in points if one.quote is not None] if with_quotes else []
    quotes: list[Quote] = []
    for one in evenly(having):
        if one.quote is not None and one.quote not in quotes:
            quotes.append(one.quote)
    statements = tuple(
        Statement(one.text, one.state, (quotes.index(one.quote),) if one.quote in quotes else ()) for one in points
    )
    return tuple(quotes), statements
