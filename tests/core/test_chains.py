"""Side by side: sections, and chains inside a long one; gists begin before all pages are known."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from readagent.core.document import Document, Paragraph
from readagent.core.events import Event, Gisted, Paged
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.pages.paginate import paginate
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.reading import gist
from readagent.core.session import Session
from readagent.testing.scripted import ScriptedModel
from sessions import SMALL, prose, run, sensible, session


def chapters(count: int, paragraphs: int) -> Document:
    """Chapters of paragraphs of 15 words, each under its title."""
    pieces, found, at = [], [], 0
    for number in range(count):
        for i in range(paragraphs + 1):
            body = " ".join(f"c{number}p{i}w{j}" for j in range(15)) + "." if i else f"Title{number}"
            pieces.append(body + "\n\n")
            found.append(Paragraph(len(found), at, at + len(pieces[-1]), 0 if i else 1))
            at += len(pieces[-1])
    return Document("".join(pieces), tuple(found))


CHAPTERS = chapters(4, 12)


def sizes(document: Document, who: Session) -> list[int]:
    async def collect() -> list[int]:
        return [page.words async for page in paginate(document, who)]

    return run(collect())


class Later:
    """Replies to a prompt only when all that was asked at the same time is there: the more the later ones first."""

    name = "later"

    def __init__(self) -> None:
        self.at_once = 0
        self.prompts: list[str] = []
        self._under_way = 0

    async def complete(self, ask: Ask) -> Reply:
        self.prompts.append(ask.prompt)
        self._under_way += 1
        self.at_once = max(self.at_once, self._under_way)
        for _ in range(3 * (10 - self._under_way % 7)):
            await asyncio.sleep(0)
        self._under_way -= 1
        return Reply(sensible(ask))


def test_sections_are_gone_through_side_by_side() -> None:
    model = Later()
    run(gist(CHAPTERS, Session(model, Prompts.load(), replace(SMALL, page_words=60))))
    assert model.at_once > 2


def test_the_order_of_replies_changes_nothing() -> None:
    model = Later()
    slow = run(gist(CHAPTERS, Session(model, Prompts.load(), SMALL)))
    plain = ScriptedModel(sensible, name="later")
    quick = run(gist(CHAPTERS, Session(plain, Prompts.load(), SMALL)))
    assert (slow.pages, slow.gists) == (quick.pages, quick.gists)
    assert sorted(model.prompts) == sorted(ask.prompt for ask in plain.asks)
    assert [page.number for page in slow.pages] == list(range(len(slow.pages)))


def test_fallbacks_carry_the_numbers_that_pages_have_in_the_end() -> None:
    def refusing(ask: Ask) -> str:
        return "no idea" if "Title3" in ask.prompt and ask.step == "paginate" else sensible(ask)

    memory = run(gist(CHAPTERS, session(refusing)))
    (third,) = (page.number for page in memory.pages if "Title3" in memory.page_text(page.number))
    assert {fallback.page for fallback in memory.trace.fallbacks} == {third}


def test_gists_begin_while_other_pages_are_still_looked_for() -> None:
    heard: list[Event] = []
    who = replace(session(), tell=heard.append)
    run(gist(prose(100), who))
    kinds = [type(event) for event in heard if isinstance(event, Paged | Gisted)]
    assert kinds.index(Gisted) < len(kinds) - 1 - kinds[::-1].index(Paged)
    told = [event for event in heard if isinstance(event, Paged)]
    assert [event.number for event in told] == list(range(len(told)))
    assert told[-1].words == prose(100).words


CHAINED = Plan(page_words=60, min_page_words=20, chains=4)


def test_chains_that_meet_give_the_pages_of_one_chain() -> None:
    def pausing(ask: Ask) -> str:
        """Pauses where the text says so, which every chain sees alike."""
        if ask.step != "paginate":
            return sensible(ask)
        ends = [i + 1 for i, piece in enumerate(ask.material.passages[:-1]) if piece.rstrip(".").endswith(("4", "9"))]
        return f"<{ends[0] if ends else 1}>"

    document = prose(200, 13)
    assert sizes(document, session(pausing, CHAINED)) == sizes(document, session(pausing, SMALL))


@pytest.mark.parametrize("chains", [2, 5, 50])
def test_chains_that_do_not_meet_are_joined_at_legal_places(chains: int) -> None:
    plan = replace(CHAINED, chains=chains)
    found = sizes(prose(300), session(sensible, plan))
    assert sum(found) == prose(300).words
    assert all(20 <= words <= 60 for words in found[:-1])
    assert found == sizes(prose(300), session(sensible, plan))


def test_a_chain_waits_for_no_other_chain_to_end() -> None:
    model = Later()
    document = prose(400)
    run(gist(document, Session(model, Prompts.load(), CHAINED)))
    assert model.at_once >= 4


def test_a_short_section_has_one_chain() -> None:
    who, alone = session(plan=CHAINED), session()
    assert sizes(prose(15), who) == sizes(prose(15), alone)
    assert len(who.trace.calls) == len(alone.trace.calls)


def test_an_error_in_one_section_ends_the_reading_with_that_error() -> None:
    def failing(ask: Ask) -> str:
        if "Title3" in ask.prompt:
            raise ValueError("broken")
        return sensible(ask)

    with pytest.raises(ValueError, match="broken"):
        run(gist(CHAPTERS, session(failing)))


def test_plans_with_chains_are_readings_of_their_own() -> None:
    def key(plan: Plan) -> str:
        return GistMemory(prose(1), (), (), plan).key

    assert len({key(SMALL), key(CHAINED), key(replace(SMALL, mode="fast"))}) == 3
