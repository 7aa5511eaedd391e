"""From HTML to blocks: the readable text in order, notes last; and malicious markup."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from readagent.loaders.blocks import Block, tidy
from readagent.loaders.html.content import blocks_of, notes_in, read
from readagent.loaders.html.nesting import MAX_DEPTH, limit_nesting
from readagent.loaders.html.tree import Element, tree_of, walk


def texts(html: str, *, images: bool = False) -> list[str]:
    """Return the blocks as text; headings with their level, lines separated by bars."""
    return [
        "#" * block.heading + " " * bool(block.heading) + tidy(block).replace("\n", " / ")
        for block in blocks_of(html, images=images)
    ]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>A <b>B</b><br>C</h1><h3>D</h3>", ["# A B C", "### D"]),
        ("<h2><div>One</div><div>two</div></h2>", ["## One two"]),
        ("<div role=heading aria-level=4>Four</div>", ["#### Four"]),
        ("<p>One\n  two<b>three</b>.</p>", ["One twothree."]),
        (
            "before<p>in</p>between<div>deep<p>er</p>after</div>end",
            ["before", "in", "between", "deep", "er", "after", "end"],
        ),
        ("<p>a<wbr>b <i>c</i>, d</p>", ["ab c, d"]),
        ("<p>one</p> <p> &nbsp; </p><p></p><p>two</p>", ["one", "two"]),
        ("<blockquote><p>said</p></blockquote>", ["said"]),
        ("<p>He said <q>no</q>.</p>", ["He said “no”."]),
        ("<details><summary>More</summary>text</details>", ["More", "text"]),
        ("<figure><img src=x alt='A photo'><figcaption>The dam</figcaption></figure>", ["The dam"]),
        ("<figure><img src=x><figcaption aria-hidden=true>The dam</figcaption></figure>", ["The dam"]),
        ("<p>漢<ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>だ</p>", ["漢字だ"]),
        ("<p><img alt=O src=o.png>nce upon a time</p>", ["Once upon a time"]),
        ("just text", ["just text"]),
        ("", []),
    ],
)
def test_paragraphs_and_headings(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no()</script>",
        "<style>p { no: no }</style>",
        "<template><p>no</p></template>",
        "<svg><text>no</text></svg>",
        "<noscript><p>no</p></noscript>",
        "<p hidden>no</p>",
        "<p style='color: red; Display : none'>no</p>",
        "<span aria-hidden=true>no</span>",
        "<select><option>no</select>",
        "<textarea>no</textarea>",
        "<iframe>no</iframe>",
        "<dialog>no</dialog>",
        "<!-- no -->",
        "<span class='sr-only'>no</span>",
        "<span class='pagenum'>[Pg 12]</span>",
        "<span epub:type='pagebreak' title='12'>12</span>",
        "<a class='headerlink' href='#x'>¶</a>",
    ],
)
def test_hidden_elements_are_left_out(hidden: str) -> None:
    assert " ".join(texts(f"<body>yes {hidden}, and yes</body>")).replace(" ,", ",") == "yes, and yes"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a<li>b</ul>", ["- a", "- b"]),
        ("<ol><li>a<li value=5>b<li>c</ol>", ["1. a", "5. b", "6. c"]),
        ("<ol start=3><li>c</ol>", ["3. c"]),
        ("<ul><li>a<ul><li>b<ul><li>c<ul><li>d</ul></ul></ul><li>e</ul>", ["- a", "– b", "· c", "· d", "- e"]),
        ("<ol><li>a<ol><li>b<li>c</ol><li>d</ol>", ["1. a", "1.1. b", "1.2. c", "2. d"]),
        ("<ul><li><p>one</p><p>two</p></li></ul>", ["- one", "two"]),
        ("<ul><li></li><li>x</li></ul><p>after</p>", ["- x", "after"]),
        ("<ul><li>• doubled</ul>", ["- doubled"]),
        ("<ol><li>1. doubled</ol>", ["1. doubled"]),
        ("<ul><li><h3>Title</h3><p>text</p></ul>", ["### Title", "text"]),
        ("<dl><dt>Salt<dd>white<dd>and dear<dt>Tar<dt>Pitch<dd>black<dt>Rope</dl>", ["Salt: white", "and dear", "Tar, Pitch: black", "Rope"]),
    ],
)  # fmt: skip
def test_lists(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


def test_a_table_is_lines_after_its_caption() -> None:
    html = (
        "<table><caption>Salt</caption><thead><tr><th>Year<th>Tonnes</thead>"
        "<tr><td>1959<td><p>41</p><p>short</p><tr><td><td>none<tr><td></table>"
    )
    assert blocks_of(html) == [Block("Salt"), Block("Year | Tonnes\n1959 | 41 short\n | none", lines=True)]


@pytest.mark.parametrize(
    "cells",
    [
        "<td>menu</td><td><p>" + "word " * 90 + "</p><p>second</p></td>",
        "<td>menu</td><td><h2>Title</h2>text</td>",
        "<td>menu</td><td><table><tr><td>in<td>ner</tr></table><pre>1\n2\n3\n4\n5\n6\n7\n8</pre></td>",
        "<td>alone</td>",
    ],
)
def test_a_layout_table_is_read_as_paragraphs(cells: str) -> None:
    blocks = blocks_of(f"<table><tr>{cells}</tr></table>")
    assert " | ".join(("menu", "")) not in blocks[0].text
    assert blocks[0].text in ("menu", "alone")


def test_code_and_verse_keep_their_lines() -> None:
    code = "  def f():\n\n      return 1 < 2"
    assert blocks_of(f"<pre><code>\n{code.replace('<', '&lt;')}\n</code></pre>") == [Block(code, lines=True)]
    assert blocks_of("<p>Roses are red<br>\nviolets<br/> are blue</p>") == [
        Block("Roses are red\nviolets\nare blue", lines=True)
    ]
    assert texts("<p>one<br><br>two</p>") == ["one", "two"]
    assert texts(f"<p>{'long ' * 30}<br>next</p>") == [f"{'long ' * 30}next"]


def test_a_long_listing_is_cut_at_its_blank_lines() -> None:
    part = "\n".join(["a line of it"] * 200)
    blocks = blocks_of(f"<pre>{part}\n \n\n{part}\n\n{part}</pre>")
    assert blocks == [Block(part, lines=True)] * 3


def test_a_rule_between_paragraphs_is_a_scene_break() -> None:
    assert texts("<hr><p>a</p><hr/><hr/><p>b</p><hr><h2>C</h2><hr><p>d</p><hr>") == ["a", "* * *", "b", "## C", "d"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("E = mc<sup>2</sup>", "E = mc^2"),
        ("10<sup>-3</sup> m", "10^-3 m"),
        ("x<sup>n</sup>", "x^n"),
        ("H<sub>2</sub>O", "H2O"),
        ("the 1<sup>st</sup>, le 2<sup>e</sup>, M<sup>me</sup> X", "the 1st, le 2e, Mme X"),
        ("Salt<sup>®</sup>", "Salt®"),
        ("so it is.<sup>7</sup> Then", "so it is.^7 Then"),
    ],
)
def test_superscripts_and_subscripts(html: str, expected: str) -> None:
    assert texts(f"<p>{html}</p>") == [expected]


SEMANTICS = (
    "<semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>"
    '<annotation encoding="application/x-tex">x^{2}</annotation></semantics>'
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f'<math alttext="x^{{2}}">{SEMANTICS}</math>', "x^{2}"),
        (f"<math>{SEMANTICS}</math>", "x^{2}"),
        (f"<span class=katex><span class=katex-mathml><math>{SEMANTICS}</math></span><span class=katex-html aria-hidden=true>x2</span></span>", "x^{2}"),
        ("<math><mfrac><mn>1</mn><mi>y</mi></mfrac><mo>=</mo><msub><mi>z</mi><mn>0</mn></msub></math>", "1/y=z_0"),
        ("<span style='display: none'><math alttext='x'><mi>x</mi></math></span><img class='mwe-math-fallback' alt='x'>", "x"),
        ("<span class='MathJax_Preview'>x</span><script type='math/tex'>x</script>", "x"),
    ],
)  # fmt: skip
def test_a_formula_is_read_once(html: str, expected: str) -> None:
    assert texts(f"<p>We have {html}.</p>") == [f"We have {expected}."]


PANDOC = (
    '<p>Text<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a>, more.</p>'
    '<section id="footnotes" class="footnotes" role="doc-endnotes"><hr /><ol><li id="fn1"><p>The note.'
    '<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>'
)
MAMMOTH = (
    '<p>Text<sup><a href="#footnote-1" id="footnote-ref-1">[1]</a></sup>, more.</p>'
    '<ol><li id="footnote-1"><p> The note. <a href="#footnote-ref-1">↑</a></p></li></ol>'
)
LIBREOFFICE = (
    '<p>Text<a class="sdfootnoteanc" name="n1anc" href="#n1sym"><sup>1</sup></a>, more.</p><div id="n1"><p>'
    '<a class="sdfootnotesym" name="n1sym" href="#n1anc">1</a>The note.</p></div>'
)
GUTENBERG = (
    '<p>Text <a name="FNanchor_1_1"></a><a href="#Footnote_1_1">[1]</a>, more.</p><h2>FOOTNOTES</h2><div class="footnote">'
    '<p><a name="Footnote_1_1"></a><a href="#FNanchor_1_1">[1]</a> The note.</p></div>'
)
EPUB = '<p>Text<a epub:type="noteref" href="#n1">1</a>, more.</p><aside epub:type="footnote" id="n1"><p>1. The note.</p></aside>'
WIKIPEDIA = (
    '<p>Text<sup id="cite_ref-1" class="reference"><a href="#cite_note-1"><span>[</span>1<span>]</span></a></sup>, more.'
    '</p><h2>References</h2><ol class="references"><li id="cite_note-1"><span class="mw-cite-backlink"><b>'
    '<a href="#cite_ref-1">^</a></b></span> <span>The note.</span></li></ol>'
)
LATEXML = (
    '<p>Text<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer">'
    '<span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>The note.'
    "</span></span></span>, more.</p>"
)


@pytest.mark.parametrize("html", [PANDOC, MAMMOTH, LIBREOFFICE, GUTENBERG, EPUB, WIKIPEDIA, LATEXML])
def test_notes_come_after_the_text_without_their_marks(html: str) -> None:
    assert texts(f"<h1>Title</h1>{html}") == ["# Title", "Text, more.", "# Notes", "1. The note."]


def test_a_note_of_several_paragraphs() -> None:
    html = LIBREOFFICE.replace("The note.</p>", "The note.</p><p>Its second paragraph.</p>")
    assert texts(html)[-2:] == ["1. The note.", "Its second paragraph."]


def test_links_that_look_like_note_marks_are_kept() -> None:
    contents = '<ol><li><a id="t1" href="#c1">I</a></li></ol><h2 id="c1"><a href="#t1">I</a></h2><p>Chapter one.</p>'
    assert texts(contents) == ["1. I", "## I", "Chapter one."]
    chapter = f'<p><a id="t" href="#c">1</a></p><div id="c"><p><a href="#t">up</a></p><p>{"word " * 4000}</p></div>'
    assert "1" in texts(chapter)
    assert texts('<p>As in <a href="#b1">[1]</a>.</p><ul><li id="b1">Orsin 1959.</ul>') == [
        "As in [1].",
        "- Orsin 1959.",
    ]


def test_anchors() -> None:
    root = tree_of("<p id=a>one</p><p>two <a name=b>three</a></p><h2><span id=c></span>four</h2><div id=d></div>")
    marked = read(root, notes=notes_in(root))
    assert dict(marked.anchors) == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_alternative_texts_of_images_on_request() -> None:
    html = "<p>Here <img alt='a dam' src=x>.</p>"
    assert texts(html, images=True) == ["Here a dam."]
    assert texts(html) == ["Here."] or texts(html) == ["Here ."]


def test_self_closing_elements_of_xhtml() -> None:
    html = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><body>'
        '<a id="p1"/><p>one <i/>two</p><p/><div/><p><![CDATA[a < b]]></p></body></html>'
    )
    assert texts(html) == ["one two", "a < b"]


# Malicious markup


SOUP = [
    "<div>", "<b>", "<i><p>", "<table>", "<table><tr><td>", "<table><tr><td>x<td>y", "<li><dd>", "<p><b id=%d>",
    "<font color=%d>", "<span><div></span></div>", "<div><object></div></object>", "<td><div>", "<ul><li>x", "<dl><dt>t",
    "<dl><dt>t<dd>", "<sup>x", "<sup></sup>", "<q>", "<pre>", "<h1>", "<h1><div>", "<blockquote>", "<svg><title><div>",
    "<a href=#x%d id=y%d>1</a>", "<sup><a href='#a%d' id='b%d'>1</a></sup><li id='a%d'><a href='#b%d'>1</a>", "<br>", "<hr>x",
    "<aside class=footnote>", "<math><msup>", "<ruby><rt>", "<!--", "<!-->", "<a '", "<![CDATA[", "<script>", "</p>", "<b></p>",
    "<body a%d=1>", "<x-y>", "<table><td><math><td><mrow>", "<select><option>", "<template>", "&", "<", "<frameset>",
]  # fmt: skip


@pytest.mark.parametrize("piece", SOUP)
def test_repeated_input_is_handled_in_linear_time(piece: str) -> None:
    blocks_of("".join(piece.replace("%d", str(number)) for number in range(5_000)) + "the end")


@pytest.mark.slow
def test_text_inside_deep_nesting_is_read() -> None:
    for tag in ("<span>", "<ul><li>", "<table><tr><td>", "<b><i>", "<blockquote>"):
        assert texts(tag * 10_000 + "the bottom")[-1].endswith("the bottom")
    assert texts("<div>" * 100_000 + "the bottom") == ["the bottom"]


def test_a_tag_with_very_many_attributes() -> None:
    assert texts(f"<p {' '.join(f'a{number}=1' for number in range(50_000))}>text</p>") == ["text"]


def depth_of(root: Element) -> int:
    """Return the depth of the tree."""
    depth = deepest = 0

    def enter(node: Element) -> bool:
        nonlocal depth, deepest
        depth += 1
        deepest = max(depth, deepest)
        return True

    def leave(node: Element) -> None:
        nonlocal depth
        depth -= 1

    walk(root, enter, leave)
    return deepest


TAGS = "a b div dd dl i li math object ol p pre ruby span svg table td th tr ul h1 section button font".split()
tags = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "x", "<br>", "<!-- -->"])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(tags, min_size=1, max_size=12))
@example(["<a>", "<a>", "<a>", "<a>", "<math>", "<td>"])  # a cell in a formula does not end the one before it
@example(["<ul>", "<section>", "</li>", "<li>", "<ul>"])  # </li> does not end an item around an inner list
@example(["<ol>", "<h1>", "<svg>", "</th>", "<th>", "<ol>", "<li>"])  # a list ends the drawing around it
@example(["<ruby>", "<ruby>", "<ruby>", "<ruby>", "<ul>", "<option>"])  # an option ends only one right before it
def test_the_depth_of_a_tree_is_limited(pieces: list[str]) -> None:
    assert depth_of(tree_of("".join(pieces) * 400)) < 5 * MAX_DEPTH


@settings(deadline=None)
@given(st.lists(tags, max_size=60))
def test_ordinary_markup_is_not_changed(pieces: list[str]) -> None:
    html = "".join(pieces)
    assert limit_nesting(html) == html or html.count("<b>") + html.count("<i>") + html.count("<font>") > 8


inline = st.recursive(
    st.integers(0, 999).map(lambda number: f"w{number}"),
    lambda inner: st.tuples(st.sampled_from("b i a span em".split()), st.lists(inner, min_size=1, max_size=3)).map(
        lambda made: f"<{made[0]}>{' '.join(made[1])}</{made[0]}>"
    ),
    max_leaves=4,
)
block = st.recursive(
    inline.map(lambda text: f"<p>{text}</p>"),
    lambda inner: st.tuples(
        st.sampled_from("div ul ol blockquote section table h2".split()), st.lists(inner, max_size=4)
    ).map(lambda made: built(*made)),
    max_leaves=12,
)


def built(tag: str, inner: list[str]) -> str:
    match tag:
        case "ul" | "ol":
            return f"<{tag}>{''.join(f'<li>{one}</li>' for one in inner)}</{tag}>"
        case "table":
            return f"<table>{''.join(f'<tr><td>{one}</td></tr>' for one in inner)}</table>"
        case _:
            return f"<{tag}>{''.join(inner)}</{tag}>"


@settings(deadline=None)
@given(st.lists(block, max_size=5))
def test_every_word_is_kept_once_and_in_order(parts: list[str]) -> None:
    html = "".join(parts)
    words = [word for word in html.replace("<", " <").replace(">", "> ").split() if word.startswith("w")]
    found = [word for block in blocks_of(html) for word in block.text.split() if word.startswith("w")]
    assert found == words


@settings(deadline=None)
@given(st.text() | st.lists(tags | st.text(max_size=5)).map("".join) | st.binary())
def test_any_input_is_parsed(html: str | bytes) -> None:
    for one in blocks_of(html):
        assert one.text.strip()
