"""Names by rule: who the offline reader finds in novels and meetings, and whom it takes for others.

``casts/`` lists the people of a text by hand, one on a line with all forms of the name, the main ones first. *Right*
is the share of the 30 most frequent entries that are people, *main found* that of the first 18 of the list, *joined
wrongly* counts entries with the names of two people, *in two entries* main people with more than one. Novels are
looked for in ``novels/`` of ``--data``, as text files with the names of the casts. The rules were written with Pride
and Prejudice, Sense and Sensibility, Emma, Persuasion and The Great Gatsby at hand; Mansfield Park and Northanger
Abbey were first read when they were done. In meetings, the people who speak twice are to be found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from common import STORY, Value, arguments, dataset, manifest, print_figures, write_results

from readagent.embedded.cast import cast_of

CASTS = Path(__file__).parent / "casts"
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


def main() -> None:
    given = arguments(__doc__)
    texts = {"story": STORY} if given.quick else {
        path.stem: file for path in sorted(CASTS.glob("*.txt"))
        if (file := STORY if path.stem == "story" else dataset(given.data, f"novels/{path.name}"))
    }  # fmt: skip
    people = [cast_row(name, file.read_text("utf-8")) for name, file in texts.items()]
    tables: dict[str, Sequence[dict[str, Value]]] = {"People": people}
    file = dataset(given.data, "qmsum/val.jsonl")
    if file is not None and not given.quick:
        tables["Speakers of meetings, QMSum's validation set"] = [meeting_row(file)]
    if not given.quick:
        told = {"What is measured": (__doc__ or "").partition("\n\n")[2].strip()}
        write_results("names", "Names by rule", {**told, **tables}, manifest())
    print_figures({
        "main_people_found": min(float(row["main found, %"]) for row in people),
        "joined_wrongly": sum(int(row["joined wrongly"]) for row in people),
    })  # fmt: skip


if __name__ == "__main__":
    main()
