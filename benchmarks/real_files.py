"""Files that nobody here wrote: words, order, headings and furniture compared with other programs, by format.

Packages are fetched by name (``real_files.txt``) into the folder that ``--cache`` names. Half of them is never looked
at while tuning; which half is chosen by a hash of the name, except where packages were known before. ``--half`` reads
one half only, ``--only`` one format, ``--most`` so many files of each. ``--files`` prints a line for each file, the
worst first. ``--quick`` reads some fixtures and fetches nothing. Web pages are measured by ``real_web.py``: their words
are those of the known text, and furniture is what is not in it.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean, median

import real_measures
import real_references
import real_web
from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results
from real_archives import HALVES
from real_fetch import LIST, fetch, folder_of, packages
from real_measures import Measured, measured
from real_references import FORMATS, missing_programs, program_versions

from readagent.loaders.formats import FORMATS as LOADED

WEB = "web"
_PROCESSES = 2
_SECONDS = 300  # for one file
_FIXTURES = (
    "garden.libreoffice.pdf", "garden.libreoffice.docx", "garden.libreoffice.rtf", "garden.pandoc.epub", "garden.md",
)  # fmt: skip
_PROCESS = multiprocessing.get_context("forkserver")
PRELOADED = [  # into each new process
    "__main__", "openpyxl", "pptx", "odf.opendocument",
    *(f"readagent.loaders.{one.parser}" for one in LOADED.values()),
]  # fmt: skip


def options_of() -> argparse.Namespace:
    """Parse the options of every script and those of this one."""
    made = parser(__doc__)
    made.add_argument("--half", choices=HALVES, help="read this half only, and write no result file")
    made.add_argument("--only", choices=sorted({*FORMATS.values(), WEB}), help="read this format only")
    made.add_argument("--most", type=int, default=100_000, help="files of each format and half")
    made.add_argument("--files", action="store_true", help="print a line for each file, the worst first")
    return made.parse_args()


def files_in(folder: Path, only: str | None, most: int) -> list[Path]:
    """Return the documents in a folder, at most so many of each format, chosen by a hash of their names."""
    found: list[Path] = []
    for name in dict.fromkeys(FORMATS.values()):
        if only in (None, name):
            files = (path for path in folder.rglob("*") if FORMATS.get(path.suffix.lower()) == name)
            found += sorted(files, key=lambda path: sha256(path.name.encode()).digest())[:most]
    return found


def all_measured(files: Sequence[Path]) -> Iterator[Measured]:
    """Yield the measures of files, each from a process of its own."""
    _PROCESS.set_forkserver_preload(PRELOADED)
    with ThreadPoolExecutor(_PROCESSES) as threads:
        yield from threads.map(_alone, files)


def _alone(path: Path) -> Measured:
    receiver, sender = _PROCESS.Pipe(duplex=False)
    process = _PROCESS.Process(target=_send_measured, args=(path, sender))
    process.start()
    sender.close()
    try:
        found: Measured = receiver.recv() if receiver.poll(_SECONDS) else _failed(path, "took too long")
    except EOFError:
        found = _failed(path, "ended without a word")
    process.kill()
    process.join()
    return found


def _send_measured(path: Path, sender: Connection) -> None:
    sender.send(measured(path))


def _failed(path: Path, how: str) -> Measured:
    return Measured(str(path), FORMATS[path.suffix.lower()], crashed=how)


def row_of(name: str, half: str, found: Sequence[Measured]) -> dict[str, Value]:
    """Return a line of the table: medians, and the tenth that is worst, in per cent."""
    good = [one for one in found if one.words is not None]
    shares = [one.words for one in good if one.words is not None]
    headed = [one.headings for one in good if one.headings is not None]
    furnished = [one.furniture for one in good if one.furniture is not None]
    return {
        "format": name,
        "half": half,
        "files": len(found),
        "refused": sum(bool(one.refused) for one in found),
        "crashed": sum(bool(one.crashed) for one in found),
        "compared": len(good),
        "words": percent(median(shares)) if good else "",
        "words, worst tenth": percent(tenth(shares)) if good else "",
        "order": percent(median(one.order for one in good)) if good else "",
        "order, worst tenth": percent(tenth([one.order for one in good])) if good else "",
        "foreign": percent(median(one.foreign for one in good)) if good else "",
        "headings": percent(mean(headed)) if headed else "",
        "furniture let in": percent(mean(furnished)) if furnished else "",
        "CPU seconds": round(sum(one.seconds for one in found), 1),
        "MB at most": round(max(one.megabytes for one in found)),
    }


def tenth(shares: Sequence[float]) -> float:
    """Return the share that nine of ten files reach."""
    return sorted(shares)[len(shares) // 10]


def percent(share: float) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.1f}"


def rows_of(found: Sequence[Measured], half: str) -> list[dict[str, Value]]:
    """Return a line of the table for each format that has files."""
    names = dict.fromkeys(one.format for one in found)
    return [row_of(name, half, [one for one in found if one.format == name]) for name in names]


def web_rows(cache: Path, half: str) -> list[dict[str, Value]]:
    """Return the line of web pages, which another script measures."""
    found = []
    for row in real_web.rows(cache, half):
        worst, refused = row.pop("worst tenth"), row.pop("not loaded")
        found.append({**row, "refused": refused, "crashed": 0, "compared": row["files"], "words, worst tenth": worst})
    return found


def line_of(one: Measured) -> str:
    """Return the measures of one file on a line."""
    if one.words is None:
        return f"{one.refused or one.crashed or 'not compared'}  {one.path}"
    shares = (one.words, one.order, one.foreign, one.headings or 0, one.furniture or 0)
    return f"{' '.join(percent(share).rjust(6) for share in shares)} {one.count:8} {one.seconds:6.1f} s  {one.path}"


def print_worst_first(found: Sequence[Measured]) -> None:
    """Print a line for each file."""
    ordered = sorted(found, key=lambda one: (not one.crashed, one.words is None, (one.words or 0) + one.order))
    print(*map(line_of, ordered), sep="\n")


def main() -> None:
    options = options_of()
    missing = missing_programs()
    if missing:
        print(f"not installed, so their formats are loaded, but not compared: {', '.join(missing)}")
    rows: list[dict[str, Value]] = []
    failed: list[str] = []
    if options.quick or options.cache is None:
        fixtures = [ROOT / "tests" / "fixtures" / name for name in _FIXTURES]
        rows = rows_of(list(all_measured(fixtures)), "fixtures")
        print("With --cache FOLDER, real files are fetched and read.\n")
    else:
        options.cache.mkdir(parents=True, exist_ok=True)
        failed = fetch(packages(LIST.read_text("utf-8")), options.cache, FORMATS)
        for half in [options.half] if options.half else HALVES:
            found = list(all_measured(files_in(folder_of(options.cache, half), options.only, options.most)))
            if options.files:
                print_worst_first(found)
            rows += rows_of(found, half) + (web_rows(options.cache, half) if options.only in (None, WEB) else [])
    print(table(rows))
    if options.cache and not (options.quick or options.half or options.only):
        parts: dict[str, Rows | str] = {"What is measured": about(), "Formats, in per cent": rows}
        if failed:
            parts["Packages that could not be fetched"] = ", ".join(failed)
        made_with = manifest(programs=program_versions(), most=f"{options.most} files of each format and half")
        write_results("real_files", "Real files", parts, made_with)
    print_figures({name: sum(int(row[name]) for row in rows) for name in ("files", "refused", "crashed")})


def about() -> str:
    """Return what the table shows, from the docstrings."""
    docs = (__doc__, real_references.__doc__, real_measures.__doc__)
    return "\n\n".join((doc or "").split("\n\n", 1)[1].strip() for doc in docs).replace("``", "`")


if __name__ == "__main__":
    main()
