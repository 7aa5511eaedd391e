"""How many faithful quotes are found, how many false ones are located, and whether what is shown is the source.

A false quote that is located is not shown: the whole sentences of the source at its place are, with what was cut off or
left out. ``not verbatim`` counts passages shown that are not in the source, or do not have the quoted words.

- **Generated quotes**: ``quote_cases`` makes false quotes and faithful rewritings from sentences in English, German,
  Russian, Spanish and Japanese, without the code that checks quotes.
- **Quotes of real texts**: the rules of ``quote_cases`` that fit any sentence, applied to sentences of 8 to 40 words of
  our examples and of the texts in ``--data`` or ``--texts``. Each quote is put into a reply as a model would write it,
  parsed, and looked for. ``placed`` counts those found where they were taken from, or where the same words first occur.
- **Time** to find a quote in a text of 600,000 words.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from argparse import Namespace
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from common import ROOT, SEED, Rows, Value, book, dataset, manifest, opening, parser, print_figures, write_results
from quote_cases import cases
from quote_cases.falsify import RULES, is_in
from quote_cases.rewrite import SAME

from readagent.core.asking.answer import given_as
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.core.prompts import Prompts
from readagent.core.question import Quote
from readagent.core.quotes.check_quotes import check_quotes
from readagent.core.quotes.quotable import Quotable
from readagent.core.reading import read
from readagent.core.session import Session
from readagent.core.words import count_words, sentence_ends
from readagent.testing.scripted import Skimmer

EACH = 25  # quotes of each kind and text
GENERATED, QUICK = 4_000, 500  # false quotes that are generated
WORDS = ("never", "secretly", "formerly")  # put into sentences

Dice = random.Random


@dataclass(frozen=True, slots=True)
class Taken:
    """A sentence of a text, and its offsets."""

    text: str
    start: int
    end: int


def texts(data: Path | None, folder: Path | None, quick: bool) -> dict[str, list[str]]:
    """Return the texts by their source."""
    names = ("story",) if quick else ("story", "meeting")
    found = {"examples": [(ROOT / "examples" / f"{name}.txt").read_text("utf-8") for name in names]}
    if quick:
        return found
    if (file := dataset(data, "quality/QuALITY.sample.dev.jsonl")) is not None:
        found["QuALITY"] = [json.loads(line)["article"] for line in file.read_text("utf-8").splitlines()]
    if (file := dataset(data, "narrativeqa/sample.jsonl")) is not None:
        records = map(json.loads, file.read_text("utf-8").splitlines())
        found["NarrativeQA"] = [opening("\n\n".join(record["paragraphs"]), 5000) for record in records]
    if folder is not None:
        files = sorted(path for path in folder.iterdir() if path.suffix in (".txt", ".md"))
        found["other texts"] = [path.read_text("utf-8") for path in files]
    return found


async def memory_of(text: str) -> GistMemory:
    """Return a memory with pages of equal length and gists of the scripted model."""
    return await read(Document.from_text(text), Session(Skimmer(), Prompts.load(), Plan(pauses="uniform")))


def sentences_of(memory: GistMemory, dice: Dice) -> list[Taken]:
    """Return the sentences of a text that may be quoted, in random order."""
    text, found = memory.document.text, []
    for one in memory.document.paragraphs:
        cuts = [one.start, *sentence_ends(text, one.start, one.end), one.end]
        for start, end in pairwise(cuts):
            sentence = text[start:end].strip()
            if 8 <= count_words(sentence) <= 40:
                begin = text.index(sentence, start)
                found.append(Taken(sentence, begin, begin + len(sentence)))
    dice.shuffle(found)
    return found


def said(quote: str) -> list[tuple[int | None, str]]:
    """Return the quote as it is parsed from a reply."""
    return [(page, text) for page, text in given_as(f'It is so.\nPage 0: "{quote}"').quotes][:1]


def false_quotes(memory: GistMemory, dice: Dice) -> Iterator[tuple[str, int, int]]:
    """Yield each kind with the number of quotes made and located."""
    sentences = sentences_of(memory, dice)
    text = memory.document.text
    for kind, rule in RULES.items():
        made: list[tuple[int | None, str]] = []
        for one, other in zip(sentences, reversed(sentences), strict=True):
            quote = " ".join(rule(one.text.split(), other.text.split(), WORDS, dice)) if one != other else ""
            if quote and not is_in(quote, text):
                made += said(quote)
            if len(made) >= EACH:
                break
        yield kind, len(made), len(made) - check_quotes(memory, made, ())[1]


def true_quotes(memory: GistMemory, dice: Dice) -> Iterator[tuple[str, int, int, int]]:
    """Yield each kind with the number of quotes rewritten, found, and found in the right place."""
    sentences = sentences_of(memory, dice)
    for kind, rewrite in SAME.items():
        written = [(one, rewrite(" ".join(one.text.split()), dice)) for one in sentences]
        some = [(one, quote) for one, quote in written if quote != one.text or kind == "unchanged"][:EACH]
        quotes = [check_quotes(memory, said(quote), ())[0] for _, quote in some]
        placed = sum(_placed(found, one, memory) for found, (one, _) in zip(quotes, some, strict=True))
        yield kind, len(some), sum(map(bool, quotes)), placed


def _placed(found: Sequence[Quote], one: Taken, memory: GistMemory) -> bool:
    first = memory.document.text.find(one.text)
    marked = [quote.start + start for quote in found for start, _ in quote.marked]
    return any(abs(start - place) <= 2 for start in marked for place in (one.start, first))


def generated(quick: bool) -> tuple[dict[str, Rows], dict[str, Value]]:
    """Look for generated quotes until there are enough false ones, and count by kind and language."""
    false: dict[str, Counter[str]] = defaultdict(Counter)
    faithful: dict[str, Counter[str]] = defaultdict(Counter)
    memory, wanted = None, QUICK if quick else GENERATED
    for case in cases(SEED):
        if memory is None or memory.document.text != case.text:
            memory = one_page(case.text)
        shown, _ = check_quotes(memory, [(None, case.quote)], ())
        kinds, kind = (faithful, case.kind.removesuffix(", in the text")) if case.faithful else (false, case.kind)
        kinds[kind] += Counter(
            {case.language: 1, "all": 1, "found": bool(shown), "other": not _is_source(shown, memory)}
        )
        if sum(one["all"] for one in false.values()) >= wanted:
            break
    languages = ("en", "de", "ru", "es", "ja")
    tables: dict[str, Rows] = {}
    for title, counts, found in (
        ("Generated false quotes", false, "located"), ("Generated faithful quotes", faithful, "found"),
    ):  # fmt: skip
        total = sum(counts.values(), Counter[str]())
        rows = [(kind, counts[kind]) for kind in sorted(counts)] + [("all", total)]
        tables[title] = [
            {"kind": kind, **{code: one[code] for code in languages}, "quotes": one["all"], found: one["found"],
             "not verbatim": one["other"]}
            for kind, one in rows
        ]  # fmt: skip
    all_false, all_faithful = (sum(some.values(), Counter[str]()) for some in (false, faithful))
    return tables, {
        "false_kinds": len(false), "false_quotes": wanted, "false_located": all_false["found"],
        "faithful_kinds": len(faithful), "faithful_quotes": all_faithful["all"],
        "faithful_found_percent": 100 * all_faithful["found"] / all_faithful["all"],
        "not_verbatim": all_false["other"] + all_faithful["other"],
    }  # fmt: skip


def one_page(text: str) -> GistMemory:
    """Return a memory of one page without asking a model."""
    return GistMemory(Document.from_text(text), (Page(0, 0, len(text), count_words(text)),), (Gist("", 0),), Plan())


def _is_source(shown: Sequence[Quote], memory: GistMemory) -> bool:
    """Return whether all that is shown is the source, letter by letter, with something in it marked."""
    text = memory.document.text
    return all(quote.text == text[quote.start : quote.end] and quote.marked for quote in shown)


def timed(data: Path | None, quick: bool) -> Rows:
    """Measure how long it takes to find a quote near the end of a long text, and that there is none."""
    text, name = book("war-and-peace", None, data, otherwise=20_000 if quick else 600_000)
    at = len(text) * 9 // 10
    passage = text[text.index(" ", at) : text.index(" ", at + 200)].strip()
    tried = {
        "as it stands": passage,
        "other white space": "\n".join(passage.split()),
        "not in the text": "the captain sold nine green parrots to the widow of the clockmaker",
    }
    rows = []
    for kind, quote in tried.items():
        began = perf_counter()
        found = Quotable(text).locate(quote)
        seconds = perf_counter() - began
        rows.append({"text": name, "words": count_words(text), "quote": kind, "found": "no" if found is None else "yes",
                     "seconds": seconds})  # fmt: skip
    return rows


async def planted(options: Namespace) -> tuple[dict[str, Rows], dict[str, Value]]:
    located: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for source, several in texts(options.data, options.texts, options.quick).items():
        for number, text in enumerate(several):
            memory, dice = await memory_of(text), Dice(SEED + number)
            for kind, count, hits in false_quotes(memory, dice):
                located[source, kind] += Counter(planted=count, located=hits)
            for kind, count, hits, placed in true_quotes(memory, dice):
                found[source, kind] += Counter(quoted=count, found=hits, placed=placed)
        print(f"{source} …", file=sys.stderr)
    false = [{"texts": source, "what was done": kind, "quotes": one["planted"], "located": one["located"]}
             for (source, kind), one in located.items()]  # fmt: skip
    true = [{"texts": source, "written otherwise": kind, "quotes": one["quoted"], "found": one["found"],
             "placed": one["placed"]} for (source, kind), one in found.items()]  # fmt: skip
    totals = sum(located.values(), Counter[str]()) + sum(found.values(), Counter[str]())
    figures: dict[str, Value] = {
        f"real_{name}": totals[name] for name in ("planted", "located", "quoted", "found", "placed")
    }
    return {"False quotes of real texts": false, "Faithful quotes of real texts": true}, figures


async def measure(options: Namespace) -> None:
    quick = options.quick
    tables: dict[str, Rows | str] = {}
    made, figures = generated(quick)
    some, more = await planted(options)
    tables |= {**made, **some, "Time": timed(options.data, quick)}
    figures |= more
    if not quick:
        write_results("quotes", "Quotes", tables, manifest(each=EACH))
    print_figures(figures)


if __name__ == "__main__":
    parsing = parser(__doc__)
    parsing.add_argument("--texts", type=Path, help="a folder of .txt and .md files to take quotes from as well")
    asyncio.run(measure(parsing.parse_args()))
