"""Page numbers read from the sheets of real PDFs, compared with the labels of the files, which the reader does not see.

Files are those of ``real_files.py``, fetched into the folder that ``--cache`` names. ``--half`` reads one half only,
``--files`` prints the files whose numbers differ from their labels. *Right* is the share of sheets whose number is the
label, *other* that of sheets with another number, and *no number* that of sheets for which none is read. Labels may be
wrong themselves, so that it matters what pdftotext finds in the first and last lines of the sheet: *other, printed
there* is the share of sheets with another number that is printed there while the label is not, *other, label printed*
the opposite, and *no number, label printed* what was missed. The rest have no number in print, such as covers.

The second table has the files without labels, and those with labels that only count the sheets. *Another page* is the
share of sheets whose printed page is not the number of the sheet, and *printed there* the share of these numbers that
pdftotext finds; the others are implied by the sheets around them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import process_time

from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results
from real_archives import HALVES
from real_fetch import LIST, fetch, folder_of, packages
from real_references import FORMATS, program_versions

from readagent.errors import LoadError
from readagent.loaders.pdf.layout.page_numbers import printed_numbers
from readagent.loaders.pdf.layout.sheet import Sheet
from readagent.loaders.pdf.pdfium import open_pdf
from readagent.loaders.pdf.pieces import sheets_of

_EDGE = 3  # lines of a page, for pdftotext
_SECONDS = 120
_FIXTURES = ("garden.libreoffice.pdf", "story.chromium.pdf", "pdf/story.latex.pdf")


@dataclass(frozen=True, slots=True)
class Compared:
    """What was found in a file: counts of sheets, and the CPU seconds for its text and for its numbers."""

    path: str
    labelled: bool
    counts: Counter[str] = field(default_factory=Counter)
    reading: float = 0.0
    numbering: float = 0.0


def options_of() -> argparse.Namespace:
    """Parse the options of every script and those of this one."""
    made = parser(__doc__)
    made.add_argument("--half", choices=HALVES, help="read this half only, and write no result file")
    made.add_argument("--most", type=int, default=100_000, help="files without labels of each half")
    made.add_argument("--files", action="store_true", help="print the files with other numbers than their labels")
    return made.parse_args()


def chosen(files: Iterable[Path], most: int) -> list[Path]:
    """Return all files with labels, and at most so many of the others, by a hash of their names."""
    ordered = sorted(files, key=lambda path: sha256(path.name.encode()).digest())
    kinds = {path: _is_labelled(path) for path in ordered}
    others = [path for path in ordered if kinds[path] is False]
    return [*(path for path in ordered if kinds[path]), *others[:most]]


def _is_labelled(path: Path) -> bool | None:
    """Return whether a file has labels that do not just count its sheets; None if it cannot be opened."""
    try:
        with open_pdf(path.read_bytes(), path.name) as pdf:
            return _says_more([pdf.label(number) for number in range(pdf.pages)])
    except LoadError:
        return None


def _says_more(labels: Sequence[str]) -> bool:
    return any(labels) and list(labels) != [str(number) for number in range(1, len(labels) + 1)]


def compared(path: Path) -> Compared | None:
    """Return what was found in a file; None if it has no text or cannot be opened."""
    began = process_time()
    try:
        with open_pdf(path.read_bytes(), path.name) as pdf:
            labels = [pdf.label(number) for number in range(pdf.pages)]
            sheets: list[Sheet] = []
            for number in range(pdf.pages):
                with pdf.page(number) as page:
                    sheets += sheets_of(page, number) if page is not None and page.is_mapped() else []
    except LoadError:
        return None
    read = process_time()
    numbers = printed_numbers([sheet for sheet in sheets if sheet.pieces], len(labels))
    done = process_time()
    with_text = sorted({sheet.number for sheet in sheets if sheet.pieces})
    counted = [str(number + 1) for number in range(len(labels))]
    labelled = _says_more(labels)
    wanted = labels if labelled else counted
    counts = _counts(with_text, wanted, numbers, _edges(path)) if with_text else Counter[str]()
    return Compared(str(path), labelled, counts, read - began, done - read) if with_text else None


def _counts(
    sheets: Iterable[int], wanted: Sequence[str], numbers: dict[int, str], edges: Sequence[set[str]]
) -> Counter[str]:
    """Return how many sheets have the wanted number, another one or none, and which of them pdftotext finds."""
    counts: Counter[str] = Counter()
    for sheet in sheets:
        number, there = numbers.get(sheet, ""), edges[sheet] if sheet < len(edges) else set[str]()
        name = "none" if not number else "right" if number == wanted[sheet] else "other"
        counts[name] += 1
        counts[f"{name}, ours printed"] += number in there and wanted[sheet] not in there
        counts[f"{name}, wanted printed"] += wanted[sheet] in there and number not in there
        counts[f"{name}, printed"] += number in there
    return counts


def _edges(path: Path) -> list[set[str]]:
    """Return the words in the first and last lines of each page, according to pdftotext."""
    if shutil.which("pdftotext") is None:
        return []
    command = ["pdftotext", "-layout", "-enc", "UTF-8", str(path), "-"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)
    pages = done.stdout.decode("utf-8", "replace").split("\f")
    lines = ([line for line in page.splitlines() if line.strip()] for page in pages)
    return [{word for line in (*some[:_EDGE], *some[-_EDGE:]) for word in re.findall(r"\w+", line)} for some in lines]


def rows_of(found: Sequence[Compared], half: str) -> tuple[dict[str, Value], dict[str, Value]]:
    """Return the line of files with labels, and that of the others."""
    labelled, plain = ([one for one in found if one.labelled is which] for which in (True, False))
    counts = sum((one.counts for one in labelled), Counter[str]())
    first: dict[str, Value] = {
        "half": half,
        "files": len(labelled),
        "sheets": (sheets := _sheets(labelled)),
        "right": _percent(counts["right"], sheets),
        "other": _percent(counts["other"], sheets),
        "other, printed there": _percent(counts["other, ours printed"], sheets),
        "other, label printed": _percent(counts["other, wanted printed"], sheets),
        "no number": _percent(counts["none"], sheets),
        "no number, label printed": _percent(counts["none, wanted printed"], sheets),
        **_times(labelled),
    }
    counts = sum((one.counts for one in plain), Counter[str]())
    second: dict[str, Value] = {
        "half": half,
        "files": len(plain),
        "sheets": (sheets := _sheets(plain)),
        "files with other pages": sum(bool(one.counts["other"]) for one in plain),
        "another page": _percent(counts["other"], sheets),
        "printed there": _percent(counts["other, printed"], counts["other"]),
        "the same page": _percent(counts["right"], sheets),
        "no number": _percent(counts["none"], sheets),
        **_times(plain),
    }
    return first, second


def _sheets(some: Sequence[Compared]) -> int:
    return sum(one.counts[name] for one in some for name in ("right", "other", "none"))


def _times(some: Sequence[Compared]) -> dict[str, Value]:
    """Return the CPU time for a sheet: for its text, and for the numbers."""
    each = 1000 / max(1, _sheets(some))
    return {
        "CPU ms, text": round(each * sum(one.reading for one in some), 2),
        "CPU ms, numbers": round(each * sum(one.numbering for one in some), 2),
    }


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else ""


def print_others(found: Sequence[Compared]) -> None:
    """Print the labelled files with other numbers, those with most first."""
    for one in sorted(found, key=lambda one: -one.counts["other"]):
        if one.labelled and one.counts["other"] + one.counts["none, wanted printed"]:
            print(dict(one.counts), one.path)


def measured(files: Iterable[Path]) -> list[Compared]:
    """Return what was found in files, in two processes."""
    with ProcessPoolExecutor(2) as processes:
        return [one for one in processes.map(compared, files) if one is not None]


def main() -> None:
    options = options_of()
    labelled: list[dict[str, Value]] = []
    plain: list[dict[str, Value]] = []
    if options.quick or options.cache is None:
        halves = {"fixtures": [ROOT / "tests" / "fixtures" / name for name in _FIXTURES]}
        print("With --cache FOLDER, real files are fetched and read.\n")
    else:
        options.cache.mkdir(parents=True, exist_ok=True)
        fetch(packages(LIST.read_text("utf-8")), options.cache, FORMATS)
        names = [options.half] if options.half else HALVES
        halves = {half: chosen(folder_of(options.cache, half).rglob("*.pdf"), options.most) for half in names}
    for half, files in halves.items():
        found = measured(files)
        if options.files:
            print_others(found)
        first, second = rows_of(found, half)
        labelled.append(first)
        plain.append(second)
    print(table(labelled), table(plain), sep="\n\n")
    if options.cache and not (options.quick or options.half):
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        parts: dict[str, Rows | str] = {
            "What is measured": about,
            "Files with labels, in per cent of sheets": labelled,
            "Files without labels, or with 1, 2, 3 …, in per cent of sheets": plain,
        }
        made_with = manifest(programs=program_versions(), most=f"{options.most} files without labels of each half")
        write_results("printed_pages", "Printed pages of PDFs", parts, made_with)
    print_figures({"files": sum(int(row["files"]) for row in (*labelled, *plain)),
                   "sheets": sum(int(row["sheets"]) for row in (*labelled, *plain))})  # fmt: skip


if __name__ == "__main__":
    main()
