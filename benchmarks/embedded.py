"""What the offline reader is worth: pages found, answers, pauses, speed and memory.

- **Meetings** (QMSum, validation set, specific queries): pages of whole turns up to 600 words, as in "speaker:
  content"; a page is right if it has a turn of a span marked as relevant. ``bm25`` is bm25s as it comes, with its
  English stop words; ``best_chunk`` the likeness of the best window of 150 words, one every 120 words; ``fusion`` the
  reciprocal-rank fusion of these two. ``ours`` is the evidence of the embedded reader over the same windows; the
  three named after passages are the same over whole sentences up to 100 words, ``ours_gists`` with the pages' gists
  besides, which is what the reader does, and ``in_turn`` the same as sequential look-up opens them. Gains are told
  for the odd-numbered meetings, since the way of combining was chosen on the even ones.
- **Books** (NarrativeQA, sample): pages as the reader itself makes them. Short answers: those of at most three words
  that stand in the text, against opening pages at random (``chance``). Answers: their first line, against the better
  of the two keys; that line is the small model's sentence (``worded``), a quote where that sentence said things of its
  own, or "the text does not seem to say" (``not said``), which counts as nothing.
- **Multiple choice** (QuALITY, sample): made to defeat small models, and not tuned to.
  "Foreign" questions are about another book of the sample: it should say that the text does not say.
- **Our own questions**: a free answer is right if a key stands in it, quotes included, word for word; ``key words`` is
  the share of the best key's words that do.
- **Claims**: 24 pairs on our two texts, one true and one false. The weights were chosen on the story's.
- **Pauses**: a slice of War and Peace without its headings. **Likelihood**: the option, against vectors, on twelve
  small texts that change their topic once, and on four paragraphs before and after every second section start of that
  slice.
- **Speed**: through the command line with an empty library; seconds depend on what else the machine does.

The weights are looked for in READAGENT_TEST_WEIGHTS, the home folder (``readagent model pull``) and ``.weights``.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import embedded_answers
import embedded_find
import embedded_pauses
import embedded_reading
from common import Rows, Value, dataset, manifest, parser, print_figures, write_results
from embedded_desk import DECISIONS, Desk, weights

from readagent.library import Library

PARTS = ("pauses", "likelihood", "own", "claims", "quality", "qmsum", "narrativeqa", "speed")
_FILES = {"pauses": "books/war-and-peace.md", "likelihood": "books/war-and-peace.md", "qmsum": "qmsum/val.jsonl",
          "narrativeqa": "narrativeqa/sample.jsonl", "quality": "quality/QuALITY.sample.dev.jsonl"}  # fmt: skip


def arguments() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--only", choices=PARTS, action="append", help="this part alone; repeatable; writes no file")
    return options.parse_args()


async def part(name: str, desk: Desk, options: argparse.Namespace, folder: Path) -> embedded_answers.Result:
    """One part of the benchmark."""
    quick = options.quick
    match name:
        case "claims":
            return await embedded_answers.claims(desk, quick)
        case "speed":
            return embedded_reading.speed(folder, options.data, 300 if quick else 70_000)
        case "own":
            return await embedded_answers.own(desk, quick)
    file = options.data / _FILES[name]
    match name:
        case "pauses":
            return await embedded_reading.pauses(file, desk, 2_500 if quick else 60_000)
        case "likelihood":
            return await embedded_pauses.by_likelihood(file, desk, quick)
        case "qmsum":
            return await embedded_find.meetings(file, desk, quick)
        case "narrativeqa":
            return await embedded_answers.narrative(file, desk, quick)
        case _:
            return await embedded_answers.quality(file, desk, quick)


async def measure(options: argparse.Namespace, folder: Path, cache: Path) -> None:
    tables: dict[str, Rows | str] = {}
    figures: dict[str, Value] = {}
    absent = [name for name, file in _FILES.items() if dataset(options.data, file) is None]
    with Library(cache) as library:
        desk = Desk.open(folder, library)
        for name in options.only or PARTS:
            if name in absent:
                print(f"{name} is left out: there is no {_FILES[name]} in --data", file=sys.stderr)
                continue
            print(f"{name} …", file=sys.stderr)
            rows, more = await part(name, desk, options, folder)
            tables |= rows
            figures |= more
        await desk.model.aclose()
        packages = {name: version(name) for name in ("numpy", "bm25s", "xllamacpp")}
        made = manifest(**packages, model=desk.model.name)
    tables["Decisions, and how many replies could not be read"] = [
        {"decision": step, "asked": desk.decided[step], "not read": desk.failed[step]} for step in DECISIONS
    ]
    figures["decisions"] = sum(desk.decided[step] for step in DECISIONS)
    figures["decisions_not_read"] = sum(desk.failed[step] for step in DECISIONS)
    if not options.quick and not options.only:
        if absent:
            tables["Left out, for want of data"] = ", ".join(absent)
        write_results("embedded", "The offline reader", tables, made)
    print_figures(figures)


def main() -> None:
    options = arguments()
    folder = weights()
    if folder is None:
        print("nothing is measured: the weights are not here; fetch them with: readagent model pull", file=sys.stderr)
        print_figures({"measured": 0})
        return
    with tempfile.TemporaryDirectory(prefix="readagent-benchmark-") as place:
        asyncio.run(measure(options, folder, options.cache or Path(place) / "cache.db"))


if __name__ == "__main__":
    main()
