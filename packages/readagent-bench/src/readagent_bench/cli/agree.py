"""`readagent bench agree`: compare the verdicts of raters with labels of people."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from readagent.cli.options import JSON
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.errors import UsageError
from readagent_bench.agreement import Agreement, between_raters, keep_labels, read_labels, sheet, with_labels
from readagent_bench.folder import RunFolder
from readagent_bench.rate import Rating
from readagent_bench.report.comparison import figures_of
from readagent_bench.report.tables import Cell, Line, markdown


@click.command(
    epilog="""\b
Examples:
  readagent bench agree runs/qmsum --sample 50 > labels.jsonl
  readagent bench agree runs/qmsum labels.jsonl

Fill in the grades by hand: exact, partial or none. The sample does not show what raters said. Labels are kept in the
run, so that its report has the agreement with them, too.
"""
)
@click.argument("folder", type=click.Path(path_type=Path), metavar="RUN")
@click.argument("labels", required=False, type=click.Path(path_type=Path))
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Print N answers to be labelled instead.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed for drawing answers.")
@JSON
def agree(folder: Path, labels: Path | None, sample: int | None, seed: int, as_json: bool) -> None:
    """Show how often raters agree with each other, and with LABELS, a file of labels made by hand.

    Kappa is 0 where they agree as often as by chance, and 1 where they always agree.
    """
    run = RunFolder(folder)
    run.manifest()
    if sample is not None:
        if labels is not None:
            raise click.UsageError("Give either LABELS or --sample.")
        for line in sheet(run, sample, seed):
            echo(json.dumps(line, ensure_ascii=False))
        return
    if labels is not None:
        keep_labels(run, read_labels(labels, run))
        if not run.records(Rating):
            raise UsageError(
                f"{folder} has no ratings yet; the labels are kept", hint="rate it: `readagent bench rate`"
            )
    found = [*with_labels(run), *between_raters(run)]
    if not found:
        raise UsageError(
            f"{folder} has no answers that two raters, or a rater and a person, graded",
            hint="rate it with another model, or give labels: `readagent bench agree RUN --sample 50`",
        )
    if as_json:
        for one in found:
            print_json(asdict(one))
        return
    echo(markdown([_line(one) for one in found]))


def _line(one: Agreement) -> Line:
    figures: dict[str, Cell] = {**figures_of(one), "first is milder": one.higher}
    stricter = one.count - round(one.count * one.share) - one.higher
    return {"first": one.first, "second": one.second, **figures, "first is stricter": stricter}
