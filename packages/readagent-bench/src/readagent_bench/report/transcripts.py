"""Transcripts: for each question what methods saw, looked up and answered, side by side, as one HTML page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from readagent.core.escaping import escape_tags
from readagent.errors import UsageError
from readagent_bench.example import Case
from readagent_bench.folder import Key, RunFolder
from readagent_bench.rate import Rating
from readagent_bench.records import Prediction
from readagent_bench.report.loaded import LoadedRun
from readagent_bench.report.questions import FILTER, ShownPage, shown_pages, verdict
from readagent_bench.report.write import page, paragraph

_LEAST = 20  # characters of a paragraph of evidence that is looked for alone
Evidence = Mapping[tuple[str, str], Sequence[str]]  # the passages that matter, by case and example


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a method did on a question: its prediction, its calls, and what raters said."""

    prediction: Prediction
    calls: Sequence[Mapping[str, Any]]
    ratings: Sequence[Rating]
    state: str
    verdict: str


def evidence_of(cases: Sequence[Case]) -> Evidence:
    """Return the passages that matter for each question, where the data set has them."""
    return {
        (case.id, example.id): [case.document.text[start:end] for start, end in example.spans]
        for case in cases
        for example in case.examples
        if example.spans
    }


def transcripts(
    runs: Sequence[tuple[LoadedRun, RunFolder]],
    title: str,
    methods: Sequence[str] = (),
    evidence: Evidence | None = None,
) -> str:
    """Return the page. ``methods`` are those to show, all if empty; passages of ``evidence`` are marked in the text."""
    known = [row.method for run, _ in runs for row in run.rows]
    if unknown := [name for name in methods if name not in known]:
        raise UsageError(f"the report has no method {unknown[0]!r}", hint=f"methods: {', '.join(known)}")
    order = list(methods) or known
    by_question: dict[tuple[str, str], list[Attempt]] = {}
    for run, folder in runs:
        for attempt in _attempts(run, folder, order):
            place = attempt.prediction.case, attempt.prediction.example
            by_question.setdefault(place, []).append(attempt)
    for some in by_question.values():
        some.sort(key=lambda one: (order.index(one.prediction.method), one.prediction.run))
    titles = {row.method: row.title for run, _ in runs for row in run.rows}
    columns = {name: number for number, name in enumerate(dict.fromkeys(order))}
    shown = (_question(some, columns, (evidence or {}).get(place, ())) for place, some in by_question.items())
    intro = paragraph(
        "Each column is a method: its answer and the verdicts, the replies of its look-up, and the pages as the model "
        "saw them. Opened pages are in full, others as gists; pages with evidence have a mark."
    )
    return page(title, [("Transcripts", intro + _choice(columns, titles) + FILTER + "".join(shown))])


def _attempts(run: LoadedRun, folder: RunFolder, methods: Sequence[str]) -> list[Attempt]:
    """Return the attempts of some methods of a run; their traces are read case by case."""
    grades: dict[Key, str] = {key: rating.grade for key, rating in run.ratings.items()}
    rated: dict[tuple[Key, str], list[Rating]] = {}
    for rating in folder.records(Rating):
        rated.setdefault(((rating.run, rating.method, rating.case, rating.example), rating.text), []).append(rating)
    wanted = [one for one in run.predictions if one.method in methods]
    found = []
    for case in dict.fromkeys(one.case for one in wanted):
        calls = {tuple(line["key"]): line["calls"] for line in folder.traces(case) if not line["reading"]}
        for one in wanted:
            if one.case == case:
                bare = one.method.removeprefix(f"{run.label}/") if run.label else one.method
                key: Key = (one.run, bare, one.case, one.example)
                ratings = rated.get((key, one.text), [])
                found.append(Attempt(one, calls.get(key, []), ratings, *verdict(one, grades)))
    return found


def _choice(columns: Mapping[str, int], titles: Mapping[str, str]) -> str:
    """Return boxes that choose the columns; two are shown at first."""
    boxes = "".join(
        f'<label><input type="checkbox" data-method="{number}"{" checked" if number < 2 else ""}> '
        f"{escape(titles[name])}</label>"
        for name, number in columns.items()
    )
    return f'<p class="filter columns">{boxes}</p>'


