"""The cost of our own code: CPU per call and page at five sizes, start-up time, and opening a book.

The CPU time of a reading is measured with a model that looks up prepared replies, library writes included; the time of
the look-ups themselves is subtracted. A flat cost per page from 10,000 to a million words (generated) shows that
nothing grows faster than the text. Start-up is wall time, the median of alternating runs, relative to a bare click
program that prints its help. Opening is the time to load a book from the library and render its look-up prompt.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from common import (
    Rows,
    Value,
    arguments,
    book,
    environment,
    generated,
    manifest,
    print_figures,
    workplace,
    write_results,
)

from readagent.agent import AsyncReadAgent
from readagent.core.asking.lookup import pages_choice
from readagent.core.asking.situation import Situation
from readagent.core.document import Document
from readagent.core.model import Ask, Reply
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.library import Library
from readagent.testing.scripted import ScriptedModel, Skimmer

_PLAN = preset("articles")
_CLICK = "import click\n@click.command()\ndef hello():\n    'Say hello.'\nhello()"
_STARTS = {
    "bare click program": [_CLICK, "--help"],
    "python alone": ["pass"],
    "import readagent": ["import readagent"],
    "import the agent": ["from readagent import ReadAgent"],
    "readagent --help": ["from readagent.cli import main; main()", "--help"],
    "readagent list": ["from readagent.cli import main; main()", "list"],
}


class Table:
    """The replies of a skimmer, computed in advance."""

    def __init__(self, document: Document) -> None:
        self.replies: dict[str, Reply] = {}
        self.asks: list[Ask] = []
        self._skimmer = Skimmer()
        asyncio.run(self._learn(document))

    async def _learn(self, document: Document) -> None:
        async with AsyncReadAgent(self, plan=_PLAN) as agent:
            await agent.read(document)

    @property
    def name(self) -> str:
        return "table"

    async def complete(self, ask: Ask) -> Reply:
        """Skim, and keep the reply."""
        reply = self.replies[ask.prompt] = await self._skimmer.complete(ask)
        self.asks.append(ask)
        return reply

    def model(self) -> ScriptedModel:
        """Return a model that only looks up replies."""
        return ScriptedModel(lambda ask: self.replies[ask.prompt], name="table")


def read_once(document: Document, table: Table) -> tuple[float, int]:
    """Return the CPU seconds of a reading into an empty library, without the model, and the number of pages."""
    with workplace() as home, Library(home) as library:
        library.documents()  # creates the file before the clock starts

        async def reading() -> int:
            async with AsyncReadAgent(table.model(), library=library, plan=_PLAN) as agent:
                return len((await agent.read(document)).pages)

        began = process_time()
        pages = asyncio.run(reading())
        taken = process_time() - began
    return taken - alone(table), pages


def alone(table: Table) -> float:
    """Return the CPU seconds of the model itself for the same calls."""

    async def replies() -> None:
        model = table.model()
        for ask in table.asks:
            await model.complete(ask)

    began = process_time()
    asyncio.run(replies())
    return process_time() - began


def reading_cost(words: int, data: Path | None) -> dict[str, Value]:
    """Return our CPU time for a reading of ``words`` words: the median of a few runs."""
    text, _ = book("war-and-peace", words, data, otherwise=words) if words <= 500_000 else (generated(words), "")
    began = process_time()
    document = Document.from_text(text)
    loading = process_time() - began
    table = Table(document)
    runs = [read_once(document, table) for _ in range(9 if words < 5_000 else 3)]
    seconds, pages, calls = median(taken for taken, _ in runs), runs[0][1], len(table.asks)
    return {
        "words": document.words,
        "pages": pages,
        "calls": calls,
        "ms a call": 1000 * seconds / calls,
        "ms a page": 1000 * seconds / pages,
        "CPU seconds": seconds,
        "finding paragraphs, ms": 1000 * loading,
    }


def start_up(times: int) -> list[dict[str, Value]]:
    """Return the wall time of short programs, run alternately, and their ratio to the bare click program."""
    taken: dict[str, list[float]] = {name: [] for name in _STARTS}
    with workplace() as home:
        for _ in range(times + 1):
            for name, command in _STARTS.items():
                began = perf_counter()
                subprocess.run([sys.executable, "-c", *command], cwd=home, env=environment(home), capture_output=True,
                               check=True)  # fmt: skip
                taken[name].append(perf_counter() - began)
    medians = {name: median(some[1:]) for name, some in taken.items()}
    bare = medians["bare click program"]
    return [{"program": name, "ms": 1000 * one, "ratio": one / bare} for name, one in medians.items()]


def opening(words: int | None, data: Path | None) -> dict[str, Value]:
    """Return the milliseconds from a library on disk to a rendered look-up prompt."""
    text, name = book("war-and-peace", words, data, otherwise=562_000)
    document = Document.from_text(text)
    table = Table(document)
    with workplace() as home:
        with Library(home) as library:

            async def reading() -> None:
                async with AsyncReadAgent(table.model(), library=library, plan=_PLAN) as agent:
                    await agent.read(document)

            asyncio.run(reading())
        opened, rendered, prompt = [], [], ""
        for _ in range(7):
            took, prompt = _open_and_render(home, document.id)
            opened.append(took[0])
            rendered.append(took[1])
    return {"book": name, "words": document.words, "opening, ms": 1000 * median(opened),
            "rendering, ms": 1000 * median(rendered), "prompt tokens": estimate_tokens(prompt)}  # fmt: skip


def _open_and_render(home: Path, document_id: str) -> tuple[tuple[float, float], str]:
    began = perf_counter()
    with Library(home) as library:
        memory = library.memory(document_id)
    opened = perf_counter()
    assert memory is not None
    situation = Situation.of(memory, Question("Who was at the ball?"))
    session, pages = Session(Skimmer(), Prompts.load(), memory.plan), pages_choice(situation, 6)
    prompt = situation.prompt(session, "look_up", form=pages, most=6, last=len(memory.pages) - 1)
    return (opened - began, perf_counter() - opened), prompt


def main() -> None:
    options = arguments(__doc__)
    sizes = (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000, 500_000, 1_000_000)
    print(f"readings of {', '.join(f'{words:,}' for words in sizes)} words, starts, and opening a book")
    costs = [reading_cost(words, options.data) for words in sizes]
    starts = start_up(2 if options.quick else 21)
    opened = opening(10_000 if options.quick else None, options.data)
    figures: dict[str, Value] = {}
    for words, row in zip(sizes, costs, strict=True):
        figures |= {f"ms_a_call_at_{words}_words": row["ms a call"], f"ms_a_page_at_{words}_words": row["ms a page"]}
    figures["page_cost_growth_10000_to_most"] = float(costs[-1]["ms a page"]) / float(costs[1]["ms a page"])
    for row in starts[1:]:
        figures[f"{str(row['program']).replace(' --', '_').replace(' ', '_')}_to_bare_click"] = row["ratio"]
    figures |= {"opened_words": opened["words"], "open_ms": opened["opening, ms"],
                "render_prompt_ms": opened["rendering, ms"]}  # fmt: skip
    if not options.quick:
        parts: dict[str, Rows | str] = {
            "CPU of a reading, without the model's": costs,
            "Starting": starts,
            "Opening a book": [opened],
        }
        write_results("overhead", "The cost of our own code", parts, manifest(preset="articles (600/280)"))
    print_figures(figures)


if __name__ == "__main__":
    main()
