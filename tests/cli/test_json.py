"""`--json`: one value per line with exactly these keys, since programs rely on them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from cli.console import Console
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer

TRACE = {"calls", "words_read", "shared_words", "paid", "fallbacks"}
MEMORY = {"id", "title", "source", "metadata", "words", "pages", "gist_words", "compression", "window", "merged", "task",
          "instructions", "gist_language", "leads", "warnings", *TRACE}  # fmt: skip
ANSWER = {
    "document", "task", "question", "kind", "options", "answer", "choice", "pages", "shared", "places", "did_not_fit",
    "quotes", "false_quotes", "statements", "checked_by", "verified", "found_in_text", "extract", "extract_place", "certainty",
    "over_all", "offline_reader", "searched", "up_to", "compression", *TRACE
}  # fmt: skip
PAGE = {"number", "start", "end", "place", "words", "gist", "gist_words", "gist_origin", "gist_problem", "pinned"}
USAGE = {"prompt_tokens", "reply_tokens", "cached_tokens", "cost"}


def test_read(console: Console, server: LoopbackServer) -> None:
    first = console.done("read", "story.txt", "--json").json
    assert set(first) == {*MEMORY, "version"}
    assert first["version"] == 1
    assert set(first["paid"]) == USAGE
    assert first["calls"] == {"read": 2}
    assert 8_000 < first["paid"]["prompt_tokens"] < 14_000
    assert first["paid"]["cost"] == 0
    assert first["compression"] == 0.8583
    again = console.done("read", "story.txt", "--json").json
    assert set(again) == set(first)
    assert again["calls"] == {}
    assert {**again, **{key: first[key] for key in TRACE}} == first


def test_read_prints_a_line_for_each_document(console: Console, server: LoopbackServer) -> None:
    result = console("read", "story.txt", "nowhere.txt", "meeting.txt", "--json")
    assert result.code == 1
    assert sorted(json.loads(line)["words"] for line in result.out.splitlines()) == [3623, 6980]


def test_fallbacks(console: Console, server: LoopbackServer) -> None:
    server.faults = Faults(0.6, seed=1, kinds=["empty"])
    fallbacks = console.done("read", "story.txt", "--uniform", "--json").json["fallbacks"]
    assert fallbacks
    assert {fallback["page"] for fallback in fallbacks} < set(range(12))
    assert all(set(fallback) == {"step", "reason", "taken", "page"} for fallback in fallbacks)
    assert console.done("read", "story.txt", "--uniform", "--json").json["fallbacks"] == fallbacks


@pytest.mark.parametrize(
    ("flags", "kind", "choices"),
    [
        ([], "free", [None]),
        (["--claim"], "claim", ["true", "false"]),
        (["-c", "Irma", "-c", "Ann"], "choice", ["A", "B"]),
    ],
)
def test_ask(
    console: Console, server: LoopbackServer, flags: Sequence[str], kind: str, choices: Sequence[str | None]
) -> None:
    answer = console.done("ask", "story.txt", "Who is it?", "--json", *flags).json
    assert set(answer) == ANSWER
    assert answer["kind"] == kind
    assert answer["choice"] in choices
    assert answer["options"] == (["Irma", "Ann"] if kind == "choice" else [])
    assert answer["calls"].pop("check", 1) == 1  # only where the rules leave something open
    assert answer["calls"] == {"direct": 1, "respond": 1}


def test_show(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    shown = console.done("show", "story", "--json").json
    assert set(shown) == {*MEMORY, "domain", "page_list"}
    assert len(shown["page_list"]) == shown["pages"] == 15
    assert all(set(page) == PAGE for page in shown["page_list"])
    (page,) = console.done("show", "story", "--page", "2", "--json").json["page_list"]
    assert set(page) == {*PAGE, "text"}
    assert page["gist_origin"] == "model"


def test_list(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    (row,) = console.done("list", "--json").json
    assert set(row) == {
        "id", "title", "source", "version", "newest", "metadata", "words", "state", "pages", "gist_words", "questions",
        "added", "tasks", "leads", "unmerged", "stopped",
    }  # fmt: skip
    assert (row["state"], row["pages"], row["questions"]) == ("done", 15, 0)
    assert (row["version"], row["newest"], row["metadata"]) == (1, True, {})


def test_find(console: Console, server: LoopbackServer) -> None:
    console.done("read", "story.txt")
    hits = console.done("find", "salt", "--json").json
    assert hits
    assert all(set(hit) == {"document", "title", "page", "place", "snippet", "start", "end", "task"} for hit in hits)
    assert console.done("find", "zeppelin", "--json").json == []


def test_export(console: Console, server: LoopbackServer) -> None:
    console.done("ask", "story.txt", "Who is Irma?")
    exported = console.done("export", "story").json
    assert {"readagent", "document", "model", "pages", "answers"} <= set(exported)


def test_estimate(console: Console) -> None:
    figures = console.done("estimate", "story.txt", "--json").json
    assert set(figures) == {"source", "title", "words", "pages", "page_words", "gist_words", "reading", "question",
                            "summary", "two_steps", "window", "window_from", "warnings"}  # fmt: skip
    for part in ("reading", "question"):
        assert set(figures[part]) == {"calls", "words", "prompt_tokens", "reply_tokens", "cost", "seconds"}


def test_model_check(console: Console, server: LoopbackServer) -> None:
    keys = {"base_url", "answers", "model", "listed", "streams", "constrains", "window", "seconds", "error", "hint",
            "tokens_per_second"}  # fmt: skip
    assert set(console.done("model", "check", "--json").json) == keys
    failed = console("model", "check", "--model", "gpt-9", "--json")
    assert failed.code == 1
    assert set(failed.json) == keys
    assert failed.json["error"].startswith("the server has no model 'gpt-9'")


@pytest.mark.parametrize(
    "arguments",
    [
        ["read", "nowhere.txt"],
        ["ask", "nowhere.txt", "Who?"],
        ["show", "nowhere"],
        ["find", ""],
        ["estimate", "nowhere.txt"],
    ],
)
def test_errors_are_not_printed_as_json(console: Console, server: LoopbackServer, arguments: Sequence[str]) -> None:
    assert console.fails(*arguments, "--json")
