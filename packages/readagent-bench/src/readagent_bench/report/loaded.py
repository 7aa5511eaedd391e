"""LoadedRun: what a report is made from: the records of a run with their figures. Several runs get labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from readagent.errors import UsageError
from readagent_bench.agreement import Agreement, between_raters, with_labels
from readagent_bench.datasets.dataset import Missing
from readagent_bench.folder import RunFolder
from readagent_bench.metrics import OwnMeasure
from readagent_bench.rate import ratings_of
from readagent_bench.rate_summaries import summary_ratings_of
from readagent_bench.records import Prediction, Reading
from readagent_bench.score import Ratings, Row, rows


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """The records of a run and their figures. ``label`` distinguishes it from other runs in the same report."""

    label: str
    manifest: dict[str, Any]
    rows: list[Row]
    predictions: list[Prediction]
    readings: list[Reading]
    ratings: Ratings
    summary_rater: str = ""
    raters_agree: tuple[Agreement, ...] = ()

    @property
    def dataset(self) -> str:
        return str(self.manifest["dataset"])

    @property
    def split(self) -> str:
        return str(self.manifest["split"])

    @property
    def missing(self) -> Missing | None:
        """The documents of the split that the run did not have."""
        found = self.manifest.get("missing")
        return Missing(tuple(found["documents"]), int(found["of"])) if found else None

    @property
    def page_words(self) -> int:
        return int(self.manifest["plan"]["page_words"])


def load_run(
    folder: RunFolder,
    rater: str = "",
    label: str = "",
    *,
    measures: Mapping[str, OwnMeasure] | None = None,
) -> LoadedRun:
    """Load a run with the ratings of one rater: the named one, or the one with the most ratings.

    ``measures`` are those of the user, by name.
    """
    manifest, ratings = folder.manifest(), ratings_of(folder, rater)
    summaries = summary_ratings_of(folder, rater)
    if rater and not ratings and not summaries:
        names = [*manifest.get("raters", []), *manifest.get("summary_raters", [])]
        known = ", ".join(dict.fromkeys(names)) or "none"
        raise UsageError(f"{rater!r} has not rated {folder.path}", hint=f"raters: {known}")
    found = LoadedRun(
        label, manifest, rows(folder, rater, measures=measures), folder.records(Prediction),
        folder.records(Reading), ratings,
        next((rating.rater for rating in summaries.values()), ""),
        (*with_labels(folder), *between_raters(folder)),
    )  # fmt: skip
    if not found.rows:
        raise UsageError(f"{folder.path} has no predictions yet", hint="make them with `readagent bench run`")
    return _labelled(found) if label else found


def _labelled(one: LoadedRun) -> LoadedRun:
    """Return the run with its label in the name and title of each method."""

    def name(method: str) -> str:
        return f"{one.label}/{method}"

    return replace(
        one,
        rows=[replace(row, method=name(row.method), title=f"{row.title}, {one.label}") for row in one.rows],
        predictions=[replace(p, method=name(p.method), title=f"{p.title}, {one.label}") for p in one.predictions],
        readings=[replace(reading, method=name(reading.method)) for reading in one.readings],
        ratings={(run, name(method), case, q): rating for (run, method, case, q), rating in one.ratings.items()},
    )


def short_titles(runs: Sequence[LoadedRun]) -> list[LoadedRun]:
    """Return runs without their label in the titles that say the same already, and that no other run has."""
    bare = Counter(_bare(row.title, one.label) for one in runs for row in one.rows)

    def short(title: str, label: str) -> str:
        found = _bare(title, label)
        return found if bare[found] == 1 and _words(label) <= _words(found) else title

    return [
        replace(
            one,
            rows=[replace(row, title=short(row.title, one.label)) for row in one.rows],
            predictions=[replace(p, title=short(p.title, one.label)) for p in one.predictions],
        )
        if one.label
        else one
        for one in runs
    ]


def _bare(title: str, label: str) -> str:
    return title.removesuffix(f", {label}") if label else title


def _words(text: str) -> set[str]:
    """Return the words of a name that tell something: "with-hints" has one, and "w-full" has one."""
    return {word for word in re.findall(r"[^\W_]{2,}", text.lower()) if word != "with"}


def raters(runs: Sequence[LoadedRun]) -> list[str]:
    """Return the names of the raters of these runs."""
    names = {rating.rater for one in runs for rating in one.ratings.values()}
    return sorted({*names, *(one.summary_rater for one in runs if one.summary_rater)})
