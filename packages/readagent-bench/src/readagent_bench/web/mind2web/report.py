"""The report of a run on Mind2Web: a table with our figures next to those of the paper, and the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from readagent_bench.folder import RunFolder
from readagent_bench.report.page import text_of
from readagent_bench.report.paper import navigation
from readagent_bench.report.tables import HEADINGS, Cell, Line, Spread, cell, markdown
from readagent_bench.rows import Row
from readagent_bench.web.mind2web.load import SPLITS
from readagent_bench.web.mind2web.measure import MEASURES, rows

_MINDACT = "MindAct (PaLM 2-L + ranker)"


def table(found: Sequence[Row], split: str, spread: Spread = "interval", *, paper: bool = True) -> str:
    """Return a line for each method; with ``paper``, figures of the paper and its other methods too."""
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
        line[HEADINGS[name]] = "" if row is None else cell(row, name, spread=spread)
        if theirs and name != "lookups":
            line[f"{HEADINGS[name]} (paper)"] = printed.get(name, "")
    if row is not None:
        line |= {
            name.replace("_", " "): f"{row.totals[name]:,.0f}" for name in ("longest_prompt", "calls", "fallbacks")
        }
        line["failed"] = row.failed
    return line


def report(folder: RunFolder) -> str:
    """Return the report as Markdown."""
    made = folder.manifest()
    over = "± is the standard deviation over runs" if made["runs"] > 1 else "brackets are 95 % intervals over tasks"
    kept = "\n".join(
        f"- {name.replace('_', ' ')}: {text_of(value)}" for name, value in made.items() if value not in (None, "")
    )
    return "\n\n".join(
        [
            f"# Mind2Web ({made['split']}), {made['model']}",
            f"{made['questions']} steps of {made['documents']} tasks, in per cent, averaged over the steps of a task "
            f"and then over tasks; {over}. A step counts 0 if it failed or, as in the reference evaluation, if its "
            "cleaned page has lost the right element. CR is the share of the words of the page that were not in the "
            "prompt of the action; #LU is the number of snippets shown in full; prompts are in estimated tokens. The "
            "figures of the paper are for its own model and all of its data.",
            table(rows(folder), made["split"]),
            f"## Manifest\n\n{kept}\n",
        ]
    )
