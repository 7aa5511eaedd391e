"""`readagent bench estimate`: calls, tokens, money and hours of a benchmark, before anything is sent.

The study is run on a few documents with a stand-in for the model that costs nothing. What its folder has then is
scaled to all documents and questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from readagent.errors import UsageError
from readagent.estimates import pace_of, window_known
from readagent.models.prices import FREE
from readagent.private_loop import run_apart
from readagent.settings import Settings
from readagent_bench.answering import QuestionAnswering
from readagent_bench.cli.studies import Part, chosen_parts, study_options
from readagent_bench.datasets.dataset import sample
from readagent_bench.records import Case, Prediction
from readagent_bench.report.tables import Line, markdown
from readagent_bench.study import Study
from readagent_bench.web.navigation import MIND2WEB

_DOCUMENTS, _QUESTIONS = 12, 2  # that are tried at most; the rest is taken to be like them
_PAGES_TO_OPEN = 2.3  # the mean in the paper, of at most 5
_SPEED = 50  # reply tokens a second of a hosted model of middle size
_PROMPT_SPEED = 2000  # prompt tokens a second
_WIDTH = 32  # of the vectors of the stand-in
_NAMES = ("calls", "words", "prompt_tokens", "reply_tokens")


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
    if parts[0].study.task.dataset == MIND2WEB:
        raise UsageError(f"there are no estimates for {MIND2WEB}", hint="give `bench run` a --limit, or --max-tokens")
    known: set[str] = set()  # prompts, which variants that share a reading send once
    found: list[dict[str, Any]] = [
        {"variant": part.variant.name, "predictions": part.study.predictions, **run_apart(_work(part, settings, known))}
        for part in parts
    ]
    if len(found) > 1:
        total = {name: sum(one[name] for one in found) for name in ("predictions", *_NAMES)}
        found.append({"variant": "in all", **total})
    found = [{**figures, **_prices(figures, settings, speed)} for figures in found]
    if as_json:
        for figures in found:
            print_json(figures)
        return
    task, runs = parts[0].study.task, parts[0].study.runs
    times = f", {runs} runs" if runs > 1 else ""
    size = f"{counted(task.documents, 'document')}, {counted(task.questions, 'question')}{times}"
    echo(f"{task.dataset} ({task.split}): {size}")
    echo(markdown([_line(figures) for figures in found]))
    if file_of(settings) is None:
        echo(f"Time: {counted(settings.parallel, 'call')} at a time, {speed:g} reply tokens a second (--speed).")
    if price_of(settings) is None and not is_local(settings):
        echo("Cost: unknown; give --model, or add its price under [prices] in the settings.")


async def _work(part: Part, settings: Settings, known: set[str]) -> dict[str, int]:
    """Run the study of a part on a few cases, and return the calls, words and tokens of all, as that suggests."""
    from readagent.testing.scripted import Skimmer
    from readagent.testing.skim import Habits

    habits = Habits(gist_share=kept_share(part.plan.page_words), pages_to_open=_PAGES_TO_OPEN, own_words=True)
    counter, window = TokenEstimate(family_of(settings.model)), window_known(settings).tokens
    task = part.study.task
    assert isinstance(task, QuestionAnswering)
    cases = sample(task.loaded, documents=_DOCUMENTS, questions=_QUESTIONS, seed=part.study.seed)
    tried = replace(task, loaded=cases)

    def agent_of(number: int) -> AsyncReadAgent:
        model = Skimmer(habits, counter.count)
        return AsyncReadAgent(model, plan=part.plan, window=window, prompts=settings.prompts)

    asking = part.study.runs * task.questions / max(1, tried.questions)
    reading = part.study.runs * _words(task.loaded) / max(1, _words(cases))
    found: dict[str, float] = dict.fromkeys(_NAMES, 0)
    with TemporaryDirectory() as place:
        folder = await Study(tried).conduct(Path(place) / "run", agent_of, _Vectors())
        for case in cases:
            for line in sorted(folder.traces(case.id), key=lambda line: not line["reading"]):
                scale = reading if line["reading"] and not line["key"][3] else asking
                for call in line["calls"]:
                    if call["prompt"] not in known:
                        known.add(call["prompt"])
                        usage = {**call["usage"], "calls": 1, "words": count_words(call["prompt"])}
                        found = {name: found[name] + scale * usage.get(name, 0) for name in _NAMES}
        for method, error in {one.title: one.error for one in folder.records(Prediction) if one.error}.items():
            echo(f"note: {method} cannot answer some questions: {error}", err=True)
    return {name: round(value) for name, value in found.items()}


def _words(cases: Sequence[Case]) -> int:
    return sum(case.document.words for case in cases)


def _prices(work: Mapping[str, Any], settings: Settings, speed: float) -> dict[str, float | None]:
    """Return the dollars and hours for this work."""
    usage = Usage(work["prompt_tokens"], work["reply_tokens"])
    price = FREE if is_local(settings) and settings.model else price_of(settings)
    seconds = (usage.prompt_tokens / _PROMPT_SPEED + usage.reply_tokens / speed) / settings.parallel
    if file_of(settings) is not None and (pace := pace_of(settings)) is not None:
        seconds = pace.seconds(usage.prompt_tokens, usage.reply_tokens)
    return {"cost": None if price is None else round(price.cost(usage), 4), "hours": round(seconds / 3600, 3)}


def _line(figures: dict[str, Any]) -> Line:
    cost = figures["cost"]
    return {
        **({"variant": figures["variant"]} if figures["variant"] else {}),
        **{name.replace("_", " "): f"{figures[name]:,}" for name in ("predictions", *_NAMES)},
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
