"""Names and dates by rule: who and when the offline reader finds in novels and meetings, and what it takes for others.

``casts/`` lists the people of a text by hand, one on a line with all forms of the name, the main ones first. *Right*
is the share of the 30 most frequent entries that are people, *main found* that of the first 18 of the list, *joined
wrongly* counts entries with the names of two people, *in two entries* main people with more than one. Novels are
looked for in ``novels/`` of ``--data``, as text files with the names of the casts. The rules were written with Pride
and Prejudice, Sense and Sensibility, Emma, Persuasion and The Great Gatsby at hand; Mansfield Park and Northanger
Abbey were first read when they were done. In meetings, the people who speak twice are to be found.

Dates are those of ``benchmarks/dates.tsv``, which were written together with the rules, and are compared with
dateparser and dateutil where they are installed. *False* counts numbers that are no dates and were taken for some.
"""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from time import process_time

from common import ROOT, STORY, Value, arguments, dataset, manifest, print_figures, write_results

from readagent.core.overviews.dates import date_in
from readagent.embedded.cast import cast_of

CASTS = Path(__file__).parent / "casts"
WORDINGS = ROOT / "benchmarks" / "dates.tsv"
TOP, MAIN = 30, 18


def cast_row(name: str, text: str) -> dict[str, Value]:
    """Return how the people of a text that the rules find compare with those of its list."""
    known = [
        [_plain(form) for form in line.split(";")] for line in (CASTS / f"{name}.txt").read_text("utf-8").splitlines()
    ]
    owner = {form: at for at, forms in enumerate(known) for form in forms}
    start = process_time()
    found = cast_of(text)
    seconds = process_time() - start
    entries = [{owner[_plain(form)] for form in member.names if _plain(form) in owner} for member in found]
    times = Counter(at for some in entries for at in some)
    main = range(min(MAIN, len(known)))
    top = found[:TOP]
    return {
        "text": name,
        "words": len(text.split()),
        "entries": len(found),
        f"right of the first {TOP}, %": 100 * sum(_plain(one.names[0]) in owner for one in top) / max(1, len(top)),
        "main found, %": 100 * sum(bool(times[at]) for at in main) / len(main),
        "joined wrongly": sum(len(some) > 1 for some in entries),
        "in two entries": sum(times[at] > 1 for at in main),
        "CPU seconds": seconds,
    }


def _plain(name: str) -> str:
    return name.replace("’", "'").replace(".", "").strip().casefold()


def meeting_row(file: Path) -> dict[str, Value]:
    """Return how many of the people who speak twice in QMSum's meetings are found."""
    meetings = [json.loads(line)["meeting_transcripts"] for line in file.read_text("utf-8").splitlines()]
    speakers = found = 0
    for turns in meetings:
        wanted = {name for name, times in Counter(turn["speaker"] for turn in turns).items() if times > 1}
        text = "\n\n".join(f"{turn['speaker']}: {turn['content']}" for turn in turns)
        speakers += len(wanted)
        found += len(wanted & {name for member in cast_of(text) for name in member.names})
    return {"meetings": len(meetings), "speakers": speakers, "found, %": 100 * found / speakers}


def date_rows() -> list[dict[str, Value]]:
    """Return a row for our rules, and one for each library that is installed."""
    rows = [line.partition("\t") for line in WORDINGS.read_text("utf-8").splitlines()]
    cases = [(text, "" if date == "-" else date.partition("/")[0].rstrip("?")) for date, tab, text in rows if tab]
    made = []
    for name, find in readers().items():
        start = process_time()
        told = [(expected, find(text)) for text, expected in cases]
        made.append({
            "rules": name,
            "dates": sum(bool(expected) for expected, _ in told),
            "right": sum(bool(expected) and got.startswith(expected) for expected, got in told),
            "missed": sum(bool(expected) and not got for expected, got in told),
            "no dates": sum(not expected for expected, _ in told),
            "false": sum(not expected and bool(got) for expected, got in told),
            "CPU seconds": process_time() - start,
        })  # fmt: skip
    return made


def readers() -> dict[str, Callable[[str], str]]:
    """Return functions that find the first date of a text; "" if it has none."""
    found: dict[str, Callable[[str], str]] = {"ours": date_in}
    if find_spec("dateparser"):
        found["dateparser"] = _dateparser
    if find_spec("dateutil"):
        found["dateutil, fuzzy"] = _dateutil
    return found


def _dateparser(text: str) -> str:
    from dateparser.search import search_dates

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dates = search_dates(text, settings={"PREFER_DAY_OF_MONTH": "first"}) if text else None
    return str(dates[0][1].date()) if dates else ""


def _dateutil(text: str) -> str:
    from dateutil.parser import parse

    try:
        return str(parse(text, fuzzy=True).date())
    except (ValueError, OverflowError):
        return ""


def main() -> None:
    given = arguments(__doc__)
    texts = {"story": STORY} if given.quick else {
        path.stem: file for path in sorted(CASTS.glob("*.txt"))
        if (file := STORY if path.stem == "story" else dataset(given.data, f"novels/{path.name}"))
    }  # fmt: skip
    people = [cast_row(name, file.read_text("utf-8")) for name, file in texts.items()]
    tables: dict[str, Sequence[dict[str, Value]]] = {"People": people, "Dates": date_rows()}
    file = dataset(given.data, "qmsum/val.jsonl")
    if file is not None and not given.quick:
        tables["Speakers of meetings, QMSum's validation set"] = [meeting_row(file)]
    if not given.quick:
        told = {"What is measured": (__doc__ or "").partition("\n\n")[2].strip()}
        write_results("names", "Names and dates by rule", {**told, **tables}, manifest())
    print_figures({
        "main_people_found": min(float(row["main found, %"]) for row in people),
        "joined_wrongly": sum(int(row["joined wrongly"]) for row in people),
        "dates_wrong": int(tables["Dates"][0]["dates"]) - int(tables["Dates"][0]["right"]),
        "false_dates": int(tables["Dates"][0]["false"]),
    })  # fmt: skip


if __name__ == "__main__":
    main()
