"""The commands of the benchmark as a user types them, against a server on loopback."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.console import Console
from readagent.domains import domain
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.loopback.requests import tokens
from readagent.testing.skim import Habits, skim
from readagent_bench.folder import RunFolder

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


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackServer]:
    with LoopbackServer(models=("skimmer", "other", "vectors")).in_thread() as server:
        monkeypatch.setenv("READAGENT_BASE_URL", server.base_url)
        monkeypatch.setenv("READAGENT_MODEL", "skimmer")
        yield server


@pytest.fixture
def console(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Console:
    return Console(capsys, monkeypatch)


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
    assert printed.out.splitlines()[-1] == "in runs/mine: report.md, report.csv, table.csv, report.html"
    text = (workdir / "runs/mine/report.md").read_text("utf-8")
    assert "Rated by " in text
    assert "− BM25 Top-1" in text
    assert console.done("bench", "report", "runs/mine", "--json").json["rows"][0]["lr1"] == 100
    manifest = json.loads((workdir / "runs/mine/manifest.json").read_text("utf-8"))
    assert (manifest["state"], manifest["questions"], manifest["documents"]) == ("finished", 3, 1)
    assert len(manifest["raters"]) == 1


@pytest.mark.slow
def test_run_for_programs(console: Console, server: LoopbackServer) -> None:
    printed = console.done(*bench_run("--runs", "2", "--json")).json
    assert set(printed) == {"folder", "variant", "rows", "failures"}
    assert [row["method"] for row in printed["rows"]] == ["readagent-p:2", "bm25:1", "full"]
    assert printed["rows"][0]["accuracy_std"] == 0
    assert printed["failures"] == {}


def test_the_same_method_twice_is_run_once(console: Console, server: LoopbackServer) -> None:
    printed = console.done(*bench_run("--json", methods="full,full, readagent-p:1-2,readagent-p:2")).json
    assert [row["method"] for row in printed["rows"]] == ["full", "readagent-p:2"]


def test_failures_are_reported_with_their_reason_and_retried(console: Console, server: LoopbackServer) -> None:
    server.faults = Faults(1.0, kinds=["500"])
    failed = console.done(*bench_run("--limit", "1", methods="full"))
    assert "note: 3 predictions failed and count as wrong (ServerFaultError: " in failed.err
    assert "| 3      |" in failed.out
    server.faults = Faults()
    mended = console.done(*bench_run("--limit", "1", methods="full"))
    assert mended.err == ""


def test_failures_that_differ_only_in_numbers_are_one_reason(
    console: Console, server: LoopbackServer, workdir: Path
) -> None:
    (workdir / "mine" / "other.txt").write_text(STORY * 2, "utf-8")
    asked = [*QUESTIONS, {"document": "other.txt", "question": "It rained on the tanner.", "answer": True}]
    (workdir / "mine" / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)), "utf-8")
    words = len(STORY.split())
    failed = console.done(*bench_run("--window", "600", "--json", methods="full"))
    ((reason, count),) = failed.json["failures"].items()
    assert count == 4
    assert f"a text of {words:,} to " in reason
    assert "words does not fit a window of 600 tokens" in reason
    noted = console.done(*bench_run("--window", "600", methods="full")).err
    assert "other reasons" not in noted


def test_a_wrong_key_ends_the_run_with_one_line_and_it_can_be_resumed(console: Console, server: LoopbackServer) -> None:
    server._key = "secret"
    assert "key" in console.fails(*bench_run())
    server._key = None
    assert console.done(*bench_run()).err == ""


def test_a_budget_ends_the_run_with_one_line_and_it_can_be_resumed(console: Console, server: LoopbackServer) -> None:
    assert "--max-tokens" in console.fails(*bench_run("--max-tokens", "2500"))
    paid = len(server.requests)
    console.done(*bench_run())
    prompts = [request.prompt for request in server.requests]
    assert paid
    assert len(set(prompts)) == len(prompts), "a prompt was sent twice"


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


def test_a_budget_is_for_all_variants_of_a_recipe_together(console: Console, server: LoopbackServer) -> None:
    recipe = ["bench", "run", "own", "--data", "mine", "--recipe", "modes", "--out", "runs/modes", *SMALL]
    for _ in range(2):
        console("bench", "run", "own", "--data", "mine", "--recipe", "modes", "--max-tokens", 9000, *recipe[7:])
    assert 4000 < sent(server) <= 9000


def test_a_run_next_to_the_variants_of_a_recipe_counts_what_they_spent(
    console: Console, server: LoopbackServer
) -> None:
    recipe = ("--recipe", "modes", "--methods", "full", "--out", "runs/modes", *SMALL)
    console.done("bench", "run", "own", "--data", "mine", *recipe)
    spent = sum(json.loads(file.read_text("utf-8"))["tokens"] for file in Path("runs/modes").glob("*/spending.json"))
    server.requests.clear()
    limit = ("--max-tokens", spent + 10)
    too_small = f"the budget of {spent + 10:,} tokens is too small"
    assert too_small in console.fails(*bench_run(*limit, methods="bm25:1", out="runs/modes/new"))
    assert too_small in console.fails("bench", "rate", "runs/modes/fast", "--model", "other", *limit)
    assert server.requests == []
    with RunFolder(Path("runs/modes")).lock():
        busy = console.fails(*bench_run(methods="bm25:1", out="runs/modes/new"))
        assert "another process is running in" in busy
    assert console(*bench_run(*limit, methods="bm25:1", out="runs/elsewhere")).err.count(f"{spent:,}") == 0


@pytest.mark.parametrize("content", ["", "{", '{"tokens": -5, "cost": 0}', '{"tokens": 5, "cost": -1.0}'])
def test_a_damaged_record_of_what_was_spent_is_not_trusted(
    console: Console, server: LoopbackServer, content: str
) -> None:
    console.done(*bench_run("--limit", "1", out="runs/damaged"))
    (file := Path("runs/damaged/spending.json")).write_text(content, "utf-8")
    assert "spending.json is damaged" in console.fails(*bench_run("--limit", "1", out="runs/damaged"))
    assert file.read_text("utf-8") == content


def test_a_missing_package_is_named_with_its_extra(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'numpy'", name="numpy")

    monkeypatch.setattr("readagent.cli.app.main", fails)
    said = console.fails(*bench_run("--limit", "1", out="runs/bare"))
    assert said.startswith("error: this command needs the package numpy\nhint: pip install ")
    assert said.endswith("[bench]'\n")


def test_waiting_is_shown_while_a_benchmark_runs(
    console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.faults = Faults(planned=[None] * 4 + ["429"] * 3)
    server._retry_after = 40
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    shown = console.done(*bench_run())
    assert " of 9 predictions; waiting 4" in shown.err
    assert " s: the server asks to slow down" in shown.err


def test_vectors_from_a_server(console: Console, server: LoopbackServer) -> None:
    methods = "neural:1,neural-gist:1,gistmem+neural:1,dos-rag:200"
    printed = console.done(*bench_run("--embedder", f"{server.base_url}#vectors", "--json", methods=methods)).json
    assert [row["lookups"] for row in printed["rows"] if "lookups" in row] == [1, 1, 1]
    assert console.fails(*bench_run("--embedder", "nowhere", methods="neural:1")).startswith("error: invalid embedder")
    assert "neural:1 needs an embedder" in console.fails(*bench_run(methods="neural:1", out="runs/blind"))


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
    assert (workdir / "runs/sizes/report.html").exists()
    one = console.done("bench", "report", "runs/sizes/400-words", "runs/sizes/800-words", "-o", "runs/two")
    assert "600-words" not in one.out


def test_memories_of_a_budget_are_compared(console: Console, server: LoopbackServer, workdir: Path) -> None:
    console.done("bench", "run", "own", "--data", "mine", "--recipe", "budget", "--limit", "1", "--out", "runs/budget")
    sizes = {}
    for folder in sorted(path for path in (workdir / "runs" / "budget").iterdir() if path.is_dir()):
        lines = [
            json.loads(line) for file in folder.glob("**/*.jsonl") for line in file.read_text("utf-8").splitlines()
        ]
        printed = [line["merged_words"] for line in lines if line.get("merged_words")]
        sizes[folder.name] = max(printed)
    assert sizes["400-words-in-all"] <= 400
    assert sizes["400-words-in-all"] < sizes["1600-words-in-all"] <= 1600


def test_a_part_of_the_variants_can_be_run(console: Console, server: LoopbackServer, workdir: Path) -> None:
    run = ("bench", "run", "own", "--data", "mine", "--recipe", "defaults", "--out", "runs/some", *SMALL)
    console.done(*run, "--variants", "base")
    console.done(*run, "--variants", "direct, short-gists")
    assert sorted(path.name for path in (workdir / "runs/some").iterdir() if path.is_dir()) == [
        "base", "direct", "short-gists",
    ]  # fmt: skip
    report = console.done("bench", "report", "runs/some").out
    assert report.index("ReadAgent-P 1-5, base") < report.index("ReadAgent-direct 1-5")
    text = (workdir / "runs/some/report.md").read_text("utf-8")
    assert "## Differences from ReadAgent-P 1-5, base" in text
    assert re.search(r"ReadAgent-direct 1-5 − ReadAgent-P 1-5, base .*\| × \d\.\d\d", text)
    assert "unknown variant 'slow'" in console.fails(*run, "--variants", "slow")
    assert console("bench", "run", "own", "--data", "mine", "--methods", "full", "--variants", "base").code == 2


def test_a_plot_over_the_words_read(console: Console, server: LoopbackServer, workdir: Path) -> None:
    methods = "readagent-fit:600,bm25-chunks:100,bm25-chunks:300,full"
    console.done(*bench_run(methods=methods, out="runs/words"))
    assert console.done("bench", "plot", "runs/words", "--out", "a.svg").out == "a.svg\n"
    assert "BM25 chunks, 100 to 300 tokens" in (workdir / "a.svg").read_text("utf-8")
    console.done("bench", "plot", "runs/words", "--measure", "rougeL", "--out", "b.svg")
    assert "no such measure" in console.fails("bench", "plot", "runs/words", "--measure", "lr1")
    assert "there is no folder no/such" in console.fails("bench", "plot", "runs/words", "--out", "no/such/a.svg")
    assert not (workdir / "no").exists()
    assert "nowhere has no run in it" in console.fails("bench", "plot", "nowhere")


def test_sizes_that_were_measured_in_different_runs_are_one_line_of_a_plot(
    console: Console, server: LoopbackServer, workdir: Path
) -> None:
    for size in (100, 300):
        console.done(*bench_run(methods=f"bm25-chunks:{size}", out=f"runs/{size}"))
    console.done(*bench_run(methods="bm25-chunks:300", out="runs/again"))
    console.done("bench", "plot", "runs/300", "runs/100", "--out", "a.svg")
    assert "BM25 chunks, 100 to 300 tokens" in (workdir / "a.svg").read_text("utf-8")
    console.done("bench", "plot", "runs/300", "runs/again", "--out", "b.svg")
    svg = (workdir / "b.svg").read_text("utf-8")
    assert "BM25 chunks, 300 tokens, 300" in svg
    for name in ("full", "w-full"):
        console.done(*bench_run(methods="bm25-chunks:100,bm25-chunks:300", out=f"runs/sizes-{name}"))
    console.done("bench", "plot", "runs/sizes-full", "runs/sizes-w-full", "--out", "c.svg")
    both = (workdir / "c.svg").read_text("utf-8")
    assert "BM25 chunks, 100 to 300 tokens, sizes-full" in both
    assert "BM25 chunks, 100 to 300 tokens, sizes-w-full" in both
    assert "BM25 chunks, 300 tokens, again" in svg


def test_a_local_server_is_free_and_the_speed_is_named(console: Console, server: LoopbackServer) -> None:
    shown = console.done("bench", "estimate", "own", "--data", "mine", "--methods", "full", "--model", "local").out
    assert "| free " in shown
    assert "$" not in shown
    served = console.done("bench", "estimate", "own", "--data", "mine", "--methods", "full", "--speed", "20").out
    assert "at 20 reply tokens a second (--speed)" in served


def test_runs_on_different_data_in_one_report(console: Console, server: LoopbackServer, workdir: Path) -> None:
    console.done(*bench_run(methods="full", out="runs/all"))
    console.done(*bench_run("--questions", "1", methods="full", out="runs/one"))
    shown = console.done("bench", "report", "runs/all", "runs/one", "--out", "runs/both")
    assert "note: these runs have different texts or questions" in shown.err
    text = (workdir / "runs/both/report.md").read_text("utf-8")
    assert "3 questions on 1 documents, 1 run (all); 1 questions on 1 documents, 1 run (one); " in text
    assert "These runs have different texts or questions" in text


def test_a_report_without_matplotlib_has_no_plots_and_says_so(
    console: Console, server: LoopbackServer, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for out in ("runs/one", "runs/two"):
        console.done(*bench_run(methods="full", out=out))
    for command, folder in ((["runs/one"], "runs/one"), (["runs/one", "runs/two", "--out", "runs/both"], "runs/both")):
        shown = console.done("bench", "report", *command)
        assert "note: plots are left out: they need matplotlib" in shown.err
        page = (workdir / folder / "report.html").read_text("utf-8")
        assert "Plots are left out" in page
        assert "<svg" not in page
    assert "matplotlib" in console.fails("bench", "plot", "runs/one")


def test_an_estimate_counts_what_variants_share_once(console: Console, server: LoopbackServer) -> None:
    flags = (
        "bench",
        "estimate",
        "own",
        "--data",
        "mine",
        "--recipe",
        "defaults",
        "--variants",
        "base,with-hints",
        *SMALL,
    )
    base, hinted = map(json.loads, console.done(*flags, "--json").out.splitlines())
    (alone,) = hinted["methods"].values()
    assert base["total"] == next(iter(base["methods"].values()))
    assert hinted["total"]["calls"] < alone["calls"], "the reading was paid for by base"


def test_find_without_a_model(console: Console, workdir: Path) -> None:
    flags = ("bench", "find", "own", "--data", "mine", "--uniform", "--top", "1,2", *SMALL)
    shown = console.done(*flags, "--out", "tables/pages.md")
    assert "without an embedder, only bm25 and hybrid" in shown.err
    assert "| bm25   | 1 " in shown.out
    assert "- data sha256: " in (workdir / "tables/pages.md").read_text("utf-8")
    printed = console.done(*flags, "--finders", "bm25", "--json").json
    assert printed["manifest"]["questions"] == 2  # those with evidence
    assert [row["pages"] for row in printed["rows"]] == [1, 2]
    assert set(printed["rows"][0]) == {"finder", "pages", "hit", "recall", "precision"}
    assert "needs an embedder" in console.fails(*flags, "--finders", "neural")
    assert console(*flags[:-4], "--top", "x").code == 2


def test_find_where_the_model_pauses(console: Console, server: LoopbackServer) -> None:
    flags = ("--embedder", f"{server.base_url}#vectors", "--json", *SMALL)
    printed = console.done("bench", "find", "own", "--data", "mine", *flags).json
    assert {row["finder"] for row in printed["rows"]} == {"bm25", "neural", "neural-passage", "fusion", "hybrid"}
    assert printed["manifest"]["model"].endswith("skimmer temperature=0")
    assert printed["manifest"]["embedder"].endswith("vectors")


def test_find_by_words_embeds_nothing_and_counts_documents(
    console: Console, server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    flags = ("--uniform", "--finders", "bm25", "--embedder", f"{server.base_url}#vectors", *SMALL)
    shown = console.done("bench", "find", "own", "--data", "mine", *flags)
    assert server.requests == []
    assert "1 of 1 documents" in shown.err


def test_an_estimate_is_what_the_run_sends(console: Console, server: LoopbackServer) -> None:
    flags = ("--data", "mine", "--methods", "readagent-p:2,bm25:1,full,gistmem", "--questions", "2", *SMALL)
    printed = console.done("bench", "estimate", "own", *flags, "--json").json
    assert server.requests == []
    console.done("bench", "run", "own", *flags, "--out", "runs/estimated")
    assert printed["total"]["calls"] == pytest.approx(len(server.requests), rel=0.1)
    words = sum(len(request.prompt.split()) for request in server.requests)
    assert printed["total"]["words"] == pytest.approx(words, rel=0.1)
    single = sum(one["calls"] for one in printed["methods"].values())
    assert printed["total"]["calls"] < single, "a reading that methods share is counted once"


def test_an_estimate_of_a_recipe_adds_its_variants_and_runs(console: Console, server: LoopbackServer) -> None:
    flags = ("bench", "estimate", "own", "--data", "mine", "--model", "openai/gpt-4.1-mini", "--window", "8000")
    once = console.done(*flags, "--methods", "full", "--json").json
    thrice = console.done(*flags, "--methods", "full", "--runs", "3", "--json").json
    assert once["total"]["calls"] == 3
    assert (thrice["total"]["calls"], thrice["runs"]) == (9, 3)
    shown = console.done(*flags, "--recipe", "modes").out
    assert "own (all), paper: 1 document, 3 questions" in shown
    assert "own (all), fast: 1 document, 3 questions" in shown
    assert shown.splitlines()[-1].startswith("in all: ")
    assert console("bench", "estimate", "own", "--data", "mine").code == 2


def test_an_estimate_has_a_bound_for_methods_that_may_open_more_pages(console: Console, server: LoopbackServer) -> None:
    names = ("readagent-p:1", "readagent-p:3", "readagent-p:4", "readagent-s:4", "bm25:2")
    flags = ("bench", "estimate", "own", "--data", "mine", "--methods", ",".join(names), *SMALL)
    found = console.done(*flags, "--json").json
    titles = ("ReadAgent-P 1", "ReadAgent-P 1-3", "ReadAgent-P 1-4", "ReadAgent-S 1-4", "BM25 Top-2")
    one, three, four, after, bm25 = (found["methods"][title] for title in titles)
    assert three["words"] == four["words"], "2.3 pages are taken to be opened"
    assert three["words"] < three["at_most"]["words"] < four["at_most"]["words"]
    assert after["calls"] < after["at_most"]["calls"]
    for fixed in (one, bm25):
        assert fixed["at_most"] == {name: value for name, value in fixed.items() if name != "at_most"}
    assert found["total"]["words"] < found["total"]["at_most"]["words"]
    shown = console.done(*flags).out
    assert "| tokens in, at most |" in shown
    assert "At most: if every page that a method may open is opened." in shown
    assert "at most" not in console.done(*flags[:6], "bm25:2", *SMALL).out.lower()
    assert server.requests == []


def test_the_bound_of_an_estimate_is_what_a_model_that_opens_all_pages_is_sent(
    console: Console, server: LoopbackServer
) -> None:
    flags = ("--data", "mine", "--methods", "readagent-p:3,gistmem", "--questions", "2", *SMALL)
    bound = console.done("bench", "estimate", "own", *flags, "--json").json["total"]["at_most"]
    server.answer = lambda prompt, constraint: skim(prompt, constraint, Habits(pages_to_open=9))
    console.done("bench", "run", "own", *flags, "--out", "runs/all-pages")
    assert bound["calls"] == pytest.approx(len(server.requests), rel=0.1)
    words = sum(len(request.prompt.split()) for request in server.requests)
    assert bound["words"] == pytest.approx(words, rel=0.1)


def test_an_estimate_of_a_run_that_has_begun_is_for_the_rest(console: Console, server: LoopbackServer) -> None:
    flags = ("own", "--data", "mine", "--methods", "full,readagent-p:2", "--runs", "2", *SMALL)
    whole = console.done("bench", "estimate", *flags, "--json").json
    assert whole["left"] == {"predictions": 12, "of": 12}
    out = ("--out", "runs/begun")
    assert console.done("bench", "estimate", *flags, *out, "--json").json == whole, "nothing is done yet"
    console.done("bench", "run", *flags, *out)
    done = console.done("bench", "estimate", *flags, *out, "--json").json
    assert (done["left"]["predictions"], done["total"]["calls"]) == (0, 0)
    file = Path("runs/begun/predictions.jsonl")
    lines = file.read_text("utf-8").splitlines(keepends=True)
    file.write_text("".join(line for line in lines if json.loads(line)["run"] == 0), "utf-8")
    rest = console.done("bench", "estimate", *flags, *out, "--json").json
    assert rest["left"] == {"predictions": 6, "of": 12}
    assert rest["methods"]["Full text"]["calls"] == whole["methods"]["Full text"]["calls"] / 2
    asked = rest["methods"]["ReadAgent-P 1-2"]["calls"]
    assert asked < whole["methods"]["ReadAgent-P 1-2"]["calls"] / 2, "the text has been read"
    assert "6 of 12 answers left" in console.done("bench", "estimate", *flags, *out).out
    other = ("own", "--data", "mine", "--methods", "full", "--runs", "2", *SMALL)
    assert "has a run with different methods" in console.fails("bench", "estimate", *other, *out)


def test_an_estimate_is_compared_with_the_budget(console: Console, server: LoopbackServer) -> None:
    flags = ("bench", "estimate", "own", "--data", "mine", "--methods", "full,readagent-p:6", *SMALL)
    found = console.done(*flags, "--json", "--max-tokens", 100).json
    limit, total = found["budget"]["tokens"], found["total"]
    assert limit["needed"] == total["prompt_tokens"] + total["reply_tokens"]
    assert (limit["limit"], limit["spent"]) == (100, 0)
    for tokens_given, verdict in (
        (limit["needed"] - 1, "not enough for about"),
        (limit["needed"] + 1, "perhaps not enough for about"),
        (limit["needed_at_most"], ": enough for about"),
    ):
        assert verdict in console.done(*flags, "--max-tokens", int(tokens_given)).out.splitlines()[-1]
    console.done(*bench_run(methods="full", out="runs/paid"))
    spent = json.loads(Path("runs/paid/spending.json").read_text("utf-8"))["tokens"]
    for out in ("runs/paid", "runs/paid/new"):
        done = console.done(*flags[:6], "full", *SMALL, "--out", out, "--max-tokens", 9000).out
        assert f"Budget of 9,000 tokens, of which {spent:,} tokens spent: enough" in done
    assert "Budget of $1.00: enough for about $0.00." in console.done(*flags, "--max-cost", 1).out, "a local server"
    priced = console.done(*flags, "--model", "openai/gpt-4.1-mini", "--window", "8000", "--max-cost", 0.0001).out
    assert "Budget of $0.0001: not enough for about $0.0" in priced


def test_an_estimate_counts_what_is_embedded(console: Console, server: LoopbackServer) -> None:
    flags = ("bench", "estimate", "own", "--data", "mine", "--methods", "neural:1", *SMALL, "--embedder")
    served = f"{server.base_url}#vectors"
    words = console.done(*flags, served, "--json").json["embedded_words"]
    assert words == pytest.approx(len(STORY.split()), rel=0.2)
    assert f"Embedder: about {words:,} words; not in the cost." in console.done(*flags, served).out
    assert server.requests == []
    assert "invalid embedder 'vectors'" in console.fails(*flags, "vectors")


def test_an_estimate_says_what_does_not_fit(console: Console, server: LoopbackServer) -> None:
    shown = console.done("bench", "estimate", "own", "--data", "mine", "--methods", "full", "--window", "600")
    assert "note: Full text cannot answer some questions: a text of " in shown.err


def test_ratings_count_towards_the_budget_of_the_folder(console: Console, server: LoopbackServer) -> None:
    console.done(*bench_run(methods="full"))
    before = json.loads(Path("runs/mine/spending.json").read_text("utf-8"))["tokens"]
    said = console.fails("bench", "rate", "runs/mine", "--model", "other", "--max-tokens", before + 10)
    assert f"the budget of {before + 10:,} tokens is too small" in said
    server.answer = lambda prompt, constraint: "yes"
    console.done("bench", "rate", "runs/mine", "--model", "other")
    assert json.loads(Path("runs/mine/spending.json").read_text("utf-8"))["tokens"] > before


def test_the_runs_of_a_recipe_are_rated_together_with_one_budget(console: Console, server: LoopbackServer) -> None:
    run = (
        "bench",
        "run",
        "own",
        "--data",
        "mine",
        "--recipe",
        "modes",
        "--methods",
        "full",
        "--out",
        "runs/modes",
        *SMALL,
    )
    console.done(*run)
    spent = sum(json.loads(file.read_text("utf-8"))["tokens"] for file in Path("runs/modes").glob("*/spending.json"))
    server.requests.clear()
    said = console.fails("bench", "rate", "runs/modes", "--model", "other", "--max-tokens", spent + 10)
    assert f"the budget of {spent + 10:,} tokens is too small" in said
    assert server.requests == []
    server.answer = lambda prompt, constraint: "yes"
    rated = console.done("bench", "rate", "runs/modes", "--model", "other").out
    assert rated == "runs/modes/fast: 1 exact\nruns/modes/paper: 1 exact\n"


def test_no_second_command_runs_in_the_same_folder(console: Console, server: LoopbackServer) -> None:
    console.done(*bench_run(methods="full"))
    recipe = ("bench", "run", "own", "--data", "mine", "--recipe", "modes", "--out", "runs/mine", *SMALL)
    with RunFolder(Path("runs/mine")).lock():
        for command in (bench_run(methods="full"), recipe, ("bench", "rate", "runs/mine", "--model", "other")):
            assert "another process is running in runs/mine" in console.fails(*command)


def test_list(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    shown = console.done("bench", "list").out
    for name in ("quality", "narrativeqa-books", "readagent-p:N", "memwalker", "case-study"):
        assert name in shown
    monkeypatch.setenv("COLUMNS", "60")
    narrow = console.done("bench", "list").out
    assert max(map(len, narrow.splitlines())) <= 60 < max(map(len, shown.splitlines()))
    assert narrow.split() == shown.split()
    assert set(console.done("bench", "list", "--json").json) == {"datasets", "methods", "recipes"}


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["run", "qualty", "--methods", "full"], "did you mean quality?"),
        (["run", "own", "--data", "mine", "--methods", "bm26:1"], "unknown method 'bm26'"),
        (
            ["run", "own", "--data", "mine", "--methods", "readagent-p:6-2"],
            "for example readagent-p:6 or readagent-p:1-6",
        ),
        (["run", "own", "--data", "mine", "--methods", "readagent-p:2-6"], "invalid method 'readagent-p:2-6'"),
        (["run", "own", "--data", "mine", "--methods", "bm25:1-3"], "invalid method 'bm25:1-3'"),
        (["run", "own", "--data", "mine", "--methods", "bm25:"], "invalid method 'bm25:'"),
        (["run", "own", "--data", "nowhere", "--methods", "full"], "nowhere"),
        (["report", "mine"], "mine has no run in it"),
        (["report", "nowhere"], "nowhere has no run in it"),
        (["rate", "nowhere", "--model", "x"], "nowhere has no run in it"),
    ],
)
def test_an_impossible_command_is_one_line(
    console: Console, server: LoopbackServer, arguments: list[str], printed: str
) -> None:
    assert printed in console.fails("bench", *arguments)


def test_the_offline_reader_cannot_rate(console: Console) -> None:
    assert "cannot rate" in console.fails("bench", "rate", "runs/mine")


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


def test_a_domain_is_a_plan_like_any_other(
    console: Console, server: LoopbackServer, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("READAGENT_DOMAIN", "law")
    run = ("bench", "run", "own", "--data", "mine", *SMALL)
    console.done(*run, "--recipe", "domain", "--out", "both")
    printed = {}
    for variant in ("with-meetings", "without-domain"):
        printed[variant] = json.loads((workdir / "both" / variant / "manifest.json").read_text())["plan"][
            "instructions"
        ]
    assert printed == {"with-meetings": domain("meetings"), "without-domain": ""}
    console.done(*run, "--methods", "gistmem", "--out", "one")
    assert json.loads((workdir / "one" / "manifest.json").read_text())["plan"]["instructions"] == domain("law")
    said = console.fails(*run, "--methods", "gistmem", "--out", "one", "--domain", "papers")
    assert "has a run with different plan" in said
