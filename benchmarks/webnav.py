"""Web pages: how much of them is shown, how long the prompts are, and what each method shows to a model.

*Long pages* are generated shops and threads with one needed element three quarters of the way down. A raw page is cut
off at the window of 8,000 tokens; the agent reads the whole page, opens a part and acts. *Records* are generated tasks
in the format of Mind2Web (``recorded.py``, of the tests), some with pages of more than 25,000 tokens; their tokens
are compared raw and as gists. *Methods* are those of the paper on these tasks, with a scripted model that knows the
next action but sees only the prompts: they show what a method lets a model see, not how well a model does. *MindAct
without a shared word* shows what its ranker keeps when all scores are equal, and whether it acts on an element that the
model was not asked about. Gists have the maximum length. Tokens are estimated, on the high side.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles

from common import ROOT, Rows, Value, arguments, manifest, print_figures, workplace, write_results

from readagent.agent import AsyncReadAgent
from readagent.core.model import Ask
from readagent.core.prompts import Prompts
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.window import Window
from readagent.testing.scripted import ScriptedModel
from readagent_bench.study import Study
from readagent_bench.web.mind2web.load import SPLITS, split_of
from readagent_bench.web.mind2web.methods import PAPER, method
from readagent_bench.web.mind2web.navigation import Navigation
from readagent_bench.web.mind2web.rank import LexicalRanker, NavigationContext
from readagent_bench.web.mind2web.records import rows
from readagent_bench.web.mind2web.task import Moment, page_of
from readagent_browse.memory import remember
from readagent_browse.page_view import plain_view
from readagent_browse.render import render
from readagent_browse.snapshot import snapshot_of
from readagent_browse.snippets import cut
from readagent_browse.step import WEB, Goal, next_step
from readagent_browse.templates import templates

sys.path.insert(0, str(ROOT / "tests"))
sys.path.insert(0, str(ROOT / "packages" / "readagent-bench" / "tests"))
from bench.web.clerk import clerk
from bench.web.recorded import SIZES, wordless, write
from meanings import WordMeanings
from web_pages import forum_page, shop_page, shopper

WINDOW = 8000
GOAL = Goal("Buy the kettle of the miller")
_NOT = (
    "Generated pages and a scripted model: the tables show sizes, and what each method shows to a model. How well a "
    "model acts is not measured. The paper has, on its cross-website split, a median of 8,018 tokens raw and 989 "
    "gisted, 90th percentiles of 25,337 and 3,596, and 51.5 and 97.4 % of pages within 8k tokens."
)
_TAG = re.compile(r"<[^<>]*>")


def wordy(script: Callable[[Ask], str]) -> Callable[[Ask], str]:
    """Return the same model with gists of maximum length: its own words first, then those of the part."""

    def reply(ask: Ask) -> str:
        said = script(ask)
        if ask.step != "gist":
            return said
        words = [*said.split(), *_TAG.sub(" ", ask.material.passages[0]).split()]
        return " ".join(words[: ask.material.words])

    return reply


def long_page(kind: str, html: str) -> dict[str, Value]:
    """Measure one page, raw and through the agent."""
    page, model = snapshot_of(html), ScriptedModel(wordy(shopper))
    session = Session(model, Prompts.load(), WEB, Window(WINDOW))
    raw = plain_view(page, cut(page), GOAL.render(session), Session(model, Prompts.load(), WEB, Window(WINDOW)))
    step = asyncio.run(next_step(page, GOAL, session))
    longest = {name: max((estimate_tokens(ask.prompt) for ask in model.asks if ask.step == name), default=0)
               for name in ("gist", "look_up", "act")}  # fmt: skip
    return {
        "page": kind,
        "words": step.full_words,
        "tokens": estimate_tokens(render(page.root)),
        "elements": len(page.elements),
        "raw shows it": "yes" if "kettle" in raw.prompt else "no",
        "raw elements shown": len(raw.elements),
        "parts": len(step.snippets),
        "gist prompt": longest["gist"],
        "look-up prompt": longest["look_up"],
        "act prompt": longest["act"],
        "calls": len(model.asks),
        "CR %": 100 * step.compression,
        "reached": "yes" if step.element is not None and "kettle" in step.element.label else "no",
        "fallbacks": len(session.trace.fallbacks),
    }


async def sizes(folder: Path) -> list[dict[str, Value]]:
    """Return the tokens of pages, raw and as gists, for each split and all of them."""
    found: dict[str, list[tuple[int, int]]] = {}
    for split in SPLITS:
        found[split] = []
        for task in split_of(folder, split):
            for step in task.steps:
                page = page_of(step)
                memory = await remember(page, Session(ScriptedModel(wordy(clerk)), Prompts.load(), WEB, Window(WINDOW)))
                found[split].append((estimate_tokens(render(page.root)), estimate_tokens(memory.render())))
    everything = [pair for pairs in found.values() for pair in pairs]
    return [_sizes(name, pairs) for name, pairs in {**found, "all": everything}.items()]


def _sizes(name: str, pairs: Sequence[tuple[int, int]]) -> dict[str, Value]:
    line: dict[str, Value] = {"pages of": name, "pages": len(pairs)}
    for what, tokens in (("raw", [raw for raw, _ in pairs]), ("gisted", [gisted for _, gisted in pairs])):
        line |= {
            f"{what} median": median(tokens),
            f"{what} 90th": quantiles(tokens, n=10)[-1],
            f"{what} within 8k %": 100 * sum(one <= WINDOW for one in tokens) / len(tokens),
        }
    return line


async def methods(folder: Path, out: Path) -> list[dict[str, Value]]:
    """Run every method of the paper on every split with the scripted model."""
    lines: list[dict[str, Value]] = []
    for split in SPLITS:

        def agent_of(number: int) -> AsyncReadAgent:
            return AsyncReadAgent(ScriptedModel(wordy(clerk)), plan=WEB, run=number, window=WINDOW)

        study = Study(Navigation(split_of(folder, split), [method(name) for name in PAPER], LexicalRanker()))
        for row in rows(await study.conduct(out / split, agent_of, WordMeanings())):
            line: dict[str, Value] = {"split": split, "method": row.title, "steps": row.counts["steps"]}
            for name in ("element_accuracy", "operation_f1", "step_success", "success"):
                line[name.replace("_", " ")] = 100 * row.measures[name].mean
            line["CR %"] = row.measures["cr"].mean if "cr" in row.measures else ""
            line["longest prompt"] = row.totals["longest_prompt"] or 0
            lines.append({**line, "calls a step": (row.totals["calls"] or 0) / row.counts["steps"]})
    return lines


async def chance(folder: Path) -> list[dict[str, Value]]:
    """Run MindAct where no element shares a word with the instruction and the model always says "none of these"."""
    steps, elements, kept = 40, 200, 50
    (folder / "test_task").mkdir(parents=True)
    (folder / "test_task" / "test_task_0.json").write_text(json.dumps(wordless(steps, elements)), "utf-8")
    context = NavigationContext(AsyncReadAgent(ScriptedModel(lambda ask: "Answer: (A)"), plan=WEB, window=WINDOW))
    moments = [Moment(task, 0, partial(page_of, task.steps[0])) for task in split_of(folder, "test_task")]
    acted = [await method(f"mindact:{kept}").answer(moment, context) for moment in moments]
    return [
        {
            "steps": steps,
            "elements": elements,
            "kept": kept,
            "right one kept": sum(not one.skipped for one in acted),
            "expected by chance": steps * kept / elements,
            "acted on": sum(one.action is not None for one in acted),
        }
    ]


def main() -> None:
    """Measure, write the results of a full run, and print the figures."""
    quick = arguments(__doc__).quick
    counts = dict.fromkeys(SPLITS, 1 if quick else 10)
    lengths = (2_000, 20_000) if quick else (1_000, 5_000, 20_000, 50_000, 100_000)
    pages = [
        long_page(f"{kind} of {words:,} words", make(words))
        for kind, make in (("shop", shop_page), ("thread", forum_page))
        for words in lengths
    ]
    with workplace() as place:
        folder = write(place / "mind2web", counts, (6, 40) if quick else SIZES)
        tokens = asyncio.run(sizes(folder))
        compared = asyncio.run(methods(folder, place / "runs"))
        guessed = asyncio.run(chance(place / "wordless"))
    steps = 4 * sum(counts.values())
    if not quick:
        parts: dict[str, Rows | str] = {
            "Long pages": pages,
            "Tokens of recorded pages, raw and gisted": tokens,
            "Methods, with the scripted model": compared,
            "MindAct without a shared word": guessed,
            "What this is not": _NOT,
        }
        made = manifest(window=WINDOW, snippet_words=WEB.page_words, records=steps, web_prompts=templates().fingerprint)
        write_results("webnav", "Web pages: what is shown of them, and what can be seen", parts, made)
    print_figures(_figures(pages, tokens[-1], compared, guessed[0]))


def _figures(
    pages: Sequence[dict[str, Value]], tokens: dict[str, Value], compared: Rows, guessed: dict[str, Value]
) -> dict[str, Value]:
    prompts = [int(one[name]) for one in pages for name in ("gist prompt", "look-up prompt", "act prompt")]
    steps = {str(one["method"]): one["step success"] for one in compared}
    return {
        "long_pages": len(pages),
        "reached": sum(one["reached"] == "yes" for one in pages),
        "raw_shows_it": sum(one["raw shows it"] == "yes" for one in pages),
        "longest_prompt": max(prompts),
        "compression": pages[-1]["CR %"],
        **{name.replace(" %", "").replace(" ", "_"): value for name, value in tokens.items() if name != "pages of"},
        "readagent_step_success": steps["ReadAgent-P 1-5"],
        "raw_step_success": steps["Raw HTML"],
        "mindact_kept_by_chance": guessed["right one kept"],
        "mindact_acted_unasked": guessed["acted on"],
    }


if __name__ == "__main__":
    main()
