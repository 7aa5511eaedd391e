"""`readagent shelf`, and `--shelf` on `read` and `ask`: create, fill, list, ask and remove shelves."""

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
