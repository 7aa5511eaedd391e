"""Pages of news sites and blogs: what follows an article is left out; text that is easily taken for furniture is kept."""

from __future__ import annotations

import pytest

from loaders.test_html import PROSE, paragraphs
from readagent.core.document import Document
from readagent.loaders.blocks import Block
from readagent.loaders.formats import Options
from readagent.loaders.html import page as web_page
from readagent.loaders.html.page import article_in, parse


@pytest.fixture(autouse=True)
def without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page, "_trafilatura", None)


TEXT = "".join(f"<p>{one}</p>" for one in PROSE) * 3
OPEN_GRAPH = "<meta property='og:type' content='article'>"
FEED = "<link rel=alternate type='application/rss+xml' href=/feed>"
DECLARED = {
    "open graph": OPEN_GRAPH,
    "date": "<meta property='article:published_time' content='2024-03-01'>",
    "data": '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle"}</script>',
    "several types": '<script type="application/ld+json">{"@type": ["BlogPosting", "Thing"]}</script>',
    "item": "<div itemscope itemtype='https://schema.org/ReportageNewsArticle'></div>",
}
SAID = "A short description of the other story, which says just enough to make you want to read it as well."
TEASERS = "<h3>Read next</h3>" + "".join(
    f"<h4><a href=/{place}>Five things that you did not know about {place}</a></h4><p>{SAID}</p><p>By Ann Reed</p>"
    for place in ("Lisbon", "Trieste", "Odessa")
)
NEWSLETTER = "<h3>Stay informed</h3><form><p>Your address <a href=/terms>Terms</a></p><button>Send</button></form>"


def comments(*, tag: str = "div", first: str = "") -> str:
    names = ("Alcalino", "Casper", "Pepe", "Nina")
    return first + "".join(
        f"<{tag} class=one><b>{name}</b> <span>{hours} hours ago</span><p>What {name} says: {PROSE[hours % 4]}</p></{tag}>"
        for hours, name in enumerate(names, 2)
    )


def text_of(body: str, head: str = OPEN_GRAPH, *, whole: bool = False) -> str:
    return read(body, head, whole=whole).text


def article(after: str, *, inside: str = "") -> str:
    return f"<main><h1>Salt</h1><div class=text>{TEXT}{inside}</div>{after}</main>"


@pytest.mark.parametrize("head", DECLARED.values(), ids=DECLARED)
def test_teasers_and_invitations_after_a_declared_article_are_left_out(head: str) -> None:
    body = article(f"<div class=more>{TEASERS}</div>")
    assert "did not know" not in text_of(body, head)
    assert text_of(body, head).rstrip().endswith(PROSE[-1])
    assert "did not know about Odessa" in text_of(body, head, whole=True)
    assert "Stay informed" not in text_of(article(f"<div>{NEWSLETTER}</div>"), head)


@pytest.mark.parametrize("head", [OPEN_GRAPH, FEED])
@pytest.mark.parametrize(
    "listed",
    [
        f"<div id=comments>{comments(first='<h2>4 comments</h2>')}</div>",
        f"<div><div><div class='wide comment-list'>{comments(tag='article')}</div></div></div>",
    ],
)
def test_comments_are_left_out(listed: str, head: str) -> None:
    assert "Casper" not in text_of(article(listed), head)
    assert "Casper" not in text_of(article("", inside=listed), head)
    assert "What Casper says" in text_of(article(listed), head, whole=True)


@pytest.mark.parametrize(
    "head",
    [
        "",
        "<meta property='og:type' content='website'>",
        f'{FEED}<script type="application/ld+json">{{"@type": "QAPage"}}</script>',
        f"{FEED}<div itemscope itemtype='https://schema.org/DiscussionForumPosting'></div>",
    ],
)
def test_other_pages_keep_what_follows_the_longest_part(head: str) -> None:
    assert SAID in text_of(article(f"<div>{TEASERS}</div>"), head)
    assert "What Casper says" in text_of(article(f"<div>{comments()}</div>"), head)


