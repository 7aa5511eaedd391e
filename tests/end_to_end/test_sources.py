"""Agents and shelves take paths and URLs as well as documents, and say plainly what a str means."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from readagent import GistMemory, Plan, ReadAgent, Shelf, load
from readagent.errors import LoadError, ReadAgentError, UsageError
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import Skimmer
from sessions import EXAMPLES

MEETING = EXAMPLES / "meeting.txt"
DOCX = Path(__file__).parent.parent / "fixtures" / "garden.pandoc.docx"


@pytest.mark.parametrize(
    ("wrong", "message", "hint"),
    [
        ("It was noon.\nThe ferry left.", "not a text of several lines", "Document.from_text"),
        ("meetng.txt", "there is no file meetng.txt", "did you mean meeting.txt?; a text is read with Document.from_"),
        ("", "the file name is empty", "give a file"),
        (b"bytes", "not bytes", "Document.from_text"),
        (["a.txt", "b.txt"], "not list", "read_all"),
    ],
)
def test_what_is_no_source(
    wrong: str, message: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(MEETING, tmp_path)
    monkeypatch.chdir(tmp_path)
    with ReadAgent(Skimmer()) as agent:
        for work in (agent.read, agent.estimate, Shelf(agent, "x").add):
            with pytest.raises((UsageError, LoadError)) as caught:
                work(wrong)
            assert message in str(caught.value)
            assert hint in caught.value.hint
            assert len(str(caught.value)) < 150


def test_a_file_that_cannot_be_loaded_is_one_result_of_many(tmp_path: Path) -> None:
    missing = str(tmp_path / "nothing.pdf")
    heard: list[str] = []
    with ReadAgent(Skimmer()) as agent:
        results: dict[str | Path, GistMemory | ReadAgentError] = dict(
            agent.read_all([missing, MEETING, str(DOCX)], listen=lambda document, event: heard.append(document.title))
        )
        assert isinstance(results[missing], LoadError)
        assert isinstance(results[MEETING], GistMemory)
        assert isinstance(results[str(DOCX)], GistMemory)
        assert set(heard) == {load(MEETING).title, load(DOCX).title}
        added = dict(Shelf(agent, "all").add_all([missing, MEETING]))
        assert isinstance(added[missing], LoadError)
        assert [card.title for card in Shelf(agent, "all").cards()] == [load(MEETING).title]


def test_an_estimate_knows_the_agents_plan_and_window_and_sends_no_text() -> None:
    with (
        LoopbackServer(window=2000).in_thread() as server,
        ReadAgent("skimmer", base_url=server.base_url, plan=Plan(page_words=200)) as agent,
    ):
        figures = agent.estimate(MEETING)
        assert figures.window == 2000
        assert figures.page_words == 200
        assert agent.estimate(MEETING, plan=Plan(page_words=400)).pages < figures.pages
        assert server.requests == []
