"""Our figures in the layout of the paper's tables, with the paper's own beside them, and differences with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from readagent.bench.report.paper import published
from readagent.bench.report.tables import HEADINGS, Cell, Line, scale_of, shown
from readagent.bench.score import Row, differences

_ORDER = (
    "cr",
    "lookups",
    "accuracy",
    "pair_accuracy",
    "contains",
    "lr1",
    "lr2",
    "rouge1",
    "rouge2",
    "rougeL",
    "response_words",
)
_SPENT = ("words", "shared_words", "calls", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "cost",
          "fallbacks", "refusals", "failed_searches")  # fmt: skip


def beside(rows: Sequence[Row], dataset: str, split: str) -> list[Line]:
    """A line for each of our methods, and for each the paper has and we have not run."""
    theirs = published(dataset, split)
    measures = [name for name in _ORDER if any(name in row.measures for row in rows)]
    ours = {row.title: row for row in rows}
    lines: list[Line] = []
    for title in dict.fromkeys([*theirs, *ours]):
        line: dict[str, Cell] = {"method": title}
        for name in measures:
            row = ours.get(title)
            line[HEADINGS[name]] = shown(row.measures[name], scale_of(name)) if row and name in row.measures else ""
            if theirs:
                value = theirs.get(title, {}).get(name)
                line[f"{HEADINGS[name]} (paper)"] = "" if value is None else f"{value:g}"
        if any(row.unrated for row in rows):
            line["unrated"] = ours[title].unrated if title in ours else ""
        lines.append(line)
    return lines


def costs(rows: Sequence[Row]) -> list[Line]:
    """What each method took for one run: all prompts, the reading of the documents included."""
    full = next((row.totals["words"] for row in rows if row.method == "full"), None)
    lines: list[Line] = []
    for row in rows:
        line: dict[str, Cell] = {"method": row.title}
        for name in _SPENT:
            value = row.totals.get(name)
            money = "unknown" if value is None else f"${value:.4f}"
            line[name.replace("_", " ")] = money if name == "cost" else f"{value or 0:,.0f}"
        if full:
            line["words against full text"] = f"{(row.totals['words'] or 0) / full:.3f}"
        lines.append(line)
    return lines


def against(rows: Sequence[Row], base: str) -> list[Line]:
    """How much more each method scores than one of them, on the same questions, with its 95 % interval."""
    first = next((row for row in rows if row.method == base), None)
    if first is None:
        return []
    lines: list[Line] = []
    for row in rows:
        if row is first:
            continue
        line: dict[str, Cell] = {"method": f"{row.title} − {first.title}"}
        for name, one in differences(row, first).items():
            if name in _ORDER:
                scale = scale_of(name)
                line[HEADINGS[name]] = f"{scale * one.mean:+.2f} [{scale * one.low:+.2f}, {scale * one.high:+.2f}]"
        lines.append(line)
    return lines


def groups(rows: Sequence[Row]) -> list[Line]:
    """The main measure of each method for each group of questions."""
    names = sorted({group for row in rows for group in row.groups})
    if len(names) < 2:
        return []
    return [
        {"method": row.title, **{name: shown(row.groups[name], 100) for name in names if name in row.groups}}
        for row in rows
    ]
