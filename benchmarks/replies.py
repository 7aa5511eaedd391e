"""Replies as different models write them: the share that is read as a person reads them, for each step.

The replies are those of ``tests/replies``, and with ``--replies`` those of another file: a JSON object a line with
``step`` (look_up, look_up_next or paginate), ``legal`` ("0-7"), ``most``, ``reply`` and ``means``. A reply that is *not
understood* costs a reminder; one that is *misread* is wrong without anybody noticing. *Unclear* replies are those in
which a person finds no decision. The parser was written with ``replies``; each held-out file was written before the
parser was tried on it, and its first result is in ``LOG.md``; what failed was then mended.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from common import ROOT, Rows, Value, manifest, parser, print_figures, write_results

sys.path.insert(0, str(ROOT / "tests"))

from readagent.core.form import Choice
from reply_corpus import BREAK, Case, cases, numbers

OWN = ("replies", "held_out", "held_out_2", "held_out_3", "held_out_4")


def given(file: Path) -> list[Case]:
    """Return the cases of a file in the form that ``--replies`` takes."""
    return [_case(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


def _case(step: str, legal: str, most: int, reply: str, means: list[int | str]) -> Case:
    first, _, last = (legal or "0-99").partition("-")
    values = numbers(int(first), int(last))
    choice = {
        "look_up": Choice(values, least=0, most=most, cues=("page",)),
        "look_up_next": Choice((*values, "STOP"), cues=("page",)),
        "paginate": Choice(values, cues=BREAK),
    }[step]
    return Case(step, [str(one) for one in means], reply, choice)


def rows(source: str, found: Iterable[Case]) -> tuple[list[dict[str, Value]], list[str]]:
    """Return a row for each step, and the replies that are not read as they are meant."""
    counts: dict[str, Counter[str]] = {}
    wrong = []
    for case in found:
        read, count = case.read(), counts.setdefault(case.step, Counter())
        outcome = "right" if read == case.means else "not understood" if read is None else "misread"
        count.update(["replies", outcome, *(["unclear"] if case.means is None else [])])
        if outcome != "right":
            wrong.append(f"{source}, {case.step}: {case.reply!r} means {case.means}, read as {read}")
    names = ("replies", "unclear", "right", "not understood", "misread")
    made = [{"source": source, "step": step, **{name: one[name] for name in names}} for step, one in counts.items()]
    return made, wrong


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--replies", type=Path, help="a file of further replies")
    chosen = options.parse_args()
    table: list[dict[str, Value]] = []
    wrong: list[str] = []
    sources = {name: cases(name) for name in OWN}
    if chosen.replies:
        sources[chosen.replies.stem] = given(chosen.replies)
    for source, found in sources.items():
        new, failed = rows(source, found)
        table += new
        wrong += failed
    print(*wrong, sep="\n")
    total = sum(int(row["replies"]) for row in table)
    figures: dict[str, Value] = {
        "replies": total,
        "right_percent": round(100 * sum(int(row["right"]) for row in table) / total, 2),
        "misread": sum(int(row["misread"]) for row in table),
    }
    if not chosen.quick:
        parts: dict[str, Rows | str] = {"Replies read": table, "Not read as meant": "\n".join(wrong) or "None."}
        write_results("replies", "Replies as models write them", parts, manifest())
    print_figures(figures)


if __name__ == "__main__":
    main()
