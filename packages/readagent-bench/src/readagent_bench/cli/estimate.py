"""`readagent bench estimate`: calls, tokens, money and hours of a benchmark, before anything is sent.

The study is run on a few documents with a stand-in for the model that costs nothing. What its folder has then is
scaled to all documents and questions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import click

from readagent.agent import AsyncReadAgent
from readagent.cli.options import JSON, budget_options, model_options_with_output, reading_options
from readagent.cli.output import counted, dollars, print_json
from readagent.cli.progress import duration
from readagent.cli.screen import echo
from readagent.connection import file_of, is_local, price_of
from readagent.core.gists.sizes import kept_share
from readagent.core.model import Vectors
from readagent.core.tokens import TokenEstimate, family_of
from readagent.core.trace import Usage
from readagent.core.words import count_words
from readagent.estimates import pace_of, window_known
from readagent.models.prices import FREE
from readagent.private_loop import run_apart
from readagent.settings import Settings
from readagent_bench.cli.studies import Part, chosen_parts, study_options
from readagent_bench.datasets.dataset import sample
from readagent_bench.folder import RunFolder
from readagent_bench.records import Prediction, Reading
from readagent_bench.report.tables import Line, markdown
from readagent_bench.study import Study

_DOCUMENTS, _QUESTIONS = 12, 2  # that are tried at most; the rest is taken to be like them
_PAGES_TO_OPEN = 2.3  # the mean in the paper, of at most 5
_SPEED = 50  # reply tokens a second of a hosted model of middle size
_PROMPT_SPEED = 2000  # prompt tokens a second
_WIDTH = 32  # of the vectors of the stand-in


@click.command(
    epilog="""\b
Examples:
  readagent bench estimate quality --data ~/quality --recipe paper --runs 3 --model openai/gpt-4.1-mini
  readagent bench estimate qmsum --methods readagent-p:6,full --model ollama/qwen3:8b --speed 20 --parallel 1
