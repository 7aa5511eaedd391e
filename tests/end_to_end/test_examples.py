"""The questions about the example texts: their evidence is in the text, and their answers can be right."""

from __future__ import annotations

import json

from readagent import load
from sessions import EXAMPLES


def test_the_evidence_occurs_once_and_the_answers_are_possible() -> None:
    lines = [line for file in EXAMPLES.glob("*.questions.jsonl") for line in file.read_text("utf-8").splitlines()]
    assert len(lines) == 40
    for record in map(json.loads, lines):
        text = load(EXAMPLES / record["document"]).text
        assert [text.count(excerpt) for excerpt in record["evidence"]] == [1] * len(record["evidence"])
        if record["kind"] == "choice":
            assert record["answer"] in "ABCDEFGH"[: len(record["options"])]
        else:
            assert isinstance(record["answer"], bool if record["kind"] == "claim" else list)
