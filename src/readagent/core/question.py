"""Question, Answer and Quote, and Turn for an earlier question and its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from readagent.core.document import Document, page_name
from readagent.core.escaping import brief, counted, short_repr
from readagent.core.notebook import answer_html, marked
from readagent.core.statement import Statement, Support
from readagent.core.trace import Trace
from readagent.errors import UsageError

Kind = Literal["free", "choice", "claim"]
_LONGEST = 20_000  # characters of a question with its options


@dataclass(frozen=True, slots=True)
class Question:
    """A free question, a multiple-choice question, or a claim that is true or false."""

    text: str
    options: tuple[str, ...] = ()
    kind: Kind = "free"

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise UsageError("the question is empty", hint='for example "Who is Ann?"')
        if self.kind == "choice" and len(self.options) < 2:
            raise UsageError(
                "a multiple-choice question needs at least two options", hint='for example ["Ann", "Ben", "neither"]'
            )
        if self.kind != "choice" and self.options:
            raise UsageError(f"a {self.kind} question has no options", hint="use Question.choice(text, options)")

    @classmethod
    def choice(cls, text: str, options: Sequence[str]) -> Question:
        """Return a multiple-choice question with any number of options."""
        if isinstance(options, str):
            raise UsageError("options must be a list of texts, not one text", hint='for example ["Ann", "Ben"]')
        return cls(text, tuple(options), "choice")

    @classmethod
    def claim(cls, text: str) -> Question:
        """Return a claim about the text, to be judged true or false."""
        return cls(text, (), "claim")

    @property
    def letters(self) -> tuple[str, ...]:
        """The letter of each option: A to Z, then AA, AB and so on."""
        return tuple(letter(i) for i in range(len(self.options)))

    def shown(self) -> str:
        """Return the question as it appears in a prompt, followed by its options."""
        options = (f"({name}) {text}" for name, text in zip(self.letters, self.options, strict=True))
        return "\n".join([self.text.strip(), *options])


def as_question(given: str | Question) -> Question:
    """Return a free question for a text, and a question as it is; raise UsageError for one that is too long."""
    if not isinstance(given, str | Question):
        raise UsageError(f"a question is a text or a Question, not {given!r}", hint='for example "Who is Irma?"')
    asked = Question(given) if isinstance(given, str) else given
    if (length := len(asked.shown())) > _LONGEST:
        raise UsageError(
            f"the question has {length:,} characters, of which {_LONGEST:,} are allowed",
            hint="add the long text as a document, and ask about it",
        )
    return asked


def letter(index: int) -> str:
    """Return the letter of an option: 0 is A, 25 is Z, 26 is AA."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question and its answer. ``up_to`` is how far the text was known then; None means all of it."""

    question: str
    answer: str
    up_to: int | None = None

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Lookup:
    """The pages that were opened, in the order in which they were requested, and those that did not fit.

    ``whole`` says that the question is about the whole text, so that it is answered from all pages.
    """

    pages: tuple[int, ...] = ()
    did_not_fit: tuple[int, ...] = ()
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """Sentences of the text that support an answer: ``document.text[start:end]``, on this page, in this paragraph.

    ``marked`` are the parts of ``text`` that the model quoted, as offsets in it. ``place`` is their place in the
    source, if known, and ``speaker`` who says it in a transcript. ``exact`` is False if the model's quote differs in
    white space, quotation marks or the like. ``by_us`` is True for a passage that the program found because the model
    quoted none.
    """

    text: str
    page: int
    paragraph: int
    start: int
    end: int
    place: str = ""
    exact: bool = True
    by_us: bool = False
    marked: tuple[tuple[int, int], ...] = ()
    speaker: str = ""

    __repr__ = short_repr

    @property
    def where(self) -> str:
        """The speaker, and the place in the source or else our page, for people."""
        return ", ".join(filter(None, (self.speaker, page_name(self.page, self.place))))

    def parts(self) -> Iterator[tuple[str, bool]]:
        """Yield the text in parts, each with whether the model quoted it."""
        at = 0
        for start, end in self.marked:
            if at < start:
                yield self.text[at:start], False
            yield self.text[start:end], True
            at = end
        if at < len(self.text):
            yield self.text[at:], False

    def html(self, text: str, up_to: int | None = None, title: str = "") -> str:
        """Return the quote for a notebook, within the ``text`` around it, but nothing after ``up_to``."""
        place = ", ".join(filter(None, (title, self.where, "found by us" * self.by_us)))
        return marked(self.text, self.start, self.end, place, text, up_to)


