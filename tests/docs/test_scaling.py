"""The numbers in docs/scaling.md, docs/many-documents.md and docs/web-navigation.md are those of the program and of the benchmarks."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from docs.pages import ROOT
from readagent import Document, ReadAgent
from readagent.core.model import Ask
from readagent.library.leases import LIFETIME
from readagent.library.postgres_errors import OLDEST
from readagent.library.postgres_url import place_of
from readagent.settings import load_settings
from readagent_browse.live import browser_tab, observe, tabs
from readagent_browse.live.visit import DEFAULT_LIMITS
from readagent_browse.page_view import MIN_GIST_WORDS, MIN_WINDOW, MOST_GISTS
from readagent_browse.step import WEB

PAGE = (ROOT / "docs" / "scaling.md").read_text("utf-8")
WORDS = " ".join(PAGE.split())
NAVIGATION = " ".join((ROOT / "docs" / "web-navigation.md").read_text("utf-8").split())


def table(text: str, title: str) -> list[dict[str, str]]:
    """Return the rows of the first table after a line with this title."""
    rows = list[list[str]]()
    for line in text[text.index(title) :].splitlines()[1:]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def test_the_limits_are_those_of_the_program() -> None:
    assert f"Version {OLDEST} is the oldest that is accepted" in WORDS
    assert f"waits up to `patience` seconds ({load_settings({}).patience:,.0f} by default)" in WORDS
    assert f"has not renewed its claim for {LIFETIME:.0f} seconds" in WORDS
    place = place_of("postgresql://ada@db.example.org/readagent", "")
    assert f"open at most this many connections in a process ({place.connections})" in WORDS


MANY = (ROOT / "docs" / "many-documents.md").read_text("utf-8").partition("## Ten million")[2].partition("\n## ")[0]
DOCUMENTS = 10_000_000


def book_text(number: int = 0) -> str:
    """Return a text of 3,000 words."""
    told = (
        f"On day {n} of year {number} the ferry came late again, and nobody on the quay could say why it had waited. "
        + "\n\n" * (n % 6 == 5)
        for n in range(138)
    )
    return "".join(told)


def row(name: str) -> list[str]:
    return next(line.strip("| ").split(" | ")[1:] for line in MANY.splitlines() if line.startswith(f"| {name} |"))


def number(told: str) -> float:
    found = re.search(r"[\d.,]+", told)
    assert found
    scale = {"billion": 1e9, "million": 1e6, "kB": 1e3, "TB": 1e12}.get(told.split()[-1], 1.0)
    return float(found[0].replace(",", "")) * scale


@pytest.mark.parametrize(("mode", "name"), [("paper", "tokens in, two steps"), ("fast", "tokens in, `--mode fast`")])
def test_tokens_and_calls_are_those_of_an_estimate(mode: str, name: str) -> None:
    document = Document.from_text(book_text())
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


def test_the_limits_of_web_navigation_are_those_of_the_program() -> None:
    picture = Ask("act", "", picture=b"PNG").picture_tokens
    for said in (
        f"sizes closest to {WEB.page_words} words",
        f"names up to {WEB.max_pages} snippets",
        f"no page takes more than {MOST_GISTS} calls for gists",
        f"gists shorter (at least {MIN_GIST_WORDS} words)",
        f"The window must have at least {MIN_WINDOW:,} tokens",
        f"It takes about {picture:,} tokens of the window, which must then have at least {MIN_WINDOW + picture:,}",
        f"At most {tabs._MOST} are open",
        f"not changed for {browser_tab._QUIET_MS} ms, or for {browser_tab._QUIET_AFTER_TYPING_MS} ms after typing",
        f"A page has {DEFAULT_LIMITS.load:.0f} seconds for this",
        f"fewer than {observe._CONTENT_WORDS} words is read again whenever it changes, for {DEFAULT_LIMITS.idle:.0f} seconds",
        f"An action has {DEFAULT_LIMITS.act:.0f} seconds",
    ):
        assert said in NAVIGATION, said


def test_the_oracle_gets_every_reward_of_miniwob() -> None:
    results = (ROOT / "benchmarks" / "results" / "miniwob.md").read_text("utf-8")
    played = [row for title in ("## Whole pages", "## In parts") for row in table(results, title)]
    assert {row["success %"] for row in played} == {"100"}
    tasks = {row["task"] for row in played if not row["task"].startswith("all ")}
    assert f"how {len(tasks)} of the tasks are solved" in NAVIGATION
