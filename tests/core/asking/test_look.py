"""Look and answer: one call if what is shown answers; what is asked for is added below, and nothing is rewritten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from readagent.core.document import Document
from readagent.core.escaping import escape_tags
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Hint, Reply
from readagent.core.plan import Plan
from readagent.core.question import Answer, Question
from readagent.core.reading import ask
from readagent.core.trace import AnswerText, Event, Opened
from readagent.errors import NoAnswerError
from sessions import EXAMPLES, make_session, read_and_fit, run, sensible

WHO = Question("Who opened the gate?")
PICK = Question.choice("Who opened the gate?", ["Jakob", "Mira and Selma", "Nobody"])
CLAIM = Question.claim("Jakob opened the gate.")
LOOK_UP = "Pages: 2, 1"
STORY = Document.from_text((EXAMPLES / "story.txt").read_text("utf-8"))


@pytest.fixture(scope="module")
def memory() -> GistMemory:
    return run(read_and_fit(STORY, make_session(plan=Plan())))


def asked(
    memory: GistMemory, question: Question, replies: list[str | Reply | Exception], **plan: object
) -> tuple[Answer, list[Ask], list[Event]]:
    events: list[Event] = []
    session = make_session(replies, Plan(look_up="direct", **{"check": False, **plan}))  # type: ignore[arg-type]
    answer = run(ask(memory, question, replace(session, emit=events.append)))
    return answer, session.model.asks, events  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("question", "reply"), [(WHO, "The children."), (PICK, "Answer: (B)"), (CLAIM, "Answer: true")]
)
def test_pages_that_are_asked_for_are_added_below_the_first_prompt_in_full(
    memory: GistMemory, question: Question, reply: str
) -> None:
    answer, asks, events = asked(memory, question, [LOOK_UP, reply])
    session = make_session([LOOK_UP, reply], Plan(check=False))
    same = run(ask(memory, question, session))
    assert (answer.pages, answer.text, answer.quotes) == (same.pages, same.text, same.quotes)
    assert asks[1].prompt.startswith(asks[0].prompt)
    added = asks[1].prompt.removeprefix(asks[0].prompt)
    assert in_full(memory, added) == [1, 2]
    assert not in_full(memory, asks[0].prompt)
    assert Opened((2, 1)) in events


def test_more_pages_can_be_asked_for_and_at_most_four_prompts_are_sent(memory: GistMemory) -> None:
    answer, asks, _ = asked(memory, WHO, ["Pages: 0", "Pages: 1", "Pages: 0, 2", "The children."])
    assert (answer.pages, answer.text) == ((0, 1, 2), "The children.")
    assert all(later.prompt.startswith(earlier.prompt) for earlier, later in pairwise(asks))
    assert "Pages:" not in asks[-1].prompt.removeprefix(asks[-2].prompt)


def test_of_a_list_of_pages_that_is_too_long_the_first_are_opened(memory: GistMemory) -> None:
    answer, asks, _ = asked(memory, WHO, ["Pages: 0, 1, 2, 3, 4", "The children."], max_pages=2)
    assert (answer.pages, len(asks)) == ((0, 1), 2)


def test_pages_asked_for_in_vain_leave_a_look_before_an_absence_is_final(memory: GistMemory) -> None:
    answer, _, _ = asked_with((3,), memory, WHO, ["Pages: 0, 1", "NOT IN THE TEXT", "The children."], max_pages=2)
    assert (answer.text, answer.pages) == ("The children.", (0, 1, 3))


def test_what_a_search_finds_is_opened_before_an_absence_is_final(memory: GistMemory) -> None:
    answer, asks, _ = asked_with((3, 1), memory, WHO, ["NOT IN THE TEXT", "The children."])
    assert (answer.text, answer.found_in_text, answer.pages) == ("The children.", True, (3, 1))
    answer, asks, _ = asked_with((3, 1), memory, WHO, ["NOT IN THE TEXT", "NOT IN THE TEXT"])
    assert (answer.found_in_text, answer.pages, len(asks)) == (False, (3, 1), 2)
    assert {quote.page for quote in answer.quotes} <= {3, 1}, "no passage is shown as nearest that was not read"


def test_a_reply_that_needs_no_page_and_gives_no_answer_gets_the_nearest_page(memory: GistMemory) -> None:
    answer, asks, _ = asked_with((3, 1), memory, WHO, ["Pages: none", "The children."])
    assert (answer.pages, answer.trace.fallbacks, len(asks)) == ((3,), [], 2)


def test_an_unclear_reply_leads_to_a_reminder_and_then_to_the_closest_page(memory: GistMemory) -> None:
    answer, asks, _ = asked(memory, WHO, ["Pages: 99", "Answer: The children."])
    assert answer.text == "The children."
    assert asks[1].prompt.count("Pages: number, number") == 2, "the reminder repeats the form"
    vague = [Reply("I need the full text."), Reply("I need more pages."), "The children."]
    answer, asks, _ = asked(memory, WHO, vague)
    assert [one.step for one in asks] == ["direct", "direct", "direct"]
    assert len(answer.pages) == 1
    assert [fallback.step for fallback in answer.trace.fallbacks] == ["direct"]


def test_passages_for_an_answer_from_the_gists_are_searched_in_all_pages_and_marked(memory: GistMemory) -> None:
    answer, _, _ = asked(memory, Question("What does the key with the bone tag open?"), ["Answer: Irma's ledger."])
    assert answer.quotes
    assert all(quote.by_us for quote in answer.quotes)
    assert all(STORY.text[quote.start : quote.end] == quote.text for quote in answer.quotes)
    checked, asks, _ = asked(memory, WHO, ["Answer: Irma holds the key.", "1: yes [1]"], check=True)
    assert asks[-1].step == "check"
    assert checked.support.checked_by == "model"


def test_a_quote_of_a_gist_is_left_out_and_a_made_up_one_is_false(memory: GistMemory) -> None:
    gist = "Nobody of the whole town had ever seen such a strange ledger before."
    own = replace(memory, gists=(replace(memory.gists[0], text=gist), *memory.gists[1:]))
    answer, _, _ = asked(own, WHO, [f'Answer: The children.\nPage 0: "{gist}"'])
    assert (answer.text, answer.false_quotes) == ("The children.", 0)
    assert all(quote.by_us for quote in answer.quotes)
    answer, _, _ = asked(own, WHO, ['Answer: The children.\nPage 0: "The mayor sold seven hundred green umbrellas."'])
    assert answer.false_quotes == 1
    assert not answer.verified


class Finds:
    """A search that finds these pages."""

    def __init__(self, *pages: int) -> None:
        self._pages = pages

    async def hints(self, memory: GistMemory, question: Question) -> list[Hint]:
        return [Hint(page, 1.0) for page in self._pages]


def asked_with(
    found: tuple[int, ...], memory: GistMemory, question: Question, replies: list[str], **plan: Any
) -> tuple[Answer, list[Ask], list[Event]]:
    events: list[Event] = []
    session = make_session(replies, Plan(**{"look_up": "direct", "check": False, **plan}))
    answer = run(ask(memory, question, replace(session, hinter=Finds(*found), emit=events.append)))
    return answer, session.model.asks, events  # type: ignore[attr-defined]


def in_full(memory: GistMemory, prompt: str) -> list[int]:
    pages = [page.number for page in memory.pages]
    return [page for page in pages if escape_tags(memory.page_text(page).strip()) in prompt]


@pytest.mark.parametrize(("question", "text"), [(WHO, ""), (PICK, "Jakob"), (CLAIM, "false")])
def test_two_useless_replies_in_a_row_end_the_look(memory: GistMemory, question: Question, text: str) -> None:
    vague = [Reply("Let me think about it.")] * 4
    if question is WHO:
        with pytest.raises(NoAnswerError):
            asked(memory, question, vague)
        return
    answer, asks, _ = asked(memory, question, vague)
    assert len(asks) == 4
    assert answer.trace.fallback_counts() == {"direct": 1, "respond": 1}
    assert not answer.verified
    assert text in (answer.text, "Jakob")


CUTS: dict[str, Callable[[str], list[str]]] = {"characters": list, "one piece": lambda text: [text]}


class Streaming:
    """A model whose replies arrive in pieces."""

    name = "streaming"

    def __init__(self, replies: list[str], cut: Callable[[str], list[str]]) -> None:
        self._replies, self._cut = replies, cut

    async def complete(self, ask: Ask) -> Reply:
        reply = self._replies.pop(0)
        for piece in self._cut(reply):
            if ask.listen is not None:
                ask.listen(piece)
        return Reply(reply)


def streamed(
    memory: GistMemory, replies: list[str], cut: Callable[[str], list[str]]
) -> tuple[list[AnswerText], Answer]:
    events: list[Event] = []
    session = make_session(sensible, Plan(look_up="direct", check=False))
    session = replace(session, model=Streaming(replies, cut), emit=events.append)
    answer = run(ask(memory, WHO, session))
    return [event for event in events if isinstance(event, AnswerText)], answer


LONG = "The children opened the gate in the night of the regatta. They had the key from Irma. Nobody saw them do it."
REQUESTS = [
    "Pages: 2, 1",
    "The gists do not tell who opened it.\nPages: 2, 1",
    "Ich möchte noch einmal lesen, wer es war.\n**Pages:** 2 und 1",
    "Pages: 2, 1\n\nAnswer: Perhaps Irma.",
]


@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_is_never_emitted_as_an_answer(
    memory: GistMemory, request_: str, cut: Callable[[str], list[str]]
) -> None:
    events, answer = streamed(memory, [request_, "Answer: The children."], cut)
    assert "".join(event.text for event in events) == answer.text == "The children."
    assert not any(event.restart for event in events)


def test_an_answer_that_turns_out_to_ask_for_pages_starts_again(memory: GistMemory) -> None:
    both = f"Answer: {LONG}\nPages: 2"
    events, answer = streamed(memory, [both, "Answer: It was Irma."], list)
    again = [event.restart for event in events].index(True)
    assert "".join(event.text for event in events[again:]) == answer.text == "It was Irma."
    assert not any("Page" in event.text for event in events)
    assert answer.pages == (2,)
