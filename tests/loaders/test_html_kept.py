"""Web pages in which text is easily taken for furniture, or is hidden: it is kept."""

from __future__ import annotations

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.html.parser import parse

LONG = [
    "The ferry left at six with nineteen passengers and a crate of hens, and the bar was open before the mole was passed.",
    "Nobody had told the harbour office that the second boat was late, so its lamps stayed dark until the following evening.",
    "What the pilot wrote about that night fills three pages of the log, and all of it was copied for the inquiry in May.",
]
TEXT = "".join(f"<p>{one}</p>" for one in LONG) * 3
ARTICLE = "<meta property='og:type' content='article'>"
DATA = '<script type="application/ld+json">{"@type": "%s"}</script>'
LINKED = "The pilot asked for <a href=/lamp>a second lamp</a> at once."
MENU = "<ul><li><a href=/>Home</a><li><a href=/b>Boats</a><li><a href=/c>Crews</a></ul>"
SAID = "The pilot asked for a second lamp at once."


def read(body: str, head: str = "", *, whole: bool = False) -> Document:
    html = f"<html><head><title>Ferry</title>{head}</head><body>{body}</body></html>"
    return parse(html.encode(), "page.html", Options(whole=whole))


def paragraphs(document: Document) -> list[str]:
    return [document.text[one.start : one.end].strip() for one in document.paragraphs]


@pytest.mark.parametrize("hiding", ["hidden", "style='display:none'", "style='visibility: hidden'", "aria-hidden=true"])
@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_page_that_is_hidden_until_a_script_runs_is_read(tag: str, hiding: str) -> None:
    html = f"<html><body><p>{LONG[0]}</p></body></html>".replace(f"<{tag}>", f"<{tag} {hiding}>")
    assert paragraphs(parse(html.encode(), "page.html", Options())) == [LONG[0]]


# Pages of short entries


@pytest.mark.parametrize("head", [ARTICLE, DATA % "NewsArticle", DATA % "BlogPosting", ""])
@pytest.mark.parametrize("around", ["div", "main", "article"])
@pytest.mark.parametrize("entry", ["div", "article", "section class=entry"])
def test_all_entries_of_a_live_page_are_kept(entry: str, around: str, head: str) -> None:
    entries = "".join(
        f"<{entry}><time>10:{n}</time><h3>Boat {n}</h3><p>Boat {n} is in, and <a href=/{n}>its pilot</a> is well.</p>"
        f"</{entry.split()[0]}>"
        for n in range(10, 40)
    )
    text = read(f"<{around}><h1>Live</h1>{entries}</{around}>", head).text
    assert all(f"Boat {n} is in, and its pilot is well." in text for n in range(10, 40))


def test_entries_after_a_long_introduction_are_kept() -> None:
    entries = "".join(
        f"<div><time>10:{n}</time><p>Boat {n}: <a href=/{n}>all well</a>.</p></div>" for n in range(10, 40)
    )
    text = read(f"<main><h1>Live</h1><div><p>{LONG[0]}</p></div><div>{entries}</div></main>", ARTICLE).text
    assert all(f"Boat {n}: all well." in text for n in range(10, 40))


def test_entries_in_chinese_are_kept() -> None:
    entries = "".join(
        f"<div><time>10:{n}</time><p>第{n}艘船进港，<a href=/{n}>船长</a>说一切都好。</p></div>" for n in range(10, 40)
    )
    text = read(f"<main><h1>直播</h1>{entries}</main>", ARTICLE).text
    assert all(f"第{n}艘船进港，船长说一切都好。" in text for n in range(10, 40))


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


def test_headlines_after_an_article_are_left_out() -> None:
    headlines = "".join(f"<p><a href=/{n}>Nine things to know about ferry {n}</a></p>" for n in range(4))
    text = read(f"<article><h1>Ferry</h1><div>{TEXT}</div><div class=b>{headlines}</div></article>", ARTICLE).text
    assert "Nine things" not in text


def test_a_correction_after_the_article_is_kept() -> None:
    note = "<div><p>An earlier version of this article misstated <a href=/q>the year</a>.</p></div>"
    rights = "<div><p>© 2024 Ferry Times, all rights reserved, in all countries.</p></div>"
    document = read(f"<article><h1>Ferry</h1>{TEXT}</article>{note}{rights}", ARTICLE)
    assert paragraphs(document)[-1] == "An earlier version of this article misstated the year."
    assert document.metadata["left_out"] == "10"


# Hidden text

HIDING = ["hidden", "style='display:none'", "aria-hidden=true"]


@pytest.mark.parametrize("hiding", HIDING)
def test_all_hidden_panels_are_read_if_they_are_longer_than_what_is_shown(hiding: str) -> None:
    panels = "".join(f"<h2>Question {n}</h2><div {hiding}><p>{one}</p></div>" for n, one in enumerate(LONG))
    text = read(f"<main><h1>Help</h1><p>Find answers here.</p>{panels}</main>").text
    assert all(one in text for one in LONG)


@pytest.mark.parametrize("hiding", ["hidden", "style='visibility:hidden'"])
def test_a_main_part_that_a_script_shows_is_read(hiding: str) -> None:
    document = read(f"<main {hiding}>{TEXT}</main><p>Please wait.</p>")
    assert LONG[0] in document.text


