"""A report of one run, or of several put together: Markdown, CSV, and a page to look at, in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from readagent.bench.report import plots
from readagent.bench.report.beside import against, beside, by_pages, costs, groups
from readagent.bench.report.page import listed, page, paragraph, table, text_of
from readagent.bench.report.questions import questions
from readagent.bench.report.tables import Line, comma_separated, figures, markdown
from readagent.bench.report.told import Told, raters
from readagent.errors import UsageError

_TAKES = "What one run takes"
_MEANING = {
    _TAKES: "Words are those of all prompts, with the reading of the documents; shared words are those of them that a "
    "perfect prefix cache need not read again. Seconds are those of all calls, added up, with their waiting.",
}
_BASES = ("full", "neural:3", "bm25:3", "gistmem")


def write_report(runs: Sequence[Told], out: Path, base: str = "") -> list[Path]:
    """Write the files and name them. ``base`` is the method that others are held against."""
    found = [row for one in runs for row in one.rows]
    names = [row.method for row in found]
    if base and base not in names:
        raise UsageError(f"{base!r} was not run", hint=f"run were: {', '.join(names)}")
    base = base or next((name for name in _BASES if name in names), names[0])
    title = next(row.title for row in found if row.method == base)
    results = beside(runs)
    tables: dict[str, list[Line]] = {
        "Results" + (", the paper's beside ours" if any("(paper)" in name for name in results[0]) else ""): results,
        f"Differences from {title}, same questions, 95 % interval over documents": against(found, base),
        "Right answers by group of questions, %": groups(found),
        "Right and wrong answers, by how many of the pages that matter were opened": by_pages(runs),
        _TAKES: costs(runs),
    }
    contents = {
        "report.md": _markdown(runs, tables),
        "report.csv": comma_separated([figures(row) for row in found]),
        "table.csv": comma_separated(results),
        "report.html": _html(runs, tables),
    }
    try:
        out.mkdir(parents=True, exist_ok=True)
        for name, text in contents.items():
            (out / name).write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from None
    return [out / name for name in contents]


def _title(runs: Sequence[Told]) -> str:
    sets = dict.fromkeys(f"{one.dataset} ({one.split})" for one in runs)
    models = dict.fromkeys(str(one.manifest["model"]) for one in runs)
    return f"{', '.join(sets)}, {', '.join(models)}"


def _notes(runs: Sequence[Told]) -> list[str]:
    """What one must know to read the tables."""
    first = runs[0].manifest
    several = first["runs"] > 1
    over = "± is the standard deviation over runs" if several else "brackets are 95 % intervals over documents"
    notes = [
        f"{first['questions']} questions on {first['documents']} documents, {first['runs']} "
        f"{'runs' if several else 'run'}; {over}. What failed counts as wrong. The paper's figures are its own: its "
        "model, all of its data."
    ]
    if any(one.manifest.get("state") != "finished" for one in runs):
        notes.append("The run is not finished: what is missing is not counted.")
    if rated := raters(runs):
        notes.append(f"Rated by {', '.join(rated)}. Ratings by different models cannot be compared.")
    return notes


def _markdown(runs: Sequence[Told], tables: dict[str, list[Line]]) -> str:
    parts = [f"# {_title(runs)}", *_notes(runs)]
    for heading, lines in tables.items():
        parts += [f"## {heading}", *filter(None, [_MEANING.get(heading)]), markdown(lines)] if lines else []
    for one in runs:
        kept = "\n".join(
            f"- {name.replace('_', ' ')}: {text_of(value)}"
            for name, value in one.manifest.items()
            if value not in (None, "")
        )
        parts.append(f"## Manifest{f' of {one.label}' if one.label else ''}\n\n{kept}")
    return "\n\n".join(parts) + "\n"


def _explained(heading: str) -> str:
    return paragraph(_MEANING[heading]) if heading in _MEANING else ""


def _html(runs: Sequence[Told], tables: dict[str, list[Line]]) -> str:
    rows = [row for one in runs for row in one.rows]
    drawn = [
        plots.against_context(rows),
        plots.against_words(rows),
        plots.against_cost(rows),
        plots.histograms([reading for one in runs for reading in one.readings]),
        plots.look_ups([prediction for one in runs for prediction in one.predictions]),
    ]
    parts = [(heading, _explained(heading) + table(lines)) for heading, lines in tables.items() if lines]
    parts[0] = (parts[0][0], "".join(map(paragraph, _notes(runs))) + parts[0][1])
    parts += [("Plots", "".join(drawn)), ("Questions", questions(runs))]
    parts += [(f"Manifest{f' of {one.label}' if one.label else ''}", listed(one.manifest)) for one in runs]
    return page(_title(runs), parts)
