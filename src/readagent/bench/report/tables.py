"""Figures of runs as tables: for a terminal, in Markdown, as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from readagent.bench.folder import RunFolder
from readagent.bench.score import Row, rows
from readagent.bench.statistics import Estimate

Cell = str | int | float | None
Line = Mapping[str, Cell]

PER_CENT = ("accuracy", "pair_accuracy", "contains", "lr1", "lr2", "page_hit", "page_recall", "page_precision")
HEADINGS = {
    "accuracy": "accuracy", "pair_accuracy": "pairs", "contains": "holds key", "lr1": "LR-1", "lr2": "LR-2",
    "rouge1": "R-1", "rouge2": "R-2", "rougeL": "R-L", "cr": "CR", "lookups": "#LU", "response_words": "words",
    "page_hit": "page hit", "page_recall": "page recall", "page_precision": "page precision",
}  # fmt: skip


def scale_of(measure: str) -> float:
    """What a measure is multiplied by where it is shown: shares of questions are shown in per cent."""
    return 100 if measure in PER_CENT else 1


def brief(folder: RunFolder) -> str:
    """The main figures of a run, a line for each method, for people."""
    return markdown([_brief(row) for row in rows(folder)])


def figures(row: Row) -> dict[str, Cell]:
    """All figures of a method by name, for programs: means, deviations, intervals, totals for one run."""
    found: dict[str, Cell] = {
        "method": row.method, "title": row.title, "questions": row.questions, "failed": row.failed,
        "unrated": row.unrated,
    }  # fmt: skip
    for name, one in row.measures.items():
        scale = scale_of(name)
        found |= {
            name: round(scale * one.mean, 4),
            f"{name}_std": None if one.deviation is None else round(scale * one.deviation, 4),
            f"{name}_low": round(scale * one.low, 4),
            f"{name}_high": round(scale * one.high, 4),
        }
    return found | {name: None if value is None else round(value, 4) for name, value in row.totals.items()}


def _brief(row: Row) -> Line:
    line: dict[str, Cell] = {"method": row.title, "questions": row.questions}
    for name, heading in HEADINGS.items():
        if name in row.measures:
            line[heading] = shown(row.measures[name], scale_of(name))
    if "lr1" in row.measures:
        line["unrated"] = row.unrated
    line |= {"failed": row.failed, "calls": _count(row.totals["calls"]), "words read": _count(row.totals["words"])}
    if row.totals["cost"]:
        line["cost"] = f"${row.totals['cost']:.2f}"
    return line


def shown(one: Estimate, scale: float = 1) -> str:
    """A mean with its deviation over runs, or else with its interval over documents."""
    mean = scale * one.mean
    digits = 1 if abs(mean) >= 10 else 2 if abs(mean) >= 1 else 3
    if one.deviation is not None:
        return f"{mean:.{digits}f} ± {scale * one.deviation:.{digits}f}"
    return f"{mean:.{digits}f} [{scale * one.low:.{digits}f}, {scale * one.high:.{digits}f}]"


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def markdown(lines: Sequence[Line]) -> str:
    """Lines as a Markdown table whose columns are aligned, so that it reads well in a terminal too."""
    names = list(dict.fromkeys(name for line in lines for name in line))
    cells = [names, *([_text(line.get(name)) for name in names] for line in lines)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    drawn = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join([drawn[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *drawn[1:]])


def comma_separated(lines: Sequence[Line]) -> str:
    """Lines as CSV."""
    names = list(dict.fromkeys(name for line in lines for name in line))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _text(line.get(name)) for name in names} for line in lines)
    return text.getvalue()


def _text(value: Cell) -> str:
    return "" if value is None else str(value)
