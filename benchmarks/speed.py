"""How fast a text is read: one call at a time, in two steps, and in one pass, compared with the minimum for the calls.

The server is simulated on loopback: a reply takes 20 ms, plus 0.01 ms per prompt token and 0.5 ms per reply token,
about a twentieth of the time of a common server. It works on as many replies at once as it has slots. So the lower
bound of a run is known: the work of its calls divided by the slots, plus its longest call. Calls that wait for each
other are not part of the bound. The text has no headings, which is the hard case for two steps; a second table has the
same text with chapters. Every reading is a process of its own, with a library.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from common import Rows, Value, arguments, book, manifest, print_figures, workplace, write_results
from speed_parts import PACE, SLOTS, measured, servers

_WAYS = ("sequential", "paper", "fast")
_SHOWN = ("seconds", "times faster", "bound", "to bound", "words read", "calls", "pages", "peak MB", "CPU ms a call",
          "fallbacks")  # fmt: skip
_NAMES = {"sequential": "one call at a time", "paper": "two steps", "fast": "one pass"}


def rows_of(file: Path, words: int, urls: dict[int, str], slots: tuple[int, ...]) -> list[dict[str, Any]]:
    """Read a text in every mode with every number of slots. One call at a time does not depend on the slots."""
    alone = measured(file, urls[1], 1, "sequential")
    rows = []
    for count in slots:
        for way in _WAYS:
            one = alone if way == "sequential" else measured(file, urls[count], count, way)
            bound = one["bound"] if way != "sequential" else _bound(alone, count)
            timed = {**one, "bound": bound, "to bound": one["seconds"] / bound}
            rows.append({"words": words, "slots": count, "way": way, **timed,
                         "times faster": alone["seconds"] / one["seconds"]})  # fmt: skip
            print(_line(rows[-1]), flush=True)
    return rows


def _bound(alone: dict[str, Any], slots: int) -> float:
    """Return the lower bound for the calls of the sequential reader with more slots."""
    longest = alone["bound"] - alone["work"]
    return float(alone["work"] / slots + longest)


def other_ways(file: Path, chapters: Path, urls: dict[int, str], alone: dict[str, Any]) -> list[dict[str, Any]]:
    """Compare two steps and one pass at 16 slots, without and with chapters, and how many pauses they share."""
    rows = []
    base = measured(file, urls[16], 16, "paper")
    for name, source, way in (
        ("two steps", file, "paper"),
        ("one pass", file, "fast"),
        ("two steps, chapters known", chapters, "paper"),
        ("one pass, chapters known", chapters, "fast"),
    ):
        one = base if way == "paper" and source == file else measured(source, urls[16], 16, way)
        same = set(one["starts"]) & set(base["starts"])
        rows.append({"way": name, **one, "times faster": alone["seconds"] / one["seconds"],
                     "pauses of two steps": len(same) / len(base["starts"]) if source == file else ""})  # fmt: skip
        print(name, _line({"words": "", "slots": 16, "way": way, **rows[-1]}), flush=True)
    return rows


def _line(row: dict[str, Any]) -> str:
    head = f"{row['words']} words, {row['slots']} slots, {row['way']}: {row['seconds']:.2f} s"
    read = f"{row['words read']:.3f} times the text, {row['times faster']:.1f} times faster"
    return f"{head}, {row['to bound']:.2f} of the bound, {read}"


def texts(sizes: tuple[int, ...], data: Path | None, home: Path) -> tuple[dict[int, Path], Path, str]:
    """Write openings of a book without headings to files, one of them with chapters; return them and its name."""
    files, name, chapters = {}, "", home / "chapters.md"
    for words in sizes:
        text, name = book("war-and-peace", words if words < 500_000 else None, data, otherwise=words)
        files[words] = home / f"{words}.txt"
        files[words].write_text(text, "utf-8")
        if words == 70_000 or len(sizes) == 1:
            chapters.write_text(text, "utf-8")
    return files, chapters, name


def main() -> None:
    options = arguments(__doc__)
    sizes, slots = ((2_000,), (1, 16)) if options.quick else ((5_000, 70_000, 560_000), SLOTS)
    rows: list[dict[str, Any]] = []
    with workplace() as home, servers() as urls:
        files, chapters, name = texts(sizes, options.data, home)
        print(f"{name}, without headings: {', '.join(f'{words:,}' for words in sizes)} words")
        for words, file in files.items():
            rows += rows_of(file, words, urls, slots)
        middle = sizes[len(sizes) // 2]
        alone = next(row for row in rows if row["words"] == middle and row["way"] == "sequential")
        others = [] if options.quick else other_ways(files[middle], chapters, urls, alone)
    found = {(row["words"], row["slots"], row["way"]): row for row in rows}
    figures: dict[str, Value] = {}
    for (words, count, way), row in found.items():
        if count == 16:
            figures |= {f"{way}_{words}_seconds": row["seconds"], f"{way}_{words}_to_bound": row["to bound"],
                        f"{way}_{words}_times_faster": row["times faster"],
                        f"{way}_{words}_words_read": row["words read"]}  # fmt: skip
    if not options.quick:
        shown = [_as_shown(row, ("words", "slots")) for row in rows]
        parts: dict[str, Rows | str] = {
            "Every way, with every number of slots": shown,
            f"Other ways, {middle:,} words, 16 slots": [_as_shown(row, ()) for row in others],
        }
        pace = f"{PACE.fixed:g} s, {PACE.prompt_token:g} s a prompt token, {PACE.reply_token:g} s a reply token"
        text = f"{name}, without headings where not said otherwise"
        made = manifest(text=text, preset="articles (600/280)", model="Skimmer, with a simulated server", pace=pace)
        write_results("speed", "How fast a text is read", parts, made)
    print_figures(figures)


def _as_shown(row: dict[str, Any], first: tuple[str, ...]) -> dict[str, Value]:
    names = (*first, "way", *_SHOWN, "pauses of two steps")
    cells: dict[str, Value] = {name: row[name] for name in names if name in row}
    return {**cells, "way": _NAMES.get(str(row["way"]), str(row["way"]))}


if __name__ == "__main__":
    main()
