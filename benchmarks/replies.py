"""Replies as models write them: how many the form of their step reads at first try, after a reminder, or wrongly.

``--data`` is a file of replies or a folder with such files (``*.jsonl``): a JSON object a line with ``step``, ``legal``
(a list, or "0-7"), ``most``, ``reply`` and ``means``, what a person reads in it: null if it decides nothing. A reply
that is not in the form costs one reminder; one that is *misread* is wrong without anybody noticing. Replies that decide
nothing are right if they are not read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common import Rows, Value, manifest, parser, print_figures, write_results

from readagent.core.form import Choice, Filled, Form, Lines, Text

ABSENT = "NOT IN THE TEXT"
HOW = """Written by language models: `natural` to the earlier forms (`I want to look up Page [2, 7] to ...`), as capable
readers answered our own prompts; `six_families` in the manner of six families of models (a terse one, a chatty one, a
thoughtful one, two small ones and one that thinks aloud), in eleven languages, before its writer saw the forms, a third
of them odd on purpose; with labels of its own where ours are others (`Pause`, `Verdict`), which takes a reminder. They
are not in the repository."""


def form_for(step: str, legal: list[str], most: int) -> Form:
    """Return the form in which the product asks for such a reply."""
    if step == "check":
        return Form((Lines("", tuple(str(number) for number in range(1, 10)), "yes [2]"),))
    if step in ("direct", "respond"):
        pages = Choice(tuple(legal), most=most, label="Pages")
        quotes = Lines("Page", tuple(legal))
        return Form((Text(), pages) if step == "direct" else (Text(), quotes), (ABSENT,))
    single = {"paginate": "Break point", "look_up_next": "Page", "sequential": "Page"}
    if step == "look_up":
        return Form((Choice(tuple(legal), least=0, most=most, label="Pages"),))
    if step in single:
        stop = () if step == "paginate" or "STOP" in legal else ("STOP",)
        return Form((Choice((*legal, *stop), label=single[step]),))
    return Form((Choice(tuple(legal)),))  # rate, claim


def choice_form(question: str, legal: list[str]) -> Form:
    """Return the form of a question with options, which stand in it as ``A) ...``."""
    marks = [question.index(f" {letter}) ") for letter in legal]
    ends = [*marks[1:], len(question)]
    return Form(
        (Choice(tuple(legal), texts=tuple(question[a + 4 : b].strip() for a, b in zip(marks, ends, strict=True))),)
    )


def decided(form: Form, step: str, filled: Filled) -> Any:
    """Return what was read in the shape of ``means``, or None."""
    if step == "check":
        verdicts = dict(filled.lines.get("", ()))
        wanted = Choice(("yes", "no"))
        return {number: wanted.read(said) for number, said in verdicts.items()}
    if step in ("direct", "respond"):
        if filled.word == ABSENT:
            return {"absent": True}
        if filled.texts.get("Answer"):
            return {"answer": filled.texts["Answer"].partition("\n\n")[0].strip()}
        return {"pages": list(filled.values["Pages"])} if filled.values.get("Pages") else None
    label = form.fields[0].label
    return list(filled.values[label]) if label in filled.values else None


def outcome(case: Mapping[str, Any]) -> tuple[str, Any]:
    """Return how a reply is read: right, reminder or misread; and what was read."""
    step, means = str(case["step"]), case["means"]
    legal = _legal(case["legal"])
    form = choice_form(case["question"], legal) if step == "choice" else form_for(step, legal, int(case["most"]))
    filled = form.parse(str(case["reply"]))
    read = None if filled is None else decided(form, step, filled)
    if read is None:
        return ("right" if means is None else "reminder"), None
    if step == "check":
        return _judged(means, read), read
    wanted = means if means is None or isinstance(means, dict) else [str(one) for one in means]
    if isinstance(wanted, dict) and "pages" in wanted:
        wanted = {"pages": [str(one) for one in wanted["pages"]]}
    return ("right" if read == wanted else "misread"), read


def _judged(means: list[dict[str, Any]] | None, read: dict[str, tuple[str, ...] | None]) -> str:
    """Return how verdicts are read: each line counts for itself, and one that is not read is asked for again."""
    wanted = {str(one["statement"]): (one["verdict"],) for one in means or ()}
    if any(said is not None and wanted.get(number, said) != said for number, said in read.items()):
        return "misread"
    if not means:
        return "right"
    return "right" if all(read.get(number) for number in wanted) else "reminder"


def _legal(legal: str | list[int | str]) -> list[str]:
    if isinstance(legal, list):
        return [str(one) for one in legal]
    first, _, last = (legal or "0-99").partition("-")
    return [str(number) for number in range(int(first), int(last) + 1)]


def main() -> None:
    chosen = parser(__doc__).parse_args()
    data = chosen.data or Path()  # a test runs every script without data
    files = sorted(data.glob("*.jsonl")) if data.is_dir() else [data]
    rows: list[dict[str, Value]] = []
    failed: list[str] = []
    for file in files:
        counts: dict[str, Counter[str]] = {}
        for case in map(json.loads, file.read_text("utf-8").splitlines()):
            if "step" not in case:
                continue
            how, read = outcome(case)
            counts.setdefault(case["step"], Counter()).update(["replies", how])
            if how == "misread" or (how == "reminder" and not chosen.quick):
                failed.append(
                    f"{how}: {file.stem}, {case['step']}: {case['reply']!r} means {case['means']}, read as {read}"
                )
        names = ("replies", "right", "reminder", "misread")
        rows += [
            {"source": file.stem, "step": step, **{name: one[name] for name in names}} for step, one in counts.items()
        ]
    print(*failed, sep="\n")
    total = sum(int(row["replies"]) for row in rows)
    figures: dict[str, Value] = {
        "replies": total,
        "right_percent": round(100 * sum(int(row["right"]) for row in rows) / max(1, total), 1),
        "reminder_percent": round(100 * sum(int(row["reminder"]) for row in rows) / max(1, total), 1),
        "misread": sum(int(row["misread"]) for row in rows),
    }
    if not chosen.quick:
        parts: dict[str, Rows | str] = {"How the replies came about": HOW, "Replies read": rows}
        write_results("replies", "Replies as models write them", parts, manifest())
    print_figures(figures)


if __name__ == "__main__":
    main()
