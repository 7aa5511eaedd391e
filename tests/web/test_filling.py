"""Filling shelves and jobs over HTTP: how far they are, what failed, and that they survive a restart."""

from __future__ import annotations

from typing import Any

import pytest

from readagent.core.document import Document
from readagent.library import Library
from readagent.library.corpus_rows import CorpusRow, Entry, Spending
from readagent.testing.loopback import LoopbackServer
from sessions import TWO_STEPS
from web.fixtures import Serve
from web.running import STORY, Client, Running, held


def document(library: Library) -> str:
    """Add a document to the library, and return its id."""
    made = Document.from_text(STORY, title="The Salt Barge")
    library.add(made)
    return made.id


def filled(library: Library, name: str = "letters", sources: int = 8) -> tuple[CorpusRow, str]:
    """Make the list of a shelf of which three documents were read, one will be tried again and two were set aside.

    Return it and the worker that still reads the seventh.
    """
    corpora = library.corpora
    corpus = corpora.open(name)
    corpora.add(corpus, [Entry(f"/texts/{n}.txt", {}, "1") for n in range(sources)])
    worker, read = corpora.enlist(), document(library)
    rows = corpora.claim(corpus, worker, 7)
    for row in rows[:3]:
        corpora.finish(worker, row.id, read, pages=4, spent=Spending(2, 300, 0.25))
    corpora.fail(worker, rows[3].id, TimeoutError("too slow"), again=True, spent=Spending())
    corpora.fail(worker, rows[4].id, OSError("/texts/4.txt is damaged"), again=False, spent=Spending())
    corpora.fail(worker, rows[5].id, OSError("<b>bold</b> \x1b[31m \ud800"), again=False, spent=Spending())
    corpora.spend(corpus, worker, Spending(7, 1000, 0.75))
    return corpus, worker


def shown(running: Running) -> Any:
    (found,) = running.client.get("/api/filling")
    return found


def test_a_shelf_says_how_far_it_is_and_what_was_spent(serve: Serve) -> None:
    running = serve()
    corpus, _ = filled(running.library)
    running.library.corpora.spend(corpus, "another worker", Spending(unpriced=1))
    found = shown(running)
    assert found["unpriced"] == 1
    assert (found["shelf"], found["documents"]) == ("letters", 8)
    ((seen, worker),) = [(one.pop("seconds"), one) for one in found["workers"]]
    assert (worker, 0 <= seen < 30) == ({"documents": 1, "alive": True}, True)
    assert found["states"] == {"waiting": 1, "reading": 1, "done": 3, "failed": 1, "set_aside": 2}
    assert (found["pages"], found["calls"], found["tokens"], found["cost"]) == (12, 7, 1000, 0.75)
    slow = {"kind": "TimeoutError", "documents": 1, "set_aside": 0, "source": "/texts/3.txt", "reason": "too slow"}
    damaged = {"source": "/texts/4.txt", "reason": "/texts/4.txt is damaged"}
    assert found["failures"] == [{"kind": "OSError", "documents": 2, "set_aside": 2, **damaged}, slow]
    assert (
        running.client("DELETE", "/api/shelves/letters", status=400)["error"]
        == "workers are filling the shelf 'letters'"
    )


def test_what_failed_waits_again(serve: Serve) -> None:
    running = serve()
    filled(running.library)
    path = "/api/shelves/letters/retry"
    refused = running.client.post(path, {"kind": "oserror"}, status=400)
    assert refused["error"] == "no document failed with oserror"
    assert refused["hint"] == "kinds of errors on this shelf: OSError, TimeoutError"
    assert running.client.post(path, {"kind": "OSError"}) == {"documents": 2}
    assert [one["kind"] for one in shown(running)["failures"]] == ["TimeoutError"]
    assert running.client.post(path) == {"documents": 1}
    assert running.client.post(path) == {"documents": 0}
    assert shown(running)["states"] == {"waiting": 4, "reading": 1, "done": 3, "failed": 0, "set_aside": 0}
    running.client.post(path, {"sort": "OSError"}, status=422)


def test_a_read_only_server_shows_how_far_shelves_are_and_changes_none(serve: Serve) -> None:
    filled(serve().library)
    running = serve(read_only=True)
    assert shown(running)["documents"] == 8
    running.client.post("/api/shelves/letters/retry", status=403)
    assert shown(running)["states"]["set_aside"] == 2


LONG = "\n\n".join(f"Chapter {number}\n\n{STORY}" for number in range(4))


def begun(client: Client, model: LoopbackServer) -> dict[str, Any]:
    """Begin to read a text, and wait until the model is asked for its pages."""
    document = client.post("/api/documents", {"text": LONG, "title": "Long"}, status=201)["id"]
    job = client.post(f"/api/documents/{document}/readings", status=202)
    client.until(f"/api/jobs/{job['id']}", lambda found: bool(model.requests) and found["state"] == "running")
    return dict(job)


@pytest.mark.slow
def test_a_stream_goes_on_after_the_last_event_that_was_received(client: Client, model: LoopbackServer) -> None:
    with held(model, "") as free:
        job = begun(client, model)
        path = f"/api/jobs/{job['id']}/events"
        first = next((data, number) for kind, data, number in client.events(path) if number)
        free.set()
        rest = list(client.events(path, first[1]))
    assert [kind for kind, _, _ in rest].count("begin") <= 1
    assert rest[0][0] != "state"
    assert rest[-1][0] == "done"
    again = list(client.events(path, rest[-2][2]))
    assert [kind for kind, _, _ in again] == ["done"]
    assert again[0][1]["state"] == "done"


@pytest.mark.slow
def test_a_server_that_is_killed_forgets_no_call(serve: Serve, model: LoopbackServer) -> None:
    running = serve(plan=TWO_STEPS)
    with held(model, "horten") as free:  # pages are found, and no gist is written, so that it does not end
        job = begun(running.client, model)
        at_least = running.client.until(f"/api/jobs/{job['id']}", lambda found: found["calls"] > 2)["calls"]
        kept = running.client.until(  # all that a server started after a kill knows; it is written soon after
            f"/api/jobs/{job['id']}", lambda _: running.library.jobs.find(job["id"]).report.calls >= at_least
        )
        assert kept["state"] == "running"
        assert kept["tokens"] > 0
        free.set()
    assert running.client.ended(job)["calls"] == len(model.requests)
