"""Replies in the manner of different models are read as a person reads them; an unclear one is not guessed."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from readagent.core.form import Choice
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask
from readagent.core.session import Session
from readagent.testing.scripted import ScriptedModel
from reply_corpus import ASKED, CHOICES, cases, misread
from sessions import make_session, prose, read_and_fit, run

FILES = ("replies", "held_out", "held_out_2", "held_out_3", "held_out_4")
DIRECT = ("direct", "direct_held_out", "direct_held_out_2")
PAGES = CHOICES["look_up"]


@pytest.mark.parametrize("name", FILES)
def test_replies_are_read_as_they_are_meant(name: str) -> None:
    given = cases(name)
    wrong = [f"{case.step}: {case.reply!r} means {case.means}, read as {found}" for case, found in misread(given)]
    assert len(wrong) <= 0.01 * len(given), "\n".join(wrong)


@pytest.mark.parametrize("name", FILES)
def test_an_unclear_reply_is_never_guessed(name: str) -> None:
    unclear = [case for case in cases(name) if case.means is None]
    assert len(unclear) >= 7
    assert not misread(unclear)


@pytest.mark.parametrize("reply", ["Answer: (B) No, he just opposed the leader", "(B) No, he just opposed the leader.",
                                   "B. No, he just opposed the leader", "Answer: B"])  # fmt: skip
def test_an_option_that_begins_with_no_takes_nothing_back(reply: str) -> None:
    options = ("Yes, he hated everybody", "No, he just opposed the leader", "No, he wanted justice")
    choice = Choice(("A", "B", "C"), texts=options)
    assert choice.parse(reply) == ("B",)
    assert choice.parse("Answer: (A) Yes, he hated everybody. No, wait: (B).") == ("B",)


@pytest.mark.parametrize(
    "reply",
    ["Page [2] to [4]", "Pages [2]-[4]", "Page [2 to 4]"],
)  # fmt: skip
def test_a_range_may_have_each_end_in_its_own_brackets(reply: str) -> None:
    choice = Choice(tuple(map(str, range(12))), least=0, most=9, cues=("page",))
    assert choice.parse(reply) == ("2", "3", "4")
    assert choice.parse("Page [2] to see what [4] says") == ("2",)


@pytest.mark.parametrize("name", DIRECT)
def test_no_request_for_pages_is_taken_for_an_answer_nor_the_reverse(name: str) -> None:
    given = cases(name)
    assert Counter(case.step for case in given).keys() == ASKED.keys()
    assert [f"{case.step}: {case.reply!r} means {case.means}, read as {found}" for case, found in misread(given)] == []


@pytest.mark.parametrize(
    ("reply", "pages"),
    [
        ("I want to look up Page [] because my memory already holds the ratings of all four people.", ()),
        ("I don't need to look up any page; the 3 friends are named.", ()),
        ("I want to look up Page [4] because my memory of Page [3] is good and there are 2 men.", ("4",)),
        ("I want to look up Page [...] to ...", None),
    ],
)
def test_the_form_alone_counts(reply: str, pages: tuple[str, ...] | None) -> None:
    assert PAGES.parse(reply) == pages


def test_the_reminder_allows_to_ask_for_none() -> None:
    model = ScriptedModel(["Hm.", "I want to look up Page []", "Ann."])
    memory = run(read_and_fit(prose(30), make_session(plan=Plan(page_words=60, min_page_words=30))))
    session = Session(model, Prompts.load(), Plan(max_pages=2, quotes=False))
    answer = run(ask(memory, Question("Who?"), session))
    assert "or [] for none" in model.asks[1].prompt
    assert (answer.pages, session.trace.fallbacks) == ((), [])


@pytest.mark.parametrize("name", ["default", "small"])
@pytest.mark.parametrize("step", ["look_up", "look_up_next", "respond", "choose", "claim", "choose_documents"])
def test_examples_in_prompts_name_no_page_or_option(name: str, step: str) -> None:
    """A number may not exist or be open already, and a weak model follows an example."""
    prompt = Prompts.load(name).fill(
        step, memory="", question="", most="N", last="N", open_pages="none", left="N", cards="", count="N", quotes=True,
        may_ask=True,
    )  # fmt: skip
    shown = prompt.replace("<Page 0>", "")
    assert not re.search(r"(?:Page|Document) \[?\d|\([A-D]\)", shown)


@pytest.mark.parametrize("step", ["look_up", "look_up_next", "choose", "documents"])
def test_a_form_that_is_copied_is_no_choice(step: str) -> None:
    for form in ("I want to look up Page [...] to ...", "Page ...", "Answer: (letter) ...",
                 "I want to read Document [...] to ..."):  # fmt: skip
        assert CHOICES[step].parse(form) is None


def test_a_reply_in_json_is_read_by_its_value() -> None:
    reply = json.dumps({"reasoning": "Pages 1 and 2 have nothing.", "pages": [3]})
    assert PAGES.parse(reply) == ("3",)
    assert Choice(("yes", "no")).parse('{"explanation": "yes?", "verdict": "no"}') == ("no",)


@pytest.mark.parametrize("piece", ["1, ", "Page [3] ", "(A) or "])
def test_a_long_reply_is_parsed_in_time_that_grows_with_its_length(piece: str) -> None:
    """A pattern that backtracks would not return from this."""
    for choice in CHOICES.values():
        choice.parse(piece * (1_900 // len(piece)))
        choice.parse(piece * (100_000 // len(piece)))
