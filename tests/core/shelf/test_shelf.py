"""Shelves in the core: cards, choosing from them, one answer from several documents, and comparing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.shelf.ask import ask_several
from readagent.core.shelf.cards import CARD_WORDS, card_of
from readagent.core.shelf.choose import MOST_SHOWN, choose
from readagent.core.shelf.compare import compare_all
from readagent.core.shelf.joined import Member, bind
from readagent.core.shelf.records import Card, PageOf
from readagent.core.words import count_words
from readagent.retrieval.hints import WordHinter
from readagent.testing.scripted import ScriptedModel
from sessions import prose, read_and_fit, run, sensible, session

WHO = Question("Who pays the rent of the mill?")


def card(number: int, text: str = "", title: str = "") -> Card:
    text = text or f"A letter about matter {number}, " + "and much else besides that fills a line of the card " * 4
    return Card(f"id{number}", title or f"Letter {number}", "letter", text, count_words(text))


def member(title: str, *pages: str, code: str = "") -> Member:
    """A document with these pages; the gist of each is its first word."""
    text = "".join(f"{page}\n\n" for page in pages)
    document = replace(Document.from_text(text, title=title), code=code)
    at, made = 0, []
    for number, page in enumerate(pages):
        made.append(Page(number, at, at + len(page) + 2, count_words(page)))
        at += len(page) + 2
    gists = tuple(Gist(f"{title} {number}", 2) for number in range(len(pages)))
    memory = GistMemory(document, tuple(made), gists, Plan())
    return Member(Card(document.id, title, "", f"All about {title}.", 3), memory)


MILL = member("The mill", "The mill stands by the brook.", "Anna pays the rent of the mill in May.")
FARM = member("The farm", "The farm lies on the hill.", "Bert owns the farm and pays nobody.", "It has a well.")
INN = member("The inn", "The inn is old.", "It has nine rooms.")


# Cards


def test_a_card_is_the_gist_of_the_gists() -> None:
    memory = run(read_and_fit(prose(40), session()))
    who = session(["Here is the card:\n\nA list of numbered words, from w0 to w599."])
    made = run(card_of(replace(memory, document=replace(memory.document, title="Words")), who))
    assert replace(made, gists="") == Card(
        memory.document.id, "Words", "", "A list of numbered words, from w0 to w599.", 9
    )
    assert all(gist.text in who.model.asks[0].prompt for gist in memory.gists)  # type: ignore[attr-defined]


def test_gists_no_longer_than_a_card_are_the_card_and_cost_nothing() -> None:
    who = session([])
    assert run(card_of(MILL.memory, who)).text == "The mill 0 The mill 1"
    assert who.trace.calls == []


@pytest.mark.parametrize("useless", ["", "I'm sorry, but I can't help with that.", Reply("A card that", "length")])
def test_a_useless_card_is_asked_for_once_more_and_then_the_first_gist_stands_in(useless: str | Reply) -> None:
    memory = run(read_and_fit(prose(40), session()))
    who = session([useless, useless])
    made = run(card_of(memory, who))
    assert memory.gists[0].text.startswith(made.text[:20])
    assert made.origin == "lead"
    assert [(one.step, one.taken) for one in who.trace.fallbacks] == [("card", "the opening of the first gist")]


def test_a_card_of_a_long_memory_is_made_within_a_small_window() -> None:
    memory = run(read_and_fit(prose(400), session(plan=Plan(page_words=60, min_page_words=20))))
    who = session(window=1024)
    made = run(card_of(memory, who))
    assert 0 < made.words <= 1.5 * CARD_WORDS
    assert all(who.window.fits(ask.prompt) for ask in who.model.asks)  # type: ignore[attr-defined]


def test_what_is_known_of_a_document_stands_on_its_card_and_nothing_else() -> None:
    code = member("", "x = 1", code="python")
    assert run(card_of(code.memory, session([]))).heading == f"{code.card.document} (python code)"
    assert run(card_of(MILL.memory, session([]))).kind == ""
    assert run(card_of(MILL.memory, session([]), kind="contract")).heading == "The mill (contract)"
    path = replace(MILL.memory, document=replace(MILL.memory.document, title="", source="/deeds/mill.txt"))
    assert run(card_of(path, session([]))).title == "mill.txt"


# Choosing


def test_documents_are_chosen_from_numbered_cards_in_the_order_of_the_reply() -> None:
    cards = [card(number) for number in range(9)]
    who = session(["I want to read Document [7, 2] to see."])
    assert run(choose(cards, WHO, who, most=3)) == [cards[7], cards[2]]
    prompt = who.model.asks[0].prompt  # type: ignore[attr-defined]
    assert "<Document 7>\nLetter 7 (letter)\nA letter about matter 7" in prompt
    assert prompt.index("<Document 8>") < prompt.index(WHO.text)


def test_few_documents_are_all_read_and_nothing_is_asked() -> None:
    cards = [card(number) for number in range(3)]
    who = session([])
    assert run(choose(cards, WHO, who, most=3, nearest=[2])) == [cards[2], cards[0], cards[1]]
    assert who.trace.calls == []


def test_what_a_search_finds_is_told_as_a_hint_where_all_cards_are_shown() -> None:
    who = session(["Document [1]"])
    run(choose([card(number) for number in range(9)], WHO, who, most=2, nearest=[4, 6, 1]))
    assert "the likeliest first: Document 4, Document 6. " in who.model.asks[0].prompt  # type: ignore[attr-defined]


@pytest.mark.parametrize("window", [None, 32768, 2048, 1024])
def test_of_very_many_the_nearest_are_shown_within_the_window(window: int | None) -> None:
    cards = [card(number) for number in range(3000)]
    nearest = [2999, *range(500, 900)]
    who = session(["Document [0, 1]"], window=window)
    assert run(choose(cards, WHO, who, most=2, nearest=nearest)) == [cards[2999], cards[500]]
    prompt = who.model.asks[0].prompt  # type: ignore[attr-defined]
    assert who.window.fits(prompt)
    assert "of 3,000, those that a search finds nearest" in prompt
    shown = prompt.count("<Document ")
    assert 2 < shown <= MOST_SHOWN
    assert shown == MOST_SHOWN or window in (2048, 1024)


@pytest.mark.parametrize("reply", ["none of them", "", "Document 99", "I'm sorry, I can't help with that."])
def test_an_illegible_choice_falls_back_to_what_a_search_finds(reply: str) -> None:
    cards = [card(number) for number in range(9)]
    who = session([reply, reply])
    assert run(choose(cards, WHO, who, most=2, nearest=[5, 3, 8])) == [cards[5], cards[3]]
    assert [(one.step, one.taken) for one in who.trace.fallbacks] == [("look_up", "5, 3")]


def test_where_no_cards_find_room_a_search_decides_and_it_is_told() -> None:
    cards = [card(number, title=" ".join(["long"] * 30)) for number in range(9)]
    who = session([], window=512)
    assert run(choose(cards, WHO, who, most=2, nearest=[5, 3])) == [cards[5], cards[3]]
    assert [one.step for one in who.trace.fallbacks] == ["choose"]


# One answer from several


def answering(*replies: str) -> Callable[[Ask], str]:
    """Opens what it is told to open, and answers with the rest."""
    queue = list(replies)
    return lambda ask: queue.pop(0)


def test_an_answer_cites_each_document_by_its_own_pages() -> None:
    said = 'Anna pays for the mill; Bert pays nobody.\nPage 1: "Anna pays the rent"\nPage 3: "pays nobody."'
    who = session(answering("Page [1, 3]", said))
    answer = run(ask_several([MILL, FARM], WHO, who))
    mill, farm = MILL.card.document, FARM.card.document
    assert answer.pages == (PageOf(mill, "The mill", 1), PageOf(farm, "The farm", 1))
    assert [(cited.document, cited.quote.page, cited.quote.text) for cited in answer.quotes] == [
        (mill, 1, "Anna pays the rent")
    ]
    assert answer.false_quotes == 1  # two words show nothing
    quote = answer.quotes[0].quote
    assert MILL.memory.document.text[quote.start : quote.end] == quote.text


def test_the_model_sees_which_pages_belong_to_which_document() -> None:
    who = session(answering("Page [3]", "Bert."))
    run(ask_several([MILL, FARM], WHO, who))
    prompt = who.model.asks[0].prompt  # type: ignore[attr-defined]
    assert prompt.startswith("Below is your memory of several documents.")
    assert '<Document "The mill">\n<Page 0>' in prompt
    assert '<Page 1>\nThe mill 1\n\n<Document "The farm">\n<Page 2>\nThe farm 0\n\n<Page 3>' in prompt


def test_a_quote_that_runs_from_one_document_into_the_next_is_in_neither() -> None:
    said = 'Both.\nPage 1: "rent of the mill in May … The farm lies on the hill."'
    who = session(answering("Page [1, 2]", said))
    answer = run(ask_several([MILL, FARM], WHO, who))
    assert answer.quotes == ()
    assert answer.false_quotes == 1
    assert not answer.verified


def test_one_document_is_asked_as_it_is_asked_alone() -> None:
    who = session(answering("Page [1]", "Anna."))
    answer = run(ask_several([MILL], WHO, who))
    assert answer.pages == (PageOf(MILL.card.document, "The mill", 1),)
    assert "several documents" not in who.model.asks[0].prompt  # type: ignore[attr-defined]


def test_silence_is_told() -> None:
    who = session(answering("Page []", "NOT IN THE TEXT"))
    answer = run(ask_several([MILL, FARM], Question("Who sings?"), who))
    assert not answer.found_in_text


def long_members(count: int) -> list[Member]:
    made = []
    for number in range(count):
        document = replace(prose(60), title=f"Words {number}")
        document = replace(document, text=document.text.replace("W0", f"Start{number}"))
        memory = run(read_and_fit(Document.from_text(document.text, title=document.title), session()))
        made.append(Member(Card(memory.document.id, document.title, "", "Words.", 1), memory))
    return made


@pytest.mark.parametrize("window", [2048, 1024])
def test_several_long_documents_are_asked_within_a_small_window(window: int) -> None:
    members = long_members(4)
    who = replace(session(window=window), hinter=WordHinter())
    answer = run(ask_several(members, Question("What follows w300?"), who))
    assert answer.text == "Because."
    assert (*answer.documents, *answer.left_out) == tuple(one.card for one in members)
    assert all(who.window.fits(ask.prompt) for ask in who.model.asks)  # type: ignore[attr-defined]
    assert all(ask.step in ("look_up", "respond") for ask in who.model.asks) or len(answer.documents) == 1  # type: ignore[attr-defined]


@pytest.mark.parametrize("asking", [ask_several, compare_all])
def test_pages_are_cited_as_they_were_before_any_were_merged(asking: Callable[..., Any]) -> None:
    def quoting(ask: Ask) -> str:
        return 'It is w301.\nPage 0: "w301 w302 w303"' if ask.step == "respond" else sensible(ask)

    (one,) = long_members(1)
    who = session(quoting, window=1024)
    fitted = run(fit(one.memory, who))
    assert len(fitted.pages) < len(one.memory.pages)
    answer = run(asking([replace(one, memory=fitted)], Question("What follows w300?"), who))
    assert answer.pages
    assert answer.quotes
    for cited in answer.quotes:
        page = one.memory.pages[cited.quote.page]
        assert page.start <= cited.quote.start < page.end
    assert all(page.page < len(one.memory.pages) for page in answer.pages)


# Comparing


def comparing(ask: Ask) -> str:
    """Opens the second page, copies from it what is there, and names the last document in the end."""
    if ask.step == "look_up":
        return "Page [1]"
    if "one of several that are compared" not in ask.prompt:
        return "The farm."
    if "Anna pays" in ask.prompt:
        return 'Anna pays it in May.\nPage 1: "Anna pays the rent of the mill"'
    return 'Bert pays nobody.\nPage 1: "Bert owns the farm"' if "Bert" in ask.prompt else "NOT IN THE TEXT"


def test_a_comparison_sees_one_line_from_each_document() -> None:
    who = session(comparing)
    answer = run(compare_all([MILL, INN, FARM], WHO, who))
    assert [(line.title, line.text, line.silent) for line in answer.lines] == [
        ("The mill", "Anna pays it in May.", False),
        ("The inn", "", True),
        ("The farm", "Bert pays nobody.", False),
    ]
    assert [(cited.title, cited.quote.page) for cited in answer.quotes] == [("The mill", 1), ("The farm", 1)]
    assert answer.text == "The farm."
    last = who.model.asks[-1].prompt  # type: ignore[attr-defined]
    assert '<Document "The mill">\n<Page 0>\nAnna pays it in May.' in last
    assert "(this document does not say)" in last
    assert answer.verified


def test_where_all_are_silent_nothing_is_made_up() -> None:
    who = session(lambda ask: "Page []" if ask.step == "look_up" else "NOT IN THE TEXT")
    answer = run(compare_all([MILL, INN], WHO, who))
    assert not answer.found_in_text
    assert len(who.trace.calls) == 4


def test_a_document_that_the_model_says_nothing_on_does_not_stop_the_others() -> None:
    def reply(ask: Ask) -> str:
        return "" if "The inn" in ask.prompt and "compared" in ask.prompt and ask.step == "respond" else comparing(ask)

    who = session(reply)
    answer = run(compare_all([MILL, INN], WHO, who))
    assert [bool(line.problem) for line in answer.lines] == [False, True]
    assert "<Document" in who.model.asks[-1].prompt  # type: ignore[attr-defined]
    assert [one.taken for one in who.trace.fallbacks] == ["no line from The inn"]


@pytest.mark.parametrize(("window", "left_out"), [(2048, []), (1024, ["compare"])])
def test_many_lines_are_compared_within_a_small_window(window: int, left_out: list[str]) -> None:
    line = "word " * 38

    def reply(ask: Ask) -> str:
        return "Page []" if ask.step == "look_up" else line if "are compared" in ask.prompt else "The first."

    members = [replace(MILL, card=replace(MILL.card, title=f"Mill {number}")) for number in range(50)]
    who = session(reply, window=window)
    answer = run(compare_all(members, WHO, who))
    assert answer.text == "The first."
    assert len(answer.lines) == 50
    assert all(who.window.fits(ask.prompt) for ask in who.model.asks)  # type: ignore[attr-defined]
    assert [one.step for one in who.trace.fallbacks] == left_out


@pytest.mark.parametrize("name", ["default", "small"])
def test_the_rendered_prompts_of_a_shelf(name: str, snapshot: SnapshotAssertion) -> None:
    """Golden: whoever changes a prompt sees every place it shows in."""
    model = ScriptedModel(lambda ask: "Document [1]" if "<cards>" in ask.prompt else sensible(ask))
    who = Session(model, Prompts.load(name), Plan(page_words=60, min_page_words=20))
    run(card_of(run(read_and_fit(prose(40), session())), who))
    run(choose([card(number, "About a mill.") for number in range(3)], WHO, who, most=2, nearest=[1]))
    run(ask_several([MILL, FARM], WHO, who))
    run(compare_all([MILL], WHO, who))
    assert "\n\n=====\n\n".join(f"[{ask.step}]\n{ask.prompt}" for ask in model.asks) == snapshot


def test_pages_of_the_common_memory_tile_the_common_text() -> None:
    bound = bind([MILL, FARM, INN], Plan())
    assert "".join(bound.memory.page_text(page.number) for page in bound.memory.pages) == bound.memory.document.text
