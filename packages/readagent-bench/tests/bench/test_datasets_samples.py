"""The real samples: as many documents and questions as they have, and spans that really show the turns."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.dataset_files import records_of, samples, shown_by
from readagent_bench.datasets import load_cases
from readagent_bench.example import Case
from sessions import EXAMPLES


def sample_of(name: str, file: str) -> list[Case]:
    folder = samples()
    if not (folder / file).exists():
        pytest.skip(f"there is no {file} in {folder}")
    return load_cases(name, folder)


def questions(cases: list[Case]) -> int:
    return sum(len(case.examples) for case in cases)


def test_quality() -> None:
    cases = sample_of("quality", "quality/QuALITY.sample.dev.jsonl")
    assert (len(cases), questions(cases)) == (8, 105)
    for case in cases:
        assert case.document.title
        assert case.document.words == len(case.document.text.split())
        longest = max(len(case.document.text[one.start : one.end].split()) for one in case.document.paragraphs)
        assert longest < 600
        for example in case.examples:
            assert len(example.question.options) == 4
            assert example.gold in "ABCD"
    counts = {case.document.title: len(case.document.paragraphs) for case in cases}
    assert counts["LOST IN TRANSLATION"] == 166
    assert counts["The logistics of presidential adultery."] == 23


def test_qmsum() -> None:
    cases = sample_of("qmsum", "qmsum/val.jsonl")
    records = records_of(samples() / "qmsum" / "val.jsonl")
    groups = Counter(example.group for case in cases for example in case.examples)
    assert (len(cases), groups) == (35, {"general": 35, "specific": 237})
    for case, record in zip(cases, records, strict=True):
        turns = [
            f"{turn['speaker']}: {turn['content']}" for turn in record["meeting_transcripts"] if turn["content"].strip()
        ]
        assert len(case.document.paragraphs) == len(turns)
        assert case.document.words == sum(len(turn.split()) for turn in turns)
        specific = [example for example in case.examples if example.group == "specific"]
        for example, query in zip(specific, record["specific_query_list"], strict=True):
            assert example.spans
            for text, (first, last) in zip(shown_by(case, example), query["relevant_text_span"], strict=True):
                named = record["meeting_transcripts"][int(first) : int(last) + 1]
                said = [f"{turn['speaker']}: {turn['content']}" for turn in named if turn["content"].strip()]
                assert text.split() == " ".join(said).split()


def test_narrativeqa() -> None:
    cases = sample_of("narrativeqa-books", "narrativeqa/sample.jsonl")
    assert (len(cases), questions(cases)) == (5, 150)
    for case in cases:
        assert 700 <= case.document.words <= 50_000
        assert any(paragraph.heading for paragraph in case.document.paragraphs)
        assert all(1 <= len(example.references) <= 2 for example in case.examples)
        assert "#" not in case.document.text


def test_nocha() -> None:
    cases = sample_of("nocha", "nocha/claims_gatsby.json")
    (case,) = cases
    assert case.document.title == "The Great Gatsby"
    assert len(case.examples) == 30
    pairs = Counter(example.pair for example in case.examples)
    assert (len(pairs), set(pairs.values())) == (15, {2})
    for pair in pairs:
        assert {example.gold for example in case.examples if example.pair == pair} == {"true", "false"}


def test_our_own_examples_are_a_data_set() -> None:
    folder = EXAMPLES
    cases = load_cases("own", folder)
    assert [(case.id, len(case.examples)) for case in cases] == [("meeting.txt", 20), ("story.txt", 20)]
    groups = Counter(example.group for case in cases for example in case.examples)
    assert {"one place", "distant", "arc", "distant, pointed", "distant, distracted"} <= set(groups)
    for case in cases:
        records = records_of(folder / f"{case.id[:-4]}.questions.jsonl")
        for example, record in zip(case.examples, records, strict=True):
            assert shown_by(case, example) == record["evidence"]
            assert example.question.kind == record["kind"]
            key = [*example.references] if record["kind"] == "free" else example.gold
            assert key == (str(record["answer"]).lower() if record["kind"] == "claim" else record["answer"])
