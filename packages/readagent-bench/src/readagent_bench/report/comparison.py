"""What a report is made from: runs with their figures, next to those of the paper, and differences between methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

from readagent.errors import UsageError
from readagent_bench.folder import RunFolder
from readagent_bench.metrics import OwnMeasure
from readagent_bench.rate import ratings_of
from readagent_bench.records import Prediction, Reading
from readagent_bench.report.paper import published, words_read
from readagent_bench.report.tables import Cell, Line, cell, digits_of, heading_of, own_of, scale_of, shown, signed
from readagent_bench.score import Ratings, Row, differences, rows

_ORDER = (
    "cr", "lookups", "accuracy", "pair_accuracy", "contains", "lr1", "lr2", "rouge1", "rouge2", "rougeL",
    "response_words", "search_failures", "page_hit", "page_recall", "page_precision",
)  # fmt: skip
_SPENT = ("words", "calls", "prompt_tokens", "reply_tokens", "cached_tokens", "seconds", "cost",
          "fallbacks", "refusals")  # fmt: skip
_MATCHED = ("accuracy", "pair_accuracy", "lr1", "lr2", "rougeL")
_CURVE, _END = "dos-rag", "full"
_ASKED = (1, 5, 20)  # questions on one text
_OFF = 0.9  # what most servers take off for the beginning that a prompt shares with an earlier one


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """The records of a run and their figures. ``label`` distinguishes it from other runs in the same report."""

    label: str
    manifest: dict[str, Any]
    rows: list[Row]
    predictions: list[Prediction]
    readings: list[Reading]
    ratings: Ratings

    @property
    def dataset(self) -> str:
        return str(self.manifest["dataset"])

    @property
    def split(self) -> str:
        return str(self.manifest["split"])

    @property
    def page_words(self) -> int:
        return int(self.manifest["plan"]["page_words"])


def load_run(
    folder: RunFolder, rater: str = "", label: str = "", *, measures: Mapping[str, OwnMeasure] | None = None
) -> LoadedRun:
    """Load a run with the ratings of one rater: the named one, or the one with the most ratings.

    ``measures`` are those of the user, by name. A ``label`` is added to the name and title of each method.
    """
    manifest, ratings = folder.manifest(), ratings_of(folder, rater)
    if rater and not ratings:
        known = ", ".join(manifest.get("raters", [])) or "none"
        raise UsageError(f"{rater!r} has not rated {folder.path}", hint=f"raters: {known}")
    found = rows(folder, rater, measures=measures)
    if not found:
        raise UsageError(f"{folder.path} has no predictions yet", hint="make them with `readagent bench run`")
    if label:
        found = [replace(row, method=f"{label}/{row.method}", title=f"{row.title}, {label}") for row in found]
    return LoadedRun(label, manifest, found, folder.records(Prediction), folder.records(Reading), ratings)


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
            row, printed = ours.get(title), theirs.get(in_paper(title, one.label), {})
            line: dict[str, Cell] = {"method": title}
            for name in measures:
                line[heading_of(name)] = cell(row, name, 2) if row else ""
                if any(name in values for values in theirs.values()):
                    line[f"{heading_of(name)} (paper)"] = printed.get(name, "")
            if unrated:
                line["unrated"] = row.unrated if row else ""
            lines.append(line)
    return lines


def in_paper(title: str, label: str) -> str:
    """Return what the paper calls a method: it has one kind of vectors per data set."""
    return title.removesuffix(f", {label}").replace(" (gists)", "")


def _titles(theirs: Mapping[str, object], ours: Mapping[str, Row]) -> Iterator[str]:
    """Yield all titles once: those of the paper in its order, then ours."""
    named = {in_paper(title, ""): title for title in ours if title not in theirs}
    yield from (title if title in ours else named.get(title, title) for title in theirs)
    yield from (title for title in ours if in_paper(title, "") not in theirs)


def costs(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return the cost of each method in one run, the reading of the documents included."""
    lines: list[Line] = []
    for one in runs:
        full = next((row.totals["words"] for row in one.rows if row.method.endswith("full")), None)
        theirs = words_read(one.dataset, one.split)
        for row in one.rows:
            line: dict[str, Cell] = {"method": row.title}
            for name in _SPENT:
                value = row.totals.get(name)
                money = "unknown" if value is None else f"${value:.4f}"
                line[name.replace("_", " ")] = money if name == "cost" else f"{value or 0:,.0f}"
            if full:
                line["words / full text"] = f"{(row.totals['words'] or 0) / full:.3f}"
            if full and theirs:
                printed = theirs.get(in_paper(row.title, one.label))
                line["same ratio (paper)"] = f"{printed / theirs['Full text']:.3f}" if printed else ""
            lines.append(line)
    return lines


def paid_off(runs: Sequence[LoadedRun]) -> list[Line]:
    """Return the words that a question takes when one, five or twenty are asked about a text that is read once."""
    lines: list[Line] = []
    for row in (row for one in runs for row in one.rows if row.counts.get("questions") and row.totals.get("texts")):
        reading = (row.totals["reading_words"] or 0) / (row.totals["texts"] or 1)
        asking = ((row.totals["words"] or 0) - (row.totals["reading_words"] or 0)) / row.counts["questions"]
        shared = (row.totals["shared_words"] or 0) / row.counts["questions"]
        line: dict[str, Cell] = {"method": row.title, "a text, read": f"{reading:,.0f}"}
        line |= {f"{count} asked": f"{asking + reading / count:,.0f}" for count in _ASKED}
        line |= {f"{count} asked, cached": f"{asking - _OFF * shared + reading / count:,.0f}" for count in _ASKED[1:]}
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


def kind_of(row: Row) -> str:
    """Return the kind of a method: its name without the label of the run and without the number."""
    return row.method.rpartition("/")[2].partition(":")[0]


def words_per_question(row: Row) -> float:
    """Return the words that the model reads in one run, the documents included, for each question."""
    return (row.totals.get("words") or 0) / max(1, row.counts.get("questions", 0))


def matched(rows: Sequence[Row]) -> list[Line]:
    """Return how much more each method scores than the size of DOS-RAG that reads most nearly as many words.

    The full text, if no question failed, is its largest size. Empty without at least two sizes.
    """
    sizes = [row for row in rows if kind_of(row) == _CURVE and words_per_question(row)]
    if len(sizes) < 2:
        return []
    sizes += [row for row in rows if kind_of(row) == _END and not row.failed and words_per_question(row)]
    lines: list[Line] = []
    for row in rows:
        words = words_per_question(row)
        if kind_of(row) in (_CURVE, _END) or not words:
            continue
        near = min(sizes, key=lambda one: abs(log(words_per_question(one) / words)))
        line: dict[str, Cell] = {
            "method": row.title,
            "words a question": f"{words:,.0f}",
            "compared with": f"{near.title}, which reads {words_per_question(near):,.0f}",
        }
        for name, one in differences(row, near).items():
            if name in _MATCHED or name in own_of(rows):
                line[heading_of(name)] = signed(one, name)
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
