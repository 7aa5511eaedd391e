"""Documents are added, read and shown, with their pages as they are found."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.running import STORY, Client, held

pytestmark = pytest.mark.slow


def test_a_text_is_added_read_and_shown(client: Client) -> None:
    added = client.post("/api/documents", {"text": STORY, "title": "The Salt Barge"}, status=201)
    assert (added["title"], added["read"], added["pages"]) == ("The Salt Barge", "no", None)
    job = client.post(f"/api/documents/{added['id']}/readings", status=202)
    assert job["kind"] == "read"
    assert job["subject"] == "The Salt Barge"
    ended = client.ended(job)
    pages = client.get(f"/api/documents/{added['id']}/pages")
    assert ended["result"]["pages"] == len(pages) > 1
    assert ended["calls"] > 0
    assert ended["tokens"] > 0
    assert client.get(f"/api/documents/{added['id']}")["read"] == "yes"
    whole = client.get(f"/api/documents/{added['id']}/text")
    assert "".join(whole["text"][page["start"] : page["end"]] for page in pages) == whole["text"]
    assert [page["number"] for page in pages] == list(range(len(pages)))
    assert all(page["gist"] for page in pages)


def test_the_events_of_a_reading_build_up_its_pages(client: Client) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    job = client.post(f"/api/documents/{document}/readings", status=202)
    events = list(client.events(f"/api/jobs/{job['id']}/events"))
    kinds = [kind for kind, _, _ in events]
    found = {data["start"]: data for kind, data, _ in events if kind == "page"}
    gists = {data["start"]: data["text"] for kind, data, _ in events if kind == "gist"}
    pages = client.get(f"/api/documents/{document}/pages")
    assert kinds[0] == "state"
    assert kinds[-1] == "done"
    assert [(page["start"], page["end"], page["words"]) for page in pages] == [
        (one["start"], one["end"], one["words"]) for _, one in sorted(found.items())
    ]
    assert {page["start"]: page["gist"] for page in pages} == gists
    shares = [data["done"] / data["total"] for kind, data, _ in events if kind == "progress" and data["total"]]
    assert shares == sorted(shares)


def test_pages_are_shown_while_a_document_is_being_read(client: Client, model: LoopbackServer) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    with held(model, "") as free:
        job = client.post(f"/api/documents/{document}/readings", status=202)
        client.until(f"/api/jobs/{job['id']}", lambda found: found["state"] == "running")
        assert client.get(f"/api/documents/{document}")["job"] == job["id"]
        assert client.post(f"/api/documents/{document}/readings", status=409)["error"]
        assert client.post(f"/api/documents/{document}/questions", {"question": "Who?"}, status=409)["hint"]
        free.set()
        client.ended(job)
    assert client.get(f"/api/documents/{document}")["job"] is None


def test_a_failed_reading_says_why(client: Client, model: LoopbackServer) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    model.models = ("another",)
    job = client.ended(client.post(f"/api/documents/{document}/readings", status=202), "failed")
    assert "skimmer" in job["reason"]
    assert job["hint"]
    model.models = ("skimmer",)
    client.ended(client.post(f"/api/documents/{document}/readings", status=202))


def test_a_gist_is_edited_and_unpinned(client: Client) -> None:
    document = client.story()
    before = client.get(f"/api/documents/{document}/pages")[1]
    pinned = client("PUT", f"/api/documents/{document}/pages/1/gist", json={"text": "Nothing happens."})
    assert (pinned["gist"], pinned["pinned"], pinned["gist_origin"]) == ("Nothing happens.", True, "user")
    assert client.get(f"/api/documents/{document}/pages")[1] == pinned
    assert client("DELETE", f"/api/documents/{document}/pages/1/gist") == before
    assert client("PUT", f"/api/documents/{document}/pages/1/gist", json={"text": " "}, status=422)["error"]
    assert client("PUT", f"/api/documents/{document}/pages/999/gist", json={"text": "x"}, status=404)["hint"]


def test_what_reading_takes_is_estimated_before_anything_is_sent(client: Client, model: LoopbackServer) -> None:
    document = client.post("/api/documents", {"text": STORY, "title": "Story"}, status=201)["id"]
    found = client.get(f"/api/documents/{document}/estimate")
    assert found["reading"]["calls"] > 0
    assert found["reading"]["prompt_tokens"] > 0
    assert model.requests == []


def test_a_document_is_removed_with_its_jobs(client: Client) -> None:
    document = client.story()
    client("DELETE", f"/api/documents/{document}", status=204)
    assert client.get("/api/documents") == []
    assert client.get("/api/jobs") == []
    assert client.get(f"/api/documents/{document}", status=404)["type"] == "NotInLibraryError"


def test_words_are_found_in_all_documents(client: Client) -> None:
    document = client.story()
    hit = client.get("/api/search?q=salt")[0]
    assert hit["document"] == document
    (start, end), *_ = hit["marks"]
    assert hit["snippet"][start:end].lower() == "salt"
    page = client.get(f"/api/documents/{document}/pages")[hit["page"]]
    assert (hit["start"], hit["end"]) == (page["start"], page["end"])
    assert client.get("/api/search?q=", status=400)["hint"]
