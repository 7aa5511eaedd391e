"""Answers in the reading room: how they are drawn, kept in view, stopped and asked again."""

from __future__ import annotations

import pytest

from readagent.testing.loopback import LoopbackServer
from web.browsing import OpenTab, ask, texts, until
from web.running import STORY, Client, held

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MARKDOWN = """The barge **sank *slowly* <img src=x onerror=alert(1)>** in `1911`. [a](javascript:alert(2))

The __owners__
===

| Year | Owner <b>x</b> |
|---|--:|
| 1903 | Jakob & **Irma** |

1. First
   - nested
     - deeper

```html
<script>window.stolen = 1</script>
```
"""


def test_an_answer_in_markdown_becomes_elements(client: Client, open_tab: OpenTab, model: LoopbackServer) -> None:
    document = client.story()
    usual = model.answer
    model.answer = lambda prompt, how: f"Answer: {MARKDOWN}" if "Answer:" in prompt else usual(prompt, how)
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    ask(tab, "Who owned the barge?")
    assert texts(tab, ".said strong em") == ["slowly"]
    assert texts(tab, ".said h3, .said h4") == ["The __owners__"]
    assert texts(tab, ".said th") == ["Year", "Owner <b>x</b>"]
    assert texts(tab, ".said td strong") == ["Irma"]
    assert tab.locator(".said ol > li ul ul > li").count() == 1
    assert texts(tab, ".said pre") == ["<script>window.stolen = 1</script>"]
    assert tab.locator(".said img, .said script, .said a, .said td b").count() == 0
    assert "[a](javascript:alert(2))" in tab.inner_text(".said")


def test_an_answer_does_not_move_what_somebody_reads(client: Client, open_tab: OpenTab, model: LoopbackServer) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}", height=500)
    tab.wait_for_selector(".tile .gist")
    for question in ("Who is Mira?", "Who is Irma?"):
        ask(tab, question)
    with held(model, "How does it end?"):
        tab.fill("#question", "How does it end?")
        tab.press("#question", "Enter")
        tab.wait_for_selector(".exchange.live")
        tab.evaluate("document.querySelector('.log').scrollTop = 7")
        until(tab, "document.querySelector('.log').scrollTop === 7")
    until(tab, "document.querySelectorAll('.exchange:not(.live)').length === 3")
    assert tab.evaluate("document.querySelector('.log').scrollTop") == 7


def test_a_stopped_question_is_still_there_and_asked_again(
    client: Client, open_tab: OpenTab, model: LoopbackServer
) -> None:
    document = client.story()
    tab = open_tab(client, f"#/documents/{document}")
    tab.wait_for_selector(".tile .gist")
    with held(model, "Who is Mira?"):
        tab.fill("#question", "Who is Mira?")
        tab.press("#question", "Enter")
        tab.wait_for_selector(".exchange.live")
        tab.click("text=Stop")
        tab.wait_for_selector(".exchange >> text=Stopped.")
        tab.reload()
        tab.wait_for_selector(".exchange >> text=Stopped.")
    tab.click("text=Ask again")
    tab.wait_for_selector(".exchange .quote")
    assert texts(tab, ".asked") == ["Who is Mira?"]
    assert [job["state"] for job in client.get("/api/jobs") if job["kind"] == "ask"] == ["done"]


def test_the_way_back_leads_through_the_tabs_and_words_break_by_language(client: Client, open_tab: OpenTab) -> None:
    german = "Der Hafenmeister schrieb ihr jeden Abend einen Brief über die Bedingungen, und sie las ihn nicht. " * 40
    document = client.post("/api/documents", {"text": german, "title": "Hafen"}, status=201)["id"]
    client.ended(client.post(f"/api/documents/{document}/readings", status=202))
    tab = open_tab(client)
    tab.click(".document .title")
    tab.click("#tab-people")
    tab.click("#tab-timeline")
    assert tab.get_attribute(".pane-text", "lang") == tab.get_attribute(".tile .gist", "lang") == "de"
    for kind in ("people", "map"):
        tab.go_back()
        tab.wait_for_selector(f"#tab-{kind}[aria-selected=true]")
    tab.go_back()
    tab.wait_for_selector(".document .title")


def test_answers_are_found_again_with_their_notes(client: Client, open_tab: OpenTab) -> None:
    documents = [client.story(), client.story(STORY.replace("Mira", "Nora"), "The other barge")]
    for document in documents:
        asked = {"question": "What was in the biscuit tin with a skating party on the lid?"}
        client.ended(client.post(f"/api/documents/{document}/questions", asked, status=202))
    tab = open_tab(client, "#/answers")
    tab.click(".history li:has-text('The Salt Barge') >> text=Star")
    tab.click(".history li:has-text('The Salt Barge') >> text=Note")
    tab.fill("#own-note", "For <b>chapter</b> 2")
    tab.reload()
    tab.click(".history li:has-text('The Salt Barge') >> text=Note")
    tab.click("dialog >> text=Save")
    tab.wait_for_selector(".own-note >> text=For <b>chapter</b> 2")
    tab.check("#only-starred")
    until(tab, "document.querySelectorAll('.history li').length === 1")
    tab.fill("#history-words", "CHAPTER tin")
    until(tab, "location.hash.includes('q=CHAPTER')")
    tab.click(".history .asked a")
    until(tab, "CSS.highlights.get('target')?.size > 0")
    assert texts(tab, ".exchange .own-note") == ["For <b>chapter</b> 2"]
    (answer,) = client.get(f"/api/documents/{documents[0]}/answers")
    assert f"answer={answer['id']}" in tab.get_attribute(".answer-facts a", "href")
    tab.click(".exchange >> text=Remove")
    tab.wait_for_selector(".empty")
    tab.click(".undo >> text=Undo")
    tab.click(".exchange >> text=Remove")
    tab.goto(f"{client.address}#/answers")
    tab.reload()  # the removal is not undone
    client.until("/api/answers", lambda found: [one["documents"] for one in found] == [[documents[1]]])
