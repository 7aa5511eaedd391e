"""Files that nobody here wrote: words, order, headings and furniture compared with other programs, by format.

Packages are fetched by name (``real_files.txt``) into the folder that ``--cache`` names; half of them, by a hash of the
name, is never looked at while tuning. ``--half`` reads one half only, ``--only`` one format, ``--most`` so many files
of each. ``--files`` prints a line for each file. ``--quick`` reads two fixtures and fetches nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median
from subprocess import SubprocessError, run

import real_measures
from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results
from real_archives import HALVES
from real_fetch import LIST, fetch, packages
from real_measures import FORMATS, Measured, missing_programs

_PROCESSES = 2
_SECONDS = 300  # for one file
_MEASURE = "import pathlib, sys; from real_measures import print_measured; print_measured(pathlib.Path(sys.argv[1]))"
_FIXTURES = ("garden.libreoffice.pdf", "garden.chromium-columns.pdf")


def options_of() -> argparse.Namespace:
    """Parse the options of every script and those of this one."""
    made = parser(__doc__)
    made.add_argument("--half", choices=HALVES, help="read this half only, and write no result file")
    made.add_argument("--only", choices=sorted(FORMATS.values()), help="read this format only")
    made.add_argument("--most", type=int, default=100_000, help="files of each format and half")
    made.add_argument("--files", action="store_true", help="print a line for each file, the worst first")
    return made.parse_args()


def files_in(folder: Path, only: str | None, most: int) -> list[Path]:
    """Return the documents in a folder, at most so many of each format."""
    found: list[Path] = []
    for suffix, name in FORMATS.items():
        if only in (None, name):
            found += sorted(folder.rglob(f"*{suffix}"), key=lambda path: path.name)[:most]
    return found


def all_measured(files: Sequence[Path]) -> Iterator[Measured]:
    """Yield the measures of files, each from a process of its own."""
    with ThreadPoolExecutor(_PROCESSES) as threads:
        yield from (one for one in threads.map(_alone, files) if one is not None)


def _alone(path: Path) -> Measured | None:
    command = [sys.executable, "-c", _MEASURE, str(path.resolve())]
    try:
        done = run(command, cwd=LIST.parent, capture_output=True, text=True, check=True, timeout=_SECONDS)
    except (SubprocessError, OSError) as error:
        return Measured(str(path), FORMATS[path.suffix.lower()], f"not measured: {error}")
    found = json.loads(done.stdout)
    return Measured(**found) if found else None


def row_of(name: str, half: str, found: Sequence[Measured]) -> dict[str, Value]:
    """Return a line of the table: medians and the tenth that is worst, in per cent."""
    good = [one for one in found if not one.error]
    headed = [one.headings for one in good if one.headings is not None]
    furnished = [one.furniture for one in good if one.furniture is not None]
    return {
        "format": name,
        "half": half,
        "files": len(found),
        "not loaded": len(found) - len(good),
        "words": percent(median(one.words for one in good)),
        "worst tenth": percent(tenth([one.words for one in good])),
        "order": percent(median(one.order for one in good)),
        "order, worst tenth": percent(tenth([one.order for one in good])),
        "foreign": percent(median(one.foreign for one in good)),
        "headings": percent(mean(headed)) if headed else "",
        "furniture let in": percent(mean(furnished)) if furnished else "",
        "CPU seconds": round(sum(one.seconds for one in good), 1),
        "MB at most": round(max(one.megabytes for one in good)),
    }


def tenth(shares: Sequence[float]) -> float:
    """Return the share that nine of ten files reach."""
    return sorted(shares)[len(shares) // 10]


def percent(share: float) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.1f}"


def rows_of(found: Iterable[Measured], half: str) -> list[dict[str, Value]]:
    """Return a line of the table for each format that has files."""
    by_format: dict[str, list[Measured]] = {}
    for one in found:
        by_format.setdefault(one.format, []).append(one)
    loaded = {name: some for name, some in by_format.items() if any(not one.error for one in some)}
    return [row_of(name, half, some) for name, some in loaded.items()]


def web_rows(cache: Path, half: str) -> list[dict[str, Value]]:
    """Return the rows of web pages, which a script of its own measures."""
    if find_spec("real_web") is None:
        return []
    return list(import_module("real_web").rows(cache, half))


def line_of(one: Measured) -> str:
    """Return the measures of one file on a line."""
    if one.error:
        return f"not loaded  {one.path}  {one.error}"
    shares = (one.words, one.order, one.foreign, one.headings or 0, one.furniture or 0)
    return f"{' '.join(percent(share).rjust(6) for share in shares)} {one.count:8} {one.seconds:6.1f} s  {one.path}"


def programs() -> str:
    """Return the versions of the other programs."""
    lines = []
    for command in (["pdftotext", "-v"], ["pandoc", "--version"]):
        done = run(command, capture_output=True, text=True, check=False)
        lines.append((done.stdout + done.stderr).splitlines()[0])
    return ", ".join(lines)


def main() -> None:
    options = options_of()
    missing = missing_programs()
    if missing:
        print(f"not installed, so nothing can be compared: {', '.join(missing)}")
        print_figures({"programs_missing": len(missing)})
        return
    if options.quick or options.cache is None:
        fixtures = [ROOT / "tests" / "fixtures" / name for name in _FIXTURES]
        rows = rows_of(all_measured(fixtures), "fixtures")
        print(table(rows), "\nWith --cache FOLDER, real files are fetched and read.")
        print_figures({"programs_missing": 0, "files": len(fixtures)})
        return
    options.cache.mkdir(parents=True, exist_ok=True)
    failed = fetch(packages(LIST.read_text("utf-8")), options.cache, tuple(FORMATS))
    rows = []
    for half in [options.half] if options.half else HALVES:
        folder = options.cache / half.replace(" ", "-")
        found = list(all_measured(files_in(folder, options.only, options.most)))
        if options.files:
            worst = sorted(found, key=lambda one: (not one.error, one.words + one.order))
            print(*map(line_of, worst), sep="\n")
        rows += rows_of(found, half) + (web_rows(options.cache, half) if options.only is None else [])
    print(table(rows))
    if not (options.half or options.only):
        parts: dict[str, Rows | str] = {"What is measured": about(), "Formats, in per cent": rows}
        if failed:
            parts["Packages that could not be fetched"] = ", ".join(failed)
        write_results("real_files", "Real files", parts, manifest(programs=programs()))
    print_figures({"programs_missing": 0, "files": sum(int(row["files"]) for row in rows)})


def about() -> str:
    """Return what the table shows, from the docstrings."""
    own, measures = ((module or "").split("\n\n", 1)[1].strip() for module in (__doc__, real_measures.__doc__))
    return f"{own}\n\n{measures}".replace("``", "`")


if __name__ == "__main__":
    main()
