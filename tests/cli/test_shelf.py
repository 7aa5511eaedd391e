"""Shelves and corpora: made, filled, asked, exported and removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer

LEASES = {"Ahorn": "the north mill", "Birke": "the quarry", "Cedar": "the old inn", "Dorn": "the ferry"}


@pytest.fixture
def leases(desk: Path) -> list[Path]:
    """Four short contracts, in a folder."""
    made = []
    for year, (name, what) in enumerate(LEASES.items()):
        file = desk / "leases" / f"{name.lower()}.txt"
        file.parent.mkdir(exist_ok=True)
        more = " ".join(f"Clause {number} of {name} is about repairs of kind {number}." for number in range(40))
        file.write_text(f"Lease of {name}\n\n{name} leases {what} until 19{year + 10}.\n\n{more}\n")
        made.append(file)
    return made


@pytest.fixture
def shelf(server: LoopbackServer, console: Console, leases: list[Path]) -> str:
    console.done("shelf", "new", "leases")
    console.done("shelf", "add", "leases", "leases", "--kind", "contract")
    return "leases"


def test_a_changed_file_replaces_the_old_version(console: Console, shelf: str, leases: list[Path]) -> None:
    leases[0].write_text("Lease of Ahorn\n\nAhorn has given up the mill.\n")
    console.done("read", leases[0], "--shelf", shelf)
    cards = console.done("shelf", "list", shelf, "--json").json
    assert len(cards) == 4
    assert any("given up" in card["card"] for card in cards)
    console.done("remove", "birke", "--yes")
    assert len(console.done("shelf", "list", shelf, "--json").json) == 3


def test_errors_say_what_to_do(server: LoopbackServer, console: Console) -> None:
    assert "there are no shelves yet" in console.fails("shelf", "ask", "leases", "Who?")
    console.done("shelf", "new", "leases")
    assert "did you mean 'leases'?" in console.fails("shelf", "ask", "laeses", "Who?")
    assert "there are no documents on the shelf 'leases'" in console.fails("shelf", "ask", "leases", "Who?")
    assert "there is a shelf 'leases' already" in console.fails("shelf", "new", "leases")
    assert server.requests == []
    for wrong in (("ask", "--shelf", "leases"), ("ask", "--shelf", "leases", "story.txt", "Who?"), ("ask",),
                  ("ask", "--shelf", "leases", "--questions", "f"), ("ask", "--shelf", "leases", "Who?", "--up-to", "2"),
                  ("ask", "--shelf", "leases", "Who?", "--preset", "books"),
                  ("ask", "--shelf", "leases", "Who?", "--task", "dates"), ("ask", "story.txt", "Who?", "--compare"),
                  ("shelf", "ask", "leases", "Who?", "--claim", "-c", "a")):  # fmt: skip
        assert console(*wrong).code == 2, wrong


def test_an_export_never_replaces_a_source(server: LoopbackServer, console: Console) -> None:
    Path("notes").mkdir()
    Path("notes/tale.md").write_text("# tale\n\nIrma rows to the island. Jakob waits on the quay.\n", "utf-8")
    console.done("shelf", "add", "tales", "notes/tale.md")
    said = console.fails("export", "--shelf", "tales", "-f", "markdown", "-o", "notes", "--force")
    assert "is the source of a document" in said
    assert Path("notes/tale.md").read_text("utf-8").startswith("# tale")


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
