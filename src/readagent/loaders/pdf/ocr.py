"""Text recognition for scanned pages: Tesseract, a program of the system, gets a picture and returns its words."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median

from readagent.errors import LoadError
from readagent.loaders.pdf.layout.sheet import Piece, Sheet

PROGRAM = "tesseract"
DOTS_PER_POINT = 300 / 72
_SECONDS = 180  # for a page
_MIN_CONFIDENCE = 20.0  # per cent; below it is dirt
_ALIKE = 0.25  # lines whose sizes differ by less have the size of most of the page


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as pixels, row by row: one byte each if it is grey, three if it has colours."""

    width: int
    height: int
    pixels: bytes


def recognized(picture: Picture, language: str, number: int, name: str) -> Sheet:
    """Return the text in the picture of a page; raise LoadError if the program is missing or fails."""
    program = shutil.which(PROGRAM)
    if program is None:
        raise missing(name)
    image = b"P5 %d %d 255\n%s" % (picture.width, picture.height, picture.pixels)
    command = [program, "stdin", "stdout", "-l", language, "--dpi", "300", "tsv"]
    try:
        done = subprocess.run(command, input=image, capture_output=True, timeout=_SECONDS, check=True)
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode("utf-8", "replace").strip().splitlines() or ["it gave no reason"]
        hint = "tesseract --list-langs shows the languages that are installed"
        raise LoadError(f"{name} could not be recognized by Tesseract: {said[0]}", hint=hint) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LoadError(f"{name} could not be recognized by Tesseract: {error}", hint="try fewer pages") from error
    pieces = _of_usual_size(list(_pieces(done.stdout.decode("utf-8", "replace").splitlines())))
    width, height = picture.width / DOTS_PER_POINT, picture.height / DOTS_PER_POINT
    return Sheet(number, width, height, tuple(pieces))


def missing(name: str) -> LoadError:
    """Return the error for a system without the program."""
    hint = "install it, for example with `apt install tesseract-ocr` or `brew install tesseract`"
    return LoadError(f"{name} cannot be recognized: Tesseract is not installed", hint=hint)


def _pieces(table: Iterable[str]) -> Iterator[Piece]:
    """Yield a piece for each line of text in a table of Tesseract, whose rows are words."""
    rows = [row for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE) if row.get("level") == "5"]
    words = [row for row in rows if (row["text"] or "").strip() and float(row["conf"]) >= _MIN_CONFIDENCE]
    lines = groupby(words, key=lambda row: (row["block_num"], row["par_num"], row["line_num"]))
    for order, (_, group) in enumerate(lines):
        line = list(group)
        lefts, tops, widths, heights = (
            [int(row[name]) / DOTS_PER_POINT for row in line] for name in ("left", "top", "width", "height")
        )
        bottoms = [top + height for top, height in zip(tops, heights, strict=True)]
        size = median(heights)
        text = " ".join(row["text"].strip() for row in line)
        yield Piece(text, min(lefts), lefts[-1] + widths[-1], median(bottoms), size, order=order)


def _of_usual_size(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pieces with one size where they differ little, since heights depend on the letters of a line."""
    if not pieces:
        return []
    usual = median([piece.size for piece in pieces for _ in range(len(piece.text))])
    return [replace(piece, size=usual) if abs(piece.size - usual) < _ALIKE * usual else piece for piece in pieces]
