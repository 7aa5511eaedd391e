"""Texts from 20,000 to a million words in 8,000 tokens: cost of a page and of a question, memory, and one more page.

Books are joined, and repeated with other names. Each length is read, asked and grown in a process of its own. Three of
the six words of a question are others than in the text. The questions are asked once more in a large window. The reader
is scripted and in the same process, so its own time is part of the CPU time, and what it holds is part of the memory.
Questions are made as for `small_window`, from a seed that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import process_time

from common import SEED, Rows, Value, book, manifest, opening, parser, print_figures, write_results
from window_questions import passages_of, questions_of
from window_reader import WindowReader, rarity_of

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.pages.growing import grow, lengthen
from readagent.core.plan import PRESETS
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.retrieval.hints import WordHinter

WINDOW, LARGE = 8_000, 1_000_000
LENGTHS = (20_000, 100_000, 500_000, 1_000_000)
QUESTIONS, REPLACED = 20, 3
HELD_OUT = SEED + 2
_NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")


class Remembering(WindowReader):
    """A reader that knows which prompts it has answered, as the library does."""

    def __init__(self, rarity: dict[str, float]) -> None:
        super().__init__(rarity, LARGE)
        self.answered = set[int]()
        self.new = 0

    async def complete(self, ask: Ask) -> Reply:
        """Return the reply to a prompt, and count it if it is new."""
        self.new += hash(ask.prompt) not in self.answered
        self.answered.add(hash(ask.prompt))
        return await super().complete(ask)


def text_of(words: int, data: Path | None) -> str:
    """Return books joined up to so many words; each repetition has other names."""
    books = [book(name, None, data, otherwise=words)[0] for name in ("war-and-peace", "don-quixote")]
    made, count, turn = list[str](), 0, 0
    while count < words:
        text = books[turn % 2]
        if turn > 1:
            text = _NAME.sub(lambda found: f"{found[0]}{'abcdefghij'[turn // 2 % 10]}", text)  # noqa: B023
        made.append(text)
        count += len(text.split())
        turn += 1
    return opening("\n\n".join(made), words)


async def figures_of(words: int, data: Path | None) -> dict[str, Value]:
    """Read, ask and grow a text of so many words."""
    fixed = peak_memory()
    text = text_of(words, data)
    document, window = Document.from_text(text), Window(WINDOW)
    reader = Remembering(rarity_of(passages_of(opening(text, 100_000))))
    plan = replace(choose_sizes(PRESETS["auto"], document, window), mode="paper")
    session = Session(reader, Prompts.load(), plan, window, Trace(keep_text=False), hinter=WordHinter())
    began = process_time()
    whole = await read(document, session)
    paged = process_time()
    calls = len(session.trace.calls)
    tree = await fit(whole, session)
    built, asked = process_time(), list[float]()
    small = await answers(tree, text, session, asked)
    large = await answers(tree, text, replace(session, window=Window(LARGE)), [])
    entries = len(session.trace.calls) - calls
    reader.new = 0
    longer = await grow(whole, lengthen(document, "\n\n" + opening(text, 3_000)), session)
    grown = reader.new
    reader.new = 0
    await fit(longer, session)
    pages, levels, level = len(whole.pages), 1, tree
    while level.finer is not None:
        levels, level = levels + 1, level.finer
    return {
        "words": words,
        "pages": pages,
        "levels": levels,
        "calls a page": round((calls + entries) / pages, 2),
        "CPU ms a page, reading": round(1000 * (paged - began) / pages, 1),
        "CPU ms a page, tree": round(1000 * (built - paged) / pages, 1),
        "CPU s of the first question": round(asked[0], 1),
        "CPU s of a later one": round(median(asked[1:]), 2),
        **small,
        **{f"{name}, {LARGE:,} tokens": value for name, value in large.items()},
        "calls for 3,000 more words": grown,
        "new calls for the tree then": reader.new,
        "entries of the tree": entries,
        "memory, MB": round(peak_memory()),
        "memory, MB a million words": round((peak_memory() - fixed) / words * 1_000_000),
    }


async def answers(memory: GistMemory, text: str, session: Session, seconds: list[float]) -> dict[str, Value]:
    """Ask about details all over the text; return what the answers took. ``seconds`` gets the CPU time of each."""
    calls, words, right = list[int](), list[int](), 0
    for one in questions_of(text, QUESTIONS, HELD_OUT, REPLACED):
        start = process_time()
        each = replace(session, trace=Trace(keep_text=False))
        answer = await ask(memory, Question(one.text), each)
        seconds.append(process_time() - start)
        calls.append(len(each.trace.calls))
        words.append(sum(call.prompt_words for call in each.trace.calls))
        right += any(memory.whole.pages[n].start <= one.at < memory.whole.pages[n].end for n in answer.pages)
    return {
        "calls a question": median(calls),
        "words a question": round(median(words)),
        f"right page, of {QUESTIONS}": right,
    }


def peak_memory() -> float:
    """Return the most memory that this process has held so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(words: int, options: argparse.Namespace) -> dict[str, Value]:
    """Run one length in a process of its own."""
    command = [
        sys.executable,
        __file__,
        "--words",
        str(words),
        *(["--data", str(options.data)] if options.data else []),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    row: dict[str, Value] = json.loads(done.stdout)
    return row


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--words", type=int, help="measure this length only, in this process, and print it as JSON")
    options = made.parse_args()
    if options.words:
        print(json.dumps(asyncio.run(figures_of(options.words, options.data))))
        return
    rows: Rows = [measured(words, options) for words in ((60_000,) if options.quick else LENGTHS)]
    if not options.quick:
        write_results(
            "very_long", "Very long texts in 8,000 tokens", {"From 20,000 to a million words": rows}, manifest()
        )
    last, new = rows[-1], int(rows[-1]["new calls for the tree then"])
    print_figures(
        {"pages": last["pages"], "memory_mb": last["memory, MB"], "calls_a_page": last["calls a page"],
         "new_calls_for_the_tree_at_most": next((most for most in (3, 6, 12) if new <= most), "more")}
    )  # fmt: skip


if __name__ == "__main__":
    main()
