"""`--json`: one value per line with exactly these keys, since programs rely on them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cli.console import Console
from readagent.testing.loopback import LoopbackServer

TRACE = {"calls", "words_read", "shared_words", "paid", "fallbacks"}
ANSWER = {
    "document", "task", "question", "kind", "options", "answer", "choice", "pages", "places", "did_not_fit",
    "quotes", "false_quotes", "statements", "checked_by", "verified", "found_in_text", "extract", "extract_place", "certainty",
    "over_all", "offline_reader", "searched", "up_to", "compression", *TRACE
}  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "kind", "choices"),
    [([], "free", [None]), (["-c", "Irma", "-c", "Ann"], "choice", ["A", "B"])],
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
    [["read", "nowhere.txt"], ["estimate", "nowhere.txt"]],
)
def test_errors_are_not_printed_as_json(console: Console, server: LoopbackServer, arguments: Sequence[str]) -> None:
    assert console.fails(*arguments, "--json")
