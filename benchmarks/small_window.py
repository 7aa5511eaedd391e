"""Long texts in small windows: is the right page opened? War and Peace, Don Quixote and a long meeting.

Questions are made from sentences of the raw text, so that neither gists nor search are sure to have their words: see
`window_questions`. The reader is scripted, sees only its prompt and refuses prompts longer than its window: see
`window_reader`. Each text is read once per window. BM25 over the same pages may open as many as fill all prompts of the
question, although no window of that size holds these.
"""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from time import process_time

from common import SEED, Rows, Value, book, dataset, manifest, parser, print_figures, workplace, write_results
from window_questions import Asked, passages_of, questions_of
from window_reader import WindowReader, rarity_of

from readagent import load
from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.gists.sizes import choose_sizes
from readagent.core.memory import GistMemory
from readagent.core.plan import PRESETS
from readagent.core.prompts import Prompts
from readagent.core.question import Question
from readagent.core.reading import ask, read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.retrieval.bm25 import Bm25
from readagent.retrieval.hints import WordHinter

WINDOWS = (4_000, 8_000, None)
QUESTIONS = 24
HELD_OUT = SEED + 2  # nothing was tuned on these; on those of SEED the tree was, and SEED + 1 was in earlier results
REPLACED = (3, 4, 5)  # words of the six of a question that a search does not know
MEETINGS = 12


@dataclass(frozen=True, slots=True)
class Text:
    """A text to read, and the questions about it by the number of words that are replaced."""

    name: str
    document: Document
    questions: Mapping[int, Sequence[Asked]]


