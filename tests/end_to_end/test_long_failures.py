"""Many bad pages, or 30% faulty replies, do not end a reading; a server that stopped working, or a useless model, does."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cli.console import diary
from readagent import Document, Library, Plan, ReadAgent, load
from readagent.core.model import Ask, Reply
from readagent.errors import BadReplyError, NoAnswerError, ServerFaultError
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from readagent.testing.scripted import ScriptedModel
from sessions import EXAMPLES, sensible

STORY = load(EXAMPLES / "story.txt")
MARK = "xylophone"
FAULT = "the server failed (500)"


def marked(first: float, last: float) -> Document:
    """Return the story with a word in every tenth place of a stretch of it."""
    words = STORY.text.split(" ")
    for place in range(int(first * len(words)), int(last * len(words)), 10):
        words[place] = f"{MARK} {words[place]}"
    return Document.from_text(" ".join(words))


def plan(mode: str = "paper") -> Plan:
    return Plan(page_words=150, min_page_words=75, mode=mode)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["paper", "fast"])
def test_a_stretch_of_bad_pages_is_a_stretch_of_leads(mode: str, library: Library) -> None:
    document = marked(0.4, 0.7)
    model = ScriptedModel(lambda ask: ServerFaultError(FAULT) if MARK in ask.prompt else sensible(ask))
    patience = 1e9  # on the clock of the tests, 20 minutes may pass before a call that works has ended
    with ReadAgent(model, library=library, plan=plan(mode), patience=patience) as agent:
        memory = agent.read(document)
        again = agent.read(document)
    bad = tuple(page.number for page in memory.pages if MARK in memory.page_text(page.number))
    assert len(bad) > 8
    assert memory.leads == again.leads == bad
    assert set(memory.lead_reasons().values()) == {FAULT}


def test_a_server_that_stops_working_is_found_by_asking_what_it_answered_before(library: Library) -> None:
    error, answered, failed = BadReplyError("no completion"), set[str](), set[str]()

    def dying(ask: Ask) -> str | Exception:
        if len(answered) == 20:
            failed.add(ask.prompt)
            return error
        answered.add(ask.prompt)
        return sensible(ask)

    with ReadAgent(ScriptedModel(dying), library=library, plan=plan()) as agent, pytest.raises(BadReplyError) as caught:
        agent.read(STORY)
    assert "nothing is lost" in caught.value.hint
    assert len(failed) <= 12
    assert {prompt.rstrip() for prompt in failed} & {prompt.rstrip() for prompt in answered}
    with ReadAgent(ScriptedModel(sensible), library=library, plan=plan()) as agent:
        assert agent.read(STORY).leads == ()


USELESS: dict[str, Callable[[Ask], Reply]] = {
    "empty": lambda ask: Reply(""),
    "refusal": lambda ask: Reply("I'm not able to help with this request."),
}


@pytest.mark.parametrize(("kind", "mode"), [("empty", "paper"), ("refusal", "fast")])
def test_a_model_that_returns_nothing_usable_ends_the_reading_early(kind: str, mode: str, library: Library) -> None:
    model = ScriptedModel(USELESS[kind])
    with ReadAgent(model, library=library, plan=plan(mode)) as agent:
        with pytest.raises(NoAnswerError, match="nothing usable for the first 5 pages") as caught:
            agent.read(STORY)
        assert "another model" in caught.value.hint
        asked = sum(ask.step == "gist" for ask in model.asks)
        pages = STORY.words // 150
        assert asked < (pages if mode == "paper" else 2 * pages)
    assert library.memory(STORY.id) is None


FAILURES = ("error", "sorry", "502", "traceback", "gateway", "can't help")
PLAN = Plan(page_words=120, min_page_words=50)


def long_text() -> str:
    """Return the story and a diary, without the story's one apology: any apology in a gist is then the server's."""
    story = (EXAMPLES / "story.txt").read_text("utf-8")
    text = f"{story}\n\n{diary(40)}".replace("sorry", "glad")
    assert not any(failure in text.lower() for failure in FAILURES if failure != "502")
    return text.replace("502", "503")


def test_a_reading_with_thirty_percent_faults_completes(library: Library) -> None:
    document = Document.from_text(long_text())
    with (
        LoopbackServer(faults=Faults(0.3, seed=1)).in_thread() as server,
        ReadAgent("skimmer", base_url=server.base_url, library=library, plan=PLAN) as agent,
    ):
        memory = agent.read(document)
        faulty = [request for request in server.requests if request.fault]
        for question in ("Who is Irma Valk?", "How many casks were counted on day 7?"):
            try:
                answer = agent.ask(memory, question)
            except NoAnswerError:
                continue
            assert not any(failure in answer.text.lower() for failure in FAILURES)
    assert len(faulty) > 0.2 * len(server.requests)
    assert "".join(memory.page_text(page.number) for page in memory.pages) == document.text
    assert all(PLAN.min_page_words <= page.words <= PLAN.page_words for page in memory.pages[:-1])
    for gist in memory.gists:
        assert gist.text.strip()
        assert not any(failure in gist.text.lower() for failure in FAILURES)
    leads = [page.number for page, gist in zip(memory.pages, memory.gists, strict=True) if gist.origin == "lead"]
    counts = memory.trace.fallback_counts()
    assert leads
    assert counts["gist"] == len(leads)
    assert sorted(f.page or 0 for f in memory.trace.fallbacks if f.step == "gist") == leads
    kept = library.memory(document.id)
    assert kept is not None
    assert kept.trace.fallback_counts() == counts
