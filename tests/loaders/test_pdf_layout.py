"""PDF layout: from positioned text to paragraphs, on hand-made sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.loaders.pdf.layout.columns import columns_of
from readagent.loaders.pdf.layout.footnotes import extract_footnotes, without_contents
from readagent.loaders.pdf.layout.headings import Entry, with_headings
from readagent.loaders.pdf.layout.joining import join_continued, text_of, vocabulary_of
from readagent.loaders.pdf.layout.margins import without_line_numbers, without_running
from readagent.loaders.pdf.layout.paragraphs import Kind, Passage, passages_of
from readagent.loaders.pdf.layout.sheet import Column, Line, Piece, Sheet, line_of
from readagent.loaders.pdf.layout.tables import contents_of, listing_of, markdown_of, rows_of
from readagent.loaders.pdf.layout.typography import Typography

SIZE, LEADING, LETTER = 10.0, 12.0, 5.0  # every letter here is five points wide
RIGHT = 50 + 40 * LETTER
TYPOGRAPHY = Typography(SIZE, {20: LEADING})


def piece(text: str, left: float = 50, base: float = 100, size: float = SIZE, **more: object) -> Piece:
    made = Piece(text, left, left + LETTER * size / SIZE * len(text), base, size)
    return replace(made, **more)  # type: ignore[arg-type]


def line(text: str, left: float = 50, base: float = 100, size: float = SIZE, **more: object) -> Line:
    return line_of([piece(text, left, base, size, **more)])


def down(texts: Sequence[str], left: float = 50, top: float = 100, leading: float = LEADING) -> list[Piece]:
    return [piece(text, left, top + leading * number) for number, text in enumerate(texts)]


def sheet(pieces: Sequence[Piece], number: int = 0) -> Sheet:
    numbered = tuple(replace(one, order=order) for order, one in enumerate(pieces))
    return Sheet(number, 600, 800, numbered)


def column(lines: Sequence[Line], left: float = 50, right: float = RIGHT, number: int = 0) -> Column:
    return Column(number, left, right, tuple(lines))


def read(of: Sheet) -> list[str]:
    return [one.text for part in columns_of(of) for one in part.lines]


def wrapped(texts: Sequence[str], indents: Sequence[float] = (), gaps: Sequence[float] = ()) -> list[Line]:
    """Return lines of a column with these gaps, in line heights, and these indents."""
    base, made = 100.0, []
    for number, text in enumerate(texts):
        base += LEADING * (gaps[number] if number < len(gaps) else 1)
        made.append(line(text, 50 + (indents[number] if number < len(indents) else 0), base))
    return made


def paragraphs(lines: Sequence[Line], typography: Typography = TYPOGRAPHY) -> list[str]:
    return [passage.text for passage in passages_of(column(lines), typography)]


FULL = "a line which runs up to the right edge x"  # forty letters
ALSO = "and another one that is just as wide, xx"
LEFT = [f"left {number} with quite a few words in it" for number in range(6)]
OTHER = [f"right {number} with as many words in it, too" for number in range(6)]


# Columns


def test_columns_are_read_one_after_the_other_after_a_title_across_them() -> None:
    title, foot = (
        piece("A title that stands across both of the columns", 120, 70, 14),
        piece("Across again " * 6, 50, 300),
    )
    assert read(sheet([title, *down(LEFT), *down(OTHER, 310), foot])) == [title.text, *LEFT, *OTHER, foot.text]


def test_a_table_is_read_by_rows() -> None:
    rows = [
        ("Bed", "1932", "beans and peas"),
        ("South wall", "14", "pears"),
        ("Middle", "60", "none"),
        ("Sea", "31", "all"),
    ]
    pieces = [
        piece(cell, left, 100 + LEADING * number)
        for number, row in enumerate(rows)
        for cell, left in zip(row, (50, 200, 350), strict=True)
    ]
    assert read(sheet(pieces)) == [" ".join(row) for row in rows]
    (passage,) = passages_of(columns_of(sheet(pieces))[0], TYPOGRAPHY)
    assert passage.kind is Kind.TABLE
    assert rows_of(passage.lines) == [list(row) for row in rows]


def test_a_table_across_two_columns_is_kept_together() -> None:
    rows = [piece(f"{name} {number}", left, 60 + LEADING * number) for number in range(3)
            for name, left in (("cell", 50), ("middle of it", 270), ("end", 480))]  # fmt: skip
    found = read(sheet([*rows, *down(LEFT, top=140), *down(OTHER, 310, 140)]))
    assert found[:3] == [f"cell {number} middle of it {number} end {number}" for number in range(3)]
    assert found[3:] == [*LEFT, *OTHER]


def test_a_drop_cap_is_read_with_the_first_line() -> None:
    pieces = [
        piece("W", 50, 124, 36),
        *down(["hen people asked her", "what she did, she"], 72),
        *down(["told them."], 50, 124),
    ]
    assert read(sheet(pieces))[0] == "When people asked her"


@given(
    st.lists(
        st.tuples(st.text("abc ", min_size=1, max_size=40), st.integers(0, 500), st.integers(10, 790)), max_size=40
    )
)
def test_every_piece_is_read_once(placed: list[tuple[str, int, int]]) -> None:
    pieces = [piece(text.strip() or "a", left, base) for text, left, base in placed]
    letters = "".join(sorted("".join(one.text for one in pieces).replace(" ", "")))
    assert "".join(sorted("".join(read(sheet(pieces))).replace(" ", ""))) == letters if pieces else True


# Headers, footers, page numbers


def book(heads: Sequence[str], feet: Sequence[str], body: Sequence[str] = LEFT) -> list[Sheet]:
    return [
        sheet([*([piece(head, 200, 40)] if head else []), *down([f"{number} {text}" for text in body], top=90),
               *([piece(foot, 290, 770)] if foot else [])], number)
        for number, (head, foot) in enumerate(zip(heads, feet, strict=True))
    ]  # fmt: skip


def left_over(sheets: Sequence[Sheet], places: Sequence[str] = ()) -> list[str]:
    kept = without_running(sheets, places or [f"page {one.number + 1}" for one in sheets])
    return [one.text for before, after in zip(sheets, kept, strict=True) for one in after.pieces
            if not one.text.startswith(f"{before.number} ")]  # fmt: skip


def test_running_headers_and_page_numbers_are_removed() -> None:
    assert left_over(book(["The Garden"] * 4, ["1", "2", "3", "4"])) == []
    assert left_over(book(["The Garden", "Weather"] * 4, [f"- {number} -" for number in range(11, 19)])) == []
    assert left_over(book(["I. Møller"] * 5, [f"Page {number} of 5" for number in range(1, 6)])) == []
    assert left_over(book([""] * 4, ["i", "ii", "iii", "iv"])) == []


def test_chapter_headings_and_rows_of_numbers_are_kept() -> None:
    chapters = [f"Chapter {number}" for number in (1, 2, 3, 4, 5)]
    assert left_over(book([chapters[0], "", "", chapters[1], "", "", "", chapters[2]], [""] * 8)) == chapters[:3]
    assert left_over(book(["", "", "", ""], ["17 40 12", "16 41 9", "3 3 3", "20 8 1"])) == [
        "17 40 12", "16 41 9", "3 3 3", "20 8 1"]  # fmt: skip
    far = ["CHAPTER I" if number % 9 == 0 else "" for number in range(28)]
    assert left_over(book(far, [""] * 28)) == ["CHAPTER I"] * 4


def test_line_numbers_are_removed_but_not_numbers_in_a_table() -> None:
    texts = down([f"line {number} of a text that has quite long lines" for number in range(16)], 80)
    counted = sheet([*texts, *down([str(number) for number in range(40, 56)], 50)])
    assert len(without_line_numbers(counted).pieces) == 16
    table = sheet([*down(["pears", "figs"] * 4, 80), *down([str(number) for number in range(8)], 50)])
    assert without_line_numbers(table) == table


# Notes


def with_note(text: str, note: Line) -> tuple[list[str], list[tuple[str, str]]]:
    start = text.index("1")
    called = line(text, base=100, raised=((start, start + 1),))
    kept, notes = extract_footnotes([column([called, line("More of the text.", base=112), note])], TYPOGRAPHY)
    return [one.text for part in kept for one in part.lines], [(one.mark, one.column.lines[0].text) for one in notes]


def test_a_footnote_is_separated_and_its_mark_removed() -> None:
    body = ["The wall leans. It does.", "More of the text."]
    small = line("1 It leans by eleven degrees.", base=180, size=8)
    assert with_note("The wall leans.1 It does.", small) == (body, [("1", "It leans by eleven degrees.")])
    as_large = line("1 It leans by eleven degrees.", base=180)
    assert with_note("The wall leans.1 It does.", as_large) == (body, [("1", "It leans by eleven degrees.")])


def test_a_footnote_may_continue_on_the_next_sheet() -> None:
    first = [line("The wall leans.1", raised=((15, 16),)), line("1 A long note that is broken", base=200, size=8)]
    second = [line("More text."), line("off and goes on here.", base=200, size=8)]
    kept, notes = extract_footnotes([column(first), column(second, number=1)], TYPOGRAPHY)
    assert [one.text for one in notes[0].column.lines] == ["A long note that is broken", "off and goes on here."]
    assert [one.text for part in kept for one in part.lines] == ["The wall leans.", "More text."]


# Paragraphs


def test_paragraphs_with_first_line_indents() -> None:
    typography = replace(TYPOGRAPHY, indent=15.0)
    texts = [
        "First " + FULL[:31],
        ALSO,
        ALSO + ".",
        "Second " + FULL[:30],
        ALSO,
        "“Third,” " + FULL[:26] + ".",
        "“Fourth.”",
    ]
    lines = wrapped(texts, indents=[15, 0, 0, 15, 0, 15, 15])
    assert [text.split()[0] for text in paragraphs(lines, typography)] == ["First", "Second", "“Third,”", "“Fourth.”"]


def test_a_short_line_ends_a_paragraph_even_without_gap_or_indent() -> None:
    assert len(paragraphs(wrapped([FULL, "short end.", FULL, ALSO, "end."]))) == 2


def test_list_items_and_references_are_paragraphs_of_their_own() -> None:
    texts = [
        "These are the three:",
        "• one that is too long for one line, as",
        "many are",
        "• two",
        "1. ten " + FULL[:33],
        "1984 was hot.",
    ]
    assert [text[:5] for text in paragraphs(wrapped(texts, indents=[0, 10, 20, 10, 0, 0]))] == [
        "These", "• one", "• two", "1. te"]  # fmt: skip
    references = ["[1] J. Orsin. On the weighing of salt in x", "open water.", "[2] S. Valk. A thumb on the scale."]
    assert len(paragraphs(wrapped(references, indents=[0, 20, 0]))) == 2


def test_verse_keeps_its_lines_and_dialogue_does_not() -> None:
    verse = ["The rain came in", "it hung its coat behind", "the door of the house", "and would not go."]
    (found,) = passages_of(column(wrapped(verse)), TYPOGRAPHY)
    assert (found.kind, [one.text for one in found.lines]) == (Kind.VERSE, verse)
    talk = ["“Will I?” I said.", "“You will.”", "“It looks decided.”", "“They all do.”"]
    assert paragraphs(wrapped(talk)) == talk


def test_a_listing_keeps_its_indentation() -> None:
    code = [line("def rightness(days):", mono=True, base=100), line("points = 0.0", 74, 112, mono=True)]
    (found,) = passages_of(column(code), TYPOGRAPHY)
    assert (found.kind, listing_of(found.lines)) == (Kind.LISTING, "def rightness(days):\n    points = 0.0")
    assert [one.kind for one in passages_of(column(code), TYPOGRAPHY, mono=True)] == [Kind.TEXT] * 2


def test_a_table_of_contents_keeps_its_lines_without_dot_leaders() -> None:
    (found,) = passages_of(column(wrapped(["1 A wall . . . . . . . . . 5", "Notes ........ xii"])), TYPOGRAPHY)
    assert contents_of(found.lines) == "1 A wall … 5\nNotes … xii"


ENTRIES = [f"{number}.1 A wall {'. ' * 12} {number + 4}" for number in range(1, 5)]


def contents(*texts: str, kind: Kind = Kind.CONTENTS) -> Passage:
    return passage("", lines=tuple(line(text) for text in texts), kind=kind)


def test_a_table_of_contents_is_left_out() -> None:
    before, after = passage("The Garden"), passage("Chapter 1")
    for table in (
        [contents(*ENTRIES)],
        [passage("Table of Contents"), passage("1 Walls 5"), contents(*ENTRIES), passage("2 Stones 9")],
        [passage("Inhalt"), passage("1 Walls 5"), passage("2 Stones 9"), passage("3 Wind 9"), passage("4 Rain 12")],
        [passage("List of Tables"), contents("Stones 5", "Walls 7", "Rain 7", "Wind 9", kind=Kind.TABLE)],
        [contents(*ENTRIES[:2]), passage("An entry that is so long that"), contents(*ENTRIES[2:])],
    ):
        assert without_contents([before, *table, after]) == [before, after]


def test_a_table_is_written_as_markdown() -> None:
    rows = [line_of([piece("Stone", 50, base), piece(text, 150, base)])
            for base, text in ((100, "Weight"), (112, "4|5"), (124, "6"))]  # fmt: skip
    assert markdown_of(rows) == "| Stone | Weight |\n| --- | --- |\n| Stone | 4\\|5 |\n| Stone | 6 |"


# Paragraphs across columns


def passage(text: str, number: int = 0, left: float = 50, **more: object) -> Passage:
    made = Passage((line(text, left),), number, 50, RIGHT)
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "second", "indent", "drawn_in", "one"),
    [
        (FULL, "and goes on.", 0, 0, True),
        (FULL[:36] + "end.", "“But this is said by another.”", 0, 0, False),
        ("A short end.", "And a new beginning.", 0, 0, False),
        (FULL, "Figure 3: A wall.", 0, 0, False),
    ],
)
def test_when_a_paragraph_continues_in_the_next_column(
    first: str, second: str, indent: float, drawn_in: float, one: bool
) -> None:
    typography = replace(TYPOGRAPHY, indent=indent)
    begun = passage(first, lines=(line(FULL), line(first, base=112)))
    found = join_continued([[begun], [passage(second, 1, 50 + drawn_in)]], typography)
    assert len(found) == (1 if one else 2)
    assert found[0].sheet == 0


def test_a_paragraph_continues_after_a_caption() -> None:
    caption = passage("Figure 3: A wall that leans.", 1)
    found = join_continued([[passage(FULL)], [caption, passage("and goes on.", 1), passage("Other.", 1)]], TYPOGRAPHY)
    assert [one.text for one in found] == [f"{FULL} and goes on.", caption.text, "Other."]


# Hyphenation


def whole(first: str, second: str, *others: str) -> str:
    known = vocabulary_of([line(text) for text in [*others, first, second]])
    return text_of([line(first), line(second)], known)


@pytest.mark.parametrize(
    ("first", "second", "others", "expected"),
    [
        ("the black-", "currants", ["many blackcurrants"], "the blackcurrants"),
        ("the boat-", "house", ["a boat and a house"], "the boat-house"),
        ("the com\u00ad", "mittee", [], "the committee"),
        ("see https://example.org/", "garden", [], "see https://example.org/garden"),
        ("a dash -", "so it is", [], "a dash - so it is"),
    ],
)
def test_words_hyphenated_at_the_end_of_a_line(first: str, second: str, others: list[str], expected: str) -> None:
    assert whole(first, second, *others) == expected


@given(st.lists(st.text("ab -—x", min_size=1, max_size=12), min_size=1, max_size=8))
def test_no_letter_is_lost_when_lines_are_joined(texts: list[str]) -> None:
    lines = [line(text) for text in texts]
    made = text_of(lines, vocabulary_of(lines))
    assert [c for c in made if c.isalpha()] == [c for text in texts for c in text if c.isalpha()]


# Headings


def test_headings_by_size_and_weight() -> None:
    passages = [
        passage("The Garden", lines=(line("The Garden", size=20),)),
        passage("Weather", lines=(line("Weather", size=14, bold=True),)),
        passage(FULL),
        passage("A note on the bank", lines=(line("A note on the bank", bold=True),), above=1.8),
        passage(f"{FULL} {ALSO}"),
        passage("Bold words, at the end of a sentence.", lines=(line("Bold words, at the end of it.", bold=True),)),
    ]
    assert [one.level for one in with_headings(passages, [], TYPOGRAPHY)] == [1, 2, 0, 3, 0, 0]


def test_an_outline_that_does_not_match_the_text_is_ignored() -> None:
    passages = [passage("Weather", lines=(line("Weather", size=14),)), passage(FULL)]
    found = with_headings(passages, [Entry("Page 1", 1, 0), Entry("Page 2", 1, 0)], TYPOGRAPHY)
    assert [one.level for one in found] == [1, 0]
