"""Shelves: made, filled, asked, exported and removed."""

from __future__ import annotations

import json
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
    console.done("shelf", "add", "leases", contracts / "ahorn.txt", "--workers", "1")
    stopped = console("shelf", "add", "leases", contracts, "--max-tokens", "3000", "--at-once", "1")
    assert stopped.code == 1
    assert "the budget of 3,000 tokens is too small" in stopped.err
    assert console.done("shelf", "add", "leases", "--max-tokens", "100000", "--json").json["states"]["done"] == 4


def test_how_far_a_shelf_is_and_every_kind_of_failure_are_told(
    console: Console, server: LoopbackServer, contracts: Path
) -> None:
    assert "start with: readagent shelf add NAME FOLDER" in console.done("shelf", "status").err
    console.done("shelf", "add", "tales", contracts / "ahorn.txt")
    assert console.done("shelf", "status", "tales").out == "tales: 1 document; no others wait to be read\n"
    (contracts / "lost.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    (contracts / "torn.pdf").write_bytes(b"%PDF-1.4 and nothing else")
    added = console("shelf", "add", "leases", contracts)
    assert added.code == 1
    assert added.out.splitlines()[:4] == [
        "leases: 4 of 7 documents read, 4 pages",
        "  3 set aside",
        f"    2 LoadError, such as {contracts}/lost.pdf is damaged or not a PDF",
        f"    1 UnsupportedFormatError, such as {contracts}/map.png seems to be a PNG image",
    ]
    assert "readagent shelf status leases --set-aside" in added.err
    assert "did you mean 'leases'?" in console.fails("shelf", "status", "laeses")
    assert console.done("shelf", "status").out == added.out == console.done("shelf", "status", "leases").out
    assert len(console.done("shelf", "status", "leases", "--set-aside").out.splitlines()) == 3
    console.done("shelf", "retry", "leases", "--kind", "LoadError")
    (contracts / "lost.pdf").unlink()
    (contracts / "torn.pdf").unlink()
    assert console("shelf", "add", "leases").code == 1  # two are gone
    assert console("shelf", "status", "leases", "--json").json["states"]["set_aside"] == 3


def test_wrong_use_is_told_in_one_line(console: Console, server: LoopbackServer, desk: Path) -> None:
    assert console.fails("shelf", "add", "leases", "--all-parallel", "2", "story.txt") == (
        "error: --all-parallel is for several workers\nhint: add --workers N, or use --parallel\n"
    )
    assert "there are no shelves yet" in console.fails("shelf", "add", "leases")
    assert "there is no file or folder none" in console.fails("shelf", "add", "leases", "none", "--workers", "2")
    assert "standard input cannot" in console.fails("shelf", "add", "leases", "-", "--workers", "2")
    (desk / "talk.jsonl").write_text('{"said": "Good morning."}\n')
    assert "to read the file itself: readagent read talk.jsonl" in console.fails("shelf", "add", "leases", "talk.jsonl")
    assert "can have at most 100 characters\nhint: " in console.fails("shelf", "add", "x" * 101, desk)
    assert "there are no shelves yet" in console.done("shelf", "list").err


def test_a_manifest_and_a_source_are_not_replaced_by_an_export(
    server: LoopbackServer, console: Console, contracts: Path, desk: Path
) -> None:
    manifest = desk / "list.jsonl"
    manifest.write_text('{"path": "contracts/ahorn.txt"}\n{"path": "contracts/map.png"}\n')
    assert "1 UnsupportedFormatError" in console.done("shelf", "add", "leases", "list.jsonl").out  # no failure
    for name in ("list.jsonl", "contracts/../list.jsonl", "contracts/map.png", "contracts/ahorn.txt"):
        before = Path(name).read_bytes()
        assert "source of" in console.fails("shelf", "export", "leases", "-o", name, "--force")
        assert Path(name).read_bytes() == before
    console("shelf", "add", "leases", contracts / "birke.txt", "list.jsonl")  # one at once, and one from the list
    for _ in range(2):
        console.done("shelf", "export", "leases", "-o", "out.jsonl", "--force")
    assert [Path(json.loads(line)["source"]).name for line in Path("out.jsonl").read_text("utf-8").splitlines()] == [
        "ahorn.txt", "birke.txt"
    ]  # fmt: skip
