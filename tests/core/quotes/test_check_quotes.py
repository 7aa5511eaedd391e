"""Replies are split into answer and quotes, quotes are checked, and found if the model gave none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from readagent.core.asking.answer import given_as
from readagent.core.document import Document
from readagent.core.memory import GistMemory
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.quotes.check_quotes import check_quotes
from readagent.core.reading import ask
from readagent.core.words import Paragraph
from sessions import make_session, read_and_fit, run, supported

TEXT = "\n\n".join(
    [
        "The ferry left at nine. Irma carried the brass key in her left glove, and told nobody of it.",
        "At noon the clerk weighed the salt. It came to 1,994 kilograms, six under the mark.",
        "In the evening Jakob mended the lamp. “I would do it again,” he said, and went to bed.",
    ]
)


def make_memory() -> GistMemory:
    return run(read_and_fit(Document.from_text(TEXT), make_session(plan=Plan(page_words=22, min_page_words=5))))


def asked(reply: str, question: Question | str = "Where was the key?", **plan: object) -> Answer:
    said = Plan(page_words=22, min_page_words=5, look_up="none", **plan)  # type: ignore[arg-type]
    question = Question(question) if isinstance(question, str) else question
    return run(
        ask(make_memory(), question, make_session(lambda one: supported(one) if one.step == "check" else reply, said))
    )


@pytest.mark.parametrize(
    "line",
    [
        'Page 0: "Irma carried the brass key"',
        '> Page 0: "Irma carried the brass key"',
        '1. **Page 0:** "Irma carried the brass key"',
        "- page <0>: Irma carried the brass key",
        'Page 0: "Irma carried\nthe brass key"',
    ],
)
def test_a_quote_stands_after_its_page_whatever_its_marks(line: str) -> None:
    answer = asked(f"In her glove.\n\nQuotes:\n{line}")
    assert answer.text == "In her glove."
    (quote,) = answer.quotes
    assert quote.text == TEXT[quote.start : quote.end]
    assert quote.text == "Irma carried the brass key in her left glove, and told nobody of it."
    assert [said for said, marked in quote.parts() if marked] == ["Irma carried the brass key"]
    assert (quote.page, quote.paragraph, quote.by_us) == (0, 0, False)
    assert answer.verified


def test_a_quote_in_a_meeting_names_who_spoke_unless_it_begins_with_the_name() -> None:
    text = "Ann Lee: The van is old. It needs a clutch.\n\nBen: We hire one. It is blue."
    plain = Document.from_text(text)
    said = [replace(one, speaker=who) for one, who in zip(plain.paragraphs, ("Ann Lee", "Ben"), strict=True)]
    memory = run(read_and_fit(replace(plain, paragraphs=tuple(said)), make_session()))
    given = 'It does.\nPage 0: "It needs a clutch."\nPage 0: "We hire one."\nPage 0: "It is blue."'
    answer = run(ask(memory, Question("Is it old?"), make_session(lambda one: given)))
    assert [one.where for one in answer.quotes] == ["Ann Lee, page 1", "page 1", "Ben, page 1"]
    assert str(answer) == "It does."


def test_a_quote_that_is_not_in_the_text_is_dropped_and_counted() -> None:
    answer = asked('In her glove.\nPage 0: "Irma carried the silver key"\nPage 1: "the clerk weighed the salt"')
    assert [quote.text for quote in answer.quotes] == ["At noon the clerk weighed the salt."]
    assert answer.false_quotes == 1
    assert not answer.verified


def test_a_reply_of_quotes_alone_uses_the_first_as_the_answer() -> None:
    answer = asked('Page 0: "Irma carried the brass key"\nPage 1: "the clerk weighed the salt"')
    assert answer.text == "Irma carried the brass key in her left glove, and told nobody of it."
    assert len(answer.quotes) == 2


def test_a_quote_is_found_on_another_page_than_the_one_named() -> None:
    (quote,) = asked('1,994.\nPage 0: "It came to 1,994 kilograms"').quotes
    assert quote.page == 1


def test_quotes_that_are_not_wanted_are_not_in_the_answer() -> None:
    answer = asked('Yes.\nPage 0: "no such thing at all"', quotes=False)
    assert (answer.text, answer.quotes, answer.false_quotes) == ("Yes.", (), 0)


def test_without_usable_quotes_we_find_some_and_mark_them() -> None:
    answer = asked("It came to 1,994 kilograms of salt.", "What did the salt weigh?")
    assert answer.quotes
    assert all(quote.by_us and quote.text in TEXT for quote in answer.quotes)
    assert any("1,994" in quote.text for quote in answer.quotes)
    choice = asked("Answer: (A)", Question.choice("Who carried the key?", ["Irma", "Jakob"]))
    assert any("Irma carried the brass key" in quote.text for quote in choice.quotes)


def test_we_never_quote_a_heading() -> None:
    heading = "Who carried the key"
    text = f"{heading}\n\nIrma carried the brass key in her left glove."
    document = Document(text, (Paragraph(0, 0, len(heading) + 2, 1), Paragraph(1, len(heading) + 2, len(text))))
    memory = run(read_and_fit(document, make_session()))
    answer = run(ask(memory, Question("Who carried the key?"), make_session(["Irma did."], Plan(look_up="none"))))
    assert [quote.text for quote in answer.quotes] == ["Irma carried the brass key in her left glove."]


@pytest.mark.parametrize("reply", ["", '"' * 3000, "Page 1: " * 500])
def test_any_reply_can_be_handled(reply: str) -> None:
    said = given_as(reply)
    assert len(said.text) + sum(len(quote) for _, quote in said.quotes) <= 2 * len(reply)


def test_quotes_of_one_sentence_are_shown_once_with_what_was_quoted() -> None:
    said = [
        (None, "Irma carried the brass key"),
        (None, "the clerk weighed the salt"),
        (None, "brass key in her left glove"),
        (None, "told nobody of it"),
    ]
    quotes, false = check_quotes(make_memory(), said, ())
    assert [list(quote.parts()) for quote in quotes] == [
        [
            ("Irma carried the brass key in her left glove", True),
            (", and ", False),
            ("told nobody of it", True),
            (".", False),
        ],
        [("At noon ", False), ("the clerk weighed the salt", True), (".", False)],
    ]
    assert false == 0


def test_a_quote_that_is_too_short_is_left_out_and_not_counted_as_false() -> None:
    assert check_quotes(make_memory(), [(1, "the salt")], ()) == ([], 0)
    assert check_quotes(make_memory(), [(1, "the pepper")], ()) == ([], 1)


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ("Irma never sold the brass key to Jakob.", "sold the brass key to Jakob"),
        ("It is not true that Irma sold the key to Jakob.", "Irma sold the key to Jakob."),
        ("Irma said that she, who never lied, had sold the key.", "Irma said that she ... had sold the key"),
        ("彼女は会議に出席しませんでした。", "彼女は会議に出席しま"),
    ],
)
def test_what_was_cut_off_or_left_out_is_shown(text: str, copied: str) -> None:
    memory = run(read_and_fit(Document.from_text(f"It rained.\n\n{text} It rained."), make_session()))
    (quote,), false = check_quotes(memory, [(0, copied)], ())
    assert (quote.text, false) == (text, 0)


def test_whole_lines_of_code_are_shown_and_a_very_long_sentence_is_cut() -> None:
    code = "import os\nos.remove(path)\nprint(path, 1, 2)\n"
    memory = run(read_and_fit(Document(code, (Paragraph(0, 0, len(code), lines=True),)), make_session()))
    (quote,), _ = check_quotes(memory, [(0, "print(path, 1, 2)")], ())
    assert quote.text == "print(path, 1, 2)"
    long = "and so it went on " * 200 + "until Irma sold the key " + "and it went on again " * 200
    memory = run(read_and_fit(Document.from_text(long), make_session()))
    (quote,), _ = check_quotes(memory, [(0, "until Irma sold the key")], ())
    assert "until Irma sold the key" in quote.text
    assert len(quote.text) < 1300
