"""Words sent in one pass relative to the text, and calls, for texts with and without chapters in windows of four sizes.

A scripted model reads the story sample (or the example story), generated texts with chapters of 150 to 1,500 words, and
the opening of a book with and without its headings. Words are counted from the prompts, templates included. Sizes of
pages follow from text and window, as without a preset. Merging a memory that is too long for the window is counted
apart.
"""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path

from common import SEED, STORY, Rows, Value, arguments, book, dataset, generated, manifest, print_figures, write_results

from readagent.core.document import Document
from readagent.core.gists.merge import fit
from readagent.core.gists.sizes import choose_sizes
from readagent.core.plan import preset
from readagent.core.prompts import Prompts
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.trace import Trace
from readagent.core.window import Window
from readagent.loaders.formats import Options
from readagent.loaders.markdown.parser import parse
from readagent.testing.scripted import Skimmer

_WINDOWS = (None, 32_768, 8_192, 4_096)
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


def main() -> None:
    options = arguments(__doc__)
    rows: list[dict[str, Value]] = []
    for name, documents in texts(options.data, quick=options.quick).items():
        for window in _WINDOWS:
            rows.append(asyncio.run(row(name, documents, window)))
            print(", ".join(f"{key} {value}" for key, value in rows[-1].items()), flush=True)
    figures: dict[str, Value] = {
        "most_words_sent": _most(rows, None),
        "most_words_sent_in_8k": _most(rows, 8_192),
        "gists_alone_of_100_pages": 100 * _sum(rows, "gists alone") / _sum(rows, "pages"),
    }
    if not options.quick:
        parts: dict[str, Rows | str] = {"Words sent relative to the text": rows}
        model = "Skimmer: gists as long as asked for, pauses at three quarters of the legal labels"
        write_results("one_pass", "One pass", parts, manifest(model=model, plan="auto, mode fast"))
    print_figures(figures)


def _most(rows: list[dict[str, Value]], window: int | None) -> float:
    return max(float(one["words sent"]) for one in rows if one["window"] == (window or "unknown"))


def _sum(rows: list[dict[str, Value]], column: str) -> int:
    return sum(int(one[column]) for one in rows)


if __name__ == "__main__":
    main()
