"""`readagent bench fetch`: download a data set from where its authors publish it.

The authors publish no hashes, and the manifest of a run has one of the texts that it read.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from readagent.cli.options import settings_of
from readagent.cli.screen import confirm, echo
from readagent.errors import DatasetError, ModelError, UsageError
from readagent.models.http import download
from readagent_bench.datasets import DATASETS
from readagent_bench.datasets.files import data_folder

OFFERS: dict[str, tuple[str, tuple[str, ...]]] = {  # where the files are, and their names
    "quality": (
        "https://raw.githubusercontent.com/nyu-mll/quality/main/data/v1.0.1/",
        tuple(f"QuALITY.v1.0.1.htmlstripped.{split}" for split in ("dev", "train", "test")),
    ),
    "qmsum": (
        "https://raw.githubusercontent.com/Yale-LILY/QMSum/main/data/ALL/jsonl/",
        ("val.jsonl", "test.jsonl", "train.jsonl"),
    ),
    "narrativeqa": (
        "https://raw.githubusercontent.com/google-deepmind/narrativeqa/master/", ("documents.csv", "qaps.csv")
    ),
}  # fmt: skip
_STORIES = (
    "by hand: the authors may not publish the stories. Their script download_stories.sh downloads them into tmp; put "
    "that folder next to documents.csv, as tmp or as stories; or put the Parquet files of a hub there, which have the "
    "texts."
)


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
    """Download a data set, after showing its licence.

    What cannot be downloaded automatically is described. A download that was interrupted goes on where it ended.
    """
    kind = name.lower().partition("-")[0]  # the books and films of narrativeqa are one data set
    if kind not in OFFERS:
        raise UsageError(f"{name!r} cannot be downloaded", hint=f"can be fetched: {', '.join(OFFERS)}")
    (base, files), folder = OFFERS[kind], data_folder(data, settings_of({}).home) / kind
    known = next(one for key, one in DATASETS.items() if key.partition("-")[0] == kind)
    for line in (f"licence: {known.licence}", f"homepage: {known.homepage}", f"folder: {folder}"):
        echo(line)
    wanted = [file for file in files if not (folder / file).is_file()]
    for file in wanted:
        echo(f"{file} from {base}{file}")
    if kind == "narrativeqa":
        echo(_STORIES)
    if wanted and not yes:
        confirm("Download these files?", abort=True)
    for file in wanted:
        fetch_file(f"{base}{file}", folder / file, _shown(file))
    if wanted and _is_terminal():
        echo("\r\x1b[K", err=True, nl=False)
    echo(f"downloaded: {', '.join(wanted)}" if wanted else "nothing new to download")


def fetch_file(url: str, path: Path, on_progress: Callable[[int], None]) -> None:
    """Download a file, or the rest of it: while it is incomplete, its name ends in ``.part``."""
    part = path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        download(url, part, on_progress=on_progress)
        os.replace(part, path)
    except ModelError as error:  # raised by the HTTP client
        error.hint = f"try again later, or download {url} by hand to {path}"
        raise
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise DatasetError(f"cannot write {path}: {reason}", hint="use another folder, or free some space") from error


def _shown(file: str) -> Callable[[int], None]:
    def show(done: int) -> None:
        if _is_terminal():
            echo(f"\r\x1b[K{file}: {done / 1e6:.1f} MB", err=True, nl=False)

    return show


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