RECIPE = "<h2>Brine</h2><ul><li>1 litre of water</li><li>30 g of salt</li></ul>"
KEPT_AFTER = {"prose": f"<div><h2>Afterword</h2><p>{PROSE[0]}</p><p>LAST {PROSE[1]}</p></div>", "recipe": f"<div>{RECIPE}<p>LAST</p></div>", "terms": "<div><a href=/terms>Terms</a><dl><dt>Tare</dt><dd>LAST, without a load</dd></dl></div>", "chronology": "<div>" + "".join(f"<div class=y><b>19{n}</b><p>LAST year {n}.</p></div>" for n in "14 18 39".split()) + "</div>"}  # fmt: skip


@pytest.mark.parametrize("after", KEPT_AFTER.values(), ids=KEPT_AFTER)
def test_what_belongs_to_the_text_is_kept_after_it(after: str) -> None:
    assert "LAST" in text_of(article(after))
    assert "LAST" in text_of(article("", inside=after))


def test_a_text_in_several_parts_is_kept_whole() -> None:
    item = f"<div class='item wide'><h2>ITEM</h2><p>{PROSE[2]}</p></div>"
    body = f"<main><div class=item><h1>Ten salts</h1>{TEXT}</div>{item * 4}</main>"
    assert text_of(body).count("ITEM") == 4
    assert text_of(f"<main><h1>Ten salts</h1><p>{PROSE[0]}</p>{item * 4}</main>").count("ITEM") == 4


def test_never_is_much_of_the_prose_left_out() -> None:
    """A list of products may look like teasers, each in a block of its own kind."""
    block = f"<div class=KIND><h4><a href=/buy>Where to buy KIND today</a></h4><p>{PROSE[3]} KIND</p></div>"
    products = "".join(block.replace("KIND", f"salt{n}") for n in range(9))
    assert "bench. salt8" in text_of(f"<main><h1>Salt</h1><div>{TEXT[:900]}</div>{products}</main>")
    assert "bench. salt8" in text_of(f"<main><h1>Salt</h1>{TEXT[:900]}{products}</main>")


LONG = [
    "The ferry left at six with nineteen passengers and a crate of hens, and the bar was open before the mole was passed.",
    "Nobody had told the harbour office that the second boat was late, so its lamps stayed dark until the following evening.",
    "What the pilot wrote about that night fills three pages of the log, and all of it was copied for the inquiry in May.",
]
FERRY_TEXT = "".join(f"<p>{one}</p>" for one in LONG) * 3
LINKED = "The pilot asked for <a href=/lamp>a second lamp</a> at once."
PILOT_SAID = "The pilot asked for a second lamp at once."


def read(body: str, head: str = "", *, whole: bool = False) -> Document:
    html = f"<html><head><title>Ferry</title>{head}</head><body>{body}</body></html>"
    return parse(html.encode(), "page.html", Options(whole=whole))


@pytest.mark.parametrize("hiding", ["hidden", "aria-hidden=true"])
@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_page_that_is_hidden_until_a_script_runs_is_read(tag: str, hiding: str) -> None:
    html = f"<html><body><p>{LONG[0]}</p></body></html>".replace(f"<{tag}>", f"<{tag} {hiding}>")
    assert paragraphs(parse(html.encode(), "page.html", Options())) == [LONG[0]]


# Pages of short entries


@pytest.mark.parametrize("head", [OPEN_GRAPH, ""])
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
    text = read(
        f"<article><h1>Ferry</h1><div class=a>{FERRY_TEXT}</div><div class=b>{section}</div></article>", OPEN_GRAPH
    ).text
    assert text.count(PILOT_SAID) == section.count(LINKED)


