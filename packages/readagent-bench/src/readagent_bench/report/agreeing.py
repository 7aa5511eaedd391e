"""The tables of a report about agreement: between raters, and between runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from readagent_bench.agreement import Agreement, between_runs
from readagent_bench.report.loaded import LoadedRun
from readagent_bench.report.tables import Cell, Line
from readagent_bench.score import right

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