def _question(attempts: Sequence[Attempt], columns: Mapping[str, int], evidence: Sequence[str]) -> str:
    first = attempts[0].prediction
    states = {one.state for one in attempts}
    options = "".join(f"<li>{escape(option)}</li>" for option in first.options)
    where = " · ".join(filter(None, (first.case, first.example, first.group)))
    key = first.gold or " / ".join(first.references) or "none"
    return (
        f'<details class="question" data-wrong="{int("wrong" in states)}" data-split="{int(len(states) > 1)}">'
        f'<summary>{escape(first.question)} <span class="where">{sum(one.state == "right" for one in attempts)} of '
        f'{len(attempts)} right</span></summary><p class="where">{escape(where)}</p>'
        + (f'<ol type="A">{options}</ol>' if options else "")
        + f'<p class="key">key: {escape(key)}</p><div class="side">'
        + "".join(_column(one, columns[one.prediction.method], evidence) for one in attempts)
        + "</div></details>"
    )


def _column(one: Attempt, number: int, evidence: Sequence[str]) -> str:
    prediction = one.prediction
    chosen = f"({prediction.choice}) " if prediction.kind == "choice" and prediction.choice else ""
    said = prediction.error or f"{chosen}{prediction.text}" or "no answer"
    run = f" · run {prediction.run}" if prediction.run else ""
    about = [*_verdicts(one), *prediction.notes, *prediction.fallbacks]
    prompts = [str(call["prompt"]) for call in one.calls]
    shown = shown_pages(prompts, list(prediction.pages or ()), set(prediction.relevant or ()))
    looked = "".join(
        f'<p class="where">{escape(str(call["step"]))}</p><pre>{escape(str(call["reply"]))}</pre>'
        for call in one.calls
        if call["step"] != "respond"
    )
    missed = [number for number in prediction.relevant or () if number not in (prediction.pages or ())]
    words = prediction.spent.get("words") or 0
    return (
        f'<article class="attempt" data-method="{number}"><h3>{escape(prediction.title)}{run}</h3>'
        f'<p class="said {one.state}">{escape(said)}<br><span class="where">{escape(one.verdict)}</span></p>'
        + "".join(f'<p class="where">{escape(text)}</p>' for text in about)
        + (f"<details open><summary>look-up</summary>{looked}</details>" if looked else "")
        + (
            f'<p class="where">missed: {", ".join(map(str, missed))}</p>'
            if missed and prediction.pages is not None
            else ""
        )
        + (_pages(shown, evidence) if prediction.pages is not None else _shown(shown, evidence))
        + f'<p class="where">{len(one.calls)} calls, {words:,.0f} words for this question</p></article>'
    )


def _verdicts(one: Attempt) -> list[str]:
    return [
        f"{rating.rater}: {rating.grade} (strict: {', '.join(rating.strict) or 'not asked'}; "
        f"permissive: {', '.join(rating.permissive) or 'not asked'})"
        for rating in one.ratings
    ]


def _pages(shown: Sequence[ShownPage], evidence: Sequence[str]) -> str:
    opened = "".join(_page(one, one.text or "", evidence) for one in shown if one.opened)
    gists = "".join(_page(one, one.gist, ()) for one in shown if not one.opened)
    return (f"<details open><summary>opened</summary>{opened}</details>" if opened else "") + (
        f"<details><summary>not opened</summary>{gists}</details>" if gists else ""
    )


def _shown(pages: Sequence[ShownPage], evidence: Sequence[str]) -> str:
    """Return what a method showed that opens no pages: the text, excerpts or gists."""
    parts = "".join(_page(one, one.text or one.gist, evidence) for one in pages)
    return f"<details><summary>shown to the model</summary>{parts}</details>" if parts else ""


def _page(one: ShownPage, text: str, evidence: Sequence[str]) -> str:
    mark = ' <span class="evidence">evidence</span>' if one.evidence else ""
    return f'<div class="page"><p class="where">page {one.number}{mark}</p><div>{marked(text, evidence)}</div></div>'


def marked(text: str, evidence: Sequence[str]) -> str:
    """Return a text as HTML, with the passages of evidence that it has, or paragraphs of them, marked."""
    spans: list[tuple[int, int]] = []
    for passage in evidence:
        whole = escape_tags(passage.strip())
        parts = [whole] if whole in text else [one.strip() for one in whole.split("\n") if len(one.strip()) >= _LEAST]
        spans += [(at, at + len(one)) for one in parts if one and (at := text.find(one)) >= 0]
    html, at = "", 0
    for start, end in sorted(spans):
        if end > at:
            start = max(start, at)
            html += f"{escape(text[at:start])}<mark>{escape(text[start:end])}</mark>"
            at = end
    return html + escape(text[at:])
