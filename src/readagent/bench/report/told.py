"""What a report tells of: one run, or several put together, each method of each under a name and a title of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from readagent.bench.folder import RunFolder
from readagent.bench.records import Prediction, Reading
from readagent.bench.score import Ratings, Row, ratings_of, rows
from readagent.errors import UsageError


@dataclass(frozen=True, slots=True)
class Told:
    """The records of a run and their figures. ``label`` tells it apart from others in the same report."""

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


def told(folder: RunFolder, rater: str = "", label: str = "") -> Told:
    """A run, rated by the rater named, or by the one who rated most of it."""
    manifest, ratings = folder.manifest(), ratings_of(folder, rater)
    if rater and not ratings:
        known = ", ".join(manifest.get("raters", [])) or "nobody"
        raise UsageError(f"{rater!r} has not rated {folder.path}", hint=f"rated it: {known}")
    found = Told(label, manifest, rows(folder, rater), folder.predictions(), folder.readings(), ratings)
    if not found.rows:
        raise UsageError(f"{folder.path} has no predictions yet", hint="run it first, with `readagent bench run`")
    return _labelled(found) if label else found


def _labelled(one: Told) -> Told:
    def name(method: str) -> str:
        return f"{one.label}/{method}"

    return replace(
        one,
        rows=[replace(row, method=name(row.method), title=f"{row.title}, {one.label}") for row in one.rows],
        predictions=[replace(p, method=name(p.method), title=f"{p.title}, {one.label}") for p in one.predictions],
        readings=[replace(reading, method=name(reading.method)) for reading in one.readings],
        ratings={(run, name(method), case, q): rating for (run, method, case, q), rating in one.ratings.items()},
    )


def raters(runs: Sequence[Told]) -> list[str]:
    """Who rated what is told."""
    return sorted({rating.rater for one in runs for rating in one.ratings.values()})
