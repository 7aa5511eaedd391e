"""Plots of runs as SVG, for the report's page: the one door to matplotlib."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from readagent.bench.records import Prediction, Reading
from readagent.bench.report.tables import HEADINGS, scale_of
from readagent.bench.score import Row
from readagent.errors import UsageError

_MAIN = ("accuracy", "pair_accuracy", "lr1", "contains", "rougeL")


def main_measure(rows: Sequence[Row]) -> str:
    """The measure that a data set is mostly about; empty where there is none."""
    return next((name for name in _MAIN if any(name in row.measures for row in rows)), "")


def against_context(rows: Sequence[Row]) -> str:
    """The main measure over the share of the text that the answer was given from."""
    points = {row.title: 100 - row.measures["cr"].mean for row in rows if "cr" in row.measures}
    return _scatter(rows, points, "words in the final prompt, % of the text")


def against_words(rows: Sequence[Row]) -> str:
    """The main measure over the words read by the model."""
    return _scatter(rows, {row.title: row.totals["words"] or 0.0 for row in rows}, "words read by the model, one run")


def against_cost(rows: Sequence[Row]) -> str:
    """The main measure over the money; empty where it is not known, or nothing."""
    points = {row.title: row.totals["cost"] for row in rows if row.totals.get("cost")}
    return _scatter(rows, {title: cost for title, cost in points.items() if cost}, "dollars, one run")


def histograms(readings: Sequence[Reading]) -> str:
    """How long the documents are, and their gists, before and after merging."""
    known = list({(one.case, one.gist_words): one for one in readings if one.gist_words}.values())
    if not known:
        return ""
    figure, axes = _figure(width=9.0, columns=3)
    parts = (("documents", "full_words"), ("gists", "gist_words"), ("gists, merged to fit", "merged_words"))
    for axis, (title, name) in zip(axes, parts, strict=True):
        axis.hist([getattr(one, name) for one in known], bins=min(30, max(5, len(known))), color="#4a6fa5")
        axis.set_title(title, fontsize=9)
        axis.set_xlabel("words", fontsize=8)
    return _drawn(figure)


def look_ups(predictions: Sequence[Prediction]) -> str:
    """How many pages were looked up for a question, by method."""
    counts: dict[str, list[int]] = {}
    for one in predictions:
        if one.pages is not None and one.method.startswith(("readagent", "uniform", "conditional")):
            counts.setdefault(one.title, []).append(len(one.pages))
    if not counts:
        return ""
    figure, (axis,) = _figure()
    most = max(max(values) for values in counts.values())
    edges = [number - 0.5 for number in range(most + 2)]
    axis.hist([*counts.values()], bins=edges, label=[*counts])
    axis.set_xlabel("pages looked up", fontsize=8)
    axis.set_ylabel("questions", fontsize=8)
    axis.legend(fontsize=7)
    return _drawn(figure)


def _scatter(rows: Sequence[Row], points: Mapping[str, float], label: str) -> str:
    measure = main_measure(rows)
    shown = [row for row in rows if measure in row.measures and row.title in points]
    if not measure or not shown:
        return ""
    figure, (axis,) = _figure()
    for row in shown:
        one, scale = row.measures[measure], scale_of(measure)
        low, high = scale * (one.mean - one.low), scale * (one.high - one.mean)
        ours = row.title.startswith("ReadAgent")
        axis.errorbar(
            points[row.title], scale * one.mean, yerr=[[max(0.0, low)], [max(0.0, high)]], fmt="o", capsize=2,
            color="#b5432f" if ours else "#4a6fa5", markersize=5, elinewidth=0.6,
        )  # fmt: skip
        axis.annotate(
            row.title, (points[row.title], scale * one.mean), fontsize=6, xytext=(4, 3), textcoords="offset points"
        )
    axis.set_xlabel(label, fontsize=8)
    axis.set_ylabel(HEADINGS[measure] + (", %" if scale_of(measure) == 100 else ""), fontsize=8)
    return _drawn(figure)


def _figure(width: float = 6.5, columns: int = 1) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError(
            "plots need matplotlib, which is not installed", hint="pip install 'readagent[bench]'"
        ) from None
    figure = Figure(figsize=(width, 3.4), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.tick_params(labelsize=7)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _drawn(figure: Any) -> str:
    """The figure as an SVG element, always the same for the same figure."""
    import matplotlib as mpl

    text = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "readagent", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawn = text.getvalue()
    return drawn[drawn.index("<svg") :]
