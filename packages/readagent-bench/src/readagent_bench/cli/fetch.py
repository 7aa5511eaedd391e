"""`readagent bench fetch`: download a data set from where its authors publish it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from readagent.cli.options import settings_of
from readagent.cli.screen import confirm, echo
from readagent_bench import fetch as fetching
from readagent_bench.datasets import data_folder


@click.command(
    epilog="""\b
Examples:
  readagent bench fetch quality --data ~/datasets
  readagent bench fetch qmsum --data ~/datasets --yes

Nothing is downloaded before you have seen the licence and agreed, or given --yes.
"""
)
@click.argument("name", metavar="DATASET")
@click.option("--data", type=click.Path(path_type=Path), help="Folder for data sets.")
@click.option("-y", "--yes", is_flag=True, help="Do not ask for confirmation.")
def fetch(name: str, data: Path | None, yes: bool) -> None:
    """Download a data set once, after showing its licence, and print the hashes of its files.

    What cannot be downloaded automatically is described.
    """
    offer, folder = fetching.offer(name), data_folder(data, settings_of({}).home)
    for line in offer.lines(folder):
        echo(line)
    if offer.files and not yes:
        confirm("Download these files?", abort=True)
    new = fetching.fetch(name, folder, on_progress=_show)
    if sys.stderr is not None and sys.stderr.isatty() and new:
        echo("\r\x1b[K", err=True, nl=False)
    echo(f"downloaded: {', '.join(path.name for path in new)}" if new else "nothing new to download")
    for file, seen in fetching.hashes(name, folder).items():
        echo(f"sha256 {seen}  {file}")


def _show(name: str, done: int, size: int) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        of = f" of about {size / 1e6:.1f}" if size else ""
        echo(f"\r\x1b[K{name}: {done / 1e6:.1f}{of} MB", err=True, nl=False)
