"""Overviews: are lists complete, is the memory read once, and how good is the offline summary?

Stories with planted people and dated events are read by a scripted reader who keeps every planted sentence and copies
it into lists, in a window of 8,192 tokens, without faults and with three useless replies in ten. *Found* is the share
of the planted people and events that are in the lists, *words read* those of all prompts of a list without the check,
compared with the words of the memory. *Our own time* is that of the process with scripted readers that take none to
speak of, in windows down to 1,024 tokens.

With QMSum (``--data``) the offline reader summarises meetings in 100 words, and the summaries are compared with the
answers to QMSum's general questions by ROUGE (F1), next to the first words of a meeting, random sentences and TextRank.
How the offline reader weighs sentences was chosen on the first 12 meetings; the second table has only the others.
"""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from common import SEED, Value, arguments, dataset, manifest, print_figures, workplace, write_results
from planted import perfect, story

from readagent import AsyncReadAgent, Plan
from readagent.core.document import Document
from readagent.core.model import Ask
from readagent.core.words import count_words, sentences
from readagent.errors import UsageError
from readagent.library import Library
from readagent.testing import ScriptedModel, Skimmer
from readagent_bench.datasets.qmsum import load as load_qmsum

if TYPE_CHECKING:
    from rouge_score.rouge_scorer import RougeScorer

WORDS = 100
CHOSEN_ON = 12  # meetings that the weights of the offline reader were chosen on
USELESS = ("", "I'm sorry, I can't help with that.", "Sure!", "<html>502</html>", "{}", "- - -")
PLAN = Plan(page_words=600)


def faulty() -> ScriptedModel:
    """A perfect reader of whose replies three in ten are useless."""
    turns = count(1)

    def reply(ask: Ask) -> str:
        turn = next(turns)
        return USELESS[turn % len(USELESS)] if turn % 10 in (1, 4, 7) else perfect(ask)

    return ScriptedModel(reply)


