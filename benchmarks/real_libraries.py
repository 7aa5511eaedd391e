"""Libraries that read documents, on real files: would one of them do what our loaders do?

The files are those of ``real_files.py``, from the folder that ``--cache`` names, at most ``--most`` of each format and
half (of PDFs, eight). Every library that is installed reads the same files, and is compared with the same other
program in the same way; a library that is itself the other program is left out. *Failed* files raised an error, took
more than a minute of CPU time, or gave no text. Words and order are means over all files, those that failed included.
The costs are what comes with a library besides the packages that ReadAgent needs anyway. A *zip bomb* is a file with
500 MB of white space in its text, an *entity bomb* one whose text expands to a gigabyte; the loaders are measured
outside of their sandbox.
"""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import mean
from time import process_time

from common import ROOT, Rows, Value, manifest, parser, print_figures, table, write_results
from library_bombs import BOMBS, survived, write_bomb
from library_cost import costs
from library_readers import LIBRARIES, Library
from real_archives import HALVES
from real_fetch import LIST, fetch, folder_of, packages
from real_files import PRELOADED, files_in
from real_measures import MIN_WORDS, Measured, compared
from real_references import FORMATS, program_versions, reference
from real_words import words

_SECONDS = 60.0  # of CPU time for a file and library
_PROCESSES = 2
_MOST_PDFS = 8  # of each half; some libraries take a second for a page
_PROCESS = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Tried:
    """What libraries made of one file: the measures by library, None where it failed."""

    by_library: Mapping[str, Measured | None]


def options_of() -> argparse.Namespace:
    """Parse the options of every script and those of this one."""
    made = parser(__doc__)
    made.add_argument("--only", choices=sorted(LIBRARIES), help="read this format only, and write no result file")
    made.add_argument("--most", type=int, default=50, help="files of each format and half")
    return made.parse_args()


def installed(kind: str) -> list[Library]:
    """Return the libraries for a format that are installed."""
    return [one for one in LIBRARIES[kind] if find_spec(one.module.partition(".")[0])]


def tried(path: Path) -> Tried | None:
    """Return what the libraries make of a file, each in the same new process; None if there is nothing to compare."""
    receiver, sender = _PROCESS.Pipe(duplex=False)
    process = _PROCESS.Process(target=_send, args=(path, sender))
    process.start()
    sender.close()
    found: dict[str, Measured | None] = {}
    try:
        while told := receiver.recv():
            found.update(told)
    except EOFError:
        pass
    process.join()
    return Tried(found) if found else None


def _send(path: Path, sender: Connection) -> None:
    """Send the measures of each library; a crash leaves the library at work without any."""
    kind = FORMATS[path.suffix.lower()]
    other = reference(path, kind)
    if other is not None and len(list(words(other.text))) >= MIN_WORDS:
        signal.signal(signal.SIGPROF, _stop)
        for library in installed(kind):
            sender.send({library.name: None})
            signal.setitimer(signal.ITIMER_PROF, _SECONDS)
            try:
                import_module(library.module)
                before = process_time()
                text, headings = library.read(path)
                seconds = process_time() - before
                signal.setitimer(signal.ITIMER_PROF, 0)
            except Exception:  # noqa: BLE001 - libraries fail in many ways
                signal.setitimer(signal.ITIMER_PROF, 0)
                continue
            if text.strip():
                sender.send({library.name: compared(text, headings, other, str(path), kind, seconds)})
    sender.send({})


def _stop(*_: object) -> None:
    raise TimeoutError


def rows_of(kind: str, every: Sequence[Tried]) -> list[dict[str, Value]]:
    """Return a line for each library."""
    return [_row(kind, one.name, [each.by_library.get(one.name) for each in every]) for one in installed(kind)]


