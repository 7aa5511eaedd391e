"""`readagent bench estimate`: calls, tokens, money and hours of a benchmark, before anything is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from readagent.cli.options import JSON, budget_options, model_options_with_output, reading_options
from readagent.cli.output import counted, dollars, print_json
from readagent.cli.progress import duration
from readagent.cli.screen import echo
from readagent.cli.writing import refuse_model_option
from readagent.connection import file_of, is_local, price_of
from readagent.core.tokens import TokenEstimate, family_of
from readagent.core.trace import Usage
from readagent.estimates import pace_of, window_known
from readagent.models.ledger import Budget, Spent
from readagent.models.prices import FREE
from readagent.models.wire import decode, encode
from readagent.private_loop import run_apart
from readagent.settings import Settings
from readagent_bench.answering import QuestionAnswering
from readagent_bench.cli.conduct import budget_of
from readagent_bench.cli.studies import Part, chosen_study, study_options
from readagent_bench.context import is_served
from readagent_bench.folder import RunFolder
from readagent_bench.reading import plan_of_run
from readagent_bench.report.tables import Line, markdown
from readagent_bench.spending import ledger_for

if TYPE_CHECKING:
    from readagent_bench.estimating import Work

_SPEED = 50  # reply tokens a second of a hosted model of middle size
_PROMPT_SPEED = 2000  # prompt tokens a second


@click.command(
    epilog="""\b
Examples:
  readagent bench estimate quality --data ~/quality --recipe paper --runs 3 --model openai/gpt-4.1-mini
  readagent bench estimate qmsum --methods readagent-p:6,full --model ollama/qwen3:8b --speed 20 --parallel 1
  readagent bench estimate quality --data ~/quality --recipe paper --out runs/quality --max-cost 5
"""
)
@study_options
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    callback=refuse_model_option,
    help="Folder of a run: estimate only what it has not finished.",
)
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
@JSON
def estimate(speed: float, out: Path | None, embedder: str, as_json: bool, **flags: Any) -> None:
    """Estimate the calls, tokens, money and hours of `bench run` with the same options. No text is sent.

    A stand-in for the model runs the methods on up to 12 documents and 2 questions of each; the rest is taken to be
    like them. It opens 2.3 pages for a question where the model decides, as in the paper; "at most" is for all pages
    that a method may open. Methods and variants that share a reading pay for it once. Ratings are not included. With
    --max-tokens or --max-cost, the estimate is compared with what is left of the budget.
    """
    served = is_served(embedder)
    chosen = chosen_study(flags)
    known: set[int] = set()
    records = [_estimated(part, chosen.settings, speed, known, out) for part in chosen.parts]
    budget = budget_of(chosen.settings)
    limits = _limits(budget, ledger_for(budget, out).spent if out is not None else Spent(), records)
    if as_json:
        for record in records:
            print_json({**record, **({"budget": limits} if limits else {})})
        return
    for record, part in zip(records, chosen.parts, strict=True):
        _print(record, part.task, chosen.settings, speed)
        if served and record["embedded_words"]:
            echo(f"Embedder: about {record['embedded_words']:,} words; not in the cost.\n")
    if len(records) > 1:
        echo(f"in all: {_in_words([record['total'] for record in records])}")
    for name, limit in limits.items():
        echo(_compared(name, limit))


def _limits(budget: Budget, spent: Spent, records: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return what each limit of a budget has left, and what is needed of it; None where that is unknown."""
    totals = [record["total"] for record in records]

    def needed(name: str, which: list[dict[str, Any]]) -> float | None:
        if name == "tokens":
            return float(sum(one["prompt_tokens"] + one["reply_tokens"] for one in which))
        return None if any(one["cost"] is None for one in which) else round(sum(one["cost"] for one in which), 4)

    limits = {"tokens": (budget.tokens, spent.tokens), "cost": (budget.cost, spent.cost)}
    return {
        name: {
            "limit": limit,
            "spent": used,
            "needed": needed(name, totals),
            "needed_at_most": needed(name, [one["at_most"] for one in totals]),
        }
        for name, (limit, used) in limits.items()
        if limit is not None
    }


def _compared(name: str, limit: dict[str, Any]) -> str:
    """Return in words whether a budget is enough."""

    def amount(value: float) -> str:
        return (
            f"{value:,.0f} tokens"
            if name == "tokens"
            else (f"${value:,.2f}" if value >= 0.01 or not value else f"${value:.4f}")
        )

    total, spent, needed, most = limit["limit"], limit["spent"], limit["needed"], limit["needed_at_most"]
    given = f"Budget of {amount(total)}, of which {amount(spent)} spent" if spent else f"Budget of {amount(total)}"
    if needed is None:
        return f"{given}: the cost is unknown."
    left = total - spent
    verdict = "enough" if most <= left else "perhaps not enough" if needed <= left else "not enough"
    at_most = f", at most {amount(most)}" if most > needed else ""
    return f"{given}: {verdict} for about {amount(needed)}{at_most}."


def _estimated(part: Part, settings: Settings, speed: float, known: set[int], out: Path | None) -> dict[str, Any]:
    from readagent_bench.estimating import estimate_study, left_of

    left = left_of(part.study, part.task, _resumed(part, out))
    found = run_apart(
        estimate_study(
            part.task,
            part.plan,
            left,
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
        "left": {"predictions": sum(left.questions.values()), "of": part.study.predictions},
        "tried": {"documents": found.documents, "questions": found.tried},
        "methods": {title: figures(work, found.most[title]) for title, work in found.methods.items()},
        "total": figures(found.total, found.most_total),
        "embedded_words": round(found.embedded),
        "failing": found.failing,
    }


def _resumed(part: Part, out: Path | None) -> RunFolder | None:
    """Return the folder of a run that these options would resume; None if there is none yet."""
    folder = part.folder(out) if out is not None else None
    described = {
        "dataset": part.task.dataset,
        "split": part.task.split,
        "data_sha256": part.task.data_hash(),
        "methods": [method.name for method in part.task.methods],
        "runs": part.study.runs,
        "seed": part.study.seed,
        "plan": decode(encode(plan_of_run(part.plan))),
    }
    return folder if folder is not None and folder.resumes(described) else None


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
        f"{counted(task.questions, 'question')}{times}{_done(record['left'])}"
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


def _done(left: dict[str, int]) -> str:
    return f", {left['predictions']:,} of {left['of']:,} answers left" if left["predictions"] < left["of"] else ""


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
