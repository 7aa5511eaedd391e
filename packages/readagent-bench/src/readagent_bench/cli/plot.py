"""`readagent bench plot`: plot how right the methods of runs are over the words that the model reads."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.cli.screen import echo
from readagent_bench.cli.report import runs_in
from readagent_bench.folder import RunFolder
from readagent_bench.metrics import own_measures
from readagent_bench.report.loaded import load_run, short_titles
from readagent_bench.report.plots import write_over_words
from readagent_bench.report.tables import HEADINGS


@click.command(
    epilog="""\b
Examples:
  readagent bench run quality --data ~/quality --recipe words --out runs/words
  readagent bench plot runs/words --out accuracy.svg
  readagent bench plot runs/words runs/defaults --measure lr1 --out accuracy.png
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--measure", default="", metavar="NAME|FILE.py:FUNCTION", help="Measure to plot [default: the main one].")
@click.option("--rater", default="", metavar="NAME", help="Rater whose ratings are used [default: the one with most].")
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("plot.svg"), show_default=True,
              help="File to write: .svg, .png or .pdf.")  # fmt: skip
def plot(folders: tuple[Path, ...], measure: str, rater: str, out: Path) -> None:
    """Plot accuracy, or another measure, over the words that the model reads for a question.

    Measures are accuracy, lr1, lr2, rougeL and the like, as in report.csv.
    """
    own = own_measures([measure], [*HEADINGS]) if measure and measure not in HEADINGS else {}
    paths = [path for folder in folders for path in runs_in(folder)]
    runs = [load_run(RunFolder(path), rater, path.name if len(paths) > 1 else "", measures=own) for path in paths]
    write_over_words([row for one in short_titles(runs) for row in one.rows], out, next(iter(own), measure))
    echo(str(out))
