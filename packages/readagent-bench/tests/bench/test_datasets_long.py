"""LongBench v2, InfiniteBench and LongMemEval in the forms in which their authors publish them, and Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import lines, one_line, shown_by, whole
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases


def long_record(**other: Any) -> dict[str, Any]:
    return {
        "_id": "66f1", "domain": "Single-Document QA", "sub_domain": "Detective", "difficulty": "easy",
        "length": "short", "question": "Who took the boat?", "choice_A": "Ann", "choice_B": "Ben", "choice_C": "Cy",
        "choice_D": "Dot", "answer": "C", "context": "Cy took the boat at night.", **other,
    }  # fmt: skip


def test_longbench(tmp_path: Path) -> None:
    whole(tmp_path / "longbench2" / "data.json", [long_record()])
    (case,) = load_cases("longbench2", tmp_path)
    (example,) = case.examples
    assert (case.id, case.document.text.strip()) == ("66f1", "Cy took the boat at night.")
    assert (example.question.options, example.gold) == (("Ann", "Ben", "Cy", "Dot"), "C")
    assert example.tags == {"difficulty": "easy", "length": "short", "domain": "Single-Document QA"}
    whole(tmp_path / "longbench2" / "data.json", [long_record(answer="E")])
    with pytest.raises(DatasetError) as caught:
        load_cases("longbench2", tmp_path)
    one_line(caught.value, "data.json, record 1", "\"answer\" is 'E'")


def test_infinitebench_has_one_document_for_each_novel(tmp_path: Path) -> None:
    novel, other = "Cy took the boat.", "Dot kept the key."
    lines(
        tmp_path / "longbook_choice_eng.jsonl",
        {"id": 0, "context": novel, "input": "Who took it?", "answer": ["Cy"], "options": ["Ann", "Cy", "Ben", "Dot"]},
        {"id": 1, "context": other, "input": "Who kept it?", "answer": ["Dot"], "options": ["Ann", "Cy", "Ben", "Dot"]},
        {"id": 2, "context": novel, "input": "What?", "answer": ["a boat"], "options": ["a boat", "a key", "b", "c"]},
    )
    lines(tmp_path / "longbook_qa_eng.jsonl", {"id": 0, "context": novel, "input": "Who?", "answer": ["Cy", "He"], "options": []})  # fmt: skip
    first, second = load_cases("infinitebench-mc", tmp_path)
    assert [example.gold for example in first.examples] == ["B", "A"]
    assert [example.gold for example in second.examples] == ["D"]
    (free,) = load_cases("infinitebench-qa", tmp_path)
    assert free.examples[0].references == ("Cy", "He")
    lines(tmp_path / "longbook_choice_eng.jsonl", {"id": 0, "context": novel, "input": "Who?", "answer": ["X"], "options": ["Ann", "Cy"]})  # fmt: skip
    with pytest.raises(DatasetError, match='not one of "options"'):
        load_cases("infinitebench-mc", tmp_path)


def chat(**other: Any) -> dict[str, Any]:
    return {
        "question_id": "e1", "question_type": "single-session-user", "question": "Where did I move?",
        "answer": "Porto", "question_date": "2023/06/01 (Thu) 10:00", "haystack_session_ids": ["b", "a"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/08 (Mon) 13:56"],
        "haystack_sessions": [
            [{"role": "user", "content": "What is a kite?"}, {"role": "assistant", "content": "A toy."}],
            [{"role": "user", "content": "I moved to Porto.", "has_answer": True}],
        ],
        "answer_session_ids": ["a"], **other,
    }  # fmt: skip


def test_longmemeval(tmp_path: Path) -> None:
    whole(tmp_path / "longmemeval_s.json", [chat(), chat(question_id="e2_abs", answer="You did not say.")])
    first, second = load_cases("longmemeval", tmp_path)
    (example,) = first.examples
    assert first.document.text.index("Porto") < first.document.text.index("kite"), "sessions are in order of time"
    assert shown_by(first, example) == ["user: I moved to Porto."]
    assert "(Asked on 2023/06/01 (Thu) 10:00.)" in example.question.text
    assert (example.group, second.examples[0].group, second.examples[0].spans) == (
        "single-session-user", "abstention", (),
    )  # fmt: skip
    whole(tmp_path / "longmemeval_s.json", [chat(haystack_dates=[])])
    with pytest.raises(DatasetError) as caught:
        load_cases("longmemeval", tmp_path)
    one_line(caught.value, '"haystack_dates" has 0 entries')


def test_parquet_without_its_package_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "train-00000.parquet").write_bytes(b"PAR1")
    with pytest.raises(DatasetError, match="pyarrow") as caught:
        load_cases("longbench2", tmp_path)
    assert "readagent-bench" in caught.value.hint
    assert "[parquet]" in caught.value.hint


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.Table.from_pylist([long_record()]), tmp_path / "train-00000.parquet")
    (case,) = load_cases("longbench2", tmp_path)
    assert case.examples[0].gold == "C"
    (tmp_path / "train-00000.parquet").write_bytes(b"nothing")
    with pytest.raises(DatasetError, match="not a Parquet file"):
        load_cases("longbench2", tmp_path)
