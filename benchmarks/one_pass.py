"""Words sent in one pass relative to the text, and calls, for texts with and without chapters in windows of four sizes.

A scripted model reads the story sample (or the example story), generated texts with chapters of 150 to 1,500 words, and
the opening of a book with and without its headings. Words are counted from the prompts, templates included. Sizes of
pages follow from text and window, as without a preset. Merging a memory that is too long for the window is counted
apart. A second table compares the modes, for a model that can read in one pass and one that cannot.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path

from common import SEED, STORY, Rows, Value, arguments, book, dataset, generated, manifest, print_figures, write_results

from readagent.core.document import Document
from readagent.core.gists.parts import fit
from readagent.core.gists.sizes import choose_sizes
from readagent.core.plan import Mode, preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Modes, Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.loaders.formats import Options
from readagent.loaders.markdown import parse
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits

_WINDOWS = (None, 32_768, 8_192, 4_096)
_MODES: dict[Mode, str] = {"paper": "two steps (paper)", "fast": "one pass (fast)", "auto": "found out (auto)"}
_PLAN = replace(preset("auto"), mode="fast")


def with_chapters(words: int) -> str:
    """Return generated prose, in Markdown, in chapters of 150 to 1,500 words."""
    dice = random.Random(SEED)
    paragraphs = iter([one for one in generated(2 * words).split("\n\n") if not one.startswith("Chapter")])
    parts: list[str] = []
    count = wanted = chapter = 0
    while count < words:
        if count >= wanted:
            chapter, wanted = chapter + 1, count + dice.randint(150, 1500)
            parts.append(f"# Chapter {chapter}")
        parts.append(next(paragraphs))
        count += len(parts[-1].split())
    return "\n\n".join(parts)


def texts(data: Path | None, *, quick: bool) -> dict[str, list[Document]]:
    """Return the texts by kind."""
    sample = dataset(data, "quality/QuALITY.sample.dev.jsonl")
    lines = [] if sample is None else sample.read_text("utf-8").splitlines()
    stories = [json.loads(line)["article"] for line in lines] or [STORY.read_text("utf-8")]
    found = {"stories": [Document.from_text(story) for story in stories],
             "chapters, 4,000 words": [_markdown(with_chapters(4_000))]}  # fmt: skip
    if not quick:
        opening, name = book("war-and-peace", 70_000, data, otherwise=70_000)
        found |= {
            "chapters, 20,000 words": [_markdown(with_chapters(20_000))],
            f"{name}, 70,000 words, with chapters": [_markdown(opening)],
            f"{name}, 70,000 words, without": [Document.from_text(opening)],
        }
        if (whole := dataset(data, "books/war-and-peace.md")) is not None:
            found["war-and-peace, all"] = [_markdown(whole.read_text("utf-8"))]
    return found


def _markdown(text: str) -> Document:
    return parse(text.encode(), "text.md", Options())


async def row(name: str, documents: list[Document], window: int | None) -> dict[str, Value]:
    """Read documents in one pass and count."""
    words = pages = 0
    reading, merging = Trace(keep_text=False), Trace(keep_text=False)
    for document in documents:
        plan = choose_sizes(_PLAN, document, Window(window))
        session = Session(Skimmer(), Prompts.load(), plan, Window(window), reading)
        memory = await read(document, session)
        await fit(memory, replace(session, trace=merging))
        words, pages = words + document.words, pages + len(memory.pages)
    steps = reading.steps()
    return {
        "text": name,
        "window": window or "unknown",
        "texts": len(documents),
        "words": words,
        "pages": pages,
        "calls": len(reading.calls),
        "gists alone": steps.get("gist", 0),
        "moved pauses": len(reading.fallbacks),
        "words sent": reading.words_read / words,
        "for merging": merging.words_read / words,
    }


async def compared(name: str, documents: list[Document], mode: Mode, *, able: bool) -> dict[str, Value]:
    """Read documents one after another in a mode, as one agent does, and count."""
    trace, modes = Trace(keep_text=False), Modes()
    for document in documents:
        plan = choose_sizes(replace(_PLAN, mode=mode), document, Window())
        model = Skimmer(Habits(one_pass=able))
        await read(document, Session(model, Prompts.load(), plan, Window(), trace, modes=modes))
    return {
        "text": name,
        "model reads in one pass": "yes" if able else "no",
        "mode": _MODES[mode],
        "calls": len(trace.calls),
        "words sent": trace.words_read / sum(document.words for document in documents),
        "windows without a page": sum(one.taken.startswith("pages of even") for one in trace.fallbacks),
    }


def main() -> None:
    options = arguments(__doc__)
    rows: list[dict[str, Value]] = []
    found = texts(options.data, quick=options.quick)
    for name, documents in found.items():
        for window in _WINDOWS:
            rows.append(asyncio.run(row(name, documents, window)))
            print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    comparison = [
        asyncio.run(compared(name, documents, mode, able=able))
        for name, documents in found.items()
        if name == "stories" or name.endswith("70,000 words, without")
        for able in (True, False)
        for mode in _MODES
    ]
    stories = {(one["model reads in one pass"], one["mode"]): one["words sent"] for one in comparison[:6]}
    figures: dict[str, Value] = {
        "words_sent_if_the_model_can": stories["yes", _MODES["auto"]],
        "words_sent_if_it_cannot": stories["no", _MODES["auto"]],
        "most_words_sent": _most(rows, None),
        "most_words_sent_in_8k": _most(rows, 8_192),
        "gists_alone_of_100_pages": 100 * _sum(rows, "gists alone") / _sum(rows, "pages"),
    }
    if not options.quick:
        parts: dict[str, Rows | str] = {"Words sent relative to the text": rows, "Modes": comparison}
        model = "Skimmer: gists as long as asked for, pauses at three quarters of the legal labels"
        plan = "auto, mode fast, but for the comparison of modes"
        write_results("one_pass", "One pass", parts, manifest(model=model, plan=plan))
    print_figures(figures)


def _most(rows: list[dict[str, Value]], window: int | None) -> float:
    return max(float(one["words sent"]) for one in rows if one["window"] == (window or "unknown"))


def _sum(rows: list[dict[str, Value]], column: str) -> int:
    return sum(int(one[column]) for one in rows)


if __name__ == "__main__":
    main()
