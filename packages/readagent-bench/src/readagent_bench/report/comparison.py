"""The tables of a report: our figures next to those of the paper, differences between methods, costs, groups."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from readagent_bench.agreement import Agreement, between_runs
from readagent_bench.report.loaded import LoadedRun
from readagent_bench.report.paper import published, words_read
from readagent_bench.report.tables import Cell, Line, cell, digits_of, heading_of, own_of, scale_of, shown, signed
from readagent_bench.score import Row, differences, found_pages, right

_ORDER = (
    "cr", "lookups", "accuracy", "pair_accuracy", "f1", "contains", "lr1", "lr2", "coverage", "faithfulness",
    "rouge1", "rouge2", "rougeL", "response_words", "search_failures", "page_hit", "page_recall", "page_precision",
)  # fmt: skip
_SPENT = ("words", "shared_words", "calls", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "cost",
          "fallbacks", "refusals")  # fmt: skip


def results(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return a line for each of our methods; for a single run also for those that only the paper has."""
    measures = [name for name in _ORDER if any(name in row.measures for one in runs for row in one.rows)]
    measures += own_of([row for one in runs for row in one.rows])
    unrated = any(row.unrated for one in runs for row in one.rows)
    lines: list[Line] = []
    for one in runs:
        theirs = published(one.dataset, one.split, one.page_words)
        ours = {row.title: row for row in one.rows}
        for title in ours if one.label else _titles(theirs, ours):
            row, printed = ours.get(title), theirs.get(_in_paper(title, one.label), {})
            line: dict[str, Cell] = {"method": title}
            for name in measures:
                line[heading_of(name)] = cell(row, name, 2) if row else ""
                if any(name in values for values in theirs.values()):
                    line[f"{heading_of(name)} (paper)"] = printed.get(name, "")
            if unrated:
                line["unrated"] = row.unrated if row else ""
            lines.append(line)
    return lines


def _in_paper(title: str, label: str) -> str:
    """Return what the paper calls a method: it has one kind of vectors per data set."""
    return title.removesuffix(f", {label}").replace(" (gists)", "")


def _titles(theirs: Mapping[str, object], ours: Mapping[str, Row]) -> Iterator[str]:
    """Yield all titles once: those of the paper in its order, then ours."""
    named = {_in_paper(title, ""): title for title in ours if title not in theirs}
    yield from (title if title in ours else named.get(title, title) for title in theirs)
    yield from (title for title in ours if _in_paper(title, "") not in theirs)


def costs(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return the cost of each method in one run, the reading of the documents included."""
    lines: list[Line] = []
    for one in runs:
        full = next((row.totals["words"] for row in one.rows if row.method.endswith("full")), None)
        theirs = words_read(one.dataset)
        for row in one.rows:
            line: dict[str, Cell] = {"method": row.title}
            for name in _SPENT:
                value = row.totals.get(name)
                money = "unknown" if value is None else f"${value:.4f}"
                line[name.replace("_", " ")] = money if name == "cost" else f"{value or 0:,.0f}"
            if full:
                line["words / full text"] = f"{(row.totals['words'] or 0) / full:.3f}"
            if full and theirs:
                printed = theirs.get(_in_paper(row.title, one.label))
                line["same ratio (paper)"] = f"{printed / theirs['Full text']:.3f}" if printed else ""
            lines.append(line)
    return lines


def against(rows: Sequence[Row], base: str) -> list[Line]:
    """Return how much more each method scores than the base method on the same questions, with 95 % intervals."""
    first = next((row for row in rows if row.method == base), None)
    shown_here = (*_ORDER, *own_of(rows))
    lines: list[Line] = []
    for row in rows if first is not None else ():
        if row is first or first is None:
            continue
        line: dict[str, Cell] = {"method": f"{row.title} − {first.title}"}
        for name, one in differences(row, first).items():
            if name in shown_here:
                line[heading_of(name)] = signed(one, name)
        if len(line) > 1:
            if read := first.totals.get("words"):
                line["words read"] = f"× {(row.totals.get('words') or 0) / read:.2f}"
            lines.append(line)
    return lines


def groups(rows: Sequence[Row], measure: str) -> list[Line]:
    """Return a measure of each method by group of questions; nothing if there are not several groups."""
    found = {row.title: row.groups[measure] for row in rows if measure in row.groups}
    names = list(dict.fromkeys(group for some in found.values() for group in some))
    if len(names) < 2:
        return []
    scale, digits = scale_of(measure), digits_of(measure)
    return [
        {"method": title, **{name: shown(some[name], scale, digits=digits) for name in names if name in some}}
        for title, some in found.items()
    ]


def by_pages(runs: Sequence[LoadedRun]) -> list[Line]:
    """Count right and wrong answers of each method by how many of the relevant pages it opened.

    Answers that nobody rated are neither.
    """
    counts: dict[str, dict[str, int]] = {}
    for one in runs:
        for p in one.predictions:
            is_right = right(p, one.ratings)
            if is_right is None or not p.relevant or p.pages is None:
                continue
            hits = len(found_pages(p))
            part = "all" if hits == len(p.relevant) else "some" if hits else "none"
            verdict = "right" if is_right else "wrong"
            line = counts.setdefault(p.title, {f"{v}, {n} opened": 0 for v in ("right", "wrong")
                                               for n in ("all", "some", "none")})  # fmt: skip
            line[f"{verdict}, {part} opened"] += 1
    titles = (row.title for one in runs for row in one.rows)
    return [{"method": title, **counts[title]} for title in titles if title in counts]


_COLD = re.compile(r"\btemperature=0(?:\.0*)?(?!\S)")
NOISE = (
    "At temperature 0, several runs measure the noise of the server only; they do not show how the answers of the "
    "model vary."
)


def is_noise(manifest: dict[str, Any]) -> bool:
    """Return whether a run has repetitions that differ by chance in the server alone."""
    return int(manifest.get("runs", 1)) > 1 and bool(_COLD.search(str(manifest.get("model", ""))))


def raters_agree(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return a line for every two raters of each run."""
    return [
        {**({"run": one.label} if one.label else {}), "raters": f"{pair.first}; {pair.second}", **figures_of(pair)}
        for one in runs
        for pair in one.raters_agree
    ]


def runs_agree(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return for each method with several runs how often two of them are both right or both wrong."""
    lines: list[Line] = []
    for one in runs:
        verdicts = {p.key: right(p, one.ratings) for p in one.predictions}
        settled = {key: verdict for key, verdict in verdicts.items() if verdict is not None}
        for row in one.rows:
            found = between_runs([p for p in one.predictions if p.method == row.method], settled)
            if found is not None:
                lines.append({"method": row.title, **figures_of(found)})
    return lines


def figures_of(one: Agreement) -> dict[str, Cell]:
    """Return the figures of an agreement for a table."""
    kappa = "–" if one.kappa is None else f"{one.kappa:.2f}"
    return {"n": one.count, "same, %": f"{100 * one.share:.1f}", "kappa": kappa}
