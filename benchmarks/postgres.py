"""A library on PostgreSQL against one on SQLite: listing, finding and asking.

Both hold the same documents. The model is scripted and answers at once, so that what is measured is ReadAgent and the
library. The server is a real one with its usual settings, and waits for the disk when a reply or an answer is stored,
which SQLite does not.

Work on both libraries takes turns, so that what else runs on the machine slows both. The CPU time of ReadAgent and of
the server says what the work costs where nothing else runs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import psutil
from common import ROOT, Rows, Value, manifest, parser, print_figures, workplace, write_results
from postgres_parts import Alone, Size, storage

from readagent import Library

sys.path.insert(0, str(ROOT / "tests"))
from postgres_server import Server

FULL = Size(documents=1000, pages=1000, rounds=3, repeats=5)
QUICK = Size(documents=4, pages=30, rounds=1, repeats=2)
DURABLE = {"fsync": "on", "full_page_writes": "on", "shared_buffers": "128MB", "max_connections": "100"}
WORK = ("list", "find, 1 page", "find, 1 page in 100", "memory", "ask")
_FILLERS = 3  # processes that fill a library on PostgreSQL
_BUILT = "CREATE INDEX words_of_pages ON page_words USING gin (words)"
_began = time.monotonic()


def main() -> None:
    asked = parser(__doc__)
    asked.add_argument("--keep", type=Path, help="a folder to keep the filled libraries in; those in it are used again")
    given = asked.parse_args()
    size = QUICK if given.quick else FULL
    figures: dict[str, Value] = {}
    with nullcontext(given.keep) if given.keep else workplace() as folder, _server(given.keep) as server:
        sets = {share: max(2, size.documents // share) for share in (10, 1)}
        places = {share: _filled(folder, server, documents, size.pages) for share, documents in sets.items()}
        alone = [row for share, documents in sets.items() for row in _alone(places[share], documents, size, figures)]
        figures |= {f"{_named(work)}_growth_{name}": _growth(alone, work, name) for work in WORK
                    for name in ("sqlite", "postgresql")}  # fmt: skip
        with Library(places[1][0]) as one, Library(places[1][1]) as other:
            sizes = [
                {"library": name, "MB": round(db.size() / 1e6)} for name, db in (("SQLite", one), ("PostgreSQL", other))
            ]
        texts = storage(places[1][1])
        version = server.version()
    _say("done")
    if not given.quick:
        parts: dict[str, Rows | str] = {
            "PostgreSQL against SQLite: the ratio in each of three rounds": ratios(figures),
            "One client: milliseconds, medians": alone,
            "Bytes on disk": sizes,
            "Compression of texts on the server": texts,
        }
        settings = ", ".join(f"{name}={value}" for name, value in DURABLE.items())
        seen = manifest(server=f"PostgreSQL {version}, {settings}")
        write_results("postgres", "A library on PostgreSQL against SQLite", parts, seen)
    print_figures(figures)


@contextmanager
def _server(kept: Path | None) -> Iterator[Server]:
    server = Server(None if kept is None else kept / "server", **DURABLE)
    try:
        yield server.start()
    finally:
        server.stop()


def _filled(folder: Path, server: Server, documents: int, pages: int) -> tuple[str, str]:
    """Return the places of both libraries with so many documents; fill those that are not filled yet, at once."""
    name = f"filled_{documents}_{pages}"
    lite, served = folder / f"{name}.db", server.url(name)
    marks = [folder / f"{name}.{kind}" for kind in ("sqlite", "postgresql")]
    _say(f"filling both libraries with {documents} documents of {pages} pages")
    fillers = [] if marks[0].exists() else [_filler(str(lite), 0, documents, 1, pages)]
    if not marks[1].exists():
        server.execute(f"DROP DATABASE IF EXISTS {name}", f"CREATE DATABASE {name}")
        with Library(served) as library:
            library.documents()
            library._db.rows("DROP INDEX words_of_pages")  # it is built afterwards, which is faster
        fillers += [_filler(served, first, documents, _FILLERS, pages) for first in range(_FILLERS)]
    ended = [filler.wait() for filler in fillers]
    if any(ended):
        raise SystemExit("a library could not be filled")
    if not marks[1].exists():
        with Library(served) as library:
            library._db.rows(_BUILT)
            library.compact()
    for mark in marks:
        mark.touch()
    return str(lite), served


def _filler(place: str, first: int, documents: int, step: int, pages: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "import postgres_parts; postgres_parts.fill()", place]
    numbers = map(str, (first, documents, step, pages))
    return subprocess.Popen([*command, *numbers], cwd=Path(__file__).parent)


def _alone(places: Sequence[str], documents: int, size: Size, figures: dict[str, Value]) -> list[dict[str, Value]]:
    """Do each work in turns on both libraries. The figures are those with all documents, which come last."""
    _say(f"one client, {documents} documents")
    rows: list[dict[str, Value]] = []
    with Alone(places[0]) as lite, Alone(places[1], *psutil.Process().children()) as served:
        both = {"SQLite": lite, "PostgreSQL": served}
        measured = {work: [_in_turns(work, both, size.repeats) for _ in range(size.rounds)] for work in WORK}
    for name in both:
        rows.append({"library": name, "documents": documents, "pages": documents * size.pages})
        rows[-1] |= {work: round(statistics.median(one[name][0] for one in measured[work]), 2) for work in WORK}
        rows.append({**rows[-1], "library": f"{name}, CPU"})
        rows[-1] |= {work: round(statistics.median(one[name][1] for one in measured[work]), 2) for work in WORK}
    for work, rounds in measured.items():
        for what, at in (("", 0), ("cpu_", 1)):
            ratios = [one["PostgreSQL"][at] / one["SQLite"][at] for one in rounds]
            figures[f"{_named(work)}_{what}times_sqlite"] = statistics.median(ratios)
            if not what:
                figures[f"{_named(work)}_times_sqlite_least"] = min(ratios)
                figures[f"{_named(work)}_times_sqlite_most"] = max(ratios)
    return rows


def _in_turns(work: str, both: dict[str, Alone], repeats: int) -> dict[str, tuple[float, float]]:
    """Return the milliseconds and the milliseconds of CPU that some work takes in each library: medians."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in both}
    for turn in range(repeats + 1):
        for name, one in both.items():
            spent = one.timed(work)
            if turn:  # the first one warms up
                taken[name].append(spent)
    medians = {name: (_median(some, 0), _mean(some, 1)) for name, some in taken.items()}
    _say(f"  {work}: " + ", ".join(f"{name} {ms:.1f} ms, CPU {cpu:.1f} ms" for name, (ms, cpu) in medians.items()))
    return medians


