"""From HTML to blocks: the readable text in order, notes last; and malicious markup."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from readagent.loaders.blocks import Block, tidy
from readagent.loaders.formats import Options
from readagent.loaders.html.page import parse
from readagent.loaders.html.parser import blocks_of, notes_in, read
from readagent.loaders.html.tree import tree_of


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
        ("<div role=heading aria-level=4>Four</div>", ["#### Four"]),
        ("<p>a<wbr>b <i>c</i>, d</p>", ["ab c, d"]),
        ("<p>He said <q>no</q>.</p>", ["He said “no”."]),
        ("<figure><img src=x alt='A photo'><figcaption>The dam</figcaption></figure>", ["The dam"]),
        ("<p>漢<ruby>字<rp>(</rp><rt>じ</rt><rp>)</rp></ruby>だ</p>", ["漢字だ"]),
        ("", []),
    ],
)
def test_paragraphs_and_headings(html: str, expected: list[str]) -> None:
    assert texts(html) == expected


@pytest.mark.parametrize(
    "hidden",
    [
        "<script>no()</script>",
        "<svg><text>no</text></svg>",
        "<p style='color: red; Display : none'>no</p>",
        "<iframe>no</iframe>",
        "<span class='sr-only'>no</span>",
        "<a class='headerlink' href='#x'>¶</a>",
    ],
)
def test_hidden_elements_are_left_out(hidden: str) -> None:
    assert " ".join(texts(f"<body>yes {hidden}, and yes</body>")).replace(" ,", ",") == "yes, and yes"


@pytest.mark.parametrize(
    ("html", "expected"),
    [("<ul><li>a<li>b</ul>", ["- a", "- b"]), ("<ol start=3><li>c</ol>", ["3. c"]), ("<ul><li><p>one</p><p>two</p></li></ul>", ["- one", "two"]), ("<ol><li>1. doubled</ol>", ["1. doubled"]), ("<dl><dt>Salt<dd>white<dd>and dear<dt>Tar<dt>Pitch<dd>black<dt>Rope</dl>", ["Salt: white", "and dear", "Tar, Pitch: black", "Rope"])],
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
    ("rows", "expected"),
    [
        (["<th>Year<th>Item", "<td rowspan=3>2026<td>Apples", "<td>Pears", "<td>Plums", "<td>2027<td>Nuts"],
         "Year | Item\n2026 | Apples\n | Pears\n | Plums\n2027 | Nuts"),
        (["<th rowspan=2>Town<th colspan=2>Fare<th>Note", "<th>Day<th>Night<th>n", "<td>Ost<td>4<td>5<td>x"],
         "Town | Fare |  | Note\n | Day | Night | n\nOst | 4 | 5 | x"),
        (["<td colspan=3>Ost<td>4", "<td colspan=3>West<td>5"], "Ost | 4\nWest | 5"),
        (["<td colspan=999999999 rowspan=999999999>a<td>b", "<td>c"], "a | b\n | c"),
    ],
)  # fmt: skip
def test_an_empty_cell_stands_where_a_merged_one_covers(rows: list[str], expected: str) -> None:
    html = f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"
    assert blocks_of(html) == [Block(expected, lines=True)]


@pytest.mark.parametrize(
    "cells",
    ["<td>menu</td><td><p>" + "word " * 90 + "</p><p>second</p></td>", "<td>alone</td>"],
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


def test_a_rule_between_paragraphs_is_a_scene_break() -> None:
    assert texts("<hr><p>a</p><hr/><hr/><p>b</p><hr><h2>C</h2><hr><p>d</p><hr>") == ["a", "* * *", "b", "## C", "d"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [("E = mc<sup>2</sup>", "E = mc^2"), ("H<sub>2</sub>O", "H2O"), ("so it is.<sup>7</sup> Then", "so it is.^7 Then")],
)
def test_superscripts_and_subscripts(html: str, expected: str) -> None:
    assert texts(f"<p>{html}</p>") == [expected]


MATHML = "<math><mi>x</mi><mo>=</mo><msup><mi>y</mi><mn>2</mn></msup></math>"
FORMULAS = {
    "symbols": MATHML,
    "TeX": MATHML.replace("</math>", "<annotation encoding='application/x-tex'>x=y^2</annotation></math>"),
    "MathJax 2": f"<span class=MathJax>x=y2<span>{MATHML}</span></span><script type=math/tex>x=y^2</script>",
    "MathJax 3": f"<mjx-container class='MathJax m'><mjx-math aria-hidden=true>xy</mjx-math><i>{MATHML}</i></mjx-container>",
    "MathJax 4": "<mjx-container class=MathJax><math data-latex='x=y^2'><mi>y</mi></math></mjx-container>",
    "KaTeX": f"<b class=katex><b>{MATHML}</b><b aria-hidden=true>x=y2</b></b>",
}


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_a_formula_is_there_once(formula: str, whole: bool) -> None:
    html = f"<p>So {formula} holds.</p>".encode()
    assert parse(html, "page.html", Options(whole=whole)).text.strip() == "So x=y^2 holds."


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mi>c</mi></mfrac>", "(a+b)/c"),
        ("<mn>2</mn><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi>", "2 1/2 x"),
        ("<msup><mfrac><mi>a</mi><mi>b</mi></mfrac><mn>10</mn></msup>", "(a/b)^10"),
        ("<mo>(</mo><mfrac linethickness=0><mi>n</mi><mi>k</mi></mfrac><mo>)</mo>", "(n; k)"),
        ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", "√(x+1)x^(1/3)"),
        ("<munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>y</mi>", "lim_(x→0)y"),
        ("<msubsup><mi>T</mi><mn>0</mn><mn>2</mn></msubsup><mi>x</mi>", "T_0^2 x"),
        ("<msup><mrow/><mn>14</mn></msup><mi>C</mi>", "^14 C"),
        ("<mfenced><mi>p</mi><mi>q</mi></mfenced><mfenced open='' close=']'><mi>p</mi></mfenced>", "(p,q)p]"),
        ("<mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr> <mtr><mtd>3</mtd><mtd>4</mtd></mtr></mtable>", "1, 2; 3, 4"),
        ("<mi>v</mi><mo>=</mo><mtext>speed of\n light</mtext><mspace/><mn>299 792</mn>", "v=speed of light 299 792"),
        ("<mi>sin</mi><mi>x</mi><mphantom><mi>y</mi></mphantom>", "sin x"),
        ("<mrow>" * 5000 + "<mi>x</mi>", ""),
    ],
)
def test_what_a_formula_encloses_gets_brackets(formula: str, expected: str) -> None:
    assert "".join(texts(f"<p><math>{formula}</math></p>")) == expected


PANDOC = (
    '<p>Text<a href="#fn1" class="footnote-ref" id="fnref1" role="doc-noteref"><sup>1</sup></a>, more.</p>'
    '<section id="footnotes" class="footnotes" role="doc-endnotes"><hr /><ol><li id="fn1"><p>The note.'
    '<a href="#fnref1" class="footnote-back" role="doc-backlink">↩︎</a></p></li></ol></section>'
)
LATEXML = (
    '<p>Text<span class="ltx_note ltx_role_footnote"><sup class="ltx_note_mark">1</sup><span class="ltx_note_outer">'
    '<span class="ltx_note_content"><sup class="ltx_note_mark">1</sup><span class="ltx_tag ltx_tag_note">1</span>The note.'
    "</span></span></span>, more.</p>"
)


@pytest.mark.parametrize("html", [PANDOC, LATEXML])
def test_notes_come_after_the_text_without_their_marks(html: str) -> None:
    assert texts(f"<h1>Title</h1>{html}") == ["# Title", "Text, more.", "# Notes", "1. The note."]


def test_anchors() -> None:
    root = tree_of("<p id=a>one</p><p>two <a name=b>three</a></p><h2><span id=c></span>four</h2><div id=d></div>")
    marked = read(root, notes=notes_in(root))
    assert dict(marked.anchors) == {"a": 0, "b": 1, "c": 2, "d": 3}


# Malicious markup


SOUP = ["<div>", "<table>", "<li><dd>", "<span><div></span></div>", "<dl><dt>t", "<sup></sup>", "<h1>", "<svg><title><div>", "<br>", "<math><msup>", "<!-->", "</p>", "<x-y>", "<template>", "<frameset>"]  # fmt: skip


@pytest.mark.parametrize("piece", SOUP)
def test_repeated_input_is_handled_in_linear_time(piece: str) -> None:
    blocks_of("".join(piece.replace("%d", str(number)) for number in range(2_000)) + "the end")


TAGS = "a b div dd dl i li math object ol p pre ruby span svg table td th tr ul h1 section button font".split()
tags = st.sampled_from([*(f"<{tag}>" for tag in TAGS), *(f"</{tag}>" for tag in TAGS), "x", "<br>", "<!-- -->"])


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
