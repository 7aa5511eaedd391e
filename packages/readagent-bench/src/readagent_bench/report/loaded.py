"""LoadedRun: what a report is made from: the records of a run with their figures. Several runs get labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from readagent.errors import UsageError
from readagent_bench.folder import RunFolder
from readagent_bench.metrics import OwnMeasure
from readagent_bench.rate import ratings_of
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
