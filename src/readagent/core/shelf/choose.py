"""The catalogue: which documents to read for a question, chosen from their cards."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.core.choice import Choice
from readagent.core.document import Document, Paragraph
from readagent.core.fitting import largest
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Material
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.shelf.records import Card
from readagent.core.trace import Fallback
from readagent.core.words import count_words

MOST_SHOWN = 100  # cards that a model is shown at once
_SHORTENED = 24  # words left of a card where not all shown fit whole


async def choose(
    cards: Sequence[Card], question: Question, session: Session, *, most: int, nearest: Sequence[int] = ()
) -> list[Card]:
    """The documents to read for a question, the likeliest first: all of them where there are no more than ``most``.

    ``nearest`` are places of cards, as a search ranks them: which are shown where not all can be, which are told as a
    hint where all are, and what is taken when the model names none legibly.
    """
    order = list(dict.fromkeys([*nearest, *range(len(cards))]))
    if len(cards) <= most:
        return [cards[place] for place in order]
    places, prompt = Shown(cards, question, session, most, nearest[:most]).all_or(order[:MOST_SHOWN])
    if len(places) <= most:
        session.fell_back(Fallback("choose", "the window has no room for more cards", "what a search finds nearest"))
        return [cards[place] for place in order[:most]]
    material = Material(memory=catalogue([cards[place] for place in places]), question=question)
    choice = Choice(tuple(map(str, range(len(places)))), least=1, most=most, cues=("document",))
    rank = {place: number for number, place in enumerate(places)}
    usual = [str(rank[place]) for place in order if place in rank][:most]
    chosen = await session.decide(Ask("look_up", prompt, choice, material), lambda: tuple(usual))
    return [cards[places[int(number)]] for number in chosen]


class Shown:
    """Cards as they are shown for a question, as many as find room in the window.

    ``nearest`` are told beside them as a hint, where not all that is shown is what a search found.
    """

    def __init__(
        self, cards: Sequence[Card], question: Question, session: Session, most: int, nearest: Sequence[int] = ()
    ) -> None:
        self._cards, self._question, self._reader = cards, question, session
        self._most, self._nearest = most, nearest
        self._forms: dict[int, tuple[str, str]] = {}  # of each card: whole, and short

    def all_or(self, ranked: Sequence[int]) -> tuple[Sequence[int], str]:
        """The places of the cards that are shown, and the prompt: all whole, else the first of those that are ranked.

        Those at the front are shown whole, as far as there is room, and the others by their beginnings.
        """
        if len(self._cards) <= MOST_SHOWN:
            everything = range(len(self._cards))
            prompt = self._prompt(everything, len(everything))
            if self._reader.window.fits(prompt):
                return everything, prompt
        count = largest(len(ranked), lambda count: self._fits(ranked[:count], 0))
        whole = largest(count, lambda whole: self._fits(ranked[:count], whole))
        return ranked[:count], self._prompt(ranked[:count], whole)

    def _fits(self, places: Sequence[int], whole: int) -> bool:
        return self._reader.window.fits(self._prompt(places, whole))

    def _prompt(self, places: Sequence[int], whole: int) -> str:
        """The prompt with these cards, the first ``whole`` of them in full."""
        shown = (
            f"<Document {number}>\n{self._form(place)[0 if number < whole else 1]}"
            for number, place in enumerate(places)
        )
        everything = len(places) == len(self._cards)
        found = ", ".join(f"Document {places.index(place)}" for place in self._nearest if everything)
        return self._reader.prompts.fill(
            "choose_documents",
            count=f"{len(places):,}",
            all="" if everything else f"{len(self._cards):,}",
            cards="\n\n".join(shown),
            question=self._question.shown(),
            hints=found,
            most=self._most,
        )

    def _form(self, place: int) -> tuple[str, str]:
        if place not in self._forms:
            card = self._cards[place]
            self._forms[place] = card.shown(), card.shown(_SHORTENED)
        return self._forms[place]


def catalogue(cards: Sequence[Card]) -> GistMemory:
    """The cards as a memory of their own, a page for each: what a model that measures chooses from."""
    return paged([f"{card.heading}. {card.text}" for card in cards])


def paged(texts: Sequence[str]) -> GistMemory:
    """Short texts as the pages of a memory, each its own gist."""
    pages, paragraphs, at = [], [], 0
    for number, text in enumerate(texts):
        end = at + len(text) + 2
        pages.append(Page(number, at, end, count_words(text)))
        paragraphs.append(Paragraph(number, at, end))
        at = end
    document = Document("".join(f"{text}\n\n" for text in texts), tuple(paragraphs))
    gists = tuple(Gist(text, page.words, "verbatim") for text, page in zip(texts, pages, strict=True))
    return GistMemory(document, tuple(pages), gists, Plan())
