"""Answers of the embedded reader: on books, on multiple choice, and on our own forty questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from common import ROOT, Rows, Value, opening
from embedded_claims import CLAIMS
from embedded_find import books, short_answer_figures, short_answers
from embedded_measures import interval, records_of, rouge_l, stands_in
from embedded_setup import Setup

from readagent.core.memory import GistMemory
from readagent.core.question import Question
from readagent.retrieval.bm25 import terms

OWN = {"story": "articles", "meeting": "meetings"}
_WINDOW = 2560  # tokens; the gists of the story do not fit and are merged

Result = tuple[dict[str, Rows], dict[str, Value]]


async def narrative(file: Path, setup: Setup, quick: bool) -> Result:
    """NarrativeQA: short keys on opened pages, answers, and answers to questions on other books."""
    shorts: list[dict[str, Value]] = []
    answers: list[dict[str, float]] = []
    foreign: list[float] = []
    rows: list[dict[str, Value]] = []
    sample = books(file)
    for number, (title, text, plan, asked) in list(enumerate(sample))[slice(1, 2) if quick else slice(None)]:
        memory = await setup.read(text, plan)
        shorts += await short_answers(memory, plan, asked, setup)
        own = [await _answered(memory, *one, plan, setup) for one in (asked[:2] if quick else asked)]
        others = [one for other in sample if other[0] != title for one, _ in other[3]][number :: len(sample)]
        strange = [await _not_found(memory, one, plan, setup) for one in others]
        size: dict[str, Value] = {"words": memory.full_words, "preset": plan, "pages": len(memory.pages)}
        rows.append({"book": title, **size, **_means(own), "not found for foreign questions": 100 * fmean(strange)})
        answers += own
        foreign += strange
    rows.append({"book": "all", **_means(answers), "not found for foreign questions": 100 * fmean(foreign)})
    table, figures = short_answer_figures(shorts)
    figures |= {"narrativeqa_questions": len(answers)}
    figures |= {f"narrativeqa_{name.replace(' ', '_')}": value for name, value in _means(answers).items()}
    figures |= {"narrativeqa_foreign_questions": len(foreign), "narrativeqa_foreign_not_found": 100 * fmean(foreign)}
    return {"Books (NarrativeQA): short answers on an opened page": table, "Books: the answers": rows}, figures


async def _not_found(memory: GistMemory, text: str, plan: str, setup: Setup) -> float:
    answer = await setup.ask(memory, Question(text), plan)
    return float(not answer.found_in_text)


async def _answered(memory: GistMemory, text: str, keys: Sequence[str], plan: str, setup: Setup) -> dict[str, float]:
    answer = await setup.ask(memory, Question(text), plan)
    said, quotes = answer.text if answer.found_in_text else "", [quote.text for quote in answer.quotes]
    return {
        "rouge l": 100 * max(rouge_l(said, key) for key in keys),
        "key in answer": 100.0 * any(stands_in(key, said) for key in keys),
        "key in quotes": 100.0 * any(stands_in(key, quote) for key in keys for quote in quotes),
        "key on opened pages": 100.0 * any(stands_in(key, memory.page_text(n)) for key in keys for n in answer.pages),
        "not found": 100.0 * (not answer.found_in_text),
        "pages opened": float(len(answer.pages)),
    }


def _means(rows: Sequence[dict[str, float]]) -> dict[str, Value]:
    return {name: fmean(row[name] for row in rows) for name in rows[0]}


async def quality(file: Path, setup: Setup, quick: bool) -> Result:
    """QuALITY: the share of right choices, and of the longest option, which needs no reading."""
    right: list[list[float]] = []
    longest: list[list[float]] = []
    rows: list[dict[str, Value]] = []
    records = records_of(file)
    for record in records[1:2] if quick else records:
        memory = await setup.read(record["article"], "articles")
        asked = record["questions"][:1] if quick else record["questions"]
        chosen = []
        for one in asked:
            answer = await setup.ask(memory, Question.choice(one["question"], one["options"]), "articles")
            chosen.append(float(one["options"].index(answer.text) + 1 == one["gold_label"]))
        sizes = [[len(option) for option in one["options"]] for one in asked]
        long = [float(size.index(max(size)) + 1 == one["gold_label"]) for one, size in zip(asked, sizes, strict=True)]
        right.append(chosen)
        longest.append(long)
        rows.append({"article": record["title"], "questions": len(asked), "right": 100 * fmean(chosen),
                     "longest option": 100 * fmean(long)})  # fmt: skip
    figures: dict[str, Value] = {"quality_questions": sum(map(len, right)), "quality_chance": 25.0}
    for name, groups in (("right", right), ("longest", longest)):
        low, high = interval([sum(group) for group in groups], [len(group) for group in groups])
        figures[f"quality_{name}"] = 100 * fmean(one for group in groups for one in group)
        figures |= {f"quality_{name}_low": 100 * low, f"quality_{name}_high": 100 * high}
    rows.append({"article": "all", "questions": figures["quality_questions"], "right": figures["quality_right"],
                 "longest option": figures["quality_longest"]})  # fmt: skip
    return {"Multiple choice (QuALITY)": rows}, figures


async def own(setup: Setup, quick: bool) -> Result:
    """Our example questions: are the pages with the evidence opened, and is the answer right?"""
    found: list[dict[str, Value]] = []
    for name, plan in list(OWN.items())[quick:]:
        text = _own_text(name, quick)
        memory = await setup.read(text, plan)
        records = records_of(ROOT / "examples" / f"{name}.questions.jsonl")
        there = [record for record in records if all(excerpt in text for excerpt in record["evidence"])]
        found += [await _own_question(memory, record, plan, setup) for record in there]
        if not quick:
            await setup.read(text, plan, _WINDOW)  # for decisions that are only made in a small window
    rows = []
    figures: dict[str, Value] = {}
    for kind in ("all", "free", "choice", "claim"):
        those = [one for one in found if kind in ("all", one["kind"])]
        if those:
            measures = ("any page", "all pages", "right")
            shares = {name: 100 * fmean(float(one[name]) for one in those) for name in measures}
            if kind == "free":
                shares["key words"] = 100 * fmean(float(one["key words"]) for one in those)
            rows.append({"kind": kind, "questions": len(those), **shares})
            figures |= {f"own_{kind}_{name.replace(' ', '_')}": share for name, share in shares.items()}
    figures |= {"own_questions": len(found), "own_pages_opened": fmean(float(one["opened"]) for one in found)}
    return {"Our own questions": rows}, figures


def _own_text(name: str, quick: bool) -> str:
    text = (ROOT / "examples" / f"{name}.txt").read_text("utf-8")
    return opening(text, 1_800) if quick else text


async def claims(setup: Setup, quick: bool) -> Result:
    """Pairs of a true and a false claim: the share of right verdicts, and of claims called true."""
    rows: list[dict[str, Value]] = []
    figures: dict[str, Value] = {}
    for name, plan in list(OWN.items())[quick:]:
        memory = await setup.read(_own_text(name, quick), plan)
        pairs = CLAIMS[name][: 1 if quick else None]
        verdicts = [await _verdicts(memory, pair, plan, setup) for pair in pairs]
        right = 100 * fmean((true + (not false)) / 2 for true, false in verdicts)
        both = 100 * fmean(true and not false for true, false in verdicts)
        called = 100 * fmean((true + false) / 2 for true, false in verdicts)
        rows.append(
            {"text": name, "claims": 2 * len(pairs), "right": right, "pairs right": both, "called true": called}
        )
        figures[f"claims_{name}_right"] = right
    return {"Claims in pairs": rows}, figures


async def _verdicts(memory: GistMemory, pair: tuple[str, str], plan: str, setup: Setup) -> tuple[bool, bool]:
    true, false = [await setup.ask(memory, Question.claim(claim), plan) for claim in pair]
    return true.choice == "true", false.choice == "true"


async def _own_question(memory: GistMemory, record: dict[str, object], plan: str, setup: Setup) -> dict[str, Value]:
    text, key = str(record["question"]), record["answer"]
    options = record.get("options")
    if isinstance(options, list):
        question = Question.choice(text, options)
    else:
        question = Question.claim(text) if record["kind"] == "claim" else Question(text)
    answer = await setup.ask(memory, question, plan)
    places = [memory.document.text.index(excerpt) for excerpt in record["evidence"]]  # type: ignore[attr-defined]
    pages = {page.number for page in memory.pages for place in places if page.start <= place < page.end}
    found = 0.0
    if isinstance(key, list):
        whole = " ".join([answer.text, *(quote.text for quote in answer.quotes)])
        right = any(one.lower() in whole.lower() for one in key)
        said = set(terms(whole))
        found = max(len(said.intersection(terms(one))) / len(set(terms(one))) for one in key)
    else:
        right = answer.choice == (str(key).lower() if isinstance(key, bool) else key)
    opened = set(answer.pages)
    return {"kind": question.kind, "any page": float(bool(pages & opened)), "all pages": float(pages <= opened),
            "right": float(right), "key words": found, "opened": len(opened)}  # fmt: skip
