"""The commands of the benchmark as a user types them, against a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import tokens
from readagent.testing.skim import skim

pytestmark = pytest.mark.slow

STORY = "\n\n".join(
    f"On day {day} the {name} of Brenza put number {day * 7} into the {name}'s book. It rained on the {name}. "
    f"Nobody else in the harbour saw it, and the clerk wrote {day * 31} twice, as clerks do when they are tired."
    for day, name in enumerate("baker miller ferryman weaver sexton cooper glazier tanner".split() * 3)
)
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "document": "story.txt", "question": "Which number did the weaver put on day 3?", "answer": ["21"],
     "evidence": ["On day 3 the weaver of Brenza put number 21"], "group": "free"},
    {"id": "q2", "document": "story.txt", "question": "Who came on day 5?", "options": ["the cooper", "the king"],
     "answer": "A", "evidence": ["On day 5 the cooper"], "group": "options"},
    {"id": "q3", "document": "story.txt", "question": "It rained on the tanner.", "answer": True, "group": "claims"},
]  # fmt: skip
SMALL = ("--page-words", "120", "--min-page-words", "40")


@pytest.fixture(autouse=True)
def workdir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder, with a data set of the user's own in it."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "story.txt").write_text(STORY, "utf-8")
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, QUESTIONS)), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bench_run(*more: object, methods: str = "readagent-p:2,bm25:1,full", out: str = "runs/mine") -> list[object]:
    return ["bench", "run", "own", "--data", "mine", "--methods", methods, "--out", out, *SMALL, *more]


@pytest.mark.slow
def test_run_rate_report(console: Console, server: LoopbackServer, workdir: Path) -> None:
    shown = console.done(*bench_run())
    assert shown.out.splitlines()[0] == "runs/mine"
    assert "| ReadAgent-P 1-2 | 3 " in shown.out
    assert shown.err == ""
    before = len(server.requests)
    again = console.done(*bench_run())
    assert again.out == shown.out
    assert len(server.requests) == before, "a finished run makes no calls"

    server.answer = lambda prompt, constraint: "yes" if "John" in prompt else skim(prompt, constraint)
    rated = console.done("bench", "rate", "runs/mine", "--model", "other")
    assert rated.out == "runs/mine: 3 exact\n"
    assert console.done("bench", "rate", "runs/mine", "--model", "other").out == "runs/mine: nothing new\n"

    printed = console.done("bench", "report", "runs/mine", "--against", "bm25:1")
    assert "LR-1" in printed.out.splitlines()[0]
    assert printed.out.splitlines()[-1] == "in runs/mine: report.md, report.csv, table.csv, words.svg, lengths.svg"
    text = (workdir / "runs/mine/report.md").read_text("utf-8")
    assert "Rated by " in text
    assert "− BM25 Top-1" in text
    assert console.done("bench", "report", "runs/mine", "--json").json["rows"][0]["lr1"] == 100
    manifest = json.loads((workdir / "runs/mine/manifest.json").read_text("utf-8"))
    assert (manifest["state"], manifest["questions"], manifest["documents"]) == ("finished", 3, 1)
    assert len(manifest["raters"]) == 1


def test_failures_are_reported_with_their_reason_and_retried(console: Console, server: LoopbackServer) -> None:
    server.faults = Faults(1.0, kinds=["500"])
    failed = console.done(*bench_run("--limit", "1", methods="full"))
    assert "note: 3 predictions failed and count as wrong (ServerFaultError: " in failed.err
    assert "| 3      |" in failed.out
    server.faults = Faults()
    mended = console.done(*bench_run("--limit", "1", methods="full"))
    assert mended.err == ""


def sent(server: LoopbackServer) -> int:
    """Return the tokens that the server counted."""
    return sum(tokens(request.prompt) for request in server.requests)


@pytest.mark.slow
def test_a_budget_is_for_all_repetitions_and_reruns_together(console: Console, server: LoopbackServer) -> None:
    console.done(*bench_run(out="runs/once"))
    once = sent(server)
    server.requests.clear()
    limit = ("--runs", "4", "--max-tokens", 2 * once)
    for _ in range(3):
        stopped = console(*bench_run(*limit))
        assert stopped.code == 1
        assert f"the budget of {2 * once:,} tokens is too small" in stopped.err
    assert once < sent(server) <= 2 * once
    server.requests.clear()
    assert console.done(*bench_run("--runs", "4")).err.startswith(
        "note: At temperature 0, several runs measure the noise"
    )
    assert sent(server) > once, "without the limit the rest is read"


def test_a_damaged_record_of_what_was_spent_is_not_trusted(console: Console, server: LoopbackServer) -> None:
    console.done(*bench_run("--limit", "1", out="runs/damaged"))
    (file := Path("runs/damaged/spending.json")).write_text("", "utf-8")
    assert "spending.json is damaged" in console.fails(*bench_run("--limit", "1", out="runs/damaged"))
    assert file.read_text("utf-8") == ""


@pytest.mark.slow
def test_a_recipe_with_variants_makes_one_report_of_all(
    console: Console, server: LoopbackServer, workdir: Path
) -> None:
    done = console.done("bench", "run", "own", "--data", "mine", "--recipe", "page-size", "--out", "runs/sizes")
    assert [line for line in done.out.splitlines() if line.startswith("runs/")] == [
        f"runs/sizes/{words}-words" for words in (400, 600, 800, 1200)
    ]
    printed = console.done("bench", "report", "runs/sizes")
    assert "| GistMem, 400-words" in printed.out
    assert printed.out.index("400-words") < printed.out.index("1200-words")
    assert (workdir / "runs/sizes/words.svg").exists()
    one = console.done("bench", "report", "runs/sizes/400-words", "runs/sizes/800-words", "-o", "runs/two")
    assert "600-words" not in one.out


def test_an_estimate_is_what_the_run_sends(console: Console, server: LoopbackServer) -> None:
    flags = ("--data", "mine", "--methods", "readagent-p:2,bm25:1,full,gistmem", "--questions", "2", *SMALL)
    printed = console.done("bench", "estimate", "own", *flags, "--json").json
    assert server.requests == []
    console.done("bench", "run", "own", *flags, "--out", "runs/estimated")
    assert printed["calls"] == pytest.approx(len(server.requests), rel=0.1), "a reading that methods share counts once"
    words = sum(len(request.prompt.split()) for request in server.requests)
    assert printed["words"] == pytest.approx(words, rel=0.1)


def test_ratings_count_towards_the_budget_of_the_folder(console: Console, server: LoopbackServer) -> None:
    console.done(*bench_run(methods="full"))
    before = json.loads(Path("runs/mine/spending.json").read_text("utf-8"))["tokens"]
    said = console.fails("bench", "rate", "runs/mine", "--model", "other", "--max-tokens", before + 10)
    assert f"the budget of {before + 10:,} tokens is too small" in said
    server.answer = lambda prompt, constraint: "yes"
    console.done("bench", "rate", "runs/mine", "--model", "other")
    assert json.loads(Path("runs/mine/spending.json").read_text("utf-8"))["tokens"] > before


def test_find_asks_no_model(console: Console, server: LoopbackServer) -> None:
    found = console.done("bench", "find", "own", "--data", "mine", "--page-words", "60", "--turns", "--json").json
    assert [row["search"] for row in found["rows"]] == ["BM25 over pages", "words"]
    assert all(row["measures"]["first"]["count"] == 2 for row in found["rows"]), "only those with evidence count"
    assert found["rows"][1]["measures"]["among 6"]["mean"] == 100
    assert server.requests == []
    table = console.done("bench", "find", "own", "--data", "mine")
    assert "| words " in table.out
    assert table.err == "note: without an embedder, by words only; readagent model pull\n"


def test_list(console: Console) -> None:
    shown = console.done("bench", "list").out
    for name in ("quality", "narrativeqa-books", "readagent-p:N", "memwalker", "case-study", "mindact:N"):
        assert name in shown
    assert set(console.done("bench", "list", "--json").json) == {"datasets", "methods", "web_methods", "recipes"}


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["run", "qualty", "--methods", "full"], "did you mean quality?"),
        (["run", "own", "--data", "mine", "--methods", "bm25:1-3"], "invalid method 'bm25:1-3'"),
        (["rate", "nowhere", "--model", "x"], "nowhere has no run in it"),
    ],
)
def test_an_impossible_command_is_one_line(
    console: Console, server: LoopbackServer, arguments: list[str], printed: str
) -> None:
    assert printed in console.fails("bench", *arguments)


def test_usage(console: Console) -> None:
    assert console("bench", "run", "own", "--data", "mine").code == 2
    assert console("bench", "run", "own", "--methods", "full", "--runs", "0").code == 2
    assert console("bench", "run", "own", "--recipe", "cake").code == 2
    both = console("bench", "run", "own", "--data", "mine", "--methods", "full", "--recipe", "paper")
    assert both.code == 2
    assert "The recipe paper is a list of methods, which --methods would replace" in both.err
    rated = console("bench", "rate", "runs/mine", "--model", "x", "--prompts", "paper")
    assert rated.code == 2
    assert "--prompts is not for raters" in rated.err
