"""Plots of runs: the main measure over the words read, and lengths. Only this module imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from readagent.errors import UsageError
from readagent_bench.records import Reading
from readagent_bench.report.comparison import kind_of, words_per_question
from readagent_bench.report.tables import heading_of, scale_of
from readagent_bench.score import Row

_OURS = ("#b5432f", "#d98324", "#8c2d5a", "#7a4b1e", "#e0604c")
_OTHERS = ("#4a6fa5", "#3f8f6b", "#5b5b5b", "#7a6fb0", "#2b8ca3")
_SIZED = ("dos-rag", "bm25-chunks", "first", "last")  # methods whose number is an amount of text
_KINDS = ("readagent", "uniform", "conditional", "gistmem")
_MAIN = ("pair_accuracy", "accuracy", "lr1", "rougeL")


def write(figure: Any, file: Path) -> None:
    """Write a plot as SVG, always the same for the same figures."""
    import matplotlib as mpl

    try:
        with mpl.rc_context({"svg.hashsalt": "readagent", "svg.fonttype": "none"}):
            figure.savefig(file, format="svg", metadata={"Date": None})
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from None


def over_words(rows: Sequence[Row]) -> Any:
    """Draw the main measure: a line for each method that has sizes, and a point for every other; None without any."""
    measure = next((name for name in _MAIN if any(name in row.measures for row in rows)), "")
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        if measure in row.measures and words_per_question(row):
            run = row.method.rpartition("/")[0]
            kinds.setdefault(f"{run}/{kind_of(row)}" if kind_of(row) in _SIZED else row.method, []).append(row)
    if not kinds:
        return None
    scale = scale_of(measure)
    figure, (axis,) = _figure()
    ours, others = cycle(_OURS), cycle(_OTHERS)
    for some, marker in zip(kinds.values(), cycle("osD^v<>pPX*h"), strict=False):
        some.sort(key=words_per_question)
        axis.errorbar(
            [words_per_question(row) for row in some], [scale * row.measures[measure].mean for row in some],
            yerr=list(zip(*(_spread(row, measure) for row in some), strict=True)),
            marker=marker, linestyle="-" if len(some) > 1 else "none", capsize=2, markersize=5,
            elinewidth=0.5, linewidth=1.4, color=next(ours if kind_of(some[0]).startswith(_KINDS) else others),
            label=some[0].title if len(some) == 1 else f"{some[0].title} to {_size(some[-1])}",
        )  # fmt: skip
        for row in some if len(some) > 1 else ():
            axis.annotate(
                _size(row), (words_per_question(row), scale * row.measures[measure].mean), fontsize=6,
                xytext=(4, -9), textcoords="offset points",
            )  # fmt: skip
    _words_axis(axis)
    axis.set_ylabel(heading_of(measure) + (", %" if scale == 100 else ""), fontsize=8)
    axis.grid(alpha=0.25)
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handletextpad=0.4)
    return figure


def _size(row: Row) -> str:
    """Return the number of a method: 4,000."""
    number = row.method.rpartition(":")[2]
    return f"{int(number):,}" if number.isdigit() else number


def _words_axis(axis: Any) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_xscale("log")
    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.xaxis.set_minor_formatter(NullFormatter())
    axis.set_xlabel("words read by the model for a question, the reading of the text included", fontsize=8)


def _spread(row: Row, measure: str) -> tuple[float, float]:
    """Return how far the interval reaches below and above the mean."""
    one, scale = row.measures[measure], scale_of(measure)
    if one.low is None or one.high is None:
        return 0.0, 0.0
    return max(0.0, scale * (one.mean - one.low)), max(0.0, scale * (one.high - one.mean))


def histograms(readings: Sequence[Reading]) -> Any:
    """Draw the lengths of documents and of their gists; None without gists."""
    known = {(one.run, one.case, one.gist_words): one for one in readings if one.gist_words and not one.question}
    if not known:
        return None
    parts = {
        "documents": list({one.case: one.full_words for one in known.values()}.values()),
        "gists": [one.gist_words for one in known.values()],
    }
    figure, axes = _figure(columns=2, height=3.4)
    for axis, (title, words) in zip(axes, parts.items(), strict=True):
        axis.hist(words, bins=min(30, max(5, len(words))), color=_OTHERS[0])
        axis.set_title(title, fontsize=9)
        axis.set_xlabel(f"words, {sum(words) / len(words):,.0f} on average", fontsize=8)
        axis.yaxis.get_major_locator().set_params(integer=True)
    return figure


def _figure(columns: int = 1, height: float = 4.2) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.tick_params(labelsize=7)
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes
