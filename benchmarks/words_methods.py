"""Words read by several methods for the same questions, reading included, and what they show when they answer.

A scripted model writes gists of 15 % of each page, or as long as it is asked for if that is less, and opens pages for
half of the questions: it measures words, not answers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from common import ROOT, Value, dataset

from readagent.core.asking.answer import answer_form
from readagent.core.asking.respond import choice_for, response_prompt
from readagent.core.asking.situation import Situation
from readagent.core.document import Document
from readagent.core.plan import LookUp, Mode, Plan, preset
from readagent.core.prompts import Prompts
from readagent.core.question import Answer, Question
from readagent.core.session import Session
from readagent.core.tokens import estimate_tokens
from readagent.core.words import count_words
from readagent.retrieval.bm25 import Bm25, passage_spans
from readagent.sync import ReadAgent
from readagent.testing.scripted import Skimmer
from readagent.testing.skim import Habits
from readagent_bench.datasets import qmsum
from readagent_bench.methods.dos_rag import CHUNK_WORDS
from readagent_bench.reading import excerpt

MEETING_QUESTIONS = 6
PAGES = 5  # that may be opened
DOS_RAG = (4000, 12_000)  # tokens


@dataclass(frozen=True, slots=True)
class Text:
    """A text, its questions, and how many questions are counted: the mean of those that it has, times this."""

    document: Document
    questions: tuple[Question, ...]
    counted: int


@dataclass(frozen=True, slots=True)
class Method:
    """A way to read and ask: the mode of reading, the look-up, and pages opened where any are."""

    name: str
    mode: Mode
    look_up: LookUp
    pages: float = 2.3


@dataclass(frozen=True, slots=True)
class Words:
    """Words for the counted questions of one text: of reading, of asking, and shown in the prompt of an answer."""

    reading: float
    asking: float
    shown: float
    opened: float = 0.0
    calls: float = 0.0  # for a question


def ways() -> list[Method]:
    """Return the ways of ReadAgent that are compared; the first is what ``parallel`` takes today."""
    return [
        Method("P, one pass", "fast", "parallel"),
        Method("direct, one pass", "fast", "direct"),
        Method("P, one pass, 1 page where any", "fast", "parallel", pages=1.0),
        Method("direct, one pass, 1 page where any", "fast", "direct", pages=1.0),
        Method("P, two steps", "paper", "parallel"),
        Method("direct, two steps", "paper", "direct"),
    ]


def meetings(data: Path | None, *, quick: bool) -> tuple[list[Text], str]:
    """Return the meetings of QMSum with up to six questions each, or the example meeting."""
    file = dataset(data, "qmsum/val.jsonl")
    if file is None:
        lines = map(json.loads, (ROOT / "examples" / "meeting.questions.jsonl").read_text("utf-8").splitlines())
        asked = tuple(Question(line["question"]) for line in lines)[:MEETING_QUESTIONS]
        document = Document.from_text((ROOT / "examples" / "meeting.txt").read_text("utf-8"))
        return [Text(document, asked, MEETING_QUESTIONS)], "the example meeting (no QMSum)"
    cases = qmsum.load(file.parent.parent, "val")
    found = [Text(case.document, tuple(one.question for one in case.examples[:MEETING_QUESTIONS]), MEETING_QUESTIONS)
             for case in cases]  # fmt: skip
    return found[: 2 if quick else None], f"QMSum, {len(found)} meetings of the validation set"


def plan_of(name: str, method: Method) -> Plan:
    """Return the plan: answers are asked for as in the benchmark, without quotes and without a check."""
    return replace(preset(name), mode=method.mode, look_up=method.look_up, max_pages=PAGES, quotes=False, check=False)


def asked(text: Text, plan: Plan, method: Method) -> Words:
    """Read a text, ask its questions, and count."""
    habits = Habits(pages_to_open=method.pages, asks=0.5)
    with ReadAgent(Skimmer(habits), plan=plan) as agent:
        memory = agent.read(text.document)
        results = agent.ask_all(memory, text.questions)
    answers = [one for one in results if isinstance(one, Answer)]
    assert len(answers) == len(text.questions)
    return Words(
        memory.trace.words_read,
        text.counted * fmean(one.trace.words_read for one in answers),
        fmean((1 - one.compression) * memory.full_words for one in answers),
        fmean(len(one.pages) for one in answers),
        fmean(sum(1 / call.questions for call in one.trace.calls) for one in answers),
    )


def full_text(text: Text, plan: Plan) -> Words:
    """Return the words of answering from the full text, without those that introduce a memory."""
    words = count_words(text.document.text)
    template = [_template(question, plan) for question in text.questions]
    return Words(0, text.counted * (words + fmean(template)), words, calls=1)


def _template(question: Question, plan: Plan) -> int:
    choice = question.kind == "choice"
    name, form = ("choose", choice_for(question)) if choice else ("respond", answer_form(plan))
    prompt = Prompts.load().fill(name, form=form, memory="", question=question.shown())
    return count_words(prompt.partition("</memory>")[2])


def dos_rag(text: Text, plan: Plan, tokens: int) -> Words:
    """Return the words of DOS-RAG. BM25 ranks the chunks: how many are shown hardly depends on which ones."""
    document, session = text.document, Session(Skimmer(), Prompts.load(), plan)
    spans = passage_spans(document.text, CHUNK_WORDS)
    chunks = [document.text[start:end] for start, end in spans]
    index, sizes = Bm25(chunks), [estimate_tokens(chunk) for chunk in chunks]
    prompts, shown = [], []
    for question in text.questions:
        scores = index.scores(question.shown())
        taken, room = list[int](), tokens
        for number in sorted(range(len(chunks)), key=lambda at: -scores[at]):
            room -= sizes[number]
            if room < 0 and taken:
                break
            taken.append(number)
        memory = excerpt(document, [spans[number] for number in sorted(taken)])
        pages = tuple(range(len(memory.pages)))
        situation = Situation.of(memory, question, excerpts=len(taken) < len(chunks))
        prompts.append(count_words(response_prompt(situation, session, pages)))
        shown.append(memory.words(pages))
    return Words(0, text.counted * fmean(prompts), fmean(shown), calls=1)


def compare(texts: Sequence[Text], name: str) -> list[dict[str, Value]]:
    """Return a row for each method, with the full text first."""
    plan = preset(name)
    results: dict[str, list[Words]] = {"full text": [full_text(text, plan) for text in texts]}
    plain = replace(plan, quotes=False, check=False)
    results |= {f"DOS-RAG, {tokens:,} tokens": [dos_rag(text, plain, tokens) for text in texts] for tokens in DOS_RAG}
    for method in ways():
        results[method.name] = [asked(text, plan_of(name, method), method) for text in texts]
    full, today = (sum(one.reading + one.asking for one in results[key]) for key in ("full text", "P, one pass"))
    words = sum(count_words(text.document.text) for text in texts)
    return [_row(key, found, full, today, words) for key, found in results.items()]


def _row(name: str, found: Sequence[Words], full: float, today: float, words: int) -> dict[str, Value]:
    total = sum(one.reading + one.asking for one in found)
    return {
        "method": name,
        "of the full text": total / full,
        "of P today": total / today,
        "reading": sum(one.reading for one in found) / full,
        "asking": sum(one.asking for one in found) / full,
        "words": round(total),
        "shown when answering": sum(one.shown for one in found) / words,
        "pages opened": fmean(one.opened for one in found),
        "calls a question": fmean(one.calls for one in found),
    }


def plot(panels: dict[str, list[dict[str, Value]]], file: Path) -> None:
    """Plot the words that a method takes against what it shows when answering, a panel per data set."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(panels), figsize=(6.2 * len(panels), 4.4), squeeze=False)
    for axis, (title, rows) in zip(axes[0], panels.items(), strict=True):
        for row in rows:
            name = str(row["method"])
            if "1 page" in name:  # too near to the others
                continue
            colour = "#c0392b" if name.startswith("direct") else "#1f6fb2" if name.startswith("P") else "#888888"
            x, y = float(row["shown when answering"]), float(row["of the full text"])
            axis.plot(x, y, "o", color=colour)
            below = 3 if name.startswith("P") else -9  # most names of P and direct stand at the same x
            axis.annotate(name, (x, y), textcoords="offset points", xytext=(5, below), fontsize=7)
        axis.set(title=title, xlabel="words shown when answering, of the text's words", xlim=(0, 1.25), ylim=(0, 1.1))
    axes[0][0].set_ylabel("words read, of the full text's")
    figure.tight_layout()
    figure.savefig(file)
    pyplot.close(figure)
