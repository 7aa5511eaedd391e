"""Documents are added, read and shown, with their pages as they are found."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.running import STORY, Client, held

pytestmark = pytest.mark.slow


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


def test_words_are_found_in_all_documents(client: Client) -> None:
    document = client.story()
    hit = client.get("/api/search?q=salt")[0]
    assert hit["document"] == document
    (start, end), *_ = hit["marks"]
    assert hit["snippet"][start:end].lower() == "salt"
    page = client.get(f"/api/documents/{document}/pages")[hit["page"]]
    assert (hit["start"], hit["end"]) == (page["start"], page["end"])
    assert client.get("/api/search?q=", status=400)["hint"]
