"""Figures of runs as tables: for a terminal, as Markdown and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Literal

from readagent_bench.score import Row
from readagent_bench.statistics import Estimate

Cell = str | int | float | None
Line = Mapping[str, Cell]
Spread = Literal["interval", "deviation", "none"]  # what is shown next to a mean

PER_CENT = ("right", "accuracy", "pair_accuracy", "contains", "lr1", "lr2", "page_hit", "page_recall",
            "page_precision", "search_failures", "element_accuracy", "operation_f1", "step_success", "success",
            )  # fmt: skip
HEADINGS = {
    "pair_accuracy": "pairs", "accuracy": "accuracy", "lr1": "LR-1", "lr2": "LR-2", "rouge1": "R-1", "rouge2": "R-2",
    "rougeL": "R-L", "contains": "contains key", "cr": "CR", "lookups": "#LU", "response_words": "answer words",
    "page_hit": "page hit", "page_recall": "page recall", "page_precision": "page precision",
    "search_failures": "failed searches", "element_accuracy": "element", "operation_f1": "operation F1",
    "step_success": "step", "success": "episode",
}  # fmt: skip
_NOT_SHOWN = "context_words"  # CR says the same


def heading_of(measure: str) -> str:
    """Return the heading of a measure; one of the user has its own name."""
    return HEADINGS.get(measure, measure)


def own_of(rows: Sequence[Row]) -> list[str]:
    """Return the measures of the user among those of some rows."""
    names = dict.fromkeys(name for row in rows for name in row.measures)
    return [name for name in names if name not in HEADINGS and name != _NOT_SHOWN]


def scale_of(measure: str) -> float:
    """Return the factor by which a measure is shown: shares of questions are shown as percentages."""
    return 100 if measure in PER_CENT else 1


def brief(rows: Sequence[Row], width: int | None = None) -> str:
    """Return the main figures of a run, a line for each method; without intervals if these make it too wide."""
    table = markdown([_brief(row, rows, "interval") for row in rows])
    if width is None or len(table.partition("\n")[0]) <= width:
        return table
    return markdown([_brief(row, rows, "none") for row in rows])


def _brief(row: Row, rows: Sequence[Row], spread: Spread) -> Line:
    line: dict[str, Cell] = {"method": row.title, **row.counts}
    for name in (*HEADINGS, *own_of(rows)):
        if any(name in one.measures for one in rows):
            line[heading_of(name)] = cell(row, name, 1 if name in HEADINGS else 2, spread=spread)
    if any(one.unrated for one in rows):
        line["unrated"] = row.unrated
    if any(one.failed for one in rows):
        line["failed"] = row.failed
    line |= {"calls": _count(row.totals["calls"]), "words read": _count(row.totals["words"])}
    if any(one.totals["cost"] for one in rows):
        line["cost"] = "" if row.totals["cost"] is None else f"${row.totals['cost']:.2f}"
    return line


def figures(row: Row) -> dict[str, Cell]:
    """Return all figures of a method by name, for programs: means, deviations, intervals, totals for one run."""
    found: dict[str, Cell] = {"method": row.method, "title": row.title, **row.counts, "failed": row.failed}
    if row.unrated is not None:
        found["unrated"] = row.unrated
    for name, one in row.measures.items():
        scale = scale_of(name)
        values = {"": one.mean, "_std": one.deviation, "_low": one.low, "_high": one.high}
        found |= {f"{name}{end}": _rounded(value, scale) for end, value in values.items()}
    return found | {name: _rounded(value) for name, value in row.totals.items()}


def _rounded(value: float | None, scale: float = 1) -> float | None:
    return None if value is None else round(scale * value, 4)


def shown(one: Estimate, scale: float = 1, *, digits: int = 1, spread: Spread = "interval") -> str:
    """Return a mean with its deviation over runs, or else its interval over documents, if there is one."""
    mean = f"{scale * one.mean:.{digits}f}"
    if one.deviation is not None and spread != "none":
        return f"{mean} ± {scale * one.deviation:.{digits}f}"
    if one.low is None or one.high is None or spread != "interval":
        return mean
    return f"{mean} [{scale * one.low:.{digits}f}, {scale * one.high:.{digits}f}]"


def cell(row: Row, name: str, digits: int = 1, *, spread: Spread = "interval") -> str:
    """Return a measure of a method; empty if it does not have that."""
    one = row.measures.get(name)
    return "" if one is None else shown(one, scale_of(name), digits=digits_of(name, digits), spread=spread)


def signed(one: Estimate, name: str) -> str:
    """Return a difference of a measure with its sign and its interval, if it has one."""
    scale, digits = scale_of(name), digits_of(name, 2)
    mean = f"{scale * one.mean:+.{digits}f}"
    if one.low is None or one.high is None:
        return mean
    return f"{mean} [{scale * one.low:+.{digits}f}, {scale * one.high:+.{digits}f}]"


def digits_of(measure: str, default: int = 1) -> int:
    """Return the digits after the point: three for ROUGE, which is a share."""
    return 3 if measure.startswith("rouge") else default


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def columns(lines: Sequence[Line]) -> list[str]:
    """Return the names of the columns, in the order in which they first appear."""
    return list(dict.fromkeys(name for line in lines for name in line))


def markdown(lines: Sequence[Line]) -> str:
    """Return lines as a Markdown table with aligned columns, which is readable in a terminal too."""
    names = columns(lines)
    cells = [names, *([_text(line.get(name)).replace("|", "\\|") for name in names] for line in lines)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    drawn = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    return "\n".join([drawn[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *drawn[1:]])


def comma_separated(lines: Sequence[Line]) -> str:
    """Return lines as CSV."""
    names, text = columns(lines), io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _text(line.get(name)) for name in names} for line in lines)
    return text.getvalue()


def _text(value: Cell) -> str:
    return "" if value is None else str(value)
