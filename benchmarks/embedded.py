"""The offline reader: pages found, answers, pauses, speed and memory.

- **Meetings** (QMSum, validation set, specific queries): pages of whole turns ("speaker: content") up to 600 words. A
  page is right if it has a turn of a span marked as relevant. ``bm25`` is bm25s with its defaults and English stop
  words; ``best_chunk`` is the similarity of the best window of 150 words, one every 120 words; ``fusion`` is the
  reciprocal-rank fusion of the two. ``ours`` is the evidence of the embedded reader over the same windows; the three
  named after passages use whole sentences up to 100 words instead; ``ours_gists`` adds the gists, which is what the
  reader does; ``in_turn`` opens pages as sequential look-up does. Gains are reported for the odd-numbered meetings,
  for the combination was chosen on the even ones.
- **Books** (NarrativeQA, sample): pages as the reader makes them. Short answers: keys of at most three words that are
  in the text, compared with opening pages at random (``chance``). Answers: the extract, compared with the better of
  the two keys; ``not found`` counts as wrong. "Foreign" questions are about another book of the sample; the reader
  should find nothing.
- **Multiple choice** (QuALITY, sample): hard for small models, and not used for tuning.
- **Our own questions**: a free answer is right if it contains a key word for word, quotes included; ``key words`` is
  the share of the words of the best key in it.
- **Claims**: 24 pairs on our two texts, one true and one false. The weights were chosen on those of the story.
- **Pauses**: a part of War and Peace without its headings.
- **Speed**: through the command line with an empty library; seconds depend on the load of the machine.

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
import embedded_reading
from common import Rows, Value, dataset, manifest, parser, print_figures, write_results
from embedded_setup import DECISIONS, Setup, weights

from readagent.library import Library

PARTS = ("pauses", "own", "claims", "quality", "qmsum", "narrativeqa", "speed")
_FILES = {"pauses": "books/war-and-peace.md", "qmsum": "qmsum/val.jsonl",
          "narrativeqa": "narrativeqa/sample.jsonl", "quality": "quality/QuALITY.sample.dev.jsonl"}  # fmt: skip


def arguments() -> argparse.Namespace:
    options = parser(__doc__)
    options.add_argument("--only", choices=PARTS, action="append", help="only this part; repeatable; writes no file")
    return options.parse_args()


async def part(name: str, setup: Setup, options: argparse.Namespace, folder: Path) -> embedded_answers.Result:
    """Measure one part of the benchmark."""
    quick = options.quick
    match name:
        case "claims":
            return await embedded_answers.claims(setup, quick)
        case "speed":
            return embedded_reading.speed(folder, options.data, 300 if quick else 70_000)
        case "own":
            return await embedded_answers.own(setup, quick)
    file = options.data / _FILES[name]
    match name:
        case "pauses":
            return await embedded_reading.pauses(file, setup, 2_500 if quick else 60_000)
        case "qmsum":
            return await embedded_find.meetings(file, setup, quick)
        case "narrativeqa":
            return await embedded_answers.narrative(file, setup, quick)
        case _:
            return await embedded_answers.quality(file, setup, quick)


async def measure(options: argparse.Namespace, folder: Path, cache: Path) -> None:
    tables: dict[str, Rows | str] = {}
    figures: dict[str, Value] = {}
    absent = [name for name, file in _FILES.items() if dataset(options.data, file) is None]
    with Library(cache) as library:
        setup = Setup.open(folder, library)
        for name in options.only or PARTS:
            if name in absent:
                print(f"{name} is skipped: the data have no {_FILES[name]}", file=sys.stderr)
                continue
            print(f"{name} …", file=sys.stderr)
            rows, more = await part(name, setup, options, folder)
            tables |= rows
            figures |= more
        await setup.model.aclose()
        packages = {name: version(name) for name in ("numpy", "bm25s")}
        made = manifest(**packages, model=setup.model.name)
    tables["Decisions, and how many replies could not be read"] = [
        {"decision": step, "asked": setup.decided[step], "not read": setup.failed[step]} for step in DECISIONS
    ]
    figures["decisions"] = sum(setup.decided[step] for step in DECISIONS)
    figures["decisions_not_read"] = sum(setup.failed[step] for step in DECISIONS)
    if not options.quick and not options.only:
        if absent:
            tables["Skipped, for lack of data"] = ", ".join(absent)
        write_results("embedded", "The offline reader", tables, made)
    print_figures(figures)


def main() -> None:
    options = arguments()
    folder = weights()
    if folder is None:
        print(
            "nothing is measured: the weights are not installed; get them with: readagent model pull", file=sys.stderr
        )
        print_figures({"measured": 0})
        return
    with tempfile.TemporaryDirectory(prefix="readagent-benchmark-") as place:
        asyncio.run(measure(options, folder, options.cache or Path(place) / "cache.db"))


if __name__ == "__main__":
    main()
