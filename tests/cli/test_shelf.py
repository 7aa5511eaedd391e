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


def test_a_shelf_is_created_filled_and_listed(server: LoopbackServer, console: Console, leases: list[Path]) -> None:
    assert (
        console.done("shelf", "list").err
        == "there are no shelves yet; create one with: readagent shelf add NAME FILE\n"
    )
    assert console.done("shelf", "new", "leases").out == "created the shelf leases\n"
    assert console.done("shelf", "list", "leases").err == (
        "this shelf is empty; start with: readagent shelf add leases FILE\n"
    )
    added = console.done("shelf", "add", "leases", *leases[:2], "--kind", "contract")
    assert added.out.startswith("Lease of Ahorn: ")
    assert added.err == "2 documents on the shelf leases\n"
    assert console.done("read", *leases[2:], "--shelf", "leases").err == "4 documents on the shelf leases\n"
    assert console.done("shelf", "list").out == "leases: 4 documents, 0 questions asked\n"
    listed = console.done("shelf", "list", "leas")
    assert listed.out.startswith("Lease of Ahorn (contract)  ")
    assert listed.out.count("Lease of ") >= 4
    cards = console.done("shelf", "list", "leases", "--json").json
    assert [(card["title"], card["kind"]) for card in cards] == [
        ("Lease of Ahorn", "contract"), ("Lease of Birke", "contract"), ("Lease of Cedar", ""), ("Lease of Dorn", ""),
    ]  # fmt: skip
    assert all(0 < card["words"] <= 90 for card in cards)


def test_unreadable_files_are_skipped_and_reported(console: Console, shelf: str, desk: Path) -> None:
    (desk / "picture.txt").write_bytes(bytes(range(256)) * 40)
    result = console("shelf", "add", shelf, desk / "picture.txt", desk / "story.txt", "missing.txt")
    assert result.code == 1
    assert "skipped missing.txt: there is no file missing.txt, and there is no document of that name" in result.err
    assert "1 of 3 sources were read" in result.err
    assert "5 documents on the shelf leases" in result.err
    assert "there is no document 'nowhere'" in console.fails("shelf", "add", shelf, "nowhere")


def test_a_question_is_answered_from_the_right_document(console: Console, shelf: str) -> None:
    for asking in (("shelf", "ask", shelf), ("ask", "--shelf", shelf)):
        result = console.done(*asking, "Until when does Cedar lease the old inn?")
        lines = result.out.splitlines()
        assert lines[0] == "Cedar leases the old inn until 1912."
        assert '  "Cedar leases the old inn until 1912." (Lease of Cedar, page 1' in result.out
        assert "(of 4 on the shelf)" in result.out
        assert lines[-1].startswith("pages opened: ")
        assert "Lease of Cedar: page 1" in lines[-1]


@pytest.mark.parametrize(("flag", "shown"), [("--hints", True)])
def test_hints_are_shown_or_not_in_all_prompts_of_a_question(
    console: Console, server: LoopbackServer, leases: list[Path], flag: str, shown: bool
) -> None:
    for number in range(2):
        (leases[0].parent / f"more{number}.txt").write_text(leases[number].read_text().replace("Lease", "Copy"))
    console.done("shelf", "add", "leases", "leases")
    before = len(server.requests)
    console.done("ask", "--shelf", "leases", "Until when does Cedar lease the old inn?", flag)
    prompts = [str(request) for request in server.requests[before:]]
    assert any("<Document 5>" in prompt for prompt in prompts)  # documents are chosen
    assert any("Take it as a hint" in prompt for prompt in prompts) is shown


def test_an_answer_that_no_document_holds_says_what_was_searched(
    console: Console, server: LoopbackServer, shelf: str
) -> None:
    server.answer = lambda prompt, constraint: "NOT IN THE TEXT"
    result = console.done("shelf", "ask", shelf, "Quo vadis?")
    assert "searched: the gists of all " in result.out
    record = console.done("shelf", "ask", shelf, "Quo vadis?", "--json").json
    assert not record["found_in_text"]
    assert record["searched"]["pages"] == record["searched"]["of_pages"] >= 4


def test_json_gives_document_page_and_offsets(console: Console, shelf: str, leases: list[Path]) -> None:
    record = console.done("shelf", "ask", shelf, "What does Birke lease?", "--documents", "2", "--json").json
    assert record["shelf"] == "leases"
    assert len(record["documents"]) <= 2
    assert record["among"] == 4
    quote = record["quotes"][0]
    assert quote["title"] == "Lease of Birke"
    assert leases[1].read_text()[quote["start"] : quote["end"]] == quote["text"]
    assert {page["document"] for page in record["pages"]} <= {one["id"] for one in record["documents"]}


def test_a_comparison_prints_a_line_from_each_document(console: Console, shelf: str) -> None:
    result = console.done("shelf", "ask", shelf, "Which lease runs until 1911?", "--compare")
    for name, what in LEASES.items():
        assert f"  Lease of {name}: {name} leases {what} until" in result.out
    assert result.out.count("(page 1)") == 4
    assert result.out.splitlines()[-1] == "documents compared: 4 of 4 on the shelf"
    assert console.done("ask", "--shelf", shelf, "Which lease runs until 1911?", "--compare").out == result.out
    record = console.done("shelf", "ask", shelf, "Which lease runs until 1911?", "--compare", "--json").json
    assert [line["silent"] for line in record["lines"]] == [False] * 4


def test_a_changed_file_replaces_the_old_version(console: Console, shelf: str, leases: list[Path]) -> None:
    leases[0].write_text("Lease of Ahorn\n\nAhorn has given up the mill.\n")
    console.done("read", leases[0], "--shelf", shelf)
    cards = console.done("shelf", "list", shelf, "--json").json
    assert len(cards) == 4
    assert any("given up" in card["card"] for card in cards)
    console.done("remove", "birke", "--yes")
    assert len(console.done("shelf", "list", shelf, "--json").json) == 3


def test_documents_and_shelves_are_removed(console: Console, shelf: str) -> None:
    assert console.done("shelf", "remove", shelf, "ahorn").out == "removed Lease of Ahorn from the shelf leases\n"
    assert "Lease of Ahorn is not on the shelf 'leases'" in console.fails("shelf", "remove", shelf, "ahorn")
    assert "cannot ask for confirmation to remove the shelf leases" in console.fails("shelf", "remove", shelf)
    assert console.done("shelf", "remove", shelf, "--yes").out == "removed the shelf leases\n"
    assert console.done("list").out.count("Lease of") == 4


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
