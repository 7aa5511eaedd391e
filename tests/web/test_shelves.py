"""Documents, questions, shelves and overviews over HTTP: jobs whose answers have quotes, a trace, and nothing from later."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.running import STORY, Client, held

pytestmark = pytest.mark.slow

MEETING = "The harbour board met on Monday. Ann Berg asked who keeps the key. " * 30


def on_shelf(client: Client, document: str, shelf: str = "harbour") -> None:
    """Put a document on a shelf, which is made if it is not there yet."""
    if all(one["name"] != shelf for one in client.get("/api/shelves")):
        client.post("/api/shelves", {"name": shelf}, status=201)
    client("PUT", f"/api/shelves/{shelf}/documents/{document}", status=204)


def test_a_shelf_is_asked_up_to_the_places_of_a_reader(client: Client, model: LoopbackServer) -> None:
    story, minutes = client.story(), client.story(MEETING, "Minutes")
    for document in (story, minutes):
        on_shelf(client, document)
    client.ended(client.post("/api/shelves/harbour/questions", {"question": "Who?"}, status=202))  # makes the cards
    sent, place = len(model.requests), client.get(f"/api/documents/{story}/pages")[2]["end"]
    body = {"question": "Who holds the key?", "up_to": {story: place}}
    answer = client.ended(client.post("/api/shelves/harbour/questions", body, status=202))["result"]
    assert answer["up_to"] == {story: place}
    assert {**answer, "starred": False, "note": ""} in client.get("/api/shelves/harbour")["answers"]
    assert all(one["end"] <= place for one in answer["quotes"] if one["document"] == story)
    prompts = "\n".join(request.prompt for request in model.requests[sent:])
    text = client.get(f"/api/documents/{story}/text")["text"]
    late = [line for line in text[place:].splitlines()[1:] if len(line) > 60]
    assert late
    assert not any(line in prompts for line in late)
    path = "/api/shelves/harbour/questions"
    for wrong in ({story: 0}, {story: len(text) + 1}, {"0123456789abcdef": 1}):
        assert "up_to" in client.post(path, {**body, "up_to": wrong}, status=422)["error"]
    for asking in (path, f"/api/documents/{story}/questions"):
        refused = client.post(asking, {"question": "Who? " * 80_000}, status=400)
        assert refused["error"] == "the question has 399,999 characters, of which 20,000 are allowed"
        assert refused["hint"] == "add the long text as a document, and ask about it"


def test_overviews_up_to_a_position_and_of_a_chapter(client: Client) -> None:
    document = client.story(f"Chapter 1\n\n{STORY[: len(STORY) // 2]}\n\nChapter 2\n\n{STORY[len(STORY) // 2 :]}")
    path, half = f"/api/documents/{document}/overviews", len(STORY) // 2
    known = client.ended(client.post(path, {"kind": "people", "up_to": half}, status=202))["result"]
    assert all(one["last"]["offset"] is None or one["last"]["offset"] < half for one in known["data"]["items"])
    failed = client.ended(client.post(path, {"kind": "outline", "chapter": "Chapter 9"}, status=202), "failed")
    assert "Chapter 9" in failed["reason"]
    assert client.post(path, {"kind": "poem"}, status=422)["error"]
    assert client.post(path, {"kind": "summary", "up_to": 10**9}, status=422)["error"]


def test_nothing_after_a_place_is_sent_or_exported(client: Client, model: LoopbackServer) -> None:
    document = client.story()
    path, pages = f"/api/documents/{document}/export", client.get(f"/api/documents/{document}/pages")
    sent, place = len(model.requests), pages[1]["end"]
    late = [line for line in STORY[place:].splitlines()[1:] if len(line) > 60]
    for body in ({"question": "Who is Mira?", "up_to": place}, {"question": "How does it end?"}):
        prompts = "\n".join(request.prompt for request in model.requests[sent:])
        assert late
        assert not any(line in prompts for line in late)
        client.ended(client.post(f"/api/documents/{document}/questions", body, status=202))
    beyond = {"question": "How?", "up_to": 10**9}
    assert client.post(f"/api/documents/{document}/questions", beyond, status=422)["error"]
    known = client.get(f"{path}?format=markdown&up_to={pages[1]['end']}")
    assert len(str(known)) < len(str(client.get(f"{path}?format=markdown")))
    said = known.decode() if isinstance(known, bytes) else str(known)
    assert "Who is Mira?" in said
    assert "How does it end?" not in said
    assert not any(page["gist"][:60] in said for page in pages[2:])
    assert client.get(f"{path}?up_to=100000000", status=422)["error"]
    assert client.get(f"{path}?up_to=page", status=400)["error"]
    assert client.get(f"{path}?format=doc", status=400)["hint"]
    headers = client.http.get(path, headers={"authorization": "Bearer a-token-for-the-tests"}).headers
    assert headers["content-disposition"].startswith("attachment; filename*=UTF-8''The%20Salt%20Barge.")
    assert "sandbox" in headers["content-security-policy"]


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