@dataclass(frozen=True, slots=True)
class Read:
    """A memory of a text for a window, as it is asked, and what reading it took."""

    memory: GistMemory
    session: Session
    ratio: float
    tree_ratio: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What happened to one question."""

    right: bool
    calls: int
    prompts: tuple[int, ...]  # their tokens
    words: int
    new_words: int  # without those that a server with a prefix cache has


async def read_in(text: Text, rarity: dict[str, float], window: int | None) -> Read:
    """Read a text with the default plan, but in two steps, its sizes chosen for the window."""
    size = Window(window)
    plan = choose_sizes(replace(PRESETS["auto"], mode="paper"), text.document, size)
    session = Session(WindowReader(rarity, window), Prompts.load(), plan, size, Trace(keep_text=False))
    began = process_time()
    whole = await read(text.document, session)
    words = session.trace.words_read
    memory = await fit(whole, session)
    tree = session.trace.words_read - words
    total = text.document.words
    return Read(
        memory,
        replace(session, hinter=WordHinter()),
        words / total,
        tree / max(1, whole.words()),
        process_time() - began,
    )


async def outcome_of(asked: Asked, made: Read) -> Outcome:
    """Ask a question, and see whether the page with its sentence was opened."""
    session = replace(made.session, trace=Trace())
    answer = await ask(made.memory, Question(asked.text), session)
    count, calls = session.window.count, [call for call in session.trace.calls if call.step != "check"]
    return Outcome(
        right_page(made.memory.whole, asked) in answer.pages,
        len(calls),
        tuple(count(call.prompt) for call in calls),
        sum(call.prompt_words for call in calls),
        sum(call.prompt_words - call.shared_words for call in calls),
    )


def right_page(memory: GistMemory, asked: Asked) -> int:
    """Return the number of the page with the sentence that a question was made from."""
    return bisect_right(memory.pages, asked.at, key=lambda page: page.start) - 1


class Search:
    """BM25 over the pages of a memory."""

    def __init__(self, memory: GistMemory, session: Session) -> None:
        texts = [memory.page_text(page.number) for page in memory.pages]
        self._memory, self._index = memory, Bm25(texts)
        self._sizes = [session.window.count(text) for text in texts]

    def tokens(self, asked: Asked) -> int:
        """Return the tokens of the pages that it finds, up to the right one."""
        scores = self._index.scores(asked.text)
        order = sorted(range(len(scores)), key=lambda number: -scores[number])
        last = order.index(right_page(self._memory, asked))
        return sum(self._sizes[number] for number in order[: last + 1])


async def rows_of(text: Text, rarity: dict[str, float], window: int | None) -> tuple[dict[str, Value], Rows]:
    """One text in one window: its tree, and what was found, for each number of replaced words."""
    made = await read_in(text, rarity, window)
    whole, levels, level = made.memory.whole, 1, made.memory
    while level.finer is not None:
        levels, level = levels + 1, level.finer
    search, found = Search(whole, made.session), list[dict[str, Value]]()
    every = list[Outcome]()
    for replaced, questions in text.questions.items():
        asked = [await outcome_of(one, made) for one in questions]
        pairs = list(zip([search.tokens(one) for one in questions], asked, strict=True))
        found.append(
            {
                "text": text.name,
                "window": window or "full",
                "words replaced": replaced,
                "right page %": percent(one.right for one in asked),
                "BM25, tokens of all prompts %": percent(needed <= sum(one.prompts) for needed, one in pairs),
                "calls a question, median": median(one.calls for one in asked),
                "calls a question, most": max(one.calls for one in asked),
                "words a question, median": round(median(one.words for one in asked)),
                "of them new to a prefix cache, median": round(median(one.new_words for one in asked)),
            }
        )
        every += asked
    tree: dict[str, Value] = {
        "text": text.name,
        "window": window or "full",
        "levels": levels,
        "pages": len(whole.pages),
        "entries at the top": len(made.memory.pages) if levels > 1 else 0,
        "tokens of the first prompt": round(fmean(one.prompts[0] for one in every)),
        "words read ratio": round(made.ratio, 2),
        "index, words read per gist word": round(made.tree_ratio, 2),
        "CPU s to read": round(made.seconds, 1),
    }
    return tree, found


def percent(shares: Iterable[bool]) -> float:
    """Return how many are true."""
    return round(100 * fmean(shares), 1)


def texts_of(data: Path | None, only: str | None, *, quick: bool) -> list[Text]:
    """Return the texts; generated ones where the data are not there, and short ones for a quick run."""
    words, count, replaced = (60_000, 8, REPLACED[1:2]) if quick else (None, QUESTIONS, REPLACED)
    made = [
        (name, document_of(*book(name, words, data, otherwise=size)))
        for name, size in (("war-and-peace", 562_000), ("don-quixote", 401_000))
    ][: 1 if quick else 2]
    if not quick and (meeting := meetings(data)) is not None:
        made.append((f"{MEETINGS} meetings", meeting))
    return [
        Text(name, text, {many: questions_of(text.text, count, HELD_OUT, many) for many in replaced})
        for name, text in made
        if only in (None, name)
    ]


def document_of(text: str, name: str) -> Document:
    """Return a text in Markdown as a document with headings."""
    with workplace() as folder:
        (folder / f"{name}.md").write_text(text, "utf-8")
        return load(folder / f"{name}.md")


def meetings(data: Path | None) -> Document | None:
    """Return the longest meetings of QMSum's validation set as one transcript."""
    file = dataset(data, "qmsum/val.jsonl")
    if file is None:
        return None
    said = [
        "\n\n".join(f"{turn['speaker']}: {turn['content'].strip()}" for turn in json.loads(line)["meeting_transcripts"])
        for line in file.read_text("utf-8").splitlines()
    ]
    longest = sorted(said, key=lambda one: -len(one.split()))[:MEETINGS]
    return document_of("\n\n".join(f"# Meeting {n}\n\n{one}" for n, one in enumerate(longest, 1)), "meetings")


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--text", help="this text only; print its rows as JSON, and write no result file")
    options = made.parse_args()
    trees, found = list[dict[str, Value]](), list[Mapping[str, Value]]()
    for text in texts_of(options.data, options.text, quick=options.quick):
        rarity = rarity_of(passages_of(text.document.text))
        for window in (4_000, None) if options.quick else WINDOWS:
            tree, rows = asyncio.run(rows_of(text, rarity, window))
            trees.append(tree)
            found += rows
            print(json.dumps([tree, rows]), flush=True)
    if not options.quick and not options.text:
        write(trees, found)
    print_figures({figure_name(row, key): row[key] for row in (*trees, *found) for key in list(row)[2:]})


def write(trees: Rows, found: Rows) -> None:
    """Write the result file."""
    about = manifest(
        questions=f"{QUESTIONS} for each text, from a seed that nothing was tuned on; the same with 3, 4 and 5 words "
        "of six replaced",
        reader="scripted, in the same process: see window_reader.py",
    )
    tables = {"Is the right page opened?": found, "Readings and first prompts": trees}
    write_results("small_window", "Long texts in small windows", tables, about)


def figure_name(row: dict[str, Value], key: str) -> str:
    """Return the name of a figure: `window_8000_right_page_percent`."""
    return f"window_{row['window']}_{key.replace('%', 'percent')}".replace(" ", "_").replace(",", "")


if __name__ == "__main__":
    main()
