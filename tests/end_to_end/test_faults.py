"""With 30% faulty replies the reading completes, and no error text becomes a gist."""

from __future__ import annotations

from cli.console import diary
from readagent import Document, Library, Plan, ReadAgent
from readagent.errors import NoAnswerError
from readagent.testing.faults import Faults
from readagent.testing.loopback import LoopbackServer
from sessions import EXAMPLES

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