def _median(some: Sequence[tuple[float, float]], at: int) -> float:
    return statistics.median(one[at] for one in some)


def _mean(some: Sequence[tuple[float, float]], at: int) -> float:
    return max(statistics.fmean(one[at] for one in some), 0.01)  # the CPU time of a server is counted in 10 ms


def ratios(figures: dict[str, Value]) -> list[dict[str, Value]]:
    """Return the ratios of all work as rows: times over those of SQLite, and throughputs over those of SQLite."""
    rows: list[dict[str, Value]] = []
    for work in map(_named, WORK):
        name = f"{work}_times_sqlite"
        row: dict[str, Value] = {"work": work.replace("_", " "), "median": round(float(figures[name]), 2)}
        row |= {what: round(float(figures[f"{name}_{what}"]), 2) for what in ("least", "most")}
        for title, more in (("CPU time", f"{work}_cpu_times_sqlite"), ("growth, SQLite", f"{work}_growth_sqlite"),
                            ("growth, PostgreSQL", f"{work}_growth_postgresql")):  # fmt: skip
            row[title] = round(float(figures[more]), 2) if more in figures else ""
        rows.append(row)
    return rows


def _named(work: str) -> str:
    return {"find, 1 page": "find_rare", "find, 1 page in 100": "find_frequent"}.get(work, work)


def _growth(rows: Sequence[dict[str, Value]], work: str, name: str) -> float:
    """Return the CPU time with all documents over that with a tenth of them; of a list, for each document in it."""
    few, many = (row for row in rows if str(row["library"]).lower() == f"{name}, cpu")
    each = float(few["documents"]) / float(many["documents"]) if work == "list" else 1.0
    return float(many[work]) / float(few[work]) * each


def _say(what: str) -> None:
    print(f"{time.monotonic() - _began:6.0f} s  {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
