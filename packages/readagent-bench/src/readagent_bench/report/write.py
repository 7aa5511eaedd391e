"""Write the report of one or several runs into a folder: Markdown, CSV and plots."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from readagent.errors import UsageError
from readagent_bench.report import plots
from readagent_bench.report.comparison import LoadedRun, against, costs, groups, matched, paid_off, results
from readagent_bench.report.tables import Line, comma_separated, figures, markdown
from readagent_bench.score import RIGHT, Row

DIFFERENT = (
    "These runs have different texts or questions: compare figures within a run. Differences between methods are over "
    "the questions that both have."
)
NOISE = (
    "At temperature 0, several runs measure the noise of the server only; they do not show how the answers of the "
    "model vary."
)
_COLD = re.compile(r"\btemperature=0(?:\.0*)?(?!\S)")
_PLANNED = "The comparison that the run is for: its first two methods, 95 % interval over documents"
_COST = "Cost of one run"
_PAID_OFF = "Words for a question, when a text is read once and several are asked"
_MATCHED = "Differences from the size of DOS-RAG nearest in words read, 95 % interval over documents"
_GROUPS = {RIGHT: "Right answers by group of questions, %", "rougeL": "ROUGE-L by group of questions"}
_MEANING = {
    _PLANNED: "Named before the run. All others are exploratory: of twenty intervals, one misses the truth.",
    _MATCHED: "Words are those of all prompts, the reading of the documents included.",
    _GROUPS[RIGHT]: "Options, claims, and free answers that are exact for the rater. Answers that nobody rated are "
    "neither right nor wrong, and left out.",
    _COST: "Words are those of all prompts, the reading of the documents included. Seconds are the sum over all "
    "calls, waiting included.",
    _PAID_OFF: "Cached: words at the beginning that an earlier prompt of the run has too count a tenth, as with "
    "servers that keep them. A memory stays the same from question to question; pages that a search found do not.",
}
_QUESTIONS = (
    "The page of `readagent serve --runs FOLDER` shows what each method saw, looked up and answered, question by "
    "question; FOLDER is that of the run, or the one it is in."
)
_PLOTS = {"words.svg": "The main measure over the words read for a question", "lengths.svg": "Words of texts and gists"}
_BASES = ("full", "neural:3", "bm25:3", "gistmem")


def write_report(runs: Sequence[LoadedRun], out: Path, base: str = "") -> list[Path]:
    """Write the files and return their paths. ``base`` is the method that the others are compared with."""
    found = [row for one in runs for row in one.rows]
    names = [row.method for row in found]
    if base and base not in names:
        raise UsageError(f"the report has no method {base!r}", hint=f"methods: {', '.join(names)}")
    base = base or next((name for name in _BASES if name in names), "") or _first(names)
    title = next(row.title for row in found if row.method == base)
    main = results(runs)
    planned = _planned(runs)
    of_paper = any("(paper)" in name for name in main[0])
    tables: dict[str, list[Line]] = {
        "Results" + (", with those of the paper" if of_paper else ""): main,
        _PLANNED: against(planned, planned[1].method) if planned else [],
        f"Differences from {title}, same questions, 95 % interval over documents": against(found, base),
        _MATCHED: matched(found),
        **{heading: groups(found, measure) for measure, heading in _GROUPS.items()},
        _COST: costs(runs),
        _PAID_OFF: paid_off(runs),
    }
    figures_of = {
        "words.svg": plots.over_words(found),
        "lengths.svg": plots.histograms([reading for one in runs for reading in one.readings]),
    }
    drawn = {name: figure for name, figure in figures_of.items() if figure is not None}
    contents = {
        "report.md": _markdown(runs, tables, list(drawn)),
        "report.csv": comma_separated([figures(row) for row in found]),
        "table.csv": comma_separated(main),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (out / name).write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror or error}") from None
    for name, figure in drawn.items():
        plots.write(figure, out / name)
    return [out / name for name in (*contents, *drawn)]


def _planned(runs: Sequence[LoadedRun]) -> list[Row]:
    """Return the first two methods of a run, as it was started; nothing for several runs."""
    rows = {row.method: row for one in runs[:1] for row in one.rows}
    named = [rows[name] for one in runs for name in one.manifest.get("methods", [])[:2] if name in rows]
    return named if len(runs) == 1 and len(named) == 2 else []


def _first(names: Sequence[str]) -> str:
    """Return the method that the others of a recipe vary, or else the first one."""
    return next((name for name in names if name.startswith("base/")), names[0])


def differ(runs: Sequence[LoadedRun]) -> bool:
    """Return whether runs have different texts or questions."""
    return len({(one.dataset, one.split, one.manifest.get("data_sha256")) for one in runs}) > 1


def _notes(runs: Sequence[LoadedRun]) -> list[str]:
    """Return what a reader of the tables must know."""
    made = [one.manifest for one in runs]
    sizes = dict.fromkeys(
        f"{one['questions']} questions on {one['documents']} documents, {one['runs']} run{'s' * (one['runs'] > 1)}"
        for one in made
    )
    several = any(one["runs"] > 1 for one in made)
    over = "± is the standard deviation over runs" if several else "brackets are 95 % intervals over documents"
    notes = [
        f"{'; '.join(sizes)}; {over}. Failed questions count as wrong. The figures of the paper are for its own "
        "model and all of its data."
    ]
    absent = [one["missing"] for one in made if one.get("missing")]
    notes += dict.fromkeys(
        f"{len(one['documents'])} of {one['of']} documents of the split are missing." for one in absent
    )
    if differ(runs):
        notes.append(DIFFERENT)
    if any(one["runs"] > 1 and _COLD.search(str(one.get("model", ""))) for one in made):
        notes.append(NOISE)
    if any(one.get("state") != "finished" for one in made):
        notes.append("The run is not finished; missing predictions are not counted.")
    if rated := sorted({rating.rater for one in runs for rating in one.ratings.values()}):
        notes.append(f"Rated by {', '.join(rated)}. Ratings by different models are not comparable.")
    return notes


def _markdown(runs: Sequence[LoadedRun], tables: Mapping[str, list[Line]], drawn: Sequence[str]) -> str:
    sets = dict.fromkeys(f"{one.dataset} ({one.split})" for one in runs)
    models = dict.fromkeys(str(one.manifest["model"]) for one in runs)
    parts = [f"# {', '.join(sets)}, {', '.join(models)}", *_notes(runs)]
    for heading, lines in tables.items():
        parts += [f"## {heading}", *filter(None, [_MEANING.get(heading)]), markdown(lines)] if lines else []
    parts += [f"![{_PLOTS[name]}]({name})" for name in drawn]
    parts.append(_QUESTIONS)
    parts += [f"## Manifest{f' of {one.label}' if one.label else ''}\n\n{listed(one.manifest)}" for one in runs]
    return "\n\n".join(parts) + "\n"


def listed(manifest: Mapping[str, Any]) -> str:
    """Return a manifest as a list in Markdown."""
    kept = ((name, value) for name, value in manifest.items() if value not in (None, ""))
    return "\n".join(f"- {name.replace('_', ' ')}: {_text_of(value)}" for name, value in kept)


def _text_of(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_text_of(one)}" for name, one in value.items() if one not in (None, ""))
    if isinstance(value, list | tuple):
        return ", ".join(map(_text_of, value))
    return json.dumps(value) if isinstance(value, bool) else str(value)
