"""Growing texts: the cost of one more page after 10 to 1,000 pages, and the length of the memory then.

A generated text is appended page by page with the scripted Skimmer, as a conversation grows: pages are closed when they
are full, and after each the memory is aged, as if a question were asked. The table has calls and words of prompts
(templates included) per added page, compared with reading the whole text again each time. Ageing keeps the gists of the
newest 8 pages and shortens older ones to no less than 25 words. A second table adds turns of about 45 words to a
conversation in a library; it has our own time per turn, and the size of the file relative to the text.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter

from common import Value, arguments, generated, manifest, print_figures, workplace, write_results

from readagent import Conversation, Library, ReadAgent
from readagent.conversation import TALK
from readagent.core.asking.position import cut
from readagent.core.document import Document
from readagent.core.gists.rewrite import shorten_older
from readagent.core.memory import Gist, GistMemory
from readagent.core.pages.growing import closed_pages, grow
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.testing.scripted import Skimmer

PAGE_WORDS = 450  # appended at once: about a page
TURN_WORDS = 45


def session() -> Session:
    return Session(Skimmer(), Prompts.load(), TALK, trace=Trace(keep_text=False))


@dataclass(slots=True)
class History:
    """A growing memory, the shorter gists made so far, and the cost of the added pages."""

    memory: GistMemory
    levels: dict[tuple[int, int], Gist] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)
    words: int = 0

    async def add(self, document: Document) -> None:
        """Grow to this document, and age the memory."""
        growing, ageing = session(), session()
        self.memory = await grow(self.memory, document, growing, live=True)
        await shorten_older(self.memory, ageing, self.levels)
        self.calls.update(growing.trace.steps())
        self.calls["shorten again"] += len(ageing.trace.calls)
        self.words += growing.trace.words_read + ageing.trace.words_read


async def grown(document: Document, marks: list[int]) -> list[dict[str, Value]]:
    """Return a row per mark: the cost of a page since the previous mark, and the size of the memory."""
    ends = [one.end for one in document.paragraphs]
    history = History(GistMemory(cut(document, 0), (), (), TALK, "skimmer", ""))
    at_once = session()
    await read(cut(document, ends[min(len(ends), 200) - 1]), at_once)
    per_word = at_once.trace.words_read / cut(document, ends[min(len(ends), 200) - 1]).words
    rows, waiting, before, reread = [], 0, 0, 0.0
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        waiting += len(document.text[start:end].split())
        if waiting < PAGE_WORDS:
            continue
        known, waiting = len(closed_pages(history.memory)), 0
        await history.add(cut(document, end))
        pages = len(closed_pages(history.memory))
        reread += (pages - known) * per_word * history.memory.full_words
        if pages >= marks[0]:
            rows.append(await measured(history, pages - before, reread))
            before, reread = pages, 0.0
            history.calls.clear()
            history.words = 0
            marks = marks[1:]
            if not marks:
                break
    return rows


async def measured(history: History, pages: int, reread: float) -> dict[str, Value]:
    """Return the figures of the pages added since the previous mark."""
    memory, view = history.memory, await shorten_older(history.memory, session(), history.levels)
    return {
        "pages": len(closed_pages(memory)),
        "text words": memory.full_words,
        "pause calls a page": history.calls["paginate"] / pages,
        "gist calls a page": history.calls["gist"] / pages,
        "ageing calls a page": history.calls["shorten again"] / pages,
        "words read a page": history.words / pages,
        "reading all again": reread / pages,
        "ratio": reread / history.words,
        "gists": memory.words() - memory.gists[-1].words,
        "gists, aged": view.words() - view.gists[-1].words,
        "share of the text": view.words() / memory.full_words,
    }


def talked(text: str, marks: list[int]) -> list[dict[str, Value]]:
    """Return a row per mark for a conversation in a library: our own time per turn, and bytes on disk."""
    words, rows, times = text.split(), [], list[float]()
    with workplace() as home, Library(home) as library, ReadAgent(Skimmer(), library=library) as agent:
        talk = Conversation(agent, "long talk")
        for at in range(0, len(words), TURN_WORDS):
            began = perf_counter()
            talk.add("Ann" if at % 2 else "Bo", " ".join(words[at : at + TURN_WORDS]))
            times.append(perf_counter() - began)
            pages = len(closed_pages(talk.memory()))
            if pages >= marks[0]:
                size, last = len(talk.memory().document.text), sorted(times[-100:])
                rows.append(
                    {
                        "pages": pages,
                        "turns": len(times),
                        "milliseconds a turn": 1000 * last[len(last) // 2],
                        "text, kB": size / 1000,
                        "library, bytes for each of the text": settled_size(library) / size,
                    }
                )
                marks = marks[1:]
            if not marks:
                break
    return rows


def settled_size(library: Library) -> int:
    """Return the bytes on disk without the write-ahead log of SQLite."""
    library.close()
    return library.size()


def main() -> None:
    options = arguments(__doc__)
    marks = [10, 30] if options.quick else [10, 30, 100, 300, 1000]
    text = generated(int(1.15 * PAGE_WORDS * marks[-1]))
    rows = asyncio.run(grown(Document.from_text(text), list(marks)))
    turns = talked(text, [mark for mark in marks if mark <= 300])
    figures: dict[str, Value] = {}
    for row in rows:
        figures |= {f"words_read_a_page_at_{row['pages']}": row["words read a page"],
                    f"ageing_calls_a_page_at_{row['pages']}": row["ageing calls a page"],
                    f"aged_share_at_{row['pages']}": row["share of the text"]}  # fmt: skip
    figures["times_less_than_reading_again"] = rows[-1]["ratio"]
    figures["milliseconds_a_turn"] = turns[-1]["milliseconds a turn"]
    if not options.quick:
        plan = "meetings (600/280), recent 8, floor 25"
        about = manifest(text="generated", model="Skimmer, in the same process", plan=plan)
        write_results("growing", "What one more page costs", {"One page more": rows, "One turn more": turns}, about)
    print_figures(figures)


if __name__ == "__main__":
    main()
