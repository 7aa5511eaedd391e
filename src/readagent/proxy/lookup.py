"""Find what is shown with a message: the pages that the model asks for, and after them what a search finds."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf

from readagent.core.asking.lookup import pages_choice
from readagent.core.asking.prepare import likely_pages
from readagent.core.asking.situation import Situation
from readagent.core.asking.snippets import snippets
from readagent.core.asking.view import View, view_of
from readagent.core.clauses import find_clauses
from readagent.core.form import Choice, Form
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Hint, Reply
from readagent.core.question import Question
from readagent.core.session import Session, useless
from readagent.core.trace import Fallback
from readagent.core.words import Paragraph, count_words, paragraph_starts, sentences
from readagent.errors import ContextOverflowError, ReadAgentError
from readagent.proxy.chat import Count
from readagent.proxy.memory import PageMemory
from readagent.proxy.paging import IN_THE_RECORD

MOST_OPENED = 6  # pages
MOST_PROMPTS = 3  # of one look-up
_MOST_PARTS = 5  # that may be asked for at a time
_INDEX = 0.6  # of the room of a look-up, at most, for the index
_SNIPPETS = 40  # pages that may have one in a look-up
_PASSAGES = 24  # pages of which a passage may be shown with the message
_SHORT = 60  # words; a longer message may be a question together with a text


@dataclass(frozen=True, slots=True)
class Found:
    """Pages in full, passages of others by their pages, and all pages that are likely to be of use, best first."""

    opened: tuple[int, ...] = ()
    passages: Mapping[int, str] = field(default_factory=dict)
    likely: tuple[int, ...] = ()


async def find(
    memory: PageMemory,
    question: str,
    history: str,
    rooms: tuple[int, int],
    count: Count,
    full: Collection[int],
    *,
    ask: bool,
) -> Found:
    """Return what is shown with a question: pages in the first of the rooms, and passages up to the second.

    What the model asks for comes first, but for pages that are shown in ``full`` already, and then the page with a
    clause that the question names by its number. ``history`` is what was said before the question. Without ``ask``, if
    the model has written no gists, and if it cannot be asked, the search alone decides.
    """
    most, filled = (room - count(memory.opened((), {})) for room in rooms)
    tokens = [count(memory.page(number)) + 2 for number in range(len(memory.pages))]
    if len(tokens) <= MOST_OPENED and sum(tokens) <= most:
        return Found(tuple(number for number in range(len(tokens)) if number not in full))
    if not question:
        return Found()
    whole, hinter = memory.as_memory(), memory.hinter
    hints = _joined([await hinter.hints(whole, Question(text)) for text in _searched(question)])
    wider = await hinter.hints(whole, Question(f"{question}\n\n{history}")) if history else ()
    ranked = tuple(hint.page for hint in hints)
    likely = tuple(dict.fromkeys((*likely_pages(hints, share=0), *likely_pages(wider))))
    named = await _named(memory, whole, question, history, ranked) if ask and memory.has_gists else None
    filled = filled // 2 if named == [] else filled  # the model sees no need for any
    opened, used = list[int](), 0
    for number in (*(named or ()), *_numbered(question, whole))[:MOST_OPENED]:
        if number not in {*opened, *full} and used + tokens[number] <= most:
            opened.append(number)
            used += tokens[number]
    others = [number for number in (*(named or ()), *likely) if number not in {*opened, *full}][:_PASSAGES]
    nearest = await hinter.passages(whole, _searched(question), others)
    passages = dict[int, str]()
    filled = min(most, max(filled, used + filled // 2))
    for number in others:
        size = count(nearest[number]) + 16
        if used + size <= filled:
            passages[number] = nearest[number]
            used += size
    return Found(tuple(sorted(opened)), passages, tuple(dict.fromkeys((*(named or ()), *likely))))


async def _named(
    memory: PageMemory, whole: GistMemory, question: str, history: str, ranked: Sequence[int]
) -> list[int] | None:
    """Return the pages that the model asks for, the most important first, or None if it cannot be asked.

    It may look into parts before.
    """
    session = memory.session
    count = session.window.count
    room = session.window.index - count(history) - count(question) if session.window.index else inf
    near = snippets(whole, ranked[:_SNIPPETS], question)
    view = view_of(memory.index(whole, _INDEX * room), ranked, room, count, near)
    situation = Situation(view, Question(question), history, tuple(ranked))
    named = list[int]()
    try:
        for _ in range(MOST_PROMPTS):
            chosen = await _choose(situation, session)
            if chosen is None:
                return named or None
            pages, parts = chosen
            named = [*pages, *named]
            view = _inside(view, parts, room, count)
            if not view.gists and not view.entries:
                break
            situation = replace(situation, view=view)
    except ContextOverflowError:
        raise  # it tells what the window is
    except ReadAgentError as error:
        session.fell_back(Fallback("look_up", str(error), "the pages that a search finds"))
        return None
    return list(dict.fromkeys(named))


async def _choose(situation: Situation, session: Session) -> tuple[list[int], list[int]] | None:
    """Return the pages and the parts that the model asks for; None if its reply cannot be used."""
    view, most = situation.view, min(MOST_OPENED, len(situation.memory.pages))
    pages = pages_choice(situation, most, least=0)
    parts = Choice(tuple(map(str, sorted(view.entries))), most=_MOST_PARTS, label="Parts")
    form = Form((pages, parts) if view.entries else (pages,), either=True)
    last = len(situation.memory.pages) - 1
    prompt = situation.prompt(
        session, "look_up", form=form, most=most, last=last, only=last == 0, order=True, whole_text=False, nudge=False,
        parts=_MOST_PARTS if view.entries else 0,
    )  # fmt: skip
    if not session.window.fits(prompt):
        session.fell_back(Fallback("look_up", "the prompt does not fit the window", "what a search finds"))
        return None

    def judge(reply: Reply) -> tuple[tuple[list[int], list[int]], str]:
        filled = form.parse(reply.text)
        if filled is None:
            return ([], []), useless(reply) or "it named no legal answer"
        named = (filled.values.get(label, ()) for label in ("Pages", "Parts"))
        wanted, inside = (list(map(int, values)) for values in named)
        return (wanted, inside), ""

    chosen, problem = await session.judged(Ask("look_up", prompt, material=situation.material(), form=form), judge)
    if problem:
        session.fell_back(Fallback("look_up", problem, "what a search finds"))
    return None if problem else chosen


def _inside(view: View, parts: Sequence[int], room: float, count: Count) -> View:
    """Return a view of what is in these parts, as far as there is room."""
    shown = replace(view, gists={}, entries={})
    for number in parts:
        wider = shown.with_part(number)
        if count(wider.render()) <= room:
            shown = wider
    return shown if shown.entries else replace(shown, parts=())


def _numbered(question: str, whole: GistMemory) -> list[int]:
    """Return the pages of the clause that a question names; else the last where a line begins with a number of it.

    Other pages with such a line have tables of contents.
    """
    asked, pages = _searched(question)[0], whole.pages
    starts = ((page, at) for page in pages for at in paragraph_starts(whole.page_text(page.number)))
    paragraphs = (Paragraph(0, page.start + at, page.end) for page, at in starts)
    if clauses := find_clauses(whole.document.text, paragraphs, asked):
        return [number for start, end in clauses for number in range(whole.page_at(start), whole.page_at(end - 1) + 1)]
    if not (named := "|".join(map(re.escape, re.findall(r"\b\d+(?:\.\d+)*", asked)))):
        return []
    begins = re.compile(rf"^[^\w\n]*(?:\w+[^\w\n]+)?(?:{named})(?!\w|\.\d)", re.M)
    return [page.number for page in pages if begins.search(whole.page_text(page.number))][-1:]


def _searched(message: str) -> list[str]:
    """Return what to search for: the last sentence, the last and first words, and all of a message with a long text.

    The first ones are usually the question, also below a few lines that a program has put before it.
    """
    lines = [line for line in message.splitlines() if count_words(line) and not line.startswith(IN_THE_RECORD)]
    if not lines or (len(lines) == 1 and count_words(message) <= _SHORT):
        return [message]
    first, last = _up_to(sentences(lines[0])), _up_to(sentences(lines[-1])[::-1])[::-1]
    return [*dict.fromkeys((last[-1], " ".join(last), " ".join(first), message))]


def _up_to(lines: Sequence[str]) -> list[str]:
    """Return the first sentences that are short together, at least one."""
    words, taken = 0, list[str]()
    for line in lines:
        words += count_words(line)
        if taken and words > _SHORT:
            break
        taken.append(line)
    return taken


def _joined(searches: Sequence[Sequence[Hint]]) -> list[Hint]:
    """Return all pages, each with the best score that a search gives it, relative to that of the best page."""
    scores: dict[int, float] = {}
    for hints in searches:
        best = hints[0].score if hints and hints[0].score > 0 else 1.0
        for hint in hints:
            scores[hint.page] = max(scores.get(hint.page, hint.score / best), hint.score / best)
    return [Hint(page, score) for page, score in sorted(scores.items(), key=lambda one: -one[1])]
