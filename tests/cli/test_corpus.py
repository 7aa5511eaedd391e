"""`readagent corpus`: read, look at, retry, ask and export many documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer


@pytest.fixture
def contracts(desk: Path) -> Path:
    """Four short contracts and a picture, in a folder."""
    folder = desk / "contracts"
    folder.mkdir()
    for name, what in {"Ahorn": "the mill", "Birke": "the quarry", "Cedar": "the inn", "Dorn": "the ferry"}.items():
        more = " ".join(f"Clause {number} of {name} is about repairs of kind {number}." for number in range(40))
        (folder / f"{name.lower()}.txt").write_text(f"Lease of {name}\n\n{name} leases {what}.\n\n{more}\n")
    (folder / "map.png").write_bytes(b"\x89PNG\r\n\x1a\n0000")
    return folder


@pytest.mark.slow
def test_a_budget_ends_the_reading_and_a_larger_one_goes_on(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    (contracts / "map.png").unlink()
    console.done("corpus", "read", contracts / "ahorn.txt")
    stopped = console("corpus", "read", contracts, "--max-tokens", "3000", "--at-once", "1")
    assert stopped.code == 1
    assert "the budget of 3,000 tokens is too small" in stopped.err
    assert console.done("corpus", "read", "--max-tokens", "100000", "--json").json["states"] == {"done": 4}


def test_wrong_use_is_told_in_one_line(console: Console, server: LoopbackServer, desk: Path) -> None:
    assert console.fails("corpus", "status") == (
        "error: there are no corpora yet\nhint: start with: readagent corpus read FOLDER\n"
    )
    assert console.fails("corpus", "read", "--workers", "2") == (
        "error: --workers is for Ray\nhint: add --ray local, or --ray ADDRESS\n"
    )
    assert "there is no file or folder none" in console.fails("corpus", "read", "none")
    for name in ("one", "two"):
        (desk / f"{name}.txt").write_text(f"This is the text {name}.")
        console.done("corpus", "read", f"{name}.txt", "--corpus", name)
    assert "there are 2 corpora" in console.fails("corpus", "ask", "Who?")
    assert "did you mean 'one'?" in console.fails("corpus", "ask", "Who?", "--corpus", "on")
    assert console.done("corpus", "status").out.count("1 of 1 document read") == 2


def test_the_shelf_of_a_corpus_is_not_removed_before_the_corpus(
    server: LoopbackServer, console: Console, contracts: Path
) -> None:
    console("corpus", "read", contracts)
    refused = console.fails("shelf", "remove", "corpus", "--yes")
    assert "the corpus corpus has its documents on this shelf" in refused
    assert "readagent corpus remove" in refused
    assert "cannot ask for confirmation to remove the corpus corpus" in console.fails("corpus", "remove")
    assert console("corpus", "status", "--json").json["documents"] == 5
    assert console.done("corpus", "remove", "--yes").out == "removed the corpus corpus\n"
    assert "there are no corpora yet" in console.fails("corpus", "status")
    assert len(console.done("list", "--json").json) == 4
    assert console.done("shelf", "remove", "corpus", "--yes").out == "removed the shelf corpus\n"


def test_a_manifest_and_a_source_are_not_replaced_by_an_export(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    manifest = desk / "list.jsonl"
    manifest.write_text('{"path": "contracts/ahorn.txt"}\n{"path": "contracts/map.png"}\n')
    console("corpus", "read", "list.jsonl")
    for name in ("list.jsonl", "contracts/../list.jsonl", "contracts/map.png", "contracts/ahorn.txt"):
        before = Path(name).read_bytes()
        assert "source of" in console.fails("corpus", "export", "-o", name, "--force")
        assert Path(name).read_bytes() == before
    for _ in range(2):
        console.done("corpus", "export", "-o", "out.jsonl", "--force")


@pytest.mark.parametrize(
    ("name", "problem"),
    [("", "--corpus is empty"), ("x" * 101, "the name of a corpus can have at most 100 characters")],
)
def test_a_name_that_a_corpus_cannot_have_is_refused(
    server: LoopbackServer, console: Console, contracts: Path, name: str, problem: str
) -> None:
    error, hint = console.fails("corpus", "read", contracts, "--corpus", name).splitlines()
    assert error == f"error: {problem}"
    assert hint.startswith("hint: ")
    assert "there are no corpora yet" in console.fails("corpus", "status")
    assert "there are no shelves yet" in console.done("shelf", "list").err
