"""`readagent bench report`: tables, and a page with plots and every question."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.bench.folder import RunFolder
from readagent.bench.report.tables import brief, figures
from readagent.bench.report.told import Told, told
from readagent.bench.report.write import write_report
from readagent.cli.commands.bench.width import terminal_width
from readagent.cli.options import JSON
from readagent.cli.output import print_json
from readagent.errors import UsageError


@click.command(
    epilog="""\b
Examples:
  readagent bench report runs/quality
  readagent bench report runs/quality --against bm25:3
  readagent bench report runs/page-size
  readagent bench report runs/small runs/large --out runs/both

A folder with several runs in it, such as a recipe's, makes one report of them all.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--against", default="", metavar="METHOD", help="The method that the others are held against.")
@click.option("--rater", default="", metavar="NAME", help="Whose ratings to use, where there are several raters'.")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Where to write; puts several runs into one report.")
@JSON
def report(folders: tuple[Path, ...], against: str, rater: str, out: Path | None, as_json: bool) -> None:
    """Write report.md, report.csv, table.csv and report.html of runs, the paper's figures beside ours."""
    if out is not None:
        _report([run for path in folders for run in _runs(path)], out, against, rater, as_json)
        return
    for path in folders:
        _report(_runs(path), path, against, rater, as_json)


def _runs(path: Path) -> list[Path]:
    """The run in a folder, or the runs in the folders in it."""
    if RunFolder(path).exists or not path.is_dir():
        return [path]
    found = [one for one in sorted(path.iterdir(), key=_by_number) if RunFolder(one).exists]
    if not found:
        raise UsageError(f"{path} holds no run", hint="a run's folder has a manifest.json in it")
    return found


def _by_number(path: Path) -> tuple[int, str]:
    """So that 400-words comes before 1200-words."""
    number = path.name.partition("-")[0]
    return (int(number) if number.isdigit() else 0, path.name)


def _report(paths: list[Path], out: Path, against: str, rater: str, as_json: bool) -> None:
    runs: list[Told] = [told(RunFolder(path), rater, path.name if len(paths) > 1 else "") for path in paths]
    written = write_report(runs, out, against)
    rows = [row for one in runs for row in one.rows]
    if as_json:
        print_json({"rows": [figures(row) for row in rows], "files": [str(path) for path in written]})
        return
    click.echo(brief(rows, terminal_width()))
    click.echo(f"in {out}: {', '.join(path.name for path in written)}")
