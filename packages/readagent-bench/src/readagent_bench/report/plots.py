"""Plots of runs: a measure over the words read, and lengths. Only this module imports matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, groupby
from pathlib import Path
from typing import Any

from readagent.errors import UsageError
from readagent_bench.records import Reading
from readagent_bench.report.matched import kind_of, words_per_question
from readagent_bench.report.tables import heading_of, scale_of
from readagent_bench.score import Row

_OURS, _OTHERS = "#b5432f", "#4a6fa5"
_ALL_OURS = (_OURS, "#d98324", "#8c2d5a", "#7a4b1e", "#e0604c")
_ALL_OTHERS = (_OTHERS, "#3f8f6b", "#5b5b5b", "#7a6fb0", "#2b8ca3")
_SIZED = {  # methods whose number is an amount of text, and what it counts
    "readagent-fit": "tokens", "dos-rag": "tokens", "bm25-chunks": "tokens", "first": "words", "last": "words",
}  # fmt: skip
_FORMATS = ("svg", "png", "pdf")
_NO_DATE: dict[str, dict[str, str | None]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_KINDS = ("readagent", "uniform", "conditional", "gistmem", "tree")
_MAIN = ("pair_accuracy", "accuracy", "lr1", "f1", "rougeL")


def main_measure(rows: Sequence[Row]) -> str:
    """Return the main measure of a data set; empty if there is none."""
    return next((name for name in _MAIN if any(name in row.measures for row in rows)), "")


def write_over_words(rows: Sequence[Row], file: Path, measure: str = "") -> None:
    """Write the plot of a measure, the main one by default, over the words read by the methods of any runs."""
    figure = over_words(rows, measure)
    if figure is None:
        raise UsageError("these runs have no such measure", hint="rate free answers first: `readagent bench rate`")
    write(figure, file)


def write(figure: Any, file: Path) -> None:
    """Write a plot into a file, in the format that its ending names (.svg, .png, .pdf), always the same."""
    import matplotlib as mpl

    if not file.parent.is_dir():
        raise UsageError(f"cannot write {file}: there is no folder {file.parent}", hint="make it first")
    ending = file.suffix[1:].lower()
    if ending not in _FORMATS:
        raise UsageError(f"cannot write a plot to {file.name}", hint=f"endings: {', '.join(_FORMATS)}")
    try:
        with mpl.rc_context({"svg.hashsalt": "readagent", "svg.fonttype": "none"}):
            figure.savefig(file, format=ending, dpi=150, metadata=_NO_DATE.get(ending))
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror or error}") from None


def _kinds(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the rows of each method that reads words; those of a kind with sizes together, the smallest first.

    Sizes that were measured in different runs belong together, unless two runs have the same size.
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        if words_per_question(row):
            found.setdefault(kind_of(row) if kind_of(row) in _SIZED else row.method, []).append(row)
    kinds: list[list[Row]] = []
    for some in found.values():
        if len({_tokens(row) for row in some}) == len(some):
            kinds.append(sorted(some, key=_tokens) if len(some) > 1 else some)
        else:
            kinds += [sorted(own, key=_tokens) for _, own in groupby(some, key=_run)]
    return kinds


def over_words(rows: Sequence[Row], measure: str = "") -> Any:
    """Draw a line for each kind of method that has sizes in tokens, and a point for every other; None without any."""
    measure = measure or main_measure(rows)
    shown = [row for row in rows if measure in row.measures and words_per_question(row)]
    if not measure or not shown:
        return None
    scale = scale_of(measure)
    figure, (axis,) = _figure()
    ours, others, kinds = cycle(_ALL_OURS), cycle(_ALL_OTHERS), _kinds(shown)
    for some, label, marker in zip(kinds, _legend_titles(kinds), cycle("osD^v<>pPX*h"), strict=False):
        several = len(some) > 1
        axis.errorbar(
            [words_per_question(row) for row in some], [scale * row.measures[measure].mean for row in some],
            yerr=list(zip(*(_spread(row, measure) for row in some), strict=True)),
            marker=marker, linestyle="-" if several else "none", capsize=2, markersize=5,
            elinewidth=0.5, linewidth=1.4, color=next(ours if kind_of(some[0]).startswith(_KINDS) else others),
            label=label,
        )  # fmt: skip
        for row in some if several else ():
            axis.annotate(
                _size(row), (words_per_question(row), scale * row.measures[measure].mean), fontsize=6,
                xytext=(4, -9), textcoords="offset points",
            )  # fmt: skip
    axis.set_xscale("log")
    _plain_ticks(axis)
    axis.set_xlabel("words read by the model for a question, the reading of the text included", fontsize=8)
    axis.set_ylabel(heading_of(measure) + (", %" if scale == 100 else ""), fontsize=8)
    axis.grid(alpha=0.25)
    axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handletextpad=0.4)
    return figure


def _legend_titles(kinds: Sequence[Sequence[Row]]) -> list[str]:
    """Return a title for the rows of each kind; the same sizes in two runs have the labels of their runs."""
    titles = [_joint_title(some) if len(some) > 1 else some[0].title for some in kinds]
    return [
        f"{title}, {_run(some[0])}" if titles.count(title) > 1 and _run(some[0]) else title
        for title, some in zip(titles, kinds, strict=True)
    ]


def _joint_title(rows: Sequence[Row]) -> str:
    return f"{rows[0].title.partition(', ')[0]}, {_size(rows[0])} to {_size(rows[-1])} {_SIZED[kind_of(rows[0])]}"


def _tokens(row: Row) -> int:
    number = row.method.rpartition(":")[2]
    return int(number) if number.isdigit() else 0


def _run(row: Row) -> str:
    """Return the label of the run; "" in a report on one run."""
    return row.method.rpartition("/")[0]


def _size(row: Row) -> str:
    """Return the number of a method in short: 4k for 4000."""
    number = row.method.rpartition(":")[2]
    return f"{int(number) // 1000}k" if number.isdigit() and int(number) % 1000 == 0 else number


def _plain_ticks(axis: Any) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.xaxis.set_minor_formatter(NullFormatter())


def _spread(row: Row, measure: str) -> tuple[float, float]:
    """Return how far the interval reaches below and above the mean."""
    one, scale = row.measures[measure], scale_of(measure)
    if one.low is None or one.high is None:
        return 0.0, 0.0
    return max(0.0, scale * (one.mean - one.low)), max(0.0, scale * (one.high - one.mean))


def histograms(readings: Sequence[Reading]) -> Any:
    """Draw the lengths of documents and of their gists before and after merging; None without gists."""
    known = {(one.run, one.case, one.gist_words): one for one in readings if one.gist_words and not one.question}
    if not known:
        return None
    parts = {
        "documents": list({one.case: one.full_words for one in known.values()}.values()),
        "gists": [one.gist_words for one in known.values()],
        "gists, merged to fit": [one.merged_words for one in known.values()],
    }
    figure, axes = _figure(columns=3, height=3.4)
    for axis, (title, words) in zip(axes, parts.items(), strict=True):
        axis.hist(words, bins=min(30, max(5, len(words))), color=_OTHERS)
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
