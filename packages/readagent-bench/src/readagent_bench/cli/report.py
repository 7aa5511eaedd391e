"""`readagent bench report`: write tables and plots."""

from __future__ import annotations

from pathlib import Path

import click

from readagent.cli.options import JSON
from readagent.cli.output import print_json
from readagent.cli.screen import echo
from readagent.errors import UsageError
from readagent_bench.cli.conduct import failures, terminal_width
from readagent_bench.folder import RunFolder
from readagent_bench.metrics import own_measures
from readagent_bench.report.comparison import load_run
from readagent_bench.report.tables import HEADINGS, brief, figures
from readagent_bench.report.write import DIFFERENT, differ, write_report
from readagent_bench.web import navigation

_WIDE = 150  # columns of the table of Mind2Web with intervals and the figures of the paper


@click.command(
    epilog="""\b
Examples:
  readagent bench report runs/quality
  readagent bench report runs/quality --against bm25:3
  readagent bench report runs/page-size
  readagent bench report runs/small runs/large --out runs/both

A folder that contains several runs, such as that of a recipe, gets one report for all of them.
"""
)
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="RUN...")
@click.option("--against", default="", metavar="METHOD", help="Method to compare the others with.")
@click.option("--rater", default="", metavar="NAME", help="Rater whose ratings are used [default: the one with most].")
@click.option("--measure", "measures", multiple=True, metavar="FILE.py:FUNCTION",
              help="Also this measure of yours (repeatable).")  # fmt: skip
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Folder for one report on all the runs.")
@JSON
def report(
    folders: tuple[Path, ...], against: str, rater: str, measures: tuple[str, ...], out: Path | None, as_json: bool
) -> None:
    """Write a report with tables and plots.

    It has the figures of the paper next to yours: report.md, report.csv and table.csv. A run on Mind2Web gets a
    report.md.
    """
    own = own_measures(measures, [*HEADINGS])
    together = {path: runs_in(path) for path in folders}
    if out is not None:
        together = {out: [run for some in together.values() for run in some]}
    for place, paths in together.items():
        if any(RunFolder(path).manifest().get("dataset") == navigation.MIND2WEB for path in paths):
            if len(paths) > 1 or place != paths[0]:
                raise UsageError("a run on Mind2Web is reported alone", hint="give its folder, without --out")
            show_navigation(RunFolder(place), as_json)
            continue
        several = len(paths) > 1
        runs = [load_run(RunFolder(path), rater, path.name if several else "", measures=own) for path in paths]
        written = write_report(runs, place, against)
        if differ(runs):
            echo(f"note: {DIFFERENT[0].lower()}{DIFFERENT[1:]}", err=True)
        rows = [row for one in runs for row in one.rows]
        if as_json:
            print_json({"rows": [figures(row) for row in rows], "files": [str(path) for path in written]})
            continue
        echo(brief(rows, terminal_width()))
        echo(f"in {place}: {', '.join(path.name for path in written)}")


def show_navigation(folder: RunFolder, as_json: bool) -> None:
    """Write the report of a run on Mind2Web and print its table."""
    found, split = navigation.rows(folder), folder.manifest()["split"]
    written = folder.write_text("report.md", navigation.report(folder))
    if as_json:
        failed = dict(failures(folder.records(navigation.StepPrediction)))
        about = {"folder": str(folder.path), "split": split, "rows": [figures(row) for row in found]}
        print_json({**about, "failures": failed, "report": str(written)})
        return
    wide = (terminal_width() or _WIDE) >= _WIDE
    echo(navigation.table(found, split, "interval" if wide else "none", paper=wide))
    echo(f"with the figures of the paper: {written}")


def runs_in(path: Path) -> list[Path]:
    """Return the run in a folder, or the runs in its subfolders."""
    if RunFolder(path).exists or not path.is_dir():
        return [path]
    found = [one for one in sorted(path.iterdir(), key=_by_number) if RunFolder(one).exists]
    if not found:
        raise UsageError(f"{path} has no run in it", hint="the folder of a run has a manifest.json")
    return found


def _by_number(path: Path) -> tuple[int, str]:
    """Sort 400-words before 1200-words, and what a recipe varies before its variants."""
    number = path.name.partition("-")[0]
    return (int(number) if number.isdigit() else -(path.name == "base"), path.name)
