"""Forms: what a reply may be, and that it is read so and no other way."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readagent.core.form import Choice, Filled, Form, Lines, Text, strip_thinking

NUMBERS = tuple(str(number) for number in range(9))
PAGES = Choice(NUMBERS, least=0, most=3, label="Pages")
NEXT = Choice((*NUMBERS, "STOP"), label="Page")
BREAK = Choice(NUMBERS, label="Break point")
OWNERS = ("The widow Marte", "The schoolmaster", "Jon Lie", "A boy from the village")
OPTIONS = Choice(("A", "B", "C", "D"), texts=OWNERS)
CLAIM = Choice(("true", "false"))
VERDICT = Choice(("yes", "partially", "no"))
CHOICES = [PAGES, NEXT, BREAK, OPTIONS, CLAIM, VERDICT]
QUOTES = Lines("Page", NUMBERS)
ABSENT = "NOT IN THE TEXT"
ANSWER = Form((Text(), QUOTES), (ABSENT,))
DIRECT = Form((Text(), PAGES), (ABSENT,))
MARKS = Form((Lines("", ("1", "2", "3"), "yes"),))


@pytest.mark.parametrize(
    ("choice", "reply", "read"),
    [
        (PAGES, "Page 4 only recalls it, and page 1 is too early.\n\nPages: 2, 7", ("2", "7")),
        (PAGES, "Pages: 2, 7\n\nPage 4 tells of another house.", ("2", "7")),
        (PAGES, "Pages: [2] and <7>", ("2", "7")),
        (PAGES, "Page: 2", ("2",)),
        (PAGES, "Pages: 2 (where the 3 men meet the 12 others)", None),  # page 3 may be meant, too
        (PAGES, "Pages: 2 (where 40 men meet)", ("2",)),
        (PAGES, "pages：2，7", ("2", "7")),
        (PAGES, "Pages: 2、7", ("2", "7")),
        (PAGES, "Pages: 2、99", None),
        (BREAK, "**Break point:** <8>", ("8",)),
        (BREAK, "> - __Break point__: `<8>`", ("8",)),
        (BREAK, "### Break point: <8>. The bell closes the scene.", ("8",)),
        (BREAK, "1. Break point: <8>", ("8",)),
        (BREAK, "Break point : 08", ("8",)),
        (BREAK, "The best break point: <8>", None),  # not at the start of the line
        (BREAK, "Break point: <number>\n\nBreak point: <8>", ("8",)),
    ],
)
def test_a_label_counts_at_the_start_of_any_line(choice: Choice, reply: str, read: tuple[str, ...] | None) -> None:
    assert choice.parse(reply) == read


@pytest.mark.parametrize("reply", ["Pages: 9", "Pages: 2, 99", "Pages: 0 to 8", "Pages: 2-4", "Pages: 2 or 7", "Pages: 1, 2, 3, 4",
                                   "Pages: two", "Pages: all", "I want to look up Page [2, 7] to see.", "", "None of it."])  # fmt: skip
def test_what_is_not_a_list_of_legal_numbers_is_not_read(reply: str) -> None:
    assert PAGES.parse(reply) is None


@pytest.mark.parametrize(
    ("choice", "reply", "read"),
    [
        (PAGES, "[2, 7]", ("2", "7")),
        (BREAK, "<8>", ("8",)),
        (OPTIONS, "B", ("B",)),
        (OPTIONS, "c.", ("C",)),
        (OPTIONS, "(C) Jon Lie", ("C",)),
        (OPTIONS, "the schoolmaster", ("B",)),
        (CLAIM, "True.", ("true",)),
        (CLAIM, "True, but only for one of them.", None),
        (VERDICT, "**No**", ("no",)),
        (VERDICT, "yes / partially / no", None),
        (VERDICT, "Yes and no.", None),
        (BREAK, "8\nor else 7", None),
    ],
)
def test_a_bare_legal_reply_counts_where_one_field_is_open(choice: Choice, reply: str, read: object) -> None:
    assert choice.parse(reply) == read
    assert Form((choice, Text("Why"))).parse(reply) is None


@pytest.mark.parametrize("reply", ["The correct option is B, because A (the widow Marte) only rented it.", "Not A, then.",
                                   "Answer: A boat", "Answer: B or C", "Answer: E", "A) no\nB) yes\nC) no"])  # fmt: skip
def test_an_option_in_the_middle_of_reasons_is_not_read(reply: str) -> None:
    assert OPTIONS.parse(reply) is None


@pytest.mark.parametrize(
    ("reply", "read"),
    [
        ("A only rented it, and C came later.\n\nAnswer: B", "B"),
        ("Answer: B\n\nA (the widow Marte) only rented it.", "B"),
        ("Answer: (D) A boy from the village", "D"),
        ("Answer: A boy from the village", "D"),
        ("Answer: B. The schoolmaster", "B"),
        ("Answer: C. He bought it.\nA. The widow\nB. The other\nAnswer: C", "C"),
    ],
)
def test_an_option_is_read_with_its_text_or_from_it_alone(reply: str, read: str) -> None:
    assert OPTIONS.parse(reply) == (read,)


@pytest.mark.parametrize(
    ("choice", "reply"),
    [(BREAK, "Break point: 3\nBreak point: 4"), (OPTIONS, "Answer: B\n\nAnswer: D"), (CLAIM, "Answer: true\nAnswer: false"),
     (NEXT, "STOP\n\nPage: 7"), (VERDICT, "Answer: yes\nAnswer: no")],
)  # fmt: skip
def test_two_different_values_are_not_read_and_the_same_twice_is(choice: Choice, reply: str) -> None:
    assert choice.parse(reply) is None
    first = reply.splitlines()[0]
    assert choice.parse(f"{first}\n{first}") == choice.parse(first) != None  # noqa: E711


def test_a_word_in_a_sentence_is_none_and_beside_an_answer_it_is_a_contradiction() -> None:
    assert NEXT.parse("I would not STOP yet.") is None
    reasons = "Page 4 gives the steps, not the height."
    assert DIRECT.parse(f"{reasons}\n\n{ABSENT}") == Filled(word=ABSENT, before=reasons)
    assert DIRECT.parse(f"Answer: {ABSENT}.") == Filled(word=ABSENT)
    assert DIRECT.parse(f"Pages: 3\n\n{ABSENT}") is None
    assert DIRECT.parse(f"Answer: [your answer]\nPages: [numbers]\n{ABSENT}") is None
    assert DIRECT.parse(f"It is {ABSENT}, I fear.") is None


def test_thinking_and_fences_do_not_count() -> None:
    assert BREAK.parse("<think>Break point: 3? No.</think>\n\nBreak point: 4") == ("4",)
    assert BREAK.parse("Perhaps 3.\nBreak point: 3\n</think>\nBreak point: 4") == ("4",)
    assert BREAK.parse("<think>Break point: 3") is None
    assert PAGES.parse("```\nPages: 2\n```") == ("2",)
    assert strip_thinking("b < 3 and c > 2") == "b < 3 and c > 2"


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        (Form((PAGES,)), {"pages": [2, 7], "reason": "Page 3 has 2 of them."}, Filled({"Pages": ("2", "7")})),
        (Form((PAGES,)), {"answer": ["2"]}, Filled({"Pages": ("2",)})),
        (Form((PAGES,)), ["2"], Filled({"Pages": ("2",)})),
        (Form((PAGES,)), {"answer": []}, Filled({"Pages": ()})),
        (Form((PAGES,)), {"answer": ["12"]}, None),
        (Form((CLAIM,)), {"answer": True}, Filled({"Answer": ("true",)})),
        (Form((OPTIONS,)), {"answer": "B"}, Filled({"Answer": ("B",)})),
        (ANSWER, {"answer": "He sold it."}, Filled(texts={"Answer": "He sold it."})),
        (MARKS, {"lines": [{"number": "2", "text": "no"}]}, Filled(lines={"": (("2", "no"),)})),
    ],
)
def test_json_is_read_as_the_schema_says(form: Form, value: object, read: Filled | None) -> None:
    assert form.parse(f"```json\n{json.dumps(value)}\n```") == read


def test_a_text_goes_on_up_to_the_next_label() -> None:
    filled = ANSWER.parse(
        'Let me see.\n**Answer:** He sold it.\n\nTo Per.\n\nPage 3: "He sold it to Per"\n- Page 5: “for ten”'
    )
    assert filled is not None
    assert filled.texts == {"Answer": "He sold it.\n\nTo Per."}
    assert filled.lines == {"Page": (("3", '"He sold it to Per"'), ("5", "“for ten”"))}


def test_lines_have_legal_numbers() -> None:
    filled = MARKS.parse("1: yes [2]\n**2:** no\n7: yes\n- 3: no – quote 2 is about the weather.")
    assert filled is not None
    assert [number for number, _ in filled.lines[""]] == ["1", "2", "3"]
    assert MARKS.parse("7: yes") is None


def test_lines_without_numbers_have_their_label_alone() -> None:
    form = Form((Text(), Lines("Quote", numbered=False)))
    assert form.shown() == 'Answer: ...\nQuote: "..."'
    filled = form.parse('Answer: Ten.\nQuote: "for ten"\nQuote 2: "and no more"')
    assert filled is not None
    assert filled.lines == {"Quote": (("", '"for ten"'), ("", '"and no more"'))}


@given(
    st.sampled_from(CHOICES),
    st.one_of(st.text(), st.from_regex(r"(Pages?|Answer|Break point): [0-9A-D, ]{0,9}.{0,20}")),
)
def test_any_text_is_read_as_legal_values_or_not_at_all(choice: Choice, text: str) -> None:
    chosen = choice.parse(text)
    assert chosen is None or (set(chosen) <= set(choice.values) and choice.least <= len(chosen) <= choice.most)


@given(st.sampled_from([ANSWER, DIRECT, MARKS]), st.text())
def test_no_reply_raises(form: Form, text: str) -> None:
    for reply in (text, f"Answer: {text}", f"1: {text}", f"Pages: {text}", f"{{{text}", f'{{"answer": "{text}"}}'):
        form.parse(reply)


@given(st.data(), st.sampled_from(CHOICES), st.booleans())
def test_the_lines_that_a_prompt_shows_are_read_back_with_values_filled_in(
    data: st.DataObject, choice: Choice, thinks: bool
) -> None:
    legal = st.lists(st.sampled_from(choice.values), min_size=1, max_size=choice.most, unique=True)
    values = data.draw(legal.filter(lambda some: len(some) == 1 or not set(some) & set(choice.words)))
    (line, *_) = choice.shown().splitlines()
    label = line.partition(":")[0]
    reply = f"{label}: {', '.join(values)}"
    assert choice.parse(f"<think>{data.draw(st.text())}</think>\n{reply}" if thinks else reply) == tuple(values)
    assert choice.parse(json.dumps({"answer": values[0] if choice.single else values})) == tuple(values)


@pytest.mark.parametrize(
    ("texts", "reply", "letter"),
    [
        (("C", "A", "B"), "Answer: (B)", "B"),
        (("-u", "-U"), "Answer: -U", "B"),
        (("C++", "C#", "Java"), "Answer: C#", "B"),
        (("-5 degrees", "5 degrees"), "5 degrees", "B"),
        (("-u", "-U"), "Answer: (B) -u", None),
    ],
)
def test_a_letter_comes_before_the_texts_of_options_and_texts_count_as_written(
    texts: tuple[str, ...], reply: str, letter: str | None
) -> None:
    named = Choice(("A", "B", "C")[: len(texts)], texts=texts).parse(reply)
    assert named == (None if letter is None else (letter,))


def test_a_repeated_form_is_no_answer_and_a_word_may_have_a_reason() -> None:
    form = Form((Text(), Lines("Page")), ("NOT IN THE TEXT",))
    assert form.parse('Answer: ...\nPage N: "..."') is None
    assert form.parse("Answer: 112 steps.\nor\nNOT IN THE TEXT") is None
    for reply in ("NOT IN THE TEXT. It never says so.", "Answer: NOT IN THE TEXT (it is never named)"):
        filled = form.parse(reply)
        assert filled is not None
        assert filled.word == "NOT IN THE TEXT"
