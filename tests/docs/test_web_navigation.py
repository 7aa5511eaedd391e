"""The numbers in docs/web-navigation.md are those of the program and of the benchmarks."""

from __future__ import annotations

from docs.pages import ROOT
from docs.test_scaling import table
from readagent.core.model import Ask
from readagent_bench.web.miniwob import TASKS
from readagent_browse.live import browser_tab, observe, tabs
from readagent_browse.live.visit import DEFAULT_LIMITS
from readagent_browse.page_view import MIN_GIST_WORDS, MIN_WINDOW, MOST_GISTS
from readagent_browse.step import WEB

WORDS = " ".join((ROOT / "docs" / "web-navigation.md").read_text("utf-8").split())
RESULTS = ROOT / "benchmarks" / "results"


def measured(name: str, title: str) -> list[dict[str, str]]:
    return table((RESULTS / f"{name}.md").read_text("utf-8"), title)


def test_the_limits_are_those_of_the_program() -> None:
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
        assert said in WORDS, said


def test_the_oracle_gets_every_reward_of_miniwob() -> None:
    played = [row for title in ("## Whole pages", "## In parts") for row in measured("miniwob", title)]
    assert {row["success %"] for row in played} == {"100"}
    tasks = {row["task"] for row in played if not row["task"].startswith("all ")}
    assert f"how {len(tasks)} of the tasks are solved" in WORDS
    assert f"`all` ({len(TASKS)} tasks)" in WORDS
