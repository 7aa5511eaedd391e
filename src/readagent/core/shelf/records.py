"""The data of a shelf: the card of a document, and an answer from several, led back to the documents it stands in."""

from __future__ import annotations

from dataclasses import dataclass, field

from readagent.core.memory import Origin
from readagent.core.question import Question, Quote
from readagent.core.trace import Trace
from readagent.core.words import lead


@dataclass(frozen=True, slots=True)
class Card:
    """A document in a catalogue: its id, what it is called, what kind of text it is if that is known, and its gist.

    ``origin`` says where the text is from, as it does for a gist, and ``gists`` stands for those that it was made of:
    where they have changed since, a new one is due.
    """

    document: str
    title: str
    kind: str
    text: str
    words: int
    origin: Origin = "model"
    gists: str = ""

    def shown(self, words: int | None = None) -> str:
        """The card as a model sees it, its text cut to so many words."""
        text = self.text
        if words is not None and self.words > words:
            text = f"{lead(text, words).rstrip('. ')} …"
        return f"{self.heading}\n{text}"

    @property
    def heading(self) -> str:
        """Title and kind on one line."""
        return f"{self.title} ({self.kind})" if self.kind else self.title


@dataclass(frozen=True, slots=True)
class PageOf:
    """A page of one document among several, by the number it has there."""

    document: str
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote from one document among several; its page, paragraph and offsets are those of that document."""

    document: str
    title: str
    quote: Quote


@dataclass(frozen=True, slots=True)
class Line:
    """What one document says to a comparison, in a line, and the quotes it rests on.

    ``silent`` is whether the document does not say; ``problem`` is why there is no line, where there is none.
    """

    document: str
    title: str
    text: str
    quotes: tuple[Citation, ...] = ()
    silent: bool = False
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ShelfAnswer:
    """An answer from several documents, and what it rests on.

    ``documents`` are the cards of those that were read for it, of ``among`` on the shelf, and ``left_out`` those that
    were chosen and had no room. Pages and quotes are numbered as in their own documents. ``lines`` are what each
    document says, where documents were compared. ``words`` are those of the text that the answer was given from.
    """

    question: Question
    text: str
    choice: str | None = None
    documents: tuple[Card, ...] = ()
    left_out: tuple[Card, ...] = ()
    among: int = 0
    pages: tuple[PageOf, ...] = ()
    did_not_fit: tuple[PageOf, ...] = ()
    quotes: tuple[Citation, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    lines: tuple[Line, ...] = ()
    words: int = 0
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)

    @property
    def verified(self) -> bool:
        """Whether the model's own quotes stand in the documents, at least one, and none of them does not."""
        return not self.false_quotes and any(not cited.quote.by_us for cited in self.quotes)