"""
)
@study_options
@click.option("--speed", type=click.FloatRange(0.1), default=_SPEED, show_default=True, metavar="TOKENS",
              help="Reply tokens that the server writes in a second, for one call.")  # fmt: skip
@reading_options
@model_options_with_output
@budget_options
@click.option("-o", "--out", hidden=True, expose_value=False)  # any command for `bench run` can be estimated
@JSON
def estimate(speed: float, embedder: str, as_json: bool, **flags: Any) -> None:
    """Estimate the calls, tokens, money and hours of `bench run`. No text is sent.

    A stand-in for the model runs the methods on up to 12 documents and 2 questions of each; the rest is taken to be
    like them. Where the model decides, it opens 2.3 pages for a question, as in the paper. Methods and variants that
    share a reading pay for it once. Ratings and vectors of a server are not included.
    """
    parts, settings = chosen_parts(flags)
    known: set[str] = set()  # prompts, which variants that share a reading send once
    for part in parts:
        found = run_apart(_tried(part, settings, known))
        works = {**found.methods, "all, shared readings once": found.total}
        rows = {title: _figures(work, settings, speed) for title, work in works.items()}
        about = {
            "variant": part.variant.name,
            "predictions": part.study.predictions,
            "tried": {"documents": found.documents, "questions": found.questions},
            "methods": {title: rows[title] for title in found.methods},
            "total": rows["all, shared readings once"],
            "failing": found.failing,
        }
        if as_json:
            print_json(about)
            continue
        name = f", {part.variant.name}" if part.variant.name else ""
        times = f", {part.study.runs} runs" if part.study.runs > 1 else ""
        size = f"{counted(part.task.documents, 'document')}, {counted(part.task.questions, 'question')}{times}"
        echo(f"{part.task.dataset} ({part.task.split}){name}: {size}")
        echo(markdown([_line(title, row) for title, row in rows.items()]))
        echo(f"From {counted(found.documents, 'document')} with {counted(found.questions, 'question')}.")
        for title, reason in found.failing.items():
            echo(f"note: {title} cannot answer some questions: {reason}", err=True)
        echo()
    if not as_json and file_of(settings) is None:
        echo(f"Time: {counted(settings.parallel, 'call')} at a time, {speed:g} reply tokens a second (--speed).")
    if not as_json and price_of(settings) is None and not is_local(settings):
        echo("Cost: unknown; give --model, or add its price under [prices] in the settings.")


Work = dict[str, float]  # calls, words, and tokens of prompts and replies
_NAMES = ("calls", "words", "prompt_tokens", "reply_tokens")


@dataclass(frozen=True, slots=True)
class _Tried:
    """The work of all runs: of each method alone, by its title, and of all together, which share their readings.

    ``failing`` are methods that could not answer some question that was tried, with the reason.
    """

    methods: dict[str, Work]
    total: Work
    documents: int
    questions: int
    failing: dict[str, str]


async def _tried(part: Part, settings: Settings, known: set[str]) -> _Tried:
    """Run the study of a part on a few cases, and scale what that took."""
    from readagent.testing.scripted import Skimmer
    from readagent.testing.skim import Habits

    habits = Habits(gist_share=kept_share(part.plan.page_words), pages_to_open=_PAGES_TO_OPEN, own_words=True)
    counter, window = TokenEstimate(family_of(settings.model)), window_known(settings).tokens
    cases = sample(part.task.loaded, documents=_DOCUMENTS, questions=_QUESTIONS, seed=part.study.seed)
    tried = replace(part.task, loaded=cases)

    def agent_of(number: int) -> AsyncReadAgent:
        model = Skimmer(habits, counter.count)
        return AsyncReadAgent(model, plan=part.plan, window=window, prompts=settings.prompts)

    asking = part.study.runs * part.task.questions / max(1, tried.questions)
    words = sum(case.document.words for case in cases)
    reading = part.study.runs * sum(case.document.words for case in part.task.loaded) / max(1, words)
    titles = {one.name: one.title for one in tried.methods}
    methods: dict[str, Work] = {title: defaultdict(float) for title in titles.values()}
    total: Work = defaultdict(float)
    with TemporaryDirectory() as place:
        folder = await Study(tried).conduct(Path(place) / "run", agent_of, _Vectors())
        predictions = folder.records(Prediction)
        readings = folder.records(Reading)
        done = [(one.method, one.spent, asking) for one in predictions]
        done += [(one.method, one.spent, asking if one.question else reading) for one in readings]
        for method, spent, scale in done:
            for name in _NAMES:
                methods[titles[method]][name] += scale * (spent.get(name) or 0)
        for case in cases:
            for line in _traces(folder, case.id):
                scale = reading if line["reading"] and not line["key"][3] else asking
                for call in line["calls"]:
                    if call["prompt"] not in known:
                        known.add(call["prompt"])
                        usage = {**call["usage"], "calls": 1, "words": count_words(call["prompt"])}
                        for name in _NAMES:
                            total[name] += scale * usage.get(name, 0)
    failing = {titles[one.method]: one.error for one in predictions if one.error}
    return _Tried(methods, total, tried.documents, tried.questions, failing)


def _traces(folder: RunFolder, case: str) -> Sequence[dict[str, Any]]:
    """Return the traces of a case, readings first: what a reading sends is counted as that."""
    return sorted(folder.traces(case), key=lambda line: not line["reading"])


def _figures(work: Work, settings: Settings, speed: float) -> dict[str, Any]:
    usage = Usage(round(work["prompt_tokens"]), round(work["reply_tokens"]))
    price = FREE if is_local(settings) and settings.model else price_of(settings)
    seconds = (usage.prompt_tokens / _PROMPT_SPEED + usage.reply_tokens / speed) / settings.parallel
    if file_of(settings) is not None and (pace := pace_of(settings)) is not None:
        seconds = pace.seconds(usage.prompt_tokens, usage.reply_tokens)
    return {
        **{name: round(work[name]) for name in _NAMES},
        "cost": None if price is None else round(price.cost(usage), 4),
        "hours": round(seconds / 3600, 3),
    }


def _line(title: str, figures: dict[str, Any]) -> Line:
    cost = figures["cost"]
    return {
        "method": title,
        "calls": f"{figures['calls']:,}",
        "words": f"{figures['words']:,}",
        "tokens in": f"{figures['prompt_tokens']:,}",
        "tokens out": f"{figures['reply_tokens']:,}",
        **({} if cost is None else {"cost": dollars(cost) if cost else "free"}),
        "time": duration(figures["hours"] * 3600),
    }


class _Vectors:
    """An embedder that counts terms, so that no text is sent or embedded."""

    name = "stand-in"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.full((len(texts), _WIDTH), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.split():
                row[crc32(word.lower().encode("utf-8", "replace")) % _WIDTH] += 1
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(_WIDTH, rows.tobytes())
