"""The data of a shelf: the card of a document, and an answer from several documents with its citations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from readagent.core.document import Document
from readagent.core.escaping import brief, counted, short_repr
from readagent.core.memory import Origin
from readagent.core.notebook import answer_html, shown, table
from readagent.core.question import Question, Quote, Searched, about_answer
from readagent.core.statement import Statement, Support
from readagent.core.trace import Trace
from readagent.core.words import lead


@dataclass(frozen=True, slots=True)
class Card:
    """A short description of a document: its id, its title, its kind if known, and a text about its content.

    ``origin`` says who wrote the text, as for a gist. ``gists`` is a hash of the gists that it was made from: if these
    have changed, a new card is needed. ``source`` is the path or address of the document, if it has one.
    """

    document: str
    title: str
    kind: str
    text: str
    words: int
    origin: Origin = "model"
    gists: str = ""
    source: str = field(default="", compare=False)

    __repr__ = short_repr

    def shown(self, words: int | None = None) -> str:
        """Return the card as a model sees it, on two lines, with its text cut to at most ``words`` words."""
        text = " ".join(self.text.split())
        if words is not None and self.words > words:
            text = f"{lead(text, words).rstrip('. ')} …"
        return f"{self.heading}\n{text}"

    @property
    def heading(self) -> str:
        """The title and the kind on one line."""
        return f"{self.title} ({self.kind})" if self.kind else self.title


@dataclass(frozen=True, slots=True)
class PageOf:
    """A page of one of several documents, with its number in that document, and the place where it begins."""

    document: str
    title: str
    page: int
    place: str = field(default="", compare=False)

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote from one of several documents; page, paragraph and offsets are those of that document."""

    document: str
    title: str
    quote: Quote

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Line:
    """What one document says in a comparison, and the quotes that support it.

    ``silent`` is True if the document does not say. ``problem`` is why there is no line, if there is none.
    """

    document: str
    title: str
    text: str
    quotes: tuple[Citation, ...] = ()
    silent: bool = False
    problem: str = ""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class ShelfAnswer:
    """An answer from several documents.

    ``documents`` are the cards of the documents that were read for it, of ``among`` on the shelf; ``unread`` of these
    had not been read and could not be asked. ``left_out`` are those that were chosen but did not fit. Pages and quotes
    are numbered as in their own documents. ``lines`` is what each document says, if documents were compared. ``words``
    is the number of words that the answer was made from. ``support`` is as in an ``Answer``, and so is ``searched``,
    over all documents that were read; a comparison has none. ``texts`` are the documents by id; an answer from the
    library has those that it quotes and that are still in it. ``over_all`` says that it was made from all pages of
    these documents, as questions about the whole are. ``up_to`` are offsets by document: of these, only the text before
    them was used. ``id`` is its number in the library; None if it is not kept there.
    """

    question: Question
    text: str
    choice: str | None = None
    documents: tuple[Card, ...] = ()
    left_out: tuple[Card, ...] = ()
    among: int = 0
    unread: int = 0
    pages: tuple[PageOf, ...] = ()
    did_not_fit: tuple[PageOf, ...] = ()
    quotes: tuple[Citation, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    lines: tuple[Line, ...] = ()
    words: int = 0
    trace: Trace = field(default_factory=Trace, compare=False, repr=False)
    support: Support = Support()
    searched: Searched | None = field(default=None, compare=False)
    over_all: bool = field(default=False, compare=False)
    up_to: Mapping[str, int] = field(default_factory=dict)
    texts: Mapping[str, Document] = field(default_factory=dict, compare=False, repr=False)
    id: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"({self.choice}) {self.text}" if self.question.kind == "choice" and self.choice else self.text

    def __repr__(self) -> str:
        read = f"from {len(self.documents)} of {counted(self.among, 'document')}"
        return brief(self, self.text, *about_answer(self), read, f"{self.unread} not read" * bool(self.unread))

    def _repr_html_(self) -> str:
        texts = {name: document.text for name, document in self.texts.items()}
        quotes = [one.quote.html(texts.get(one.document, ""), title=one.title) for one in self.quotes]
        lines = [(shown(one.title), shown(one.problem or one.text)) for one in self.lines]
        compared = table(("document", "what it says"), lines) if lines else ""
        choice = f"({self.choice}) " if self.question.kind == "choice" else ""
        return answer_html(self.question.text, f"{choice}{self.text}", self.statements, quotes, compared)

    @property
    def not_asked(self) -> str:
        """Which part of the shelf was asked, such as "6 of 15 documents; 9 not read"; empty if all of it."""
        asked = f"{self.among - self.unread:,} of {counted(self.among, 'document')}; {self.unread:,} not read"
        return asked if self.unread else ""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the answer, each with its state: supported, quoted or unsupported."""
        return self.support.statements

    @property
    def verified(self) -> bool:
        """Whether quotes from the documents support every statement of the answer, and the model made up no quote."""
        return self.support.complete and not self.false_quotes
