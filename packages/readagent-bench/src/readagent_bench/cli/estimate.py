"""`readagent bench estimate`: calls, tokens, money and hours of a benchmark, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from readagent.cli.options import JSON, budget_options, model_options_with_output, reading_options
from readagent.cli.output import counted, dollars, print_json
from readagent.cli.progress import duration
from readagent.cli.screen import echo
from readagent.connection import file_of, is_local, price_of
from readagent.core.tokens import TokenEstimate, family_of
from readagent.core.trace import Usage
from readagent.estimates import pace_of, window_known
from readagent.models.prices import FREE
from readagent.private_loop import run_apart
from readagent.settings import Settings
from readagent_bench.answering import QuestionAnswering
from readagent_bench.cli.studies import Part, chosen_study, study_options
from readagent_bench.context import is_served
from readagent_bench.report.tables import Line, markdown

if TYPE_CHECKING:
    from readagent_bench.estimating import Work

_SPEED = 50  # reply tokens a second of a hosted model of middle size
_PROMPT_SPEED = 2000  # prompt tokens a second


@click.command(
    epilog="""\b
Examples:
  readagent bench estimate quality --data ~/quality --recipe paper --runs 3 --model openai/gpt-4.1-mini
  readagent bench estimate qmsum --methods readagent-p:6,full --model ollama/qwen3:8b --speed 20 --parallel 1
"""
)
@study_options
@click.option(
    "--speed",
    type=click.FloatRange(0.1),
    default=_SPEED,
    show_default=True,
    metavar="TOKENS",
    help="Reply tokens that the server writes in a second, for one call.",
)
@reading_options
@model_options_with_output
@budget_options
@click.option("-o", "--out", hidden=True, expose_value=False)  # any command for `bench run` can be estimated
@JSON
def estimate(speed: float, embedder: str, as_json: bool, **flags: Any) -> None:
    """Estimate the calls, tokens, money and hours of `bench run` with the same options. No text is sent.

    A stand-in for the model runs the methods on up to 12 documents and 2 questions of each; the rest is taken to be
    like them. It opens 2.3 pages for a question where the model decides, as in the paper; "at most" is for all pages
    that a method may open. Methods and variants that share a reading pay for it once. Ratings are not included.
    """
    served = is_served(embedder)
    chosen = chosen_study(flags)
    known: set[int] = set()
    records = [_estimated(part, chosen.settings, speed, known) for part in chosen.parts]
    if as_json:
        for record in records:
            print_json(record)
        return
    for record, part in zip(records, chosen.parts, strict=True):
        _print(record, part.task, chosen.settings, speed)
        if served and record["embedded_words"]:
            echo(f"Embedder: about {record['embedded_words']:,} words; not in the cost.\n")
    if len(records) > 1:
        echo(f"in all: {_in_words([record['total'] for record in records])}")


def _estimated(part: Part, settings: Settings, speed: float, known: set[int]) -> dict[str, Any]:
    from readagent_bench.estimating import estimate_study

    found = run_apart(
        estimate_study(
            part.task,
            part.plan,
            part.study.runs,
            window=window_known(settings).tokens,
            counter=TokenEstimate(family_of(settings.model)),
            prompts=settings.prompts,
            seed=part.study.seed,
            known=known,
        )
    )

    def figures(work: Work, most: Work) -> dict[str, Any]:
        return {**_figures(work, settings, speed), "at_most": _figures(most, settings, speed)}

    return {
        "variant": part.variant.name,
        "runs": part.study.runs,
        "predictions": part.study.predictions,
        "tried": {"documents": found.documents, "questions": found.tried},
        "methods": {title: figures(work, found.most[title]) for title, work in found.methods.items()},
        "total": figures(found.total, found.most_total),
        "embedded_words": round(found.embedded),
        "failing": found.failing,
    }


def _figures(work: Work, settings: Settings, speed: float) -> dict[str, Any]:
    usage = Usage(round(work.prompt_tokens), round(work.reply_tokens))
    price = FREE if is_local(settings) and settings.model else price_of(settings)
    return {
        "calls": round(work.calls),
        "words": round(work.words),
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "cost": None if price is None else round(price.cost(usage), 4),
        "hours": round(_seconds(usage, settings, speed) / 3600, 3),
    }


def _seconds(usage: Usage, settings: Settings, speed: float) -> float:
    """Return how long this takes: at the pace of a model on this computer, or with a server's calls in parallel."""
    if file_of(settings) is not None and (pace := pace_of(settings)) is not None:
        return pace.seconds(usage.prompt_tokens, usage.reply_tokens)
    return (usage.prompt_tokens / _PROMPT_SPEED + usage.reply_tokens / speed) / settings.parallel


def _print(record: dict[str, Any], task: QuestionAnswering, settings: Settings, speed: float) -> None:
    name = f", {record['variant']}" if record["variant"] else ""
    times = f", {record['runs']} runs" if record["runs"] > 1 else ""
    echo(
        f"{task.dataset} ({task.split}){name}: {counted(task.documents, 'document')}, "
        f"{counted(task.questions, 'question')}{times}"
    )
    figures = {**record["methods"], "all, shared readings once": record["total"]}
    opens = any(one["at_most"]["words"] > one["words"] for one in figures.values())
    echo(markdown([_line(title, one, opens) for title, one in figures.items()]))
    if opens:
        echo("At most: if every page that a method may open is opened.")
    tried = record["tried"]
    echo(f"From {counted(tried['documents'], 'document')} with {counted(tried['questions'], 'question')}.")
    if file_of(settings) is None:
        echo(
            f"Hours: with {counted(settings.parallel, 'call')} at a time, at {speed:g} reply tokens a second (--speed)."
        )
    if record["total"]["cost"] is None:
        echo("Cost: unknown; give --model, or add its price under [prices] in the settings.")
    for title, reason in record["failing"].items():
        echo(f"note: {title} cannot answer some questions: {reason}", err=True)
    echo()


def _money(cost: float) -> str:
    return dollars(cost) if cost else "free"


def _line(title: str, figures: dict[str, Any], opens: bool) -> Line:
    cost, most = figures["cost"], figures["at_most"]
    more = most["prompt_tokens"] > figures["prompt_tokens"]
    return {
        "method": title,
        "calls": f"{figures['calls']:,}",
        "words": f"{figures['words']:,}",
        "tokens in": f"{figures['prompt_tokens']:,}",
        **({"tokens in, at most": f"{most['prompt_tokens']:,}" if more else ""} if opens else {}),
        "tokens out": f"{figures['reply_tokens']:,}",
        **({} if cost is None else {"cost": _money(cost)}),
        **({"cost, at most": _money(most["cost"]) if more else ""} if opens and cost else {}),
        "time": duration(figures["hours"] * 3600),
    }


def _in_words(totals: list[dict[str, Any]]) -> str:
    sums = {name: sum(one[name] or 0 for one in totals) for name in totals[0] if name != "at_most"}
    cost = "" if any(one["cost"] is None for one in totals) else f", {_money(sums['cost'])}"
    return (
        f"{counted(sums['calls'], 'call')}, {sums['prompt_tokens']:,} tokens in, {sums['reply_tokens']:,} out{cost}, "
        f"about {duration(sums['hours'] * 3600)}"
    )
