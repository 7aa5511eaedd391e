"""Reading with the embedded reader: does it pause where sections start, how fast is it, how much memory does it use?"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from common import Ran, Rows, Value, book, opening, run, workplace
from embedded_setup import Setup

from readagent.core.document import Document
from readagent.core.pages.breaks import PageBreaks
from readagent.core.pages.paginate import find_pages

BOOK = "war-and-peace"
QUESTIONS = ("Who is Anna Pavlovna Scherer?", "Where does the regiment march to?")
_HEADING = re.compile(r"(?m)^#.*\n+")

Result = tuple[dict[str, Rows], dict[str, Value]]


def without_headings(text: str) -> tuple[str, list[int]]:
    """Return a Markdown text without its headings, and the offsets of its sections but the first."""
    bounds = [0, *(place for match in _HEADING.finditer(text) for place in match.span()), len(text)]
    kept, starts, size = [], [], 0
    for begin, end in list(pairwise(bounds))[::2]:
        if text[begin:end].strip():
            starts.append(size)
            kept.append(text[begin:end])
            size += end - begin
    return "".join(kept), starts[1:]


def chapters(file: Path, words: int) -> str:
    """Return the first ``words`` words of a book, from its first chapter on."""
    text = file.read_text("utf-8")
    return opening(text[text.index("BOOK ONE") :].partition("\n")[2], words)


async def pauses(file: Path, setup: Setup, words: int) -> Result:
    """Return the share of section starts at which a page starts."""
    text, starts = without_headings(chapters(file, words))
    document = Document.from_text(text)
    assert set(starts) <= {paragraph.start for paragraph in document.paragraphs}
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {"pauses_section_starts": len(starts)}
    for plan in ("books", "articles"):
        session = setup.session(plan)
        pages = await find_pages(document, session)
        setup.count(session)
        mean = round(document.words / len(pages))
        even = PageBreaks(document, replace(session.plan, page_words=mean, min_page_words=1)).uniform()
        met, met_even = (len({page.start for page in some} & set(starts)) / len(starts) for some in (pages, even))
        chance = (len(pages) - 1) / (len(document.paragraphs) - 1)
        rows.append({"text": BOOK, "words": document.words, "sections": len(starts), "preset": plan,
                     "pages": len(pages), "met": 100 * met, "by uniform pages": 100 * met_even,
                     "by any paragraph": 100 * chance})  # fmt: skip
        figures |= {f"pauses_{plan}_pages": len(pages), f"pauses_{plan}_met": 100 * met,
                    f"pauses_{plan}_uniform_met": 100 * met_even, f"pauses_{plan}_chance": 100 * chance}  # fmt: skip
    return {"Pauses where sections begin": rows}, figures


def speed(weights: Path, data: Path | None, words: int) -> Result:
    """Measure one reading and two questions through the command line, with an empty library."""
    text, title = book(BOOK, words, data, otherwise=words)
    size = len(text.split())
    command, how = [sys.executable, "-m", "readagent"], ["--preset", "books", "--model", "local"]
    with workplace() as home:
        (home / "models").symlink_to(weights, target_is_directory=True)
        (home / "book.txt").write_text(text, "utf-8")
        reading = run([*command, "read", "book.txt", *how], home)
        asking = [run([*command, "ask", "book.txt", question, *how], home) for question in QUESTIONS]
    for ran in (reading, *asking):
        if ran.code:
            raise SystemExit(f"a command failed: {ran.err}")
    done = {"read": reading, "ask": asking[0], "ask again": asking[1]}
    rows = [_row(name, title, size, ran) for name, ran in done.items()]
    figures: dict[str, Value] = {
        "speed_words": size, "speed_words_a_second": size / reading.seconds,
        "speed_words_a_cpu_second": size / reading.cpu_seconds, "speed_read_peak_mb": reading.peak_mb,
        "speed_ask_seconds": asking[0].seconds, "speed_ask_cpu_seconds": asking[0].cpu_seconds,
        "speed_ask_peak_mb": max(ran.peak_mb for ran in asking),
    }  # fmt: skip
    return {"Speed and memory": rows}, figures


def _row(name: str, title: str, words: int, ran: Ran) -> dict[str, Value]:
    took: dict[str, Value] = {"seconds": ran.seconds, "CPU seconds": ran.cpu_seconds, "largest process MB": ran.peak_mb}
    return {"command": name, "text": title, "words": words, **took}
