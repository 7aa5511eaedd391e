"""The table of a run on Mind2Web, the paper's figures beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent.bench.report.page import text_of
from readagent.bench.report.paper import navigation
from readagent.bench.report.tables import Cell, Line, Spread, markdown, shown
from readagent.bench.web.mind2web.folder import WebFolder
from readagent.bench.web.mind2web.load import SPLITS
from readagent.bench.web.mind2web.measure import MEASURES, Row, rows

HEADINGS = {
    "element_accuracy": "element", "operation_f1": "operation F1", "step_success": "step", "success": "episode",
    "cr": "CR", "lookups": "#LU",
}  # fmt: skip
_PER_CENT = ("element_accuracy", "operation_f1", "step_success", "success")
_MINDACT = "MindAct (PaLM 2-L + ranker)"


def table(found: Sequence[Row], split: str, spread: Spread = "interval", *, paper: bool = True) -> str:
    """A line for each method; then, where ``paper``, for each that the paper has and we have not run."""
    theirs = navigation(SPLITS.get(split, "")) if paper else {}
    titles = {_in_paper(row.title): row for row in found}
    lines: list[Line] = [_line(row.title, row, theirs.get(_in_paper(row.title), {}), theirs, spread) for row in found]
    lines += [_line(title, None, printed, theirs, spread) for title, printed in theirs.items() if title not in titles]
    return markdown(lines)


def _in_paper(title: str) -> str:
    return _MINDACT if title == "MindAct" else title


def _line(title: str, row: Row | None, printed: Mapping[str, str], theirs: object, spread: Spread) -> Line:
    line: dict[str, Cell] = {"method": title}
    for name in MEASURES:
        one = row.measures.get(name) if row is not None else None
        scale = 100 if name in _PER_CENT else 1
        line[HEADINGS[name]] = "" if one is None else shown(one, scale, spread=spread)
        if theirs and name != "lookups":
            line[f"{HEADINGS[name]} (paper)"] = printed.get(name, "")
    if row is not None:
        line |= {"longest prompt": f"{row.totals['longest_prompt']:,.0f}", "calls": f"{row.totals['calls']:,.0f}"}
        line |= {"fallbacks": f"{row.totals['fallbacks']:,.0f}", "failed": row.failed}
    return line


def figures(row: Row) -> dict[str, Cell]:
    """A row for programs: shares in per cent."""
    found: dict[str, Cell] = {"method": row.method, "title": row.title, "tasks": row.tasks, "steps": row.steps,
                              "failed": row.failed}  # fmt: skip
    for name, one in row.measures.items():
        scale = 100 if name in _PER_CENT else 1
        for end, value in {"": one.mean, "_std": one.deviation, "_low": one.low, "_high": one.high}.items():
            found[f"{name}{end}"] = None if value is None else round(scale * value, 4)
    return found | dict(row.totals)


def report(folder: WebFolder) -> str:
    """The report in Markdown."""
    made = folder.manifest()
    found = rows(folder.predictions(), made["methods"], made["seed"])
    over = "± is the standard deviation over runs" if made["runs"] > 1 else "brackets are 95 % intervals over tasks"
    kept = "\n".join(
        f"- {name.replace('_', ' ')}: {text_of(value)}" for name, value in made.items() if value not in (None, "")
    )
    return "\n\n".join(
        [
            f"# Mind2Web ({made['split']}), {made['model']}",
            f"{made['questions']} steps of {made['documents']} tasks, in per cent, averaged over the steps of a task "
            f"and then over tasks; {over}. A step whose cleaned page has lost the right element counts 0, as in the "
            "reference evaluation, and so does what failed. CR is the share of the page's words that were not shown "
            "when the action was decided; #LU is how many snippets were shown in full; prompts are in tokens, "
            "estimated. The paper's figures are its own: its model, all of its data.",
            table(found, made["split"]),
            f"## Manifest\n\n{kept}\n",
        ]
    )