def test_panels_under_headings_with_buttons_are_read() -> None:
    panels = "".join(f"<h3><button>How {n}?</button></h3><div hidden><p>So: {n}.</p></div>" for n in range(3))
    found = paragraphs(read(f"<main><h1>Help</h1>{TEXT}{panels}<div hidden><p>Not this.</p></div></main>"))
    assert found[10:] == ["How 0?", "So: 0.", "How 1?", "So: 1.", "How 2?", "So: 2."]


def test_a_heading_may_be_a_button() -> None:
    document = read(f"<main><h2><button>How do I board?</button></h2>{TEXT}<p><button>Send</button></p></main>")
    assert document.paragraphs[0].heading == 2
    assert paragraphs(document)[0] == "How do I board?"
    assert "Send" not in document.text


# Around the longest part, and lists and notes in it


@pytest.mark.parametrize("tag", ["div", "p", "section"])
def test_plain_paragraphs_beside_the_longest_part_are_kept(tag: str) -> None:
    first, last = "First the mole was built.", "Then the lamps were lit again."
    html = f"{MENU}<{tag}>{first}</{tag}><div>{TEXT * 4}</div><{tag}>{last}</{tag}>"
    found = paragraphs(read(html))
    assert (found[0], found[-1], len(found)) == (first, last, 38)


def test_the_explanation_of_a_long_listing_is_kept() -> None:
    code = "\n".join(f"sail({n})" for n in range(200))
    found = paragraphs(
        read(f"<div><h3>Example</h3><p>This calls it two hundred times.</p><div><pre>{code}</pre></div></div>")
    )
    assert found[:2] == ["Example", "This calls it two hundred times."]


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
        "<footer><p>In 1803 it froze twice, and <a href=/x>the king</a> came.</p></footer>",
        "<footer><ol><li id=fn1>In 1803 it froze twice, and <a href=/x>the king</a> came. <a href='#r'>↩</a></ol></footer>",
    ],
)
@pytest.mark.parametrize("head", [ARTICLE, ""])
def test_a_note_with_a_link_is_kept(note: str, head: str) -> None:
    assert "In 1803 it froze twice, and the king came." in read(f"<article>{TEXT}{note}</article>", head).text


def test_notes_outside_of_the_longest_part_are_kept() -> None:
    text = TEXT.replace("</p>", "<a id=DOCF1 href='#FOOT1'><sup>1</sup></a></p>", 1)
    notes = (
        "<div class=footnote><hr><h4>Footnotes</h4><h5><a id=FOOT1 href='#DOCF1'>(1)</a></h5><p>In the log.</p></div>"
    )
    found = paragraphs(read(f"<div>{text * 4}</div>{notes}<div><p>Next: <a href=/2>Boats</a></p></div>"))
    assert found[found.index("Notes") :][-1] == "In the log."


# Comments


def test_comments_that_are_longer_than_the_article_are_left_out() -> None:
    comments = "".join(
        f"<div class=one><b>Reader {n}</b> <span>{n} hours ago</span><p>I say: {LONG[n % 3]}</p></div>"
        for n in range(40)
    )
    text = read(f"<div><h1>Ferry</h1><div>{TEXT}</div><div><div>{comments}</div></div></div>", ARTICLE).text
    assert (text.count(LONG[0]), "I say" in text) == (3, False)
    assert "I say" in read(f"<div><h1>Ferry</h1><p>Look.</p><div>{comments}</div></div>", ARTICLE).text


# Text for other browsers, fields and encodings


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(
    "html",
    [
        f"<div id=root></div><noscript>{TEXT}</noscript>",
        f"<html><frameset cols=50%><frame src=a><noframes><body>{TEXT}</body></noframes></frameset></html>",
    ],
)
def test_text_for_old_browsers_is_read_if_there_is_no_other(html: str, whole: bool) -> None:
    assert paragraphs(parse(html.encode(), "page.html", Options(whole=whole))) == LONG * 3


def test_a_request_for_another_browser_is_not_text() -> None:
    with pytest.raises(LoadError, match="contains no text"):
        read("<div id=root></div><noscript>You need to enable JavaScript to run this app.</noscript>")


def test_the_whole_page_includes_text_in_fields_but_no_choices() -> None:
    form = "<form><textarea>Typed before.</textarea><select><option>Norway</select></form>"
    assert paragraphs(read(f"<main>{TEXT}{form}</main>", whole=True))[-1] == "Typed before."


def test_a_few_stray_bytes_do_not_change_the_declared_encoding() -> None:
    html = "<meta charset=utf-8><meta name=x content='Gr\xfcn gr\xfcn'><p>Über die schöne Mühle im Tal</p>"
    data = html.encode("latin-1").replace("Über die schöne Mühle".encode("latin-1"), "Über die schöne Mühle".encode())
    assert paragraphs(parse(data, "page.html", Options())) == ["Über die schöne Mühle im Tal"]


def test_a_title_that_was_escaped_twice() -> None:
    assert read(TEXT, "<meta property=og:title content='Salt &amp;amp; tar'>").title == "Salt & tar"