def test_what_two_readers_find_is_the_article_with_the_text_around_it() -> None:
    first, *rest = LONG
    links, items = ["Read more", "Most read", "By Ann Reed"], ["1 litre of water", "30 g of salt", "2 onions"]
    before = [Block("Ferry", heading=1), *map(Block, ["Share", PROSE[0]])]
    after = [Block("Inquiry", heading=2), *map(Block, [PILOT_SAID, "Contact", PROSE[1]])]
    middle = [*LONG, *LONG, first, "Getty Images", rest[0], *links, rest[1], *items, first]
    blocks = [*before, *map(Block, middle), *after]
    kept = article_in(blocks, blocks, "\n".join(LONG), [*links, "Contact"])
    around = [*LONG, *LONG, first, "Getty Images", *rest, *items, first]
    assert [one.text for one in kept] == ["Ferry", PROSE[0], *around, "Inquiry", PILOT_SAID]
    assert article_in(blocks[:2], blocks, "\n".join(LONG), [*links, "Contact"]) == kept  # ours was not the article
    assert article_in(blocks, blocks, PROSE[2]) == article_in(blocks, blocks, "") == blocks


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [(slice(0, 6), slice(2, 4)), (slice(0, 6), slice(0, 3)), (slice(0, 4), slice(0, 6)), (slice(0, 4), slice(3, 6))],
    ids=["the middle", "the first half", "ours is short", "both are"],
)
def test_no_text_is_lost_if_one_reader_has_a_part_of_the_article(ours: slice, theirs: slice) -> None:
    text = [
        f"Chapter {n}: on the day {n} the boat {n} was late, and nobody on the pier {n} was told." for n in range(6)
    ]
    blocks = [*map(Block, text[:3]), *[Block("Read more")] * 3, *map(Block, text[3:])]
    part = [one for one in blocks if one.text in text[ours] or "more" in one.text]
    kept = article_in(part, [Block("Menu"), *blocks, Block("Imprint")], "\n".join(text[theirs]), ["Read more"])
    assert [one.text for one in kept if one.text in text] == text
    assert all(one in blocks for one in kept)


def test_the_extra_reads_articles_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_page, "_trafilatura", pytest.importorskip("trafilatura"))
    box = f"<div>{'<p>Read: <a href=/>the boats of the north</a></p>' * 3}</div>"
    html = f"<article><h1>Ferry</h1>{FERRY_TEXT}{box}{FERRY_TEXT}</article>"
    found = read(html, OPEN_GRAPH)
    assert ("Read:" in found.text, found.metadata["left_out"]) == (False, "18")
    costly = f"<br {' '.join(f'a{n}' for n in range(12_000))}>"  # it takes the square of their number
    assert "Read:" in read(html + costly, OPEN_GRAPH).text


# Hidden text


def test_all_hidden_panels_are_read_if_they_are_longer_than_what_is_shown() -> None:
    panels = "".join(f"<h2>Question {n}</h2><div hidden><p>{one}</p></div>" for n, one in enumerate(LONG))
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
    html = f"<main><h1>Soup</h1>{FERRY_TEXT}<h2>What it takes</h2><ul>{items}</ul><h2>Method</h2>{FERRY_TEXT}</main>"
    found = paragraphs(read(html))
    assert found.index("Method") - found.index("What it takes") == 9


@pytest.mark.parametrize(
    "note",
    [
        "<aside><p>In 1803 it froze twice, and <a href=/x>the king</a> came.</p></aside>",
        "<footer><ol><li id=fn1>In 1803 it froze twice, and <a href=/x>the king</a> came. <a href='#r'>↩</a></ol></footer>",
    ],
)
@pytest.mark.parametrize("head", [OPEN_GRAPH, ""])
def test_a_note_with_a_link_is_kept(note: str, head: str) -> None:
    assert "In 1803 it froze twice, and the king came." in read(f"<article>{FERRY_TEXT}{note}</article>", head).text


# Comments


def test_comments_that_are_longer_than_the_article_are_left_out() -> None:
    comments = "".join(
        f"<div class=one><b>Reader {n}</b> <span>{n} hours ago</span><p>I say: {LONG[n % 3]}</p></div>"
        for n in range(40)
    )
    text = read(
        f"<div><h1>Ferry</h1><div>{FERRY_TEXT}</div><div><div id=comments>{comments}</div></div></div>", OPEN_GRAPH
    ).text
    assert (text.count(LONG[0]), "I say" in text) == (3, False)
    assert "I say" in read(f"<div><h1>Ferry</h1><p>Look.</p><div id=comments>{comments}</div></div>", OPEN_GRAPH).text