def find_extract(answer: str, quote: str) -> tuple[int, int] | None:
    """Return the start and end of an answer in a quote that has its words verbatim, or None."""
    words = answer.split()
    pattern = r"\s+".join(map(re.escape, words))
    found = re.search(rf"(?<!\w){pattern}(?!\w)", quote) if words else None
    return None if found is None else found.span()


@dataclass(frozen=True, slots=True)
class Searched:
    """What was shown for an answer: the gists of ``pages`` pages. Of a memory tree, ``parts`` parts were looked into.

    ``of_pages`` and ``of_parts`` are how many there are; a memory that is no tree has no parts.
    """

    pages: int
    of_pages: int
    parts: int = 0
    of_parts: int = 0


class _Answered(Protocol):
    """What the answers about a document and about a shelf have in common."""

    @property
    def choice(self) -> str | None: ...

    @property
    def quotes(self) -> Sequence[object]: ...

    @property
    def pages(self) -> Sequence[object]: ...

    @property
    def found_in_text(self) -> bool: ...

    @property
    def verified(self) -> bool: ...

    @property
    def trace(self) -> Trace: ...


def about_answer(answer: _Answered) -> list[str]:
    """Return the facts about an answer that its repr shows."""
    return [
        answer.choice or "",
        "" if answer.found_in_text else "not in the text",
        "supported" if answer.verified else "",
        counted(len(answer.quotes), "quote"),
        counted(len(answer.pages), "opened page"),
        counted(len(answer.trace.calls), "call"),
    ]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, the pages that were shown in full for it, and the trace of all calls.

    ``choice`` is the letter of the chosen option, ``true`` or ``false`` for a claim, and None for a free question.
    ``quotes`` are all in the text; ``false_quotes`` counts quotes of the model that are not in the text and were
    dropped. ``found_in_text`` is False if the answer is that the text does not say. ``up_to`` is the offset up to which
    the model could see the text; None means all of it. ``support`` are the statements of the answer, each with the
    quotes that support it; an answer without quotes, or that the text does not say, has none. ``searched`` is what was
    shown for it, and ``certainty`` is how sure the model says it is, between 0 and 1, as the offline reader does.
    ``over_all`` says that the question was about the whole text, and all of its memory was gone through. The library
    does not keep these three.
    ``document`` is the text that it is about, and ``id`` its number in the library; None if it is not kept there.
    """

    question: Question
    text: str
    choice: str | None
    pages: tuple[int, ...]
    did_not_fit: tuple[int, ...]
    compression: float
    trace: Trace
    quotes: tuple[Quote, ...] = ()
    false_quotes: int = 0
    found_in_text: bool = True
    up_to: int | None = None
    support: Support = Support()
    searched: Searched | None = field(default=None, compare=False)
    certainty: float | None = field(default=None, compare=False)
    over_all: bool = field(default=False, compare=False)
    document: Document | None = field(default=None, compare=False, repr=False)
    id: int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"({self.choice}) {self.text}" if self.question.kind == "choice" else self.text

    def __repr__(self) -> str:
        return brief(self, self.text, *about_answer(self))

    def _repr_html_(self) -> str:
        text = "" if self.document is None else self.document.text
        quotes = [one.html(text, self.up_to) for one in self.quotes]
        choice = f"({self.choice}) " if self.question.kind == "choice" else ""
        return answer_html(self.question.text, f"{choice}{self.text}", self.statements, quotes)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The statements of the answer, each with its state: supported, quoted or unsupported."""
        return self.support.statements

    @property
    def extract(self) -> tuple[int, int] | None:
        """Where the answer is in the document, if it is a verbatim part of the first quote: see ``find_extract``."""
        quote = self.quotes[0] if self.quotes and self.found_in_text and self.question.kind == "free" else None
        found = None if quote is None else find_extract(self.text, quote.text)
        return None if quote is None or found is None else (quote.start + found[0], quote.start + found[1])

    @property
    def extract_place(self) -> str:
        """The place of the extract in the source; a quote over a page break has both pages, the extract often one."""
        if self.extract is None:
            return ""
        return self.quotes[0].place if self.document is None else self.document.place_of(*self.extract)

    @property
    def verified(self) -> bool:
        """Whether quotes from the text support every statement of the answer, and the model made up no quote."""
        return self.support.complete and not self.false_quotes
