"""Choose the documents to read for a question from their cards."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.choice import Choice
from readagent.core.document import Document
from readagent.core.fitting import largest
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Material
from readagent.core.paragraphs import Paragraph
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.shelf.records import Card
from readagent.core.tags import escape_tags
from readagent.core.trace import Fallback
from readagent.core.words import count_words

MOST_SHOWN = 100  # maximum number of cards in a prompt
_SHORTENED = 24  # words kept of a card if not all fit in full


async def choose(
    cards: Sequence[Card], question: Question, session: Session, *, most: int, nearest: Sequence[int] = ()
) -> list[Card]:
    """Return the documents to read for a question, most likely first; all of them if there are at most ``most``.

    Without hints, all of them are in the order of the shelf. ``nearest`` are indexes of cards, as ranked by a search.
    They decide which cards are shown if not all can be, are shown as a hint if all are, unless the plan wants no hints,
    and are the fallback if the model names no legal document.
    """
    no_hints = session.plan.hints is False
    order = list(dict.fromkeys([*nearest, *range(len(cards))]))
    if len(cards) <= most:
        return list(cards) if no_hints else [cards[place] for place in order]
    hinted = () if no_hints else nearest[:most]
    places, prompt = Shown(cards, question, session, most, hinted).all_or(order[:MOST_SHOWN])
    if len(places) <= most:
        session.fell_back(Fallback("choose", "the window has no room for more cards", "what a search finds nearest"))
        return [cards[place] for place in order[:most]]
    material = Material(memory=catalogue([cards[place] for place in places]), question=question)
    choice = Choice(tuple(map(str, range(len(places)))), least=1, most=most, cues=("document",))
    rank = {place: number for number, place in enumerate(places)}
    usual = [str(rank[place]) for place in order if place in rank][:most]
    chosen = await session.decide(
        Ask("look_up", prompt, choice, material),
        lambda: tuple(usual),
        about="documents",
        name=lambda number: cards[places[int(number)]].title,
    )
    return [cards[places[int(number)]] for number in chosen]


class Shown:
    """The cards that are shown for a question, as many as fit the window.

    ``nearest`` are shown as a hint, unless the cards are already those that a search found.
    """

    def __init__(
        self, cards: Sequence[Card], question: Question, session: Session, most: int, nearest: Sequence[int] = ()
    ) -> None:
        self._cards, self._question, self._session = cards, question, session
        self._most, self._nearest = most, nearest
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
            self._forms[place] = card.shown(), card.shown(_SHORTENED)
        return self._forms[place]


def catalogue(cards: Sequence[Card]) -> GistMemory:
    """Return the cards as a memory with a page for each, for models that do not use the prompt."""
    return memory_of([f"{card.heading}. {card.text}" for card in cards])


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
