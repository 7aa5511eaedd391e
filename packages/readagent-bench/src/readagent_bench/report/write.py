"""Write the report of one or several runs into a folder: Markdown, CSV and plots."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from readagent.errors import UsageError
from readagent_bench.report import plots
from readagent_bench.report.comparison import (
    NOISE,
    against,
    by_pages,
    costs,
    groups,
    is_noise,
    raters_agree,
    results,
    runs_agree,
)
from readagent_bench.report.loaded import LoadedRun, raters
from readagent_bench.report.matched import matched
from readagent_bench.report.tables import Line, comma_separated, figures, markdown
from readagent_bench.score import RIGHT


def text_of(value: Any) -> str:
    """Return a value as text for people."""
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name}: {text_of(one)}" for name, one in value.items() if one not in (None, ""))
    if isinstance(value, list | tuple):
        return ", ".join(map(text_of, value))
    return json.dumps(value) if isinstance(value, bool) else str(value)


DIFFERENT = (
    "These runs have different texts or questions: compare figures within a run. Differences between methods are over "
    "the questions that both have."
)
_COST = "Cost of one run"
_MATCHED = "Differences from DOS-RAG with as many words read, 95 % interval over documents"
_RATERS, _RUNS = "Agreement of raters", "Agreement between runs"
_GROUPS = {
    RIGHT: "Right answers by group of questions, %",
    "f1": "F1 by group of questions, %",
    "rougeL": "ROUGE-L by group of questions",
}
_MEANING = {
    _RATERS: "The share of answers that both gave the same grade (exact, partial, none), of the n that both graded. "
    "Kappa is 0 where they agree as often as by chance, and 1 where they always agree. Labels are grades by people.",
    _RUNS: "The share of pairs of runs in which both answers to a question are right, or both wrong, of n pairs.",
    _MATCHED: "Words are those of all prompts, the reading of the documents included. Between two sizes, the score of "
    "DOS-RAG is taken from both, question by question, in proportion to the logarithm of the words.",
    _GROUPS[RIGHT]: "Options, claims, and free answers that are exact for the rater. Answers that nobody rated are "
    "neither right nor wrong, and left out.",
    _COST: "Words are those of all prompts, the reading of the documents included; shared words are those among them "
    "that a perfect prefix cache would not read again. Seconds are the sum over all calls, waiting included.",
}
_QUESTIONS = (
    "The page of `readagent serve --runs FOLDER` shows what each method saw, looked up and answered, question by "
    "question; FOLDER is that of the run, or the one it is in."
)
_PLOTS = {
    "words.svg": "The main measure over the words read for a question",
    "lengths.svg": "Words of documents, of their gists, and of gists merged to fit",
}
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
    of_paper = any("(paper)" in name for name in main[0])
    tables: dict[str, list[Line]] = {
        "Results" + (", with those of the paper" if of_paper else ""): main,
        f"Differences from {title}, same questions, 95 % interval over documents": against(found, base),
        _MATCHED: matched(found),
        **{heading: groups(found, measure) for measure, heading in _GROUPS.items()},
        "Right and wrong answers by relevant pages opened": by_pages(runs),
        _RATERS: raters_agree(runs),
        _RUNS: runs_agree(runs),
        _COST: costs(runs),
    }
    figures_of = {
        "words.svg": plots.over_words(found),
        "lengths.svg": plots.histograms([reading for one in runs for reading in one.readings]),
    }
    drawn = [name for name, figure in figures_of.items() if figure is not None]
    contents = {
        "report.md": _markdown(runs, tables, drawn),
        "report.csv": comma_separated([figures(row) for row in found]),
        "table.csv": comma_separated(main),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (out / name).write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror or error}") from None
    for name in drawn:
        plots.write(figures_of[name], out / name)
    return [out / name for name in (*contents, *drawn)]


def _first(names: Sequence[str]) -> str:
    """Return the method that the others of a recipe vary, or else the first one."""
    return next((name for name in names if name.startswith("base/")), names[0])


def title_of(runs: Sequence[LoadedRun]) -> str:
    """Return the title of a report: data sets and models."""
    sets = dict.fromkeys(f"{one.dataset} ({one.split})" for one in runs)
    models = dict.fromkeys(str(one.manifest["model"]) for one in runs)
    return f"{', '.join(sets)}, {', '.join(models)}"


def differ(runs: Sequence[LoadedRun]) -> bool:
    """Return whether runs have different texts or questions."""
    return len({(one.dataset, one.split, one.manifest.get("data_sha256")) for one in runs}) > 1


def _size(manifest: Mapping[str, Any]) -> str:
    """Return how much a run has measured."""
    runs = f"{manifest['runs']} {'runs' if manifest['runs'] > 1 else 'run'}"
    return f"{manifest['questions']} questions on {manifest['documents']} documents, {runs}"


def _notes(runs: Sequence[LoadedRun]) -> list[str]:
    """Return what a reader of the tables must know."""
    sizes: dict[str, list[str]] = {}
    for one in runs:
        sizes.setdefault(_size(one.manifest), []).append(one.label)
    measured = [f"{size} ({', '.join(labels)})" if len(sizes) > 1 else size for size, labels in sizes.items()]
    several = any(one.manifest["runs"] > 1 for one in runs)
    over = "± is the standard deviation over runs" if several else "brackets are 95 % intervals over documents"
    notes = [
        f"{'; '.join(measured)}; {over}. Failed questions count as wrong. The figures of the paper are for its own "
        "model and all of its data."
    ]
    notes += dict.fromkeys(f"{one.missing}." for one in runs if one.missing is not None)
    if differ(runs):
        notes.append(DIFFERENT)
    if any(is_noise(one.manifest) for one in runs):
        notes.append(NOISE)
    if any(one.manifest.get("state") != "finished" for one in runs):
        notes.append("The run is not finished; missing predictions are not counted.")
    if rated := raters(runs):
        notes.append(f"Rated by {', '.join(rated)}. Ratings by different models are not comparable.")
    return notes


def _markdown(runs: Sequence[LoadedRun], tables: dict[str, list[Line]], drawn: Sequence[str]) -> str:
    parts = [f"# {title_of(runs)}", *_notes(runs)]
    for heading, lines in tables.items():
        parts += [f"## {heading}", *filter(None, [_MEANING.get(heading)]), markdown(lines)] if lines else []
    parts += [f"![{_PLOTS[name]}]({name})" for name in drawn]
    parts.append(_QUESTIONS)
    for one in runs:
        kept = "\n".join(
            f"- {name.replace('_', ' ')}: {text_of(value)}"
            for name, value in one.manifest.items()
            if value not in (None, "")
        )
        parts.append(f"## Manifest{f' of {one.label}' if one.label else ''}\n\n{kept}")
    return "\n\n".join(parts) + "\n"
