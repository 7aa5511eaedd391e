"""The numbers in docs/web-navigation.md are those of the program and of the benchmarks."""

from __future__ import annotations

from docs.pages import ROOT
from docs.test_scaling import table
from readagent.core.model import Ask
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


def test_every_flow_of_the_real_applications_was_right_in_all_runs() -> None:
    flows = measured("real_apps", "## Flows")
    assert {flow["runs"] for flow in flows} == {"20"}
    right = sum(int(flow["right"]) for flow in flows)
    assert f"plays {len(flows)} flows through `browse`" in WORDS
    assert f"[{right} of {20 * len(flows)} runs](../benchmarks/results/real_apps.md) succeed" in WORDS


def test_the_share_of_equal_names_is_that_of_the_benchmark() -> None:
    (total,) = [row for row in measured("accessible_names", "## Pages") if row["pages of"] == "all"]
    assert f"on {total['pages']} pages" in WORDS
    assert f"[{total['same name %']} % are the same](../benchmarks/results/accessible_names.md)" in WORDS
    assert total["missed"] == "0"


def test_the_links_of_long_pages_are_those_of_the_benchmark() -> None:
    pages = measured("long_pages", "## Pages")
    asked, reached = (sum(int(page[name]) for page in pages) for name in ("asked for", "reached"))
    most = max(int(page["calls, most"]) for page in pages)
    assert f"{reached} of {asked} links that are asked for by name are reached with at most {most} calls" in WORDS


def test_the_rewards_in_browsergym_are_those_of_the_benchmark() -> None:
    tasks = measured("browsergym_miniwob", "## Tasks, with the oracle")
    solved = sum(task["solved"] == task["episodes"] for task in tasks)
    assert f"[{solved} of {len(tasks)}](../benchmarks/results/browsergym_miniwob.md)" in WORDS


def test_the_oracle_gets_every_reward_of_miniwob_and_all_tasks_are_named() -> None:
    played = [row for title in ("## Tasks, with the oracle", "## In parts") for row in measured("miniwob", title)]
    assert {row["success %"] for row in played} == {"100"}
    tasks = {row["task"] for row in played if not row["task"].startswith("all ")}
    others = measured("miniwob", "## The other")
    assert f"`all` (the {len(tasks)} tasks" in WORDS
    assert len(tasks | {name for row in others for name in row["names"].split(", ")}) == 130
    left = sum(int(row["tasks"]) for row in others)
    assert f"names all 130 tasks of MiniWoB: {left} are not among the {len(tasks)}, with the reason" in WORDS
    solved = {row["task"] for row in measured("miniwob_others", "## Tasks") if row["success %"] == "100"}
    assert solved == {
        name for row in others if row["why"].startswith("solved too") for name in row["names"].split(", ")
    }
    assert f"the oracle solves [{len(solved)} too](../benchmarks/results/miniwob_others.md)" in WORDS
