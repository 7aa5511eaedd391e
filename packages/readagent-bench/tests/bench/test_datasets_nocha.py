"""NoCha: claims two by two, and their books as texts or in the pickle that the authors publish."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.dataset_files import one_line, whole
from readagent.errors import DatasetError
from readagent_bench.datasets import load_cases

TITLE = "the_ferry_nobody"


def claim(text: str, kind: object, index: int = 7, **other: Any) -> dict[str, Any]:
    return {
        "book_title": TITLE,
        "claim": text,
        "type": kind,
        "index": index,
        "false-claim-explanation": "It went at six.",
        "length": 61689,
        "genre": "historical",
        "publication_year": "classics",
        "length_group": "below 75k",
        "response-x": "SKIPPED",
        **other,
    }


PAIR = [claim("The ferry went at six.", True), claim("The ferry went at seven.", "False")]


def test_claims_come_in_pairs(tmp_path: Path) -> None:
    whole(tmp_path / "nocha" / "data_sample.json", PAIR)
    (tmp_path / "nocha" / f"{TITLE}.txt").write_text(
        "title: The Ferry\nauthor: Nobody\n\nThe ferry went at six.\n", "utf-8"
    )
    (case,) = load_cases("nocha", tmp_path)
    assert case.document.title == "The Ferry"
    assert [example.gold for example in case.examples] == ["true", "false"]
    assert {example.pair for example in case.examples} == {f"{TITLE}-7"}
    assert {example.group for example in case.examples} == {"historical"}
    assert {example.question.kind for example in case.examples} == {"claim"}


def test_books_in_the_authors_pickle(tmp_path: Path) -> None:
    whole(tmp_path / "data_sample" / "data_sample.json", PAIR)
    (tmp_path / "data_sample" / "classic_books.pkl").write_bytes(pickle.dumps({TITLE: "It went.\n\nAt six."}))
    (case,) = load_cases("nocha", tmp_path)
    assert len(case.document.paragraphs) == 2
    assert case.document.title == "the ferry nobody"


class Trap:
    """A pickle that does something when it is opened."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return print, ("sprung",)


@pytest.mark.parametrize("data", [pickle.dumps({TITLE: Trap()}), b"not a pickle"])
def test_a_pickle_that_holds_anything_else_is_refused(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole(tmp_path / "data_sample.json", PAIR)
    (tmp_path / "classic_books.pkl").write_bytes(data)
    with pytest.raises(DatasetError) as caught:
        load_cases("nocha", tmp_path)
    one_line(caught.value, "classic_books.pkl is not a table of texts")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("broken", "parts"),
    [([*PAIR, claim("Alone.", True, 8)], ("record 3", "the pair 8 has 1 claims, not 2")), ([], ("has no records",))],
)
def test_broken_claims_are_errors(broken: object, parts: tuple[str, ...], tmp_path: Path) -> None:
    path = whole(tmp_path / "claims.json", broken)
    (tmp_path / f"{TITLE}.txt").write_text("It went at six.", "utf-8")
    with pytest.raises(DatasetError) as caught:
        load_cases("nocha", tmp_path)
    one_line(caught.value, str(path), *parts)
