"""Choosing documents from a shelf of 2 to 10,000: our own cost, and whether the right document is found.

Every document is a generated report of two pages with a unique name, stored in a library with its card as a finished
reading. Half of the questions ask for something on the card, half for a detail that is only on a page. A server on
loopback chooses by the words that question and cards share, so it cannot choose well for a detail; whether the right
card is among those shown depends on our search. Measured is our own time: loading the cards, searching cards and pages,
and rendering the prompt; cold, with opening the library, and warm. The prompt must fit the window of 8,192 tokens.
"""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from common import SEED, Rows, Value, arguments, loopback, manifest, print_figures, workplace, write_results

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.question import Question
from readagent.core.shelf.cards import choose
from readagent.core.shelf.shelf_answer import Card
from readagent.core.words import count_words
from readagent.library import Library
from readagent.models.embeddings import CachedEmbedder, EndpointEmbedder
from readagent.retrieval.hints import card_text
from readagent.shelf import AsyncShelf
from readagent.testing.loopback.requests import tokens

_WINDOW = 8192
_QUESTIONS = 20
_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo za".split()
_PLACES = "harbour mill quarry orchard chapel brewery tannery foundry vineyard lighthouse".split()
_ACTS = "leased sold insured surveyed rebuilt mortgaged flooded closed painted searched".split()
_FILLER = "The clerk notes that the weather was fair and that nobody objected to the reading of the minutes. " * 12
_CARD = (
    "The report tells who owned the place before, what was paid for it and in which coin, who stood surety, how the "
    "boundaries run from the river to the road, and what was agreed on repairs, water and the right of way."
)


@dataclass(frozen=True, slots=True)
class Report:
    """A generated document with a question about its subject and one about a detail."""

    memory: GistMemory
    card: Card
    questions: tuple[str, str]


def report(number: int) -> Report:
    """Return the report with this number, always the same."""
    dice = random.Random(SEED + number)
    name, owner, seal = (_word(dice) for _ in range(3))
    place, act = dice.choice(_PLACES), dice.choice(_ACTS)
    first = f"Report on the {place} of {name}. In {1800 + number % 200} the {place} was {act} by {owner}. {_FILLER}\n\n"
    second = f"The deed was sealed with the mark of {seal} in the presence of two witnesses. {_FILLER}\n"
    text, title = first + second, f"Report {number} on a {place}"
    pages = (Page(0, 0, len(first), count_words(first)), Page(1, len(first), len(text), count_words(second)))
    gist = f"The {place} of {name} was {act} by {owner}."
    gists = (Gist(gist, count_words(gist)), Gist("A deed was sealed before two witnesses.", 7))
    document = Document.from_text(text, title=title, source=f"/reports/{number}.txt")
    memory = GistMemory(document, pages, gists, Plan(), "generated", "generated")
    text = f"{gist} {_CARD}"
    card = Card(document.id, title, "report", text, count_words(text))
    detail = f"Which deed, of which the clerk notes that nobody objected to it, has the mark of {seal}?"
    return Report(memory, card, (f"Who {act} the {place} of {name}?", detail))


def _word(dice: random.Random) -> str:
    return "".join(dice.choice(_SYLLABLES) for _ in range(4)).capitalize()


def fill(home: Path, count: int) -> list[Report]:
    """Fill a library with ``count`` reports on a shelf."""
    reports = [report(number) for number in range(count)]
    with Library(home) as library:
        library.shelves.new("reports")
        for one in reports:
            memory = one.memory
            library.add(memory.document)
            reading = library.start_reading(memory.document.id, memory.key, model=memory.model,
                                            prompts=memory.prompts, plan=memory.plan, window=None)  # fmt: skip
            library.finish_reading(reading, memory)
            library.shelves.keep_card(memory.key, one.card)
            library.shelves.put("reports", memory.document.id)
    return reports


@dataclass(frozen=True, slots=True)
class Chosen:
    """Our own time, the length of the prompt, and whether the right document was shown and chosen."""

    seconds: float
    cpu: float
    tokens: int
    shown: bool
    chosen: bool


def embedder_at(base_url: str, library: Library) -> CachedEmbedder:
    """Return the embedder of the loopback server, with its vectors kept in the library."""
    return CachedEmbedder(EndpointEmbedder(base_url, "skimmer"), library)


