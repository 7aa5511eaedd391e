"""A whole book read through the command line with the scripted server: memory, pages, tags, and faulty replies.

The reader and the server are separate processes. Each reading is checked in the library: every page is within the
bounds of its preset (the last may be shorter), the pages cover the text, every gist is under its tag and in order, and
an opened page is in its place. With 30 % of the replies faulty (rate limits, server errors, truncated, malformed, empty
and refused replies), the memory must show no trace of a failure: every gist is the one of the scripted model for its
page, or the opening sentences of the page, marked as such and counted as a fallback. The full run reads a book of
400,000 words with two presets; ``small_window.py`` measures a small window.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

from common import (
    SEED,
    Ran,
    Rows,
    Value,
    arguments,
    book,
    loopback,
    manifest,
    print_figures,
    run,
    workplace,
    write_results,
)

from readagent.core.gists.shorten import VERBATIM_WORDS
from readagent.core.gists.sizes import aimed_words
from readagent.core.memory import GistMemory
from readagent.core.pages.breaks import section_ends
from readagent.core.tokens import estimate_tokens
from readagent.core.words import WordIndex, count_words
from readagent.library import Library
from readagent.testing.skim import DEFAULT_HABITS, gist

_TAG = re.compile(r"^<Page (\d+)>$", re.M)
_FAILURES = ("I'm sorry, but I can't", "Rate limit reached", "The server had an error", "Bad Gateway", "<html",
             '"error"', "chatcmpl", "Traceback", "Error:", "Failed to")  # fmt: skip
_FIGURES = ("words", "pages", "pages in bounds", "tags and order", "peak MB", "seconds", "calls", "words read ratio",
            "library MB")  # fmt: skip
_FAULTY = ("failure texts", "gists as due", "fallbacks", "notes shown")


def reading(text: str, preset_name: str, *, faulty: float = 0.0) -> dict[str, Value]:
    """Read through the command line and return the figures."""
    with workplace() as home, loopback("--fault-rate", str(faulty), "--seed", str(SEED)) as url:
        (home / "book.md").write_text(text, "utf-8")
        flags = ["--base-url", url, "--model", "skimmer", "--preset", preset_name, "--json"]
        ran = run([sys.executable, "-m", "readagent", "read", "book.md", *flags], home)
        if ran.code:
            sys.exit(f"the reading failed: {ran.err}")
        return _figures(ran, home, preset_name, faulty)


def _figures(ran: Ran, home: Path, preset_name: str, faulty: float) -> dict[str, Value]:
    record = json.loads(ran.out)
    with Library(home) as library:
        memory = library.memory(record["id"])
        size = library.size()
    assert memory is not None
    fallbacks = Counter(fallback["step"] for fallback in record["fallbacks"])
    notes = [line for line in ran.err.splitlines() if line.startswith("note:")]
    calls = record["calls"]
    return {
        "preset": preset_name,
        "faulty": f"{faulty:.0%}",
        "words": record["words"],
        "pages": len(memory.pages),
        "pages in bounds": in_bounds(memory),
        "tags and order": int(tags_in_order(memory)),
        "failure texts": failure_texts(memory),
        "gists as due": as_due(memory),
        "gist share": record["gist_words"] / record["words"],
        "peak MB": ran.peak_mb,
        "seconds": ran.seconds,
        "calls": sum(calls.values()),
        "words read ratio": record["words_read"] / record["words"],
        "library MB": size / 1e6,
        "fallbacks": sum(fallbacks.values()),
        "fallbacks by step": ", ".join(f"{step} {count}" for step, count in sorted(fallbacks.items())) or "none",
        "notes shown": len(notes),
        "memory tokens": estimate_tokens(memory.render()),
    }


def in_bounds(memory: GistMemory) -> float:
    """Return the share of pages within ``min_page_words`` (except at the end of a section) and ``page_words``."""
    plan, document = memory.plan, memory.document
    ends = set(section_ends(document, WordIndex(document.text), plan.min_page_words))
    good = 0
    for page in memory.pages:
        words = count_words(memory.page_text(page.number))
        least = 0 if page.end in ends else plan.min_page_words
        good += words == page.words and least <= words <= plan.page_words
    return good / len(memory.pages)


def tags_in_order(memory: GistMemory) -> bool:
    """Return whether pages cover the text and each gist, or raw page if opened, is under its tag, in order."""
    text, pages = memory.document.text, memory.pages
    tiled = pages[0].start == 0 and pages[-1].end == len(text) and all(a.end == b.start for a, b in pairwise(pages))
    opened = {0, len(pages) // 2, len(pages) - 1}
    for expanded in (set(), opened):
        _, *parts = _TAG.split(memory.render(expanded))
        numbers, contents = [int(number) for number in parts[::2]], [content.strip() for content in parts[1::2]]
        due = [memory.page_text(i) if i in expanded else gist.text for i, gist in enumerate(memory.gists)]
        tiled = tiled and numbers == list(range(len(pages))) and contents == [one.strip() for one in due]
    return tiled


def failure_texts(memory: GistMemory) -> int:
    """Count gists that contain the text of a failure which their page does not contain."""
    return sum(
        any(text in kept.text and text not in memory.page_text(number) for text in _FAILURES)
        for number, kept in enumerate(memory.gists)
    )


def as_due(memory: GistMemory) -> float:
    """Return the share of gists that are the scripted model's for that page, the page itself, or a marked lead.

    A page whose reply was cut is read in halves: its gist then has words of the page only, in their order.
    """
    good = 0
    for page, kept in zip(memory.pages, memory.gists, strict=True):
        text = memory.page_text(page.number).strip()
        if kept.origin == "model":
            share = aimed_words(memory.plan.page_words, page.words) / page.words
            due = gist(text, min(share, DEFAULT_HABITS.gist_share))
            good += kept.text == due or in_order(kept.text.split(), text.split())
        elif kept.origin == "verbatim":
            good += kept.text == text and page.words <= VERBATIM_WORDS
        else:
            good += " ".join(text.split()).startswith(" ".join(kept.text.split())[:40])
    return good / len(memory.pages)


def in_order(words: list[str], page: list[str]) -> bool:
    """Whether all these words are on the page, in this order."""
    rest = iter(page)
    return all(word in rest for word in words)


def named(row: dict[str, Value], kind: str, more: tuple[str, ...]) -> dict[str, Value]:
    """Return the figures of a reading under their names."""
    figures = {f"{kind}_{key.replace(' ', '_').lower()}": row[key] for key in (*_FIGURES, *more)}
    if row["faulty"] != "0%":
        steps = str(row["fallbacks by step"])
        figures |= {f"{kind}_fallbacks_{step}": int(n) for step, n in re.findall(r"(\w+) (\d+)", steps)}
    return figures


def side_by_side(rows: list[dict[str, Value]]) -> list[dict[str, Value]]:
    """Return a table with a column per reading and a row per figure."""
    columns = {f"{row['preset']}, {row['faulty']} faulty": row for row in rows}
    return [{"figure": key, **{name: row[key] for name, row in columns.items()}} for key in list(rows[0])[2:]]


def main() -> None:
    options = arguments(__doc__)
    text, name = book("don-quixote", 6_000 if options.quick else None, options.data, otherwise=400_000)
    print(f"reading {name}, {len(text.split()):,} words")
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {}
    for preset_name in ("articles", "books"):
        for faulty in (0.0, 0.3):
            row = reading(text, preset_name, faulty=faulty)
            rows.append(row)
            print(row)
            figures |= named(row, f"{preset_name}_faulty" if faulty else preset_name, _FAULTY if faulty else ())
    if not options.quick:
        small = reading(book("don-quixote", 40_000, options.data, otherwise=40_000)[0], "articles")
        figures["articles_peak_mb_at_40000_words"] = small["peak MB"]
        parts: dict[str, Rows | str] = {
            f"Readings of {name}": side_by_side(rows),
            f"The first 40,000 words of {name}": side_by_side([small]),
        }
        about = manifest(server="python -m readagent.testing.loopback, a process of its own")
        write_results("book", "A whole book through the command line", parts, about)
    print_figures(figures)


if __name__ == "__main__":
    main()
