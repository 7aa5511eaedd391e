"""Web pages in which text is easily taken for furniture, or is hidden: it is kept."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.loaders.formats import Options
from readagent.loaders.html.parser import parse

LONG = [
    "The ferry left at six with nineteen passengers and a crate of hens, and the bar was open before the mole was passed.",
    "Nobody had told the harbour office that the second boat was late, so its lamps stayed dark until the following evening.",
    "What the pilot wrote about that night fills three pages of the log, and all of it was copied for the inquiry in May.",
]
TEXT = "".join(f"<p>{one}</p>" for one in LONG) * 3
ARTICLE = "<meta property='og:type' content='article'>"
LINKED = "The pilot asked for <a href=/lamp>a second lamp</a> at once."
SAID = "The pilot asked for a second lamp at once."


def read(body: str, head: str = "", *, whole: bool = False) -> Document:
    html = f"<html><head><title>Ferry</title>{head}</head><body>{body}</body></html>"
    return parse(html.encode(), "page.html", Options(whole=whole))


def paragraphs(document: Document) -> list[str]:
    return [document.text[one.start : one.end].strip() for one in document.paragraphs]


@pytest.mark.parametrize("hiding", ["hidden", "aria-hidden=true"])
@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_page_that_is_hidden_until_a_script_runs_is_read(tag: str, hiding: str) -> None:
    html = f"<html><body><p>{LONG[0]}</p></body></html>".replace(f"<{tag}>", f"<{tag} {hiding}>")
    assert paragraphs(parse(html.encode(), "page.html", Options())) == [LONG[0]]


# Pages of short entries


@pytest.mark.parametrize("head", [ARTICLE, ""])
@pytest.mark.parametrize("around", ["div", "article"])
@pytest.mark.parametrize("entry", ["div", "section class=entry"])
def test_all_entries_of_a_live_page_are_kept(entry: str, around: str, head: str) -> None:
    entries = "".join(
        f"<{entry}><time>10:{n}</time><h3>Boat {n}</h3><p>Boat {n} is in, and <a href=/{n}>its pilot</a> is well.</p>"
        f"</{entry.split()[0]}>"
        for n in range(10, 40)
    )
    text = read(f"<{around}><h1>Live</h1>{entries}</{around}>", head).text
    assert all(f"Boat {n} is in, and its pilot is well." in text for n in range(10, 40))


# The last section of an article

SECTIONS = {
    "steps": "".join(f"<h3>Step {n}</h3><p>{LINKED}</p>" for n in range(3)),
    "questions": "".join(f"<p><b>And then?</b></p><p>{LINKED}</p>" for _ in range(3)),
    "dates": "".join(f"<p><strong>{n} March</strong> {LINKED}</p>" for n in range(3)),
    "people": "".join(f"<h3><a href=/{n}>Pilot {n}</a></h3><p>{LINKED}</p>" for n in range(3)),
    "one": f"<p>{LINKED}</p>",
}


@pytest.mark.parametrize("section", SECTIONS.values(), ids=SECTIONS)
def test_the_last_section_of_an_article_is_kept(section: str) -> None:
    text = read(f"<article><h1>Ferry</h1><div class=a>{TEXT}</div><div class=b>{section}</div></article>", ARTICLE).text
    assert text.count(SAID) == section.count(LINKED)


# Hidden text

HIDING = ["hidden"]


@pytest.mark.parametrize("hiding", HIDING)
def test_all_hidden_panels_are_read_if_they_are_longer_than_what_is_shown(hiding: str) -> None:
    panels = "".join(f"<h2>Question {n}</h2><div {hiding}><p>{one}</p></div>" for n, one in enumerate(LONG))
    text = read(f"<main><h1>Help</h1><p>Find answers here.</p>{panels}</main>").text
    assert all(one in text for one in LONG)


# Around the longest part, and lists and notes in it


LISTS = {
    "sentences": "<li><a href=/{n}>On day {n} the fleet sailed to the northern islands and came back.</a>",
    "words": "<li><a href=/{n}>onions, {n} of them</a>",
    "numbers": "<li>2 <a href=/{n}>onions, kind {n}</a>",
}


@pytest.mark.parametrize("item", LISTS.values(), ids=LISTS)
def test_a_list_of_links_under_its_own_heading_inside_the_text_is_kept(item: str) -> None:
    items = "".join(item.format(n=n) for n in range(8))
    html = f"<main><h1>Soup</h1>{TEXT}<h2>What it takes</h2><ul>{items}</ul><h2>Method</h2>{TEXT}</main>"
    found = paragraphs(read(html))
    assert found.index("Method") - found.index("What it takes") == 9


@pytest.mark.parametrize(
    "note",
    [
        "<aside><p>In 1803 it froze twice, and <a href=/x>the king</a> came.</p></aside>",
        "<footer><ol><li id=fn1>In 1803 it froze twice, and <a href=/x>the king</a> came. <a href='#r'>↩</a></ol></footer>",
    ],
)
@pytest.mark.parametrize("head", [ARTICLE, ""])
def test_a_note_with_a_link_is_kept(note: str, head: str) -> None:
    assert "In 1803 it froze twice, and the king came." in read(f"<article>{TEXT}{note}</article>", head).text


# Comments


def test_comments_that_are_longer_than_the_article_are_left_out() -> None:
    comments = "".join(
        f"<div class=one><b>Reader {n}</b> <span>{n} hours ago</span><p>I say: {LONG[n % 3]}</p></div>"
        for n in range(40)
    )
    text = read(f"<div><h1>Ferry</h1><div>{TEXT}</div><div><div id=comments>{comments}</div></div></div>", ARTICLE).text
    assert (text.count(LONG[0]), "I say" in text) == (3, False)
    assert "I say" in read(f"<div><h1>Ferry</h1><p>Look.</p><div id=comments>{comments}</div></div>", ARTICLE).text


# Text for other browsers, fields and encodings