async def chosen_for(shelf: AsyncShelf, asked: str, right: Report) -> Chosen:
    """Choose documents for one question; time spent waiting for the server is not counted."""
    question = Question(asked)
    agent = shelf.agent
    began, worked = perf_counter(), process_time()
    session = await agent.session(agent.plan)
    cards = shelf.cards()
    nearest = await shelf.nearest(question, cards)
    chosen = await choose(cards, question, session, most=4, nearest=nearest)
    taken, cpu = perf_counter() - began, process_time() - worked
    calls = session.trace.calls
    prompt = calls[0].prompt if calls else ""
    return Chosen(
        taken - sum(call.seconds for call in calls),
        cpu,
        tokens(prompt) if prompt else 0,  # as the server counts, by which estimates are corrected
        not prompt or right.card.title in prompt,
        right.card.document in {card.document for card in chosen},
    )


def measured(count: int, base_url: str, *, vectors: bool = False) -> dict[str, Value]:
    """Return the figures for a shelf of ``count`` documents, searched by words, and with ``vectors`` also by those."""
    with workplace() as home:
        reports = fill(home, count)
        with Library(home) as library:
            if vectors:
                asyncio.run(embedder_at(base_url, library).embed([card_text(one.card) for one in reports]))
        dice = random.Random(SEED)
        asked = [(dice.choice(reports), number % 2) for number in range(_QUESTIONS)]

        async def ask(some: list[tuple[Report, int]]) -> list[Chosen]:
            with Library(home) as library:
                async with AsyncReadAgent("skimmer", base_url=base_url, library=library, window=_WINDOW) as agent:
                    shelf = AsyncShelf(agent, "reports", embedder=embedder_at(base_url, library) if vectors else None)
                    return [await chosen_for(shelf, one.questions[which], one) for one, which in some]

        cold = [asyncio.run(ask([one]))[0] for one in asked[:5]]
        warm = asyncio.run(ask(asked))
    details = [one for one, (_, which) in zip(warm, asked, strict=True) if which == 1]
    return {
        "documents": count,
        "search": "words and vectors" if vectors else "words",
        "prompt tokens, most": max(one.tokens for one in warm),
        "own ms, cold": 1000 * median(one.seconds for one in cold),
        "own ms, warm": 1000 * median(one.seconds for one in warm),
        "own ms, slowest": 1000 * max(one.seconds for one in [*cold, *warm]),
        "CPU ms, warm": 1000 * median(one.cpu for one in warm),
        "right one shown, %": 100 * sum(one.shown for one in warm) / len(warm),
        "right one shown, details, %": 100 * sum(one.shown for one in details) / len(details),
        "right one chosen, %": 100 * sum(one.chosen for one in warm) / len(warm),
    }


def main() -> None:
    options = arguments(__doc__)
    sizes = (2, 10, 100) if options.quick else (2, 10, 100, 1000, 10_000)
    print(f"shelves of {', '.join(f'{count:,}' for count in sizes)} documents, a window of {_WINDOW:,} tokens")
    with loopback() as base_url:
        rows: Rows = [measured(count, base_url, vectors=vectors) for vectors in (False, True) for count in sizes]
    figures: dict[str, Value] = {"window_tokens": _WINDOW}
    for row in rows:
        count = f"{row['documents']}{'_with_vectors' if row['search'] != 'words' else ''}"
        figures |= {
            f"prompt_tokens_at_{count}": row["prompt tokens, most"],
            f"own_ms_cold_at_{count}": row["own ms, cold"],
            f"own_ms_warm_at_{count}": row["own ms, warm"],
            f"shown_percent_at_{count}": row["right one shown, %"],
            f"chosen_percent_at_{count}": row["right one chosen, %"],
        }
    figures["prompts_within_window"] = int(all(int(row["prompt tokens, most"]) <= _WINDOW for row in rows))
    if not options.quick:
        made_with = manifest(window=_WINDOW, questions=_QUESTIONS, chosen_at_most=4)
        write_results("shelf", "Choosing documents from a shelf", {"Choosing": rows}, made_with)
    print_figures(figures)


if __name__ == "__main__":
    main()
