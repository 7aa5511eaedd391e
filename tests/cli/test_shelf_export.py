"""`export --shelf`: a file for each document, and one with the answers from the shelf."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.console import Console

pytestmark = pytest.mark.usefixtures("server")
QUESTION = "Which of them has a regatta?"


@pytest.fixture
def shelf(console: Console) -> str:
    """A shelf with two documents of the same title, and an answer."""
    for folder in ("a", "b"):
        Path(folder).mkdir()
        text = Path("story.txt").read_text("utf-8")
        Path(folder, "tale.txt").write_text(text if folder == "a" else text[len(text) // 2 :], "utf-8")
    console.done("shelf", "add", "tales", "a/tale.txt", "b/tale.txt")
    console.done("ask", "--shelf", "tales", QUESTION)
    return "tales"


def names(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_each_document_has_a_file_and_the_answers_another(console: Console, shelf: str) -> None:
    console.done("export", "--shelf", shelf, "-o", "out")
    assert len(names("out")) == 3
    documents = [json.loads(Path("out", name).read_text("utf-8")) for name in names("out") if name != "answers.json"]
    assert all(one["pages"] for one in documents)
    (answer,) = json.loads(Path("out/answers.json").read_text("utf-8"))
    assert answer["question"] == QUESTION
    assert {"answer", "documents", "quotes", "model", "made"} <= set(answer)


def test_files_are_replaced_only_on_request(console: Console, shelf: str) -> None:
    console.done("export", "--shelf", shelf, "-o", "out")
    assert "exists" in console.fails("export", "--shelf", shelf, "-o", "out")
    console.done("export", "--shelf", shelf, "-o", "out", "--force")
    assert len(names("out")) == 3


def test_a_source_is_never_replaced(console: Console) -> None:
    Path("notes").mkdir()
    Path("notes/tale.md").write_text("# tale\n\nIrma rows to the island. Jakob waits on the quay.\n", "utf-8")
    console.done("shelf", "add", "tales", "notes/tale.md")
    said = console.fails("export", "--shelf", "tales", "-f", "markdown", "-o", "notes", "--force")
    assert "is the source of a document" in said
    assert Path("notes/tale.md").read_text("utf-8").startswith("# tale")