def _row(kind: str, name: str, every: Sequence[Measured | None]) -> dict[str, Value]:
    good = [one for one in every if one is not None]
    headed = [one.headings for one in good if one.headings is not None]
    return {
        "format": kind,
        "library": name,
        "files": len(every),
        "failed": len(every) - len(good),
        "words": _percent([one.words or 0.0 if one else 0.0 for one in every]),
        "order": _percent([one.order if one else 0.0 for one in every]),
        "foreign": _percent([one.foreign for one in good]),
        "headings": _percent(headed),
        "CPU seconds": round(sum(one.seconds for one in good), 1),
    }


def _percent(shares: Sequence[float]) -> str:
    return f"{100 * mean(shares):.1f}" if shares else ""


def bomb_rows(samples: Mapping[str, Path]) -> list[dict[str, Value]]:
    """Return a line for each format and library: what it does with bombs made of a sample."""
    found: list[dict[str, Value]] = []
    with tempfile.TemporaryDirectory() as folder:
        for kind, sample in samples.items():
            bombs = {name: write_bomb(sample, name, Path(folder)) for name in BOMBS}
            for library in installed(kind):
                done = {name: survived(library, bomb) for name, bomb in bombs.items()}
                found.append({"format": kind, "library": library.name, **done})
    return found


def samples_of(cache: Path) -> dict[str, Path]:
    """Return a file of each zipped format: a fixture, or the smallest real one with text."""
    fixtures = ROOT / "tests" / "fixtures"
    found = {kind: fixtures / f"garden.pandoc.{kind}" for kind in ("docx", "odt", "epub")}
    for kind in ("pptx", "xlsx"):
        files = [path for half in HALVES for path in files_in(folder_of(cache, half), kind, 1000)]
        large_enough = [path for path in files if path.stat().st_size > 20_000]
        found |= {kind: min(large_enough, key=lambda path: path.stat().st_size)} if large_enough else {}
    return found


def main() -> None:
    options = options_of()
    libraries = (one.module for some in LIBRARIES.values() for one in some)
    _PROCESS.set_forkserver_preload([*PRELOADED, *libraries])
    kinds = [options.only] if options.only else list(LIBRARIES)
    if options.quick or options.cache is None:
        files = [ROOT / "tests" / "fixtures" / f"garden.pandoc.{kind}" for kind in ("docx", "odt")]
        print("With --cache FOLDER, real files are fetched and read.\n")
    else:
        options.cache.mkdir(parents=True, exist_ok=True)
        fetch(packages(LIST.read_text("utf-8")), options.cache, FORMATS)
        folders = [folder_of(options.cache, half) for half in HALVES]
        most = {kind: min(options.most, _MOST_PDFS) if kind == "pdf" else options.most for kind in kinds}
        files = [path for folder in folders for kind in kinds for path in files_in(folder, kind, most[kind])]
    with ThreadPoolExecutor(_PROCESSES) as threads:
        done = list(zip(files, threads.map(tried, files), strict=True))
    rows: list[dict[str, Value]] = []
    for kind in kinds:
        every = [one for path, one in done if one is not None and FORMATS[path.suffix.lower()] == kind]
        rows += rows_of(kind, every) if every else []
    print(table(rows))
    if options.cache and not (options.quick or options.only):
        unique = {one.name: one for some in LIBRARIES.values() for one in some if one.name != "readagent"}
        cost = [costs(one.name, one.module) for one in unique.values() if find_spec(one.module.partition(".")[0])]
        bombs = bomb_rows(samples_of(options.cache))
        print(table(cost), table(bombs), sep="\n\n")
        about = (__doc__ or "").split("\n\n", 1)[1].strip().replace("``", "`")
        parts: dict[str, Rows | str] = {
            "What is measured": about, "Files, in per cent": rows, "Costs": cost, "Bombs": bombs,
        }  # fmt: skip
        write_results("real_libraries", "Libraries that read documents", parts, manifest(programs=program_versions()))
    print_figures({"libraries": len({str(row["library"]) for row in rows}), "files": len(files)})


if __name__ == "__main__":
    main()
