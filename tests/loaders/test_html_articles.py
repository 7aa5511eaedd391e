"""Pages of news sites and blogs: what follows the text of an article is left out, and all of the text is kept."""

from __future__ import annotations

import pytest

from readagent.loaders.formats import Options
from readagent.loaders.html.parser import parse

PROSE = [
    "The weighbridge at Brenza was smaller than she remembered, and the curtains upstairs were somebody else's by now.",
    "She had come to certify it or to condemn it, and neither side would talk about the price until she had done so.",
    "Forty-one tonnes of salt had been weighed in that autumn which could not be weighed out again in the spring.",
    "There is no shortage without a hand in it, she told the trainees every year, with her own hands flat on the bench.",
]
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
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return parse(html.encode(), "page.html", Options(whole=whole)).text


def article(after: str, *, inside: str = "") -> str:
    return f"<main><h1>Salt</h1><div class=text>{TEXT}{inside}</div>{after}</main>"


@pytest.mark.parametrize("head", DECLARED.values(), ids=DECLARED)
def test_teasers_after_a_declared_article_are_left_out(head: str) -> None:
    body = article(f"<div class=more>{TEASERS}</div>")
    assert "did not know" not in text_of(body, head)
    assert text_of(body, head).rstrip().endswith(PROSE[-1])
    assert "did not know about Odessa" in text_of(body, head, whole=True)


def test_an_invitation_to_subscribe_is_left_out() -> None:
    tag = "div"
    assert "Stay informed" not in text_of(article(f"<{tag}>{NEWSLETTER}</{tag}>"))


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
@pytest.mark.parametrize("after", [comments(), TEASERS], ids=["replies", "sections"])
def test_other_pages_keep_what_follows_the_longest_part(after: str, head: str) -> None:
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
