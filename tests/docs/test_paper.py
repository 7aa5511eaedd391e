"""The costs of ten million documents in docs/corpora.md: what is estimated and stored, and what follows from that."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from docs.pages import ROOT
from readagent import Document, ReadAgent

PAGE = (ROOT / "docs" / "corpora.md").read_text("utf-8").partition("## Ten million")[2].partition("\n## ")[0]
DOCUMENTS = 10_000_000


def text(number: int = 0) -> str:
    """Return a text of 3,000 words."""
    told = (
        f"On day {n} of year {number} the ferry came late again, and nobody on the quay could say why it had waited. "
        + "\n\n" * (n % 6 == 5)
        for n in range(138)
    )
    return "".join(told)


def row(name: str) -> list[str]:
    return next(line.strip("| ").split(" | ")[1:] for line in PAGE.splitlines() if line.startswith(f"| {name} |"))


def number(told: str) -> float:
    found = re.search(r"[\d.,]+", told)
    assert found
    scale = {"billion": 1e9, "million": 1e6, "kB": 1e3, "TB": 1e12}.get(told.split()[-1], 1.0)
    return float(found[0].replace(",", "")) * scale


@pytest.mark.parametrize(("mode", "name"), [("paper", "tokens in, two steps"), ("fast", "tokens in, `--mode fast`")])
def test_tokens_and_calls_are_those_of_an_estimate(mode: str, name: str) -> None:
    document = Document.from_text(text())
    assert 2900 < document.words < 3100
    with ReadAgent("openai/gpt-4.1-mini") as agent:
        plan = replace(agent.plan, mode=mode)  # type: ignore[arg-type]
        estimate = agent.estimate(document, plan=plan).reading
    assert estimate.prompt_tokens == pytest.approx(number(row(name)[0]), rel=0.2)
    assert estimate.reply_tokens == pytest.approx(number(row("tokens out")[0]), rel=0.25)
    calls, tolerance = ("calls, two steps", 2) if mode == "paper" else ("calls, `--mode fast`", 0)
    assert estimate.calls == pytest.approx(number(row(calls)[0]), abs=tolerance)
    assert number(row(calls)[1]) == (number(row(calls)[0]) + 1) * DOCUMENTS  # and one for its card


def test_the_second_column_follows_from_the_first() -> None:
    one, all_of_them = map(number, row("tokens in, two steps"))
    assert all_of_them == pytest.approx(one * DOCUMENTS, rel=0.02)
