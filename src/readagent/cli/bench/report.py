"""`readagent bench report`: tables, and a page with plots and every question."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.bench.folder import RunFolder
from readagent.bench.report.tables import brief
from readagent.bench.report.write import write_report


@click.command(
    epilog="""\b
Examples:
  readagent bench report runs/quality
  readagent bench report runs/quality runs/qmsum --against bm25:3
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--against", default="", metavar="METHOD", help="The method that the others are held against.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to write; the run's own folder by default.")
def report(folders: tuple[Path, ...], against: str, out: Path | None) -> None:
    """Write report.md, report.csv and report.html of runs, the paper's figures beside ours."""
    if out is not None and len(folders) > 1:
        raise click.UsageError("--out takes the report of one run.")
    for path in folders:
        folder = RunFolder(path)
        written = write_report(folder, out, against)
        click.echo(brief(folder))
        click.echo("written: " + ", ".join(map(str, written)))