async def coverage(words: int) -> list[dict[str, Value]]:
    """Return a row for a story of about so many words without faults, and one with them."""
    document, names, events = story(words, max(10, words // 200), SEED)
    memory = await AsyncReadAgent(ScriptedModel(perfect), window=8192, plan=PLAN).read(document)
    rows: list[dict[str, Value]] = []
    for name, model in (("perfect", ScriptedModel(perfect)), ("30 % useless replies", faulty())):
        agent = AsyncReadAgent(model, window=8192, plan=PLAN)
        people, told = await agent.people(memory), await agent.timeline(memory)
        alone = await agent.timeline(memory, check=False)
        found = {one.point.text for one in told}
        rows.append({
            "words": document.words,
            "reader": name,
            "people": len(names),
            "people found, %": 100 * len(set(names) & {one.name for one in people}) / len(names),
            "events": len(events),
            "events found, %": 100 * sum(event in found for event in events) / len(events),
            "calls, people": len(people.trace.calls),
            "calls, events": len(told.trace.calls),
            "words read / memory": alone.trace.words_read / memory.words(),
            "fallbacks": len(people.trace.fallbacks) + len(told.trace.fallbacks),
        })  # fmt: skip
    return rows


async def own_time(what: str, words: int, window: int, length: int) -> dict[str, Value]:
    """Return what an overview of a story takes: calls, words, and seconds of this process."""
    document, _, _ = story(words, max(10, words // 200), SEED)
    model = Skimmer() if what == "summary" else ScriptedModel(perfect)
    memory = await AsyncReadAgent(model, window=8192, plan=PLAN).read(document)
    agent = AsyncReadAgent(model, window=window, plan=PLAN)
    began = process_time()
    made = await (agent.summary(memory, words=length) if what == "summary" else getattr(agent, what)(memory))
    return {
        "overview": f"{what} of {length:,} words" if length else what,
        "words": document.words,
        "window": window,
        "calls": len(made.trace.calls),
        "words read / memory": made.trace.words_read / memory.words(),
        "our own seconds": process_time() - began,
        "fallbacks": len(made.trace.fallbacks),
    }


def lead(document: Document) -> str:
    return " ".join(document.text.split()[:WORDS])


def at_random(document: Document) -> str:
    pieces = sentences(document.text)
    order = random.Random(SEED).sample(range(len(pieces)), len(pieces))
    return _first(pieces, order)


def textrank(document: Document) -> str:
    """Return the sentences that most others share words with, by PageRank, as TextRank does."""
    pieces = [one for one in sentences(document.text) if count_words(one) > 3]
    words = [{word.strip(".,:;!?").lower() for word in one.split()} for one in pieces]
    known = {word: at for at, word in enumerate(sorted(set().union(*words)))}
    rows = np.zeros((len(pieces), len(known)), np.float32)
    for at, some in enumerate(words):
        rows[at, [known[word] for word in some]] = 1
    sizes = np.log(rows.sum(axis=1) + 1)
    weights = (rows @ rows.T) / (sizes[:, None] + sizes[None, :])
    np.fill_diagonal(weights, 0)
    weights /= np.maximum(weights.sum(axis=0), 1e-9)
    rank = np.full(len(pieces), 1 / len(pieces), np.float32)
    for _ in range(50):
        rank = 0.15 / len(pieces) + 0.85 * (weights @ rank)
    return _first(pieces, list(np.argsort(-rank)))


def _first(pieces: Sequence[str], order: Sequence[int]) -> str:
    chosen: list[int] = []
    for at in order:
        chosen.append(at)
        if sum(count_words(pieces[one]) for one in chosen) >= WORDS:
            break
    return " ".join(pieces[at] for at in sorted(chosen))


async def meetings(file: Path, most: int, library: Library) -> dict[str, Sequence[dict[str, Value]]]:
    """Return tables with a row for each way to summarise meetings; none if the offline reader's weights are missing.

    What the library has of an earlier run is not read again.
    """
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    cases = [case for case in load_qmsum(file.parent, "val") if any(one.group == "general" for one in case.examples)]
    summaries: dict[str, list[tuple[str, list[str]]]] = {"offline reader": [], "lead": [], "random": [], "textrank": []}
    agent = AsyncReadAgent.local(library=library)
    for number, case in enumerate(cases[:most], 1):
        references = [one.references[0] for one in case.examples if one.group == "general"]
        try:
            memory = await agent.read(case.document)
        except UsageError:
            return {}
        summary = (await agent.summary(memory, words=WORDS)).text
        for name, text in (
            ("offline reader", summary), ("lead", lead(case.document)), ("random", at_random(case.document)),
            ("textrank", textrank(case.document)),
        ):  # fmt: skip
            summaries[name].append((text, references))
        print(f"meeting {number} of {len(cases[:most])}: {case.document.words:,} words", file=sys.stderr, flush=True)
    await agent.aclose()
    title = "Summaries of meetings, QMSum's validation set"
    tables: dict[str, Sequence[dict[str, Value]]] = {title: _compared(summaries, scorer)}
    others = {name: pairs[CHOSEN_ON:] for name, pairs in summaries.items()}
    if others["lead"]:
        tables[f"{title}, without the {CHOSEN_ON} meetings that weights were chosen on"] = _compared(others, scorer)
    return tables


def _compared(summaries: dict[str, list[tuple[str, list[str]]]], scorer: RougeScorer) -> list[dict[str, Value]]:
    rows: list[dict[str, Value]] = []
    for name, pairs in summaries.items():
        scores = [scorer.score(reference, text) for text, references in pairs for reference in references]
        rows.append({
            "summary": name,
            "meetings": len(pairs),
            "references": len(scores),
            **{f"ROUGE-{kind[5:]}": 100 * float(np.mean([one[kind].fmeasure for one in scores]))
               for kind in ("rouge1", "rouge2", "rougeL")},
            "words": float(np.mean([count_words(text) for text, _ in pairs])),
        })  # fmt: skip
    return rows


def _times(quick: bool) -> list[dict[str, Value]]:
    long, lists = (3_000, 3_000) if quick else (500_000, 300_000)
    wanted = [("summary", long, window, 300 if quick else 5000) for window in (8192, 2048, 1024)]
    wanted += [(what, lists, window, 0) for what in ("people", "timeline") for window in (8192, 1024)]
    return [asyncio.run(own_time(*one)) for one in wanted]


def _planted(quick: bool) -> list[dict[str, Value]]:
    rows: list[dict[str, Value]] = []
    for words in [3_000] if quick else [10_000, 50_000, 200_000, 500_000]:
        rows += asyncio.run(coverage(words))
        print(f"story of {words:,} words: done", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    given = arguments(__doc__)
    tables: dict[str, Sequence[dict[str, Value]]] = {
        "Planted people and events": _planted(given.quick),
        "Our own time": _times(given.quick),
    }
    file = dataset(given.data, "qmsum/val.jsonl")
    with workplace() as place, Library(given.cache or place / "cache.db") as library:
        if file is not None:
            tables |= asyncio.run(meetings(file, 1 if given.quick else 1000, library))
    if not given.quick:
        told = {"What is measured": (__doc__ or "").partition("\n\n")[2].strip()}
        write_results("overviews", "Overviews of whole texts", {**told, **tables}, manifest())
    planted = tables["Planted people and events"]
    print_figures(
        {
            "people_found": min(float(row["people found, %"]) for row in planted),
            "events_found": min(float(row["events found, %"]) for row in planted),
        }
    )


if __name__ == "__main__":
    main()
