"""A run's report: report.md, report.csv and report.html in its folder, or elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from readagent.bench.folder import RunFolder
from readagent.bench.report import plots
from readagent.bench.report.beside import against, beside, costs, groups
from readagent.bench.report.page import listed, page, questions, table
from readagent.bench.report.tables import Line, comma_separated, figures, markdown
from readagent.bench.score import rows
from readagent.errors import UsageError

_BASES = ("full", "neural:3", "bm25:3", "gistmem")


def write_report(folder: RunFolder, out: Path | None = None, base: str = "") -> list[Path]:
    """Write the three files and name them. ``base`` is the method that others are held against."""
    found, manifest = rows(folder), folder.manifest()
    if not found:
        raise UsageError(f"{folder.path} has no predictions yet", hint="run it first, with `readagent bench run`")
    names = [row.method for row in found]
    if base and base not in names:
        raise UsageError(f"{base!r} was not run", hint=f"run were: {', '.join(names)}")
    base = base or next((name for name in _BASES if name in names), names[0])
    tables: dict[str, list[Line]] = {
        "Results, the paper's beside ours": beside(found, manifest["dataset"], manifest["split"]),
        f"Differences from {base}, same questions, 95 % interval over documents": against(found, base),
        "By group of questions": groups(found),
        "What one run takes": costs(found),
    }
    title = f"{manifest['dataset']} ({manifest['split']}), {manifest['model']}"
    target = out or folder.path
    target.mkdir(parents=True, exist_ok=True)
    contents = {
        "report.md": _markdown(title, tables, manifest),
        "report.csv": comma_separated([figures(row) for row in found]),
        "report.html": _html(title, tables, manifest, folder),
    }
    for name, text in contents.items():
        (target / name).write_text(text, "utf-8")
    return [target / name for name in contents]


def _markdown(title: str, tables: dict[str, list[Line]], manifest: dict[str, Any]) -> str:
    parts = [f"# {title}", _note(manifest)]
    parts += [f"## {heading}\n\n{markdown(lines)}" for heading, lines in tables.items() if lines]
    kept = "\n".join(
        f"- {name.replace('_', ' ')}: {value}" for name, value in manifest.items() if value not in (None, "")
    )
    return "\n\n".join([*parts, f"## Manifest\n\n{kept}"]) + "\n"


def _note(manifest: dict[str, Any]) -> str:
    several = manifest["runs"] > 1
    over = "± is the standard deviation over runs" if several else "brackets are 95 % intervals over documents"
    return (
        f"{manifest['questions']} questions on {manifest['documents']} documents, {manifest['runs']} "
        f"{'runs' if several else 'run'}; {over}. What failed counts as wrong. The paper's figures are its own, with "
        "its own model and the whole data set."
    )


def _html(title: str, tables: dict[str, list[Line]], manifest: dict[str, Any], folder: RunFolder) -> str:
    found, predictions = rows(folder), folder.predictions()
    drawn = [
        plots.against_context(found), plots.against_words(found), plots.against_cost(found),
        plots.histograms(folder.readings()), plots.look_ups(predictions),
    ]  # fmt: skip
    ratings = {(one.run, one.method, one.case, one.example): one for one in folder.ratings()}
    parts = [(heading, table(lines)) for heading, lines in tables.items()]
    parts[0] = (parts[0][0], f"<p>{_note(manifest)}</p>{parts[0][1]}")
    parts += [
        ("Plots", "".join(drawn)),
        ("Questions", questions(predictions, ratings)),
        ("Manifest", listed(manifest)),
    ]
    return page(title, parts)
