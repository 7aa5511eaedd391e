"""Cards: short descriptions of documents, made from their gists, by which the documents to read are chosen."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from readagent.core.asking.snippets import FOUND
from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.form import Choice
from readagent.core.gists.shorten import GIST, check_of, gist_page, judge_gist
from readagent.core.memory import Gist, GistMemory, Origin, Page
from readagent.core.model import Ask, Material, Reply
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.shelf.shelf_answer import Card
from readagent.core.trace import Fallback, GistDone, without
from readagent.core.window import largest
from readagent.core.words import Paragraph, count_words, lead, truncate

CARD_WORDS = 60
_TITLE_WORDS, _TITLE_CHARACTERS, _KIND_CHARACTERS = 16, 120, 40


async def card_of(memory: GistMemory, session: Session, *, kind: str = "") -> Card:
    """Return the card of a document that was read. Gists no longer than a card are used unchanged."""
    text = " ".join(gist.text.strip() for gist in memory.gists)
    origin: Origin = "verbatim"
    if count_words(text) > CARD_WORDS:
        text, origin = await _card_text(memory, text, replace(session, emit=without(session.emit, GistDone)))
    document = memory.document
    kind = " ".join(kind.split()) or kind_of(document)
    about = (document.id, title_of(document), kind[:_KIND_CHARACTERS], text, count_words(text))
    return Card(*about, origin, gists_key(memory), document.source)


def gists_key(memory: GistMemory) -> str:
    """Return a hash of all gists of a memory."""
    everything = "\0".join(gist.text for gist in memory.gists)
    return hashlib.sha256(everything.encode("utf-8", "surrogatepass")).hexdigest()[:16]


async def _card_text(memory: GistMemory, gists: str, session: Session) -> tuple[str, Origin]:
    """Return the text of a card, made from all gists, or from a shorter form if these do not fit the window."""
    passage, problem = gists, "the gists of the document could not be made to fit the window"
    if not _fits(passage, session):
        around = session.window.count(_prompt(session, ""))
        limit = max(CARD_WORDS, ((session.window.prompt or 0) - around) // 3)
        passage = (await gist_page(session, Page(0, 0, len(gists), count_words(gists)), gists, limit=limit)).text
    if _fits(passage, session):
        material = Material(passages=(passage,), words=CARD_WORDS)
        ask = Ask("gist", _prompt(session, passage), material=material, form=GIST)
        check = check_of(session, frame=_prompt(session, ""), wanted=CARD_WORDS)

        def judge(reply: Reply) -> tuple[str, str]:
            return judge_gist(
                reply,
                count_words(passage),
                CARD_WORDS,
                lambda text, labelled: check.problem(text, passage, labelled=labelled),
            )

        text, problem = await session.judged(ask, judge)
        if not problem:
            return " ".join(text.split()), "model"
    session.fell_back(Fallback("card", problem, "the opening of the first gist"))
    return lead(" ".join(memory.gists[0].text.split()), CARD_WORDS), "lead"


def _prompt(session: Session, passage: str) -> str:
    language = session.plan.gist_language
    return session.prompts.fill("card", form=GIST, passage=escape_tags(passage), words=CARD_WORDS, language=language)


def _fits(passage: str, session: Session) -> bool:
    return session.window.fits(_prompt(session, passage))


def title_of(document: Document) -> str:
    """Return a name for a document that fits on a line: its title, its file name or its id."""
    return fitted_title(document.title or PurePath(document.source).name) or document.id


def fitted_title(title: str) -> str:
    """Return a title on one line, without the end of a long one."""
    return truncate(" ".join(title.split()), _TITLE_WORDS)[:_TITLE_CHARACTERS].rstrip()


def kind_of(document: Document) -> str:
    """Return what kind of text a document is; empty if unknown."""
    return " ".join(document.kind.split()) or (f"{document.code} code" if document.code else "")


MOST_SHOWN = 100  # maximum number of cards in a prompt
_SHORTENED = 24  # words kept of a card if not all fit in full


async def choose(
    cards: Sequence[Card],
    question: Question,
    session: Session,
    *,
    most: int,
    nearest: Sequence[int] = (),
    found: Mapping[str, str] | None = None,
) -> list[Card]:
    """Return the documents to read for a question, most likely first; all of them if there are at most ``most``.

    ``nearest`` are indexes of cards, as ranked by a search. They decide which cards are shown if not all can be, are
    shown as a hint if all are, and are the fallback if the model names no legal document. ``found`` are the words of
    documents that are nearest to the question; they are shown below the card.
    """
    found = found or {}
    order = list(dict.fromkeys([*nearest, *range(len(cards))]))
    if len(cards) <= most:
        return [cards[place] for place in order]
    places, prompt = Shown(cards, question, session, most, nearest[:most], found).all_or(order[:MOST_SHOWN])
    if len(places) <= most:
        session.fell_back(Fallback("choose", "the window has no room for more cards", "what a search finds nearest"))
        return [cards[place] for place in order[:most]]
    material = Material(memory=catalogue([cards[place] for place in places], found), question=question)
    choice = documents(len(places), most)
    rank = {place: number for number, place in enumerate(places)}
    usual = [str(rank[place]) for place in order if place in rank][:most]
    chosen = await session.decide(
        Ask("look_up", prompt, choice, material),
        lambda: tuple(usual),
        about="documents",
        name=lambda number: cards[places[int(number)]].title,
    )
    return [cards[places[int(number)]] for number in chosen]


def documents(count: int, most: int) -> Choice:
    """Return the choice of up to ``most`` of so many documents."""
    return Choice(tuple(map(str, range(count))), most=most, label="Documents")


class Shown:
    """The cards that are shown for a question, as many as fit the window.

    ``nearest`` are shown as a hint, unless the cards are already those that a search found.
    """

    def __init__(
        self,
        cards: Sequence[Card],
        question: Question,
        session: Session,
        most: int,
        nearest: Sequence[int] = (),
        found: Mapping[str, str] | None = None,
    ) -> None:
        self._cards, self._question, self._session = cards, question, session
        self._most, self._nearest, self._found = most, nearest, found or {}
        self._forms: dict[int, tuple[str, str]] = {}  # of each card: in full, and short

    def all_or(self, ranked: Sequence[int]) -> tuple[Sequence[int], str]:
        """Return the indexes of the cards that are shown, and the prompt: all in full, or else the best ranked ones.

        As many of these as fit are shown in full, from the first on, and the others by their first words.
        """
        if len(self._cards) <= MOST_SHOWN:
            everything = range(len(self._cards))
            prompt = self._prompt(everything, len(everything))
            if self._session.window.fits(prompt):
                return everything, prompt
        count = largest(len(ranked), lambda count: self._fits(ranked[:count], 0))
        whole = largest(count, lambda whole: self._fits(ranked[:count], whole))
        return ranked[:count], self._prompt(ranked[:count], whole)

    def _fits(self, places: Sequence[int], whole: int) -> bool:
        return self._session.window.fits(self._prompt(places, whole))

    def _prompt(self, places: Sequence[int], whole: int) -> str:
        """Return the prompt with these cards, the first ``whole`` of them in full."""
        shown = (
            f"<Document {number}>\n{escape_tags(self._form(place)[0 if number < whole else 1])}"
            for number, place in enumerate(places)
        )
        everything = len(places) == len(self._cards)
        found = ", ".join(f"Document {places.index(place)}" for place in self._nearest if everything)
        return self._session.prompts.fill(
            "choose_documents",
            form=documents(len(places), self._most),
            count=f"{len(places):,}",
            all="" if everything else f"{len(self._cards):,}",
            cards="\n\n".join(shown),
            question=escape_tags(self._question.shown()),
            hints=found,
            most=self._most,
        )

    def _form(self, place: int) -> tuple[str, str]:
        if place not in self._forms:
            card = self._cards[place]
            below = f"\n{FOUND} “{self._found[card.document]}”" if card.document in self._found else ""
            self._forms[place] = f"{card.shown()}{below}", f"{card.shown(_SHORTENED)}{below}"
        return self._forms[place]


def catalogue(cards: Sequence[Card], found: Mapping[str, str]) -> GistMemory:
    """Return the cards as a memory with a page for each, for models that do not use the prompt."""
    return memory_of([f"{card.heading}. {card.text} {found.get(card.document, '')}".rstrip() for card in cards])


def memory_of(texts: Sequence[str]) -> GistMemory:
    """Return a memory with these texts as pages, each its own gist."""
    pages, paragraphs, at = [], [], 0
    for number, text in enumerate(texts):
        end = at + len(text) + 2
        pages.append(Page(number, at, end, count_words(text)))
        paragraphs.append(Paragraph(number, at, end))
        at = end
    document = Document("".join(f"{text}\n\n" for text in texts), tuple(paragraphs))
    gists = tuple(Gist(text, page.words, "verbatim") for text, page in zip(texts, pages, strict=True))
    return GistMemory(document, tuple(pages), gists, Plan())
