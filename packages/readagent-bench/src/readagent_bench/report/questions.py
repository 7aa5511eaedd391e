"""The questions of a report, each with what every method looked up and answered, to see why an answer is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import quote

from readagent_bench.folder import Key
from readagent_bench.metrics import contains, correct, rouge
from readagent_bench.records import Prediction, Reading
from readagent_bench.report.loaded import LoadedRun

FILTER = (
    '<p class="filter"><input type="search" id="words" placeholder="words in question or answer">'
    '<label><input type="checkbox" id="wrong"> only where some method is wrong</label>'
    '<label><input type="checkbox" id="split"> only where methods disagree</label> <span id="count"></span></p>'
)
VIEWER = "http://127.0.0.1:8765/"  # where `readagent serve` is, unless it was told otherwise
_VIEWER_NOTE = (
    "<p>The page of <code>readagent serve --runs FOLDER</code> shows the gists, prompts, replies and pages behind each "
    f"answer; FOLDER is that of the run, or the one it is in. While it runs at {VIEWER}, the links of the questions "
    "lead there; the browser may ask for its token.</p>"
)
_HEAD = "<tr><th>method</th><th>run</th><th>looked up</th><th>answer</th><th></th></tr>"


def questions(runs: Sequence[LoadedRun]) -> str:
    """Return every question as a collapsed element, with a filter above them."""
    ratings: dict[Key, str] = {key: rating.grade for one in runs for key, rating in one.ratings.items()}
    readings = {reading.key: reading for one in runs for reading in one.readings}
    order = {row.method: number for number, row in enumerate(row for one in runs for row in one.rows)}
    by_question: dict[tuple[str, str], list[Prediction]] = {}
    links: dict[tuple[str, str], list[str]] = {}
    for one in runs:
        for case, example in dict.fromkeys((p.case, p.example) for p in one.predictions):
            links.setdefault((case, example), []).append(_link(one, case, example))
        for prediction in sorted(one.predictions, key=lambda p: (order[p.method], p.run)):
            by_question.setdefault((prediction.case, prediction.example), []).append(prediction)
    shown = (_question(some, ratings, readings, " ".join(links[key])) for key, some in by_question.items())
    return _VIEWER_NOTE + FILTER + "".join(shown)


def question_id(case: str, example: str) -> str:
    """Return the id of a question within a run, as the viewer names it."""
    return f"{case}~{example}"


def _link(run: LoadedRun, case: str, example: str) -> str:
    """Return a link to a question in the viewer."""
    parts = (quote(one.encode("utf-8", "replace"), safe="") for one in (run.folder, question_id(case, example)))
    shown = f"viewer ({run.label})" if run.label else "viewer"
    return f'<a href="{VIEWER}#/runs/{"/".join(parts)}">{escape(shown)}</a>'


def _question(
    answers: Sequence[Prediction], grades: Mapping[Key, str], readings: Mapping[Key, Reading], links: str
) -> str:
    first = answers[0]
    verdicts = [verdict(one, grades) for one in answers]
    states = {state for state, _ in verdicts}
    options = "".join(f"<li>{escape(option)}</li>" for option in first.options)
    where = " · ".join(filter(None, (first.case, first.example, first.group)))
    rows = "".join(_answer(one, *shown, readings) for one, shown in zip(answers, verdicts, strict=True))
    right = [state for state, _ in verdicts].count("right")
    return (
        f'<details class="question" data-wrong="{int("wrong" in states)}" data-split="{int(len(states) > 1)}">'
        f'<summary>{escape(first.question)} <span class="where">{right} of {len(answers)} right</span></summary>'
        f'<p class="where">{escape(where)} · {links}</p>'
        + (f'<ol type="A">{options}</ol>' if options else "")
        + f'<p class="key">key: {escape(first.gold or " / ".join(first.references) or "none")}</p>'
        f'<div class="wide"><table><thead>{_HEAD}</thead><tbody>{rows}</tbody></table></div></details>'
    )


def _answer(one: Prediction, state: str, verdict_text: str, readings: Mapping[Key, Reading]) -> str:
    said = one.error or (f"({one.choice}) {one.text}" if one.kind == "choice" and one.choice else one.text)
    notes = "; ".join((*one.notes, *one.fallbacks))
    return (
        f'<tr class="{state}"><td>{escape(one.title)}</td><td>{one.run}</td><td>{_pages(one, readings)}</td>'
        f"<td>{escape(said or 'no answer')}{f'<p>{escape(notes)}</p>' if notes else ''}</td>"
        f"<td>{escape(verdict_text)}</td></tr>"
    )


def _pages(one: Prediction, readings: Mapping[Key, Reading]) -> str:
    """Return the page numbers, with the opening of each page as a tooltip, and the relevant pages that were missed."""
    reading = readings.get(one.key) or readings.get((*one.key[:3], ""))
    openings = dict(enumerate(reading.openings)) if reading is not None else {}

    def shown(number: int) -> str:
        mark = "b" if number in (one.relevant or ()) else "span"
        return f'<{mark} title="{escape(openings.get(number, ""))}">{number}</{mark}>'

    if one.pages is None:
        return "–"
    opened = ", ".join(map(shown, one.pages)) or "none"
    missed = [number for number in one.relevant or () if number not in one.pages]
    return opened + (f"<p>missed: {', '.join(map(shown, missed))}</p>" if missed else "")


def verdict(one: Prediction, grades: Mapping[Key, str]) -> tuple[str, str]:
    """Return the state (right, wrong, half, unrated) and a few words about it."""
    if one.error:
        return "wrong", "failed"
    if one.gold:
        return ("right", "right") if correct(one) else ("wrong", f"wrong: the key is {one.gold}")
    if not one.text.strip():
        return "wrong", "no answer"
    if grade := grades.get(one.key):
        return {"exact": "right", "partial": "half", "none": "wrong"}.get(grade, "unrated"), grade
    if contains(one):
        return "right", "contains the key"
    return "unrated", f"ROUGE-L {rouge(one)['rougeL']:.2f}" if one.references else ""


_MEMORY = re.compile(r"<memory>\n(.*?)\n</memory>", re.S)
_PAGE = re.compile(r"^<(?:Page|Part) (\d+)>\n", re.M)


@dataclass(frozen=True, slots=True)
class ShownPage:
    """A page as the model saw it: its gist, and its text if it was opened. ``evidence``: it matters to the question."""

    number: int
    gist: str
    text: str | None
    opened: bool
    evidence: bool


def shown_pages(prompts: Sequence[str], opened: Sequence[int], relevant: set[int]) -> list[ShownPage]:
    """Return the pages as the first prompt has them, with the text of those that the last prompt has in full.

    A method that shows the model some pages and nothing else numbers them from 0 in its prompt: they are the opened
    ones, in the order of the text.
    """
    memories = [_tagged(found[1]) for prompt in prompts if (found := _MEMORY.search(prompt))]
    if not memories:
        return []
    first, last = memories[0], memories[-1]
    if len(first) == len(opened) and all(one == first for one in memories):
        own = zip(sorted(opened), first.values(), strict=True)
        return [ShownPage(number, "", text, True, number in relevant) for number, text in own]
    return [
        ShownPage(number, gist, last.get(number) if number in opened else None, number in opened, number in relevant)
        for number, gist in first.items()
    ]


def _tagged(memory: str) -> dict[int, str]:
    """Return the pages of a memory by their number."""
    _, *pieces = _PAGE.split(memory)
    return {int(number): text.strip() for number, text in zip(pieces[::2], pieces[1::2], strict=True)}
