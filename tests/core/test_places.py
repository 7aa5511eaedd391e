"""Documents and places: facts, the form in which places are written, and the way back from what somebody types."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.clauses import clauses_in
from readagent.core.document import Document, from_to, shortened
from readagent.core.find_place import find_place
from readagent.core.words import Paragraph
from readagent.errors import UsageError
from readagent.loaders.code import document_of
from readagent.loaders.sources.combine import Part, combined

LONG = "In which is concluded the little matter of the wallpaper steamer"


def made(*pieces: tuple[str, int, str], title: str = "") -> Document:
    """Return a document from paragraphs, each with its heading level and its place."""
    text, paragraphs = "", list[Paragraph]()
    for index, (piece, level, place) in enumerate(pieces):
        paragraphs.append(Paragraph(index, len(text), len(text) + len(piece) + 2, level, place))
        text += piece + "\n\n"
    return Document(text, tuple(paragraphs), title=title)


def place(document: Document, words: str) -> str:
    return document.place_at(document.text.index(words))


BOOK = made(
    ("CHAPTER I. Salt", 1, ""), ("Irma weighs the salt.", 0, ""), ("She leaves.", 0, ""),
    ("CHAPTER IV. The Barge", 1, ""), ("It rains.", 0, ""), ("CHAPTER XL", 1, ""), ("It snows.", 0, ""),
)  # fmt: skip
LEASE = made(
    ("LEASE of 14 Tanner Street", 0, ""), ("(A) The Owner has a warehouse.", 0, ""), ("Article 1 Payment", 0, ""),
    ("1.1 The Tenant pays:", 0, ""), ("(a) rent, which is (i) due and (ii) never late;", 0, ""),
    ("(b) interest, but not:", 0, ""), ("(i) on 2,500 euros;", 0, ""), ("(ii) in advance.", 0, ""),
    ("1.2 The Tenant lists", 0, ""), *((f"({letter}) {letter * 3};", 0, "") for letter in "abcdefghij"),
    ("ARTICLE II. End", 0, ""), ("Section 2.1 The lease ends.", 0, ""), ("(a) Soon.", 0, ""), ("1. By letter.", 0, ""),
    ("2. By hand.", 0, ""), ("(b) Late.", 0, ""), ("Signed by all.", 1, ""), ("2.3 (a) Late, too.", 0, ""),
)  # fmt: skip
PARTS = made(
    ("Book One", 1, ""), ("Chapter 1", 2, ""), ("Spring comes.", 0, ""),
    ("Book Two", 1, ""), ("Chapter 1", 2, ""), ("Autumn comes.", 0, ""),
)  # fmt: skip
ALIKE = made(
    ("Book Two: 1805", 1, ""), ("Chapter I", 2, ""), ("Spring comes.", 0, ""), ("CHAPTER II", 1, ""), ("Rain.", 0, ""),
    ("CHAPTER II", 1, ""), ("Snow.", 0, ""),
)  # fmt: skip
MANUAL = made(
    ("1. Scope", 1, ""), ("All.", 0, ""), ("5. Packages", 1, ""), ("New ones.", 0, ""), ("Old ones.", 0, ""),
    ("5.1. Names", 2, ""), ("Short.", 0, ""), ("5.8. Bugs", 2, ""), ("Close them.", 0, ""),
    ("5.8.1. Report", 3, ""), ("Soon.", 0, ""), ("Appendix A. Forms", 1, ""), ("Appendix A.1 Blank", 2, ""),
)  # fmt: skip
PAPER = made(
    (LONG, 1, "page 56"), ("They argue.", 0, "page 56"), ("They agree.", 0, "page 57"), ("They part.", 0, "page 57"),
    ("Notes", 1, ""), ("1. A note.", 0, "page 57"), ("Preface", 1, "page iv"),
)  # fmt: skip
TALK = made(("Anna: Good morning.", 0, "0:00:05"), ("Ben: Good morning.", 0, "0:41:07"), ("Anna: Bye.", 0, "0:50:00"))
BOATS = made(("Boats", 1, ""), ("Ben | 4", 0, "rows 2-29"), ("Irma | 3", 0, "rows 30-58"))
CODE = document_of(
    "import os\n\n\ndef first():\n    return 1\n\n\ndef second():\n    return 2\n", "python", title="a.py"
)
TABLE = made(
    ("They wait. They go on.", 0, "page 8"), ("Table", 0, "page 8"), ("They rest.", 0, "page 9"), ("End.", 0, "page 10")
)
CROSSING = replace(TABLE, paragraphs=(replace(TABLE.paragraphs[0], marks=((11, "page 9"),)), *TABLE.paragraphs[1:]))
FOLDER = combined(
    [
        Part("one.pdf", PAPER),
        Part("two.pdf", PAPER),
        Part("lib/a.py", CODE),
        Part("plain.txt", Document.from_text("Hi.")),
    ],
    title="all",
    source="",
)


def test_a_place_is_the_one_of_the_source() -> None:
    assert place(BOOK, "She leaves") == "CHAPTER I. Salt, par. 2"
    assert place(BOOK, "CHAPTER IV") == "CHAPTER IV. The Barge"
    assert place(PAPER, "They agree") == "p. 57, In which is concluded the little matter of the …"
    assert place(PAPER, "Preface") == "p. iv, Preface"
    assert place(replace(PAPER, title="Preface"), "Preface") == "p. iv"
    assert place(TALK, "Ben:") == "0:41:07"
    assert place(CODE, "def second") == "a.py:8"
    assert place(CODE, "return 2") == "a.py:9"
    assert place(FOLDER, "They agree") == "one.pdf, p. 57, In which is concluded the little matter of the …"
    assert place(FOLDER, "return 1") == "lib/a.py:5"
    assert place(FOLDER, "Hi.") == "plain.txt, par. 1"
    assert Document.from_text("Nothing is known.").place_at(3) == ""


def test_a_passage_over_a_page_break_has_both_pages() -> None:
    assert CROSSING.place_of(0, 22) == "pp. 8-9"
    assert CROSSING.place_of(0, 11) == "p. 8"
    assert CROSSING.place_of(11, 22) == "p. 9"
    start = PAPER.text.index("They argue")
    both = "pp. 56-57, In which is concluded the little matter of the …"
    assert PAPER.place_of(start, start + 24) == both
    folder = FOLDER.text.index("They argue")
    assert FOLDER.place_of(folder, folder + 24) == f"one.pdf, {both}"
    table = CROSSING.text.index("They go on")
    assert CROSSING.place_of(table, CROSSING.text.index("Table") + 5) == "p. 9"  # the table stands on the page before
    assert TALK.place_of(0, len(TALK.text)) == "0:00:05"
    assert Document.from_text("Nothing is known.").place_of(0, 7) == ""


def test_the_place_of_a_passage_over_a_page_break_is_found_again() -> None:
    for document in (PAPER, FOLDER):
        start = document.text.index("They argue")
        found = find_place(document, document.place_of(start, start + 24))
        assert "They argue.\n\nThey agree.\n\nThey part." in document.text[slice(*found)]
    with pytest.raises(UsageError):
        find_place(PAPER, "pp. 56-57, Another title")


def test_a_title_that_several_chapters_have_comes_with_the_title_above_it() -> None:
    assert place(PARTS, "Autumn") == "Book Two, Chapter 1, par. 1"


@pytest.mark.parametrize(
    ("first", "last", "shown"),
    [
        ("p. 1, The Bus", "p. 2, The Bus", "p. 1 to p. 2, The Bus"),
        ("a.pdf, p. 1, Salt", "a.pdf, p. 2, Salt", "a.pdf, p. 1 to p. 2, Salt"),
        ("Chapter 4, par. 1", "Chapter 4, par. 9", "Chapter 4, par. 1 to par. 9"),
        ("page 3", "page 3", "page 3"),
    ],
)
def test_a_range_names_what_both_places_share_once(first: str, last: str, shown: str) -> None:
    assert from_to(first, last) == shown


@given(st.text("ab 1", min_size=1, max_size=120).map(str.strip).filter(bool), st.integers(8, 60))
def test_a_shortened_title_fits(title: str, most: int) -> None:
    short = shortened(title, most)
    assert len(short) <= most
    assert short == title or "…" in short


@pytest.mark.parametrize(
    ("document", "typed", "text"),
    [
        (BOOK, "Chapter 1", "CHAPTER I. Salt\n\nIrma weighs the salt.\n\nShe leaves."),
        (BOOK, "chapter 4", "CHAPTER IV. The Barge\n\nIt rains."),
        (BOOK, "the barge", "CHAPTER IV. The Barge\n\nIt rains."),
        (
            MANUAL,
            "Chapter 5",
            "5. Packages\n\nNew ones.\n\nOld ones.\n\n5.1. Names\n\nShort.\n\n5.8. Bugs\n\nClose them.\n\n5.8.1. Report\n\nSoon.",
        ),
        (MANUAL, "5.8", "5.8. Bugs\n\nClose them.\n\n5.8.1. Report\n\nSoon."),
        (MANUAL, "Appendix A", "Appendix A. Forms\n\nAppendix A.1 Blank"),
        (MANUAL, "Chapter 5, par. 2", "Old ones."),
        (PARTS, "Book Two, Chapter 1", "Chapter 1\n\nAutumn comes."),
        (PAPER, "p. 57", "They agree.\n\nThey part."),
        (PAPER, "p. iv", "Preface"),
        (TALK, "41:07", "Ben: Good morning."),
        (CODE, "a.py:9", "    return 2"),
        (PAPER, "pp. 56-57", LONG + "\n\nThey argue.\n\nThey agree.\n\nThey part."),
        (CROSSING, "p. 8", "They wait. They go on.\n\nTable"),
        (BOATS, "row 50", "Irma | 3"),
        (BOATS, "rows 3-40", "Ben | 4\n\nIrma | 3"),
        (FOLDER, "two.pdf, p. 56", LONG + "\n\nThey argue."),
        (LEASE, "1.1(b)", "(b) interest, but not:\n\n(i) on 2,500 euros;\n\n(ii) in advance."),
        (LEASE, "Article 2", LEASE.text[LEASE.text.index("ARTICLE II") : LEASE.text.index("Signed")].rstrip()),
    ],
)
def test_a_place_that_somebody_types_is_found(document: Document, typed: str, text: str) -> None:
    start, end = find_place(document, typed)
    assert document.text[start:end].rstrip() == text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What does 1.1(b)(ii) say?", "(ii) in advance."),
        ("What does section 1.1 (a) say about rent?", "(a) rent, which is (i) due and (ii) never late;"),
        ("Is 1.2(i) the end?", "(i) iii;"),
        ("What does 2.1(b) require?", "(b) Late."),
        ("And 2.3(a)?", "2.3 (a) Late, too."),
        ("Article II(b)?", ""),
        ("What was 1.1 million, and what 1.2 euros, 1.1% or $1.2?", ""),
        ("In 1984, who paid in chapter 2, part 1 or 2.9(b)?", ""),
    ],
)
def test_a_clause_that_a_question_names_is_found_by_the_numbers_of_the_text(question: str, text: str) -> None:
    assert [found.strip() for _, found in clauses_in(LEASE, question)] == [text] * bool(text)
    assert not clauses_in(BOOK, question)


def test_a_chapter_is_no_clause() -> None:
    assert not clauses_in(BOOK, "Who leaves in chapter 1?")
    assert not clauses_in(
        made(("CHAPTER I", 1, ""), ("In which it rains", 2, ""), ("It rains.", 0, "")), "And chapter 1?"
    )


@pytest.mark.parametrize("document", [BOOK, PARTS, MANUAL, PAPER, TALK, CODE, FOLDER, CROSSING])
def test_every_place_that_is_shown_is_found_again(document: Document) -> None:
    for paragraph in document.paragraphs:
        start, end = find_place(document, document.place_at(paragraph.start))
        assert start <= paragraph.start < end


@pytest.mark.parametrize(
    ("document", "typed", "message", "hint"),
    [
        (PAPER, "p. 59", "there is no place 'p. 59' in the text", "near ones: p. 56; p. 57"),
        (PAPER, "pp. 57-56", "there is no place 'pp. 57-56' in the text", "near ones: p. 56; p. 57"),
        (TALK, "1:41:07", "there is no place '1:41:07' in the text", "near ones: 0:00:05; 0:41:07; 0:50:00"),
        (BOOK, "Chapter 5", "there is no place 'Chapter 5' in the text", "CHAPTER IV. The Barge"),
        (PARTS, "Chapter 1", "'Chapter 1' is ambiguous", "give one of: Book One, Chapter 1; Book Two, Chapter 1"),
        (ALIKE, "CHAPTER II", "'CHAPTER II' is ambiguous", "give one of: CHAPTER II (at 52%); CHAPTER II (at 76%)"),
        (FOLDER, "p. 57", "'p. 57' is ambiguous", "give one of: one.pdf, p. 57, In which"),
        (Document.from_text("Hi."), "p. 3", "there is no place", "the text has no pages, times or chapters of its own"),
    ],
)
def test_an_unknown_or_ambiguous_place_is_refused_with_near_ones(
    document: Document, typed: str, message: str, hint: str
) -> None:
    with pytest.raises(UsageError, match=message) as error:
        find_place(document, typed)
    assert hint in error.value.hint


def test_the_beginning_of_a_heading_is_that_chapter_with_all_in_it() -> None:
    start, end = find_place(ALIKE, "Book Two")
    assert ALIKE.text[start:end].split() == "Book Two: 1805 Chapter I Spring comes.".split()


def test_facts_round_trip() -> None:
    document = Document("One.", (), metadata={"author": "A. Valk"}, kind="book", code="Python", source_end=2)
    assert document.facts == {"author": "A. Valk", "kind": "book", "code": "Python", "appended": "2"}
    assert Document("One.", ()).with_facts(document.facts) == document
    assert Document("One.", ()).facts == {}


def test_the_id_depends_on_the_text_alone() -> None:
    document = Document.from_text("One.", title="T", source="/a")
    assert document.with_facts({"kind": "book", "author": "A"}).id == Document("One.", ()).id
