"""Very long real pages: the calls for a step at 8,000 tokens, and whether the needed element is reached.

The pages are the beginning of a book of the data sets as HTML (``--data``; a heading for each chapter, a link after
every tenth paragraph) and, with ``--cache FOLDER``, a part of Python's library reference with all its pages as one. For
each page, random links with a name of three words or more that no other has are asked for, by name. The model is a
script that chooses sections and parts by the rare words they share with the instruction, and then the element with that
name if it is shown; it says nothing about a real model. *Reached* are steps that end at the right element.
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import sys
from collections import Counter

from common import ROOT, SEED, Rows, Value, book, dataset, manifest, parser, print_figures, table, write_results
from miniwob_oracle.seen import Seen, plain, wanted

from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel
from readagent_browse.dom import Snapshot
from readagent_browse.goal import Goal
from readagent_browse.snapshot import snapshot_of
from readagent_browse.step import WEB, next_step
from readagent_browse.templates import templates

sys.path.insert(0, str(ROOT))
from benchmarks.applications.sites import fetched

WINDOW = 8000
BOOK_WORDS = 120_000
LINKS = 10
_WORD = re.compile(r"\w{3,}")
_RECORD = re.compile(r'^\{"(section|index)": (\d+), "content": (".*")\}$', re.MULTILINE)


def book_page(text: str) -> str:
    """Return a book as a page: chapters with headings, and a link to a note after every tenth paragraph."""
    parts = ["<title>A book</title>"]
    for number, paragraph in enumerate(text.split("\n\n")):
        plain_text = html.escape(" ".join(paragraph.split()))
        parts.append(f"<h2>{plain_text.lstrip('# ')}</h2>" if paragraph.startswith("#") else f"<p>{plain_text}</p>")
        if number % 10 == 9:
            words = re.findall(r"\w{4,}", paragraph)[:4]
            parts.append(f"<p><a href=/note/{number}>Note on {' '.join(words)}</a></p>" if len(words) > 2 else "")
    return "\n".join(parts)


def by_shared_words(ask: Ask) -> str:
    """Reply like a reader who goes by the words of the instruction."""
    asked = wanted(ask.prompt)
    if asked == "gist":
        return f"Gist: {' '.join(re.sub(r'<[^<>]*>', ' ', ask.prompt.partition('<part>')[2]).split()[:20])}"
    instruction = ask.prompt.rpartition("<instruction>")[2].partition("</instruction>")[0]
    words = set(_WORD.findall(instruction.lower()))
    if asked in ("sections", "parts"):
        kind = "section" if asked == "sections" else "index"
        found = {int(number): set(_WORD.findall(json.loads(content).lower()))
                 for name, number, content in _RECORD.findall(ask.prompt) if name == kind}  # fmt: skip
        having = Counter(word for some in found.values() for word in some)
        best = sorted(found, key=lambda one: (-sum(1 / having[word] for word in words & found[one]), one))
        if kind == "section":
            return f"Sections: {', '.join(map(str, best[:2]))}"
        return f"Parts: {', '.join(map(str, best[:5]))}"
    name = instruction.partition('"')[2].rpartition('"')[0]
    seen = Seen.of(ask.prompt)
    return next((f"Element: {item.id}" for item in seen.items if plain(item.name) == plain(name)), "I do not see it.")


def measured(name: str, page: Snapshot, count: int) -> dict[str, Value]:
    """Ask for random links of a page, and return a line of the table."""
    names = Counter(element.label for element in page.elements)
    links = [one for one in page.elements if names[one.label] == 1 and len(_WORD.findall(one.label)) > 2
             and len(one.label) < 90 and '"' not in one.label]  # fmt: skip
    chosen = random.Random(SEED).sample(links, min(count, len(links)))
    reached, calls, longest, words = 0, list[int](), 0, 0
    for link in chosen:
        model = ScriptedModel(by_shared_words)
        session = Session(model, Prompts.load(), WEB, Window(WINDOW))
        step = asyncio.run(next_step(page, Goal(f'Open "{link.label}"'), session))
        reached += step.element is not None and step.element.id == link.id
        calls.append(len(model.asks))
        longest = max(longest, *(estimate_tokens(ask.prompt) for ask in model.asks))
        words = step.full_words
        print(f"{name}: {link.label!r}", step.element is not None and step.element.id == link.id, file=sys.stderr)
    return {"page": name, "words": words, "elements": len(page.elements), "asked for": len(chosen),
            "reached": reached, "calls, most": max(calls), "longest prompt": longest}  # fmt: skip


def main() -> None:
    """Measure the pages that are there."""
    options = parser(__doc__).parse_args()
    pages: dict[str, str] = {}
    if dataset(options.data, "books/war-and-peace.md"):
        pages["War and Peace, the beginning"] = book_page(
            book("war-and-peace", BOOK_WORDS, options.data, otherwise=0)[0]
        )
    if options.cache is not None:
        docs = fetched("python-doc", options.cache)
        files = [file.read_text("utf-8") for file in sorted(docs.glob("library/[a-c]*.html"))]
        bodies = [found[0] for text in files if (found := re.search(r"<body.*</body>", text, re.DOTALL))]
        pages["Python's library reference, a to c, as one page"] = "".join(bodies)
    if options.quick or not pages:
        text = (ROOT / "examples" / "story.txt").read_text("utf-8")
        pages = {"the example story": book_page("\n\n".join([text] * 3))}
    lines = [measured(name, snapshot_of(text), 2 if options.quick else LINKS) for name, text in pages.items()]
    print(table(lines))
    if options.cache is not None and options.data is not None and not options.quick:
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        parts: dict[str, Rows | str] = {"What is measured": about, "Pages": lines}
        write_results(
            "long_pages", "Very long pages", parts, manifest(window=WINDOW, web_prompts=templates().fingerprint)
        )
    print_figures({"pages": len(lines), "asked_for": sum(int(one["asked for"]) for one in lines),
                   "reached": sum(int(one["reached"]) for one in lines)})  # fmt: skip


if __name__ == "__main__":
    main()
