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
        ("They got 500 dollars.", "They got $1,500 for each family.", "Did they get 500 dollars?"),
        ("It happened in 1921.", "It happened in 1920.", WHO),
        ("Twenty men left.", "Thirty men left.", WHO),
        ("It grew by 5 %.", "It grew by 5 dollars.", WHO),
        ("Irma took the key.", "Jakob took the key from the drawer.", WHO),
        ("Yes, Jakob took it.", "Irma took the key.", "Did Jakob take the key?"),
        ("He gave it to Selma.", "He gave it to Irma.", WHO),
        ("Bob took the key.", "He took the key.", WHO),
        ("Анна взяла ключ.", "Ольга взяла ключ.", WHO),
        ("Er gab Peter den Schlüssel.", "Er gab Hans den Schlüssel.", WHO),
        ("I promised money.", "I never promised money.", WHO),
        ("I promised money.", "I never, in all my life, promised money.", WHO),
        ("She can pay.", "She can't pay.", WHO),
        ("She did not take the key.", "She took the key.", WHO),
        ("Er kam nach Hause.", "Er kam nicht nach Hause.", WHO),
        ("Он взял ключ.", "Он не взял ключ.", WHO),
        ("他去学校了。", "他没有去学校。", WHO),
        ("Yes.", "The fisherman did not sell his boat.", "Did the fisherman sell his boat?"),
        ("Yes, he sold it.", "The fisherman did not sell his boat.", "Did the fisherman sell his boat?"),
        ("No.", "The fisherman sold his boat.", "Did the fisherman sell his boat?"),
        ("The mayor was present at the event.", "The mayor did not attend the ceremony.", "Was the mayor there?"),
        ("Er war anwesend.", "Der Bürgermeister kam nicht zur Feier.", "War der Bürgermeister da?"),
        ("Мэр присутствовал на церемонии.", "The mayor, Olav Dahl, did not attend the ceremony.", WHO),
        ("市長は式典に出席した。", "The mayor, Olav Dahl, did not attend the ceremony.", WHO),
        ("It is untrue that Anna moved to Oslo.", "Anna moved to Oslo.", WHO),
        ("Anna refused to move to Oslo.", "Anna moved to Oslo.", WHO),
        ("The bridge was opened on 12 June 1952.", "The bridge was opened on 12 May 1952.", WHO),
        ("Opened on 1952-06-12.", "The bridge was opened on 12 May 1952.", WHO),
        ("Anna Berg zog 1931 nach Bergen.", "Anna Berg moved to Oslo in 1931.", WHO),
        ("It fell by 1970 %.", "It fell by 18 % since 1970.", WHO),
        ("It is 340 km long.", "It is 340 metres long.", WHO),
        ("He stayed.", "He did not leave.", WHO),
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
        ("The workers left.", "The men walked out.", WHO),
        ("Workers left.", "All the workers walked out.", WHO),
        ("Because he was ill.", "He was ill that day.", WHO),
        ("No, she took it.", "She took the key.", "Did Jakob take it?"),
        ("He took the key.", "He did not return to his home that evening, he took the key.", WHO),
        ("Jakob's brother left.", "The brother of Jakob left.", WHO),
        ("У Анны был ключ.", "Анна взяла ключ.", WHO),
        ("Ivan took the key.", "Ключ взял Иван.", WHO),
        ("Der Hund starb.", "Das Tier verendete.", WHO),
        ("1952", "Die Brücke wurde am 12. Mai 1952 eröffnet.", "Wann?"),
        ("Am 12.05.1952.", "Die Brücke wurde am 12. Mai 1952 eröffnet.", "Wann?"),
        ("1952-05-12", "The bridge was opened on 12 May 1952.", WHO),
        ("12/05/1952", "The bridge was opened on May 12, 1952.", WHO),
        ("Sie wurde am 12. Mai 1952 eröffnet.", "The bridge was opened on the twelfth of May 1952.", WHO),
        ("Die Brücke wurde im Mai eröffnet.", "The bridge was opened on 12.05.1952.", WHO),
        ("Never sold the boat.", "The fisherman did not sell his boat.", WHO),
        ("Nunca vendió el barco.", "El pescador no vendió su barco.", WHO),
        ("Jamais il ne vendit le bateau.", "Le pêcheur ne vendit pas son bateau.", WHO),
        ("Käufer war der Wirt.", "Der alte Fischer verkaufte sein Boot im Herbst an den Wirt.", "Wer?"),
        ("Sein Boot ging für Geld an den Wirt.", "Der alte Fischer verkaufte sein Boot an den Wirt.", "Wer?"),
        ("The mayor was absent from the ceremony.", "The mayor, Olav Dahl, did not attend the ceremony.", WHO),
        ("Mayor Dahl missed the ceremony.", "The mayor, Olav Dahl, did not attend the ceremony.", WHO),
        ("El pescador se negó a vender el barco.", "El pescador no vendió su barco.", WHO),
        ("No.", "The fisherman did not sell his boat.", "Did the fisherman sell his boat?"),
        ("No.", "The fisherman sold his boat in Bergen.", "Did the fisherman sell his boat in Oslo?"),
        ("He bought a boat from Jens.", "Although he never liked the sea, he bought a boat from Jens.", WHO),
        ("The key was in her glove.", "Irma carried the key in her glove, and told nobody of it.", WHO),
        ("He sold it out of poverty.", "He sold the house because he could not pay the debt.", WHO),
        ("She always helped.", "She never refused to help.", WHO),
        ("Jens sold the farm to Karl.", "Karl sold the farm to Jens.", WHO),
        ("The number of people rose.", "The number of people fell.", WHO),
        ("He moved to bergen.", "He moved to Oslo.", WHO),
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
        ("jakob took the key from the drawer", "Jakob took the key\nfrom the drawer"),
        ("Jakob took the key from the drawer", "Then Jakob took the key from the drawer."),
        ("The Ferry at Orr", "The Ferry at Orr\n\nNo ferry was as old."),
        ("雅各拿走了钥匙。", "雅各拿走了钥匙。"),
    ],
)
def test_a_statement_that_is_nearly_a_copy_needs_no_model(statement: str, quote: str) -> None:
    assert rules(quote).copies(statement) == (0,)


@pytest.mark.parametrize(
    ("statement", "quote", "text"),
    [
        ("Irma took the key.", "Irma took the key", "If Irma took the key, all is lost."),
        ("Irma took the key.", "Irma took the key", "Nobody believed that Irma took the key."),
        ("Irma took the key.", "Irma took the key", "They said Irma took the key."),
        ("Irma killed Jakob.", "Jakob killed Irma.", ""),
        ("The key.", "The key.", ""),
    ],
)
def test_a_statement_out_of_its_sentence_needs_more(statement: str, quote: str, text: str) -> None:
    assert rules(quote, text=text).copies(statement) == ()


def test_a_quote_is_about_a_statement_that_shares_its_words() -> None:
    found = Rules(WHO, ["Jakob took the key.", "It rained in May."], ["", ""])
    assert found.related("The key was taken by Jakob.") == (0,)
    assert found.related("Selma sang.") == ()
    assert found.related("Якоб взял ключ.") == (0, 1)  # nobody can compare the words
