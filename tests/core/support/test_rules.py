"""Rules say which statements a quote cannot support, and which it shows by itself."""

from __future__ import annotations

import pytest

from readagent.core.support.rules import Rules, whole_sentences

WHO = "Who took the key?"


def rules(quote: str, question: str = WHO, text: str = "") -> Rules:
    text = text or quote
    at = text.index(quote)
    return Rules(question, [quote], [whole_sentences(text, at, at + len(quote))], text)


@pytest.mark.parametrize(
    ("statement", "quote", "question"),
    [
        ("They got 500 dollars.", "They got $1,500 for each family.", WHO),
        ("Irma took the key.", "Jakob took the key from the drawer.", WHO),
        ("He gave it to Selma.", "He gave it to Irma.", WHO),
        ("I promised money.", "I never promised money.", WHO),
        ("She did not take the key.", "She took the key.", WHO),
        ("Er kam nach Hause.", "Er kam nicht nach Hause.", WHO),
        ("他去学校了。", "他没有去学校。", WHO),
        ("Yes.", "The fisherman did not sell his boat.", "Did the fisherman sell his boat?"),
        ("The bridge was opened on 12 June 1952.", "The bridge was opened on 12 May 1952.", WHO),
        ("It is 340 km long.", "It is 340 metres long.", WHO),
    ],
)
def test_what_a_quote_cannot_support(statement: str, quote: str, question: str) -> None:
    found = rules(quote, question)
    assert found.veto(statement, [0])
    assert not found.copies(statement)


@pytest.mark.parametrize(
    ("statement", "quote", "question"),
    [
        ("It cost 25 dollars.", "It cost twenty-five dollars in all.", WHO),
        ("Irma left because she was poor.", "She was poor, so she left.", "Why did Irma leave?"),
        ("No, she took it.", "She took the key.", "Did Jakob take it?"),
        ("Ivan took the key.", "Ключ взял Иван.", WHO),
        ("Am 12.05.1952.", "Die Brücke wurde am 12. Mai 1952 eröffnet.", "Wann?"),
        ("Never sold the boat.", "The fisherman did not sell his boat.", WHO),
        ("No.", "The fisherman did not sell his boat.", "Did the fisherman sell his boat?"),
        ("The key was in her glove.", "Irma carried the key in her glove, and told nobody of it.", WHO),
        ("Jens sold the farm to Karl.", "Karl sold the farm to Jens.", WHO),
    ],
)
def test_what_the_rules_leave_open(statement: str, quote: str, question: str) -> None:
    assert rules(quote, question).veto(statement, [0]) == ""


def test_the_text_tells_names_from_other_words_at_the_start_of_a_sentence() -> None:
    said = "Poverty drove her away."
    assert rules("Her purse was empty.").veto(said, [0])
    assert not rules("Her purse was empty.", text="Her purse was empty. It was poverty, they said.").veto(said, [0])


@pytest.mark.parametrize(
    ("statement", "quote"),
    [
        ("Jakob took the key from the drawer.", "Jakob took the key from the drawer."),
        ("Jakob took the key from the drawer", "Then Jakob took the key from the drawer."),
        ("The Ferry at Orr", "The Ferry at Orr\n\nNo ferry was as old."),
    ],
)
def test_a_statement_that_is_nearly_a_copy_needs_no_model(statement: str, quote: str) -> None:
    assert rules(quote).copies(statement) == (0,)


@pytest.mark.parametrize(
    ("statement", "quote", "text"),
    [
        ("Irma took the key.", "Irma took the key", "If Irma took the key, all is lost."),
        ("Irma took the key.", "Irma took the key", "Nobody believed that Irma took the key."),
        ("Irma killed Jakob.", "Jakob killed Irma.", ""),
    ],
)
def test_a_statement_out_of_its_sentence_needs_more(statement: str, quote: str, text: str) -> None:
    assert rules(quote, text=text).copies(statement) == ()


def test_a_quote_is_about_a_statement_that_shares_its_words() -> None:
    found = Rules(WHO, ["Jakob took the key.", "It rained in May."], ["", ""])
    assert found.related("The key was taken by Jakob.") == (0,)
    assert found.related("Selma sang.") == ()
    assert found.related("Якоб взял ключ.") == (0, 1)  # nobody can compare the words
