"""OpenDocument texts, zipped and flat: the visible text, and one clear error for files that cannot be read."""

from __future__ import annotations

import io
import zipfile

import pytest

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.office.odt import parse

OASIS = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{short}="{OASIS}:{name}:1.0"'
    for short, name in {"office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing",
                        "meta": "meta", "svg": "svg-compatible"}.items()
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xlink="http://www.w3.org/1999/xlink"'  # fmt: skip
KIND = 'office:mimetype="application/vnd.oasis.opendocument.text" office:version="1.3"'
STYLES = """
<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Preformatted_20_Text"/>
<style:style style:name="P2" style:family="paragraph" style:parent-style-name="Title"/>
<style:style style:name="T1" style:family="text"><style:text-properties text:display="none"/></style:style>
"""
META = """<office:meta><dc:title>The lamp</dc:title><meta:initial-creator>Ida Brandt</meta:initial-creator>
<meta:creation-date>2021-03-04T05:06:07.89</meta:creation-date><dc:language>en-GB</dc:language></office:meta>"""


def flat(body: str, head: str = META, styles: str = STYLES) -> bytes:
    automatic = f"<office:automatic-styles>{styles}</office:automatic-styles>"
    inside = f"<office:body><office:text>{body}</office:text></office:body>"
    return f"<?xml version='1.0'?><office:document {KIND} {SPACES}>{head}{automatic}{inside}</office:document>".encode()


def zipped(body: str, **parts: str) -> bytes:
    """Return the text as a zip; further parts by name, with __ for / and _ for a full stop."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.text", zipfile.ZIP_STORED)
        archive.writestr("content.xml", flat(body, ""))
        archive.writestr("meta.xml", f"<office:document-meta {SPACES}>{META}</office:document-meta>")
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), content)
    return buffer.getvalue()


def read(data: bytes) -> Document:
    return parse(data, "river.odt", Options())


def found(body: str) -> list[tuple[int, str]]:
    """Return level and text of each paragraph, the same for the zipped and the flat file."""
    document = read(flat(body))
    assert read(zipped(body)) == document
    return [(one.heading, document.text[one.start : one.end].rstrip("\n")) for one in document.paragraphs]


def texts(body: str) -> list[str]:
    return [text for _, text in found(body)]


def refused(data: bytes) -> LoadError:
    with pytest.raises(LoadError) as caught:
        read(data)
    assert "river.odt" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.hint
    return caught.value


def test_headings_and_paragraphs() -> None:
    body = (
        '<text:h text:outline-level="1">One</text:h><text:p>Anna  crossed\n the <text:span>ri</text:span>ver.</text:p>'
    )
    body += '<text:section><text:h text:outline-level="2">Two</text:h><text:h>Plain</text:h></text:section><text:p/>'
    body += '<text:h text:outline-level="999999999999">Far</text:h>'
    assert found(body) == [(1, "One"), (0, "Anna crossed the river."), (2, "Two"), (1, "Plain"), (1, "Far")]


def test_invisible_content_is_left_out() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>deleted</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes><text:table-of-content><text:index-body><text:p>Anna ... 7</text:p>"
        "</text:index-body></text:table-of-content><text:p>Anna <text:change/><office:annotation><text:p>a comment"
        '</text:p></office:annotation><text:span text:style-name="T1">hidden</text:span>crossed.</text:p>'
        '<text:p text:style-name="T1">hidden too</text:p><text:p text:style-name="Contents_20_1">One ... 1</text:p>'
    )
    assert texts(body) == ["Anna crossed."]


def test_an_object_that_cannot_be_read_is_left_out_and_told() -> None:
    def with_object(declared: str) -> Document:
        part = f"<!DOCTYPE math {declared}><math><mi>x</mi></math>"
        frame = '<draw:frame><draw:object xlink:href="./Formula"/></draw:frame>'
        return read(zipped(f"<text:p>So {frame}.</text:p>", Formula__content_xml=part))

    assert with_object('PUBLIC "-//OpenOffice.org//DTD" "math.dtd"').text == "So x.\n\n"
    document = with_object('[<!ENTITY x "y">]')
    assert document.text == "So .\n\n"
    assert "Formula/content.xml declares a document type" in document.metadata["not_read"]


def test_a_file_with_a_password_and_other_files_are_refused() -> None:
    manifest = "<manifest><file-entry><encryption-data/></file-entry></manifest>"
    assert "password" in str(refused(zipped("<text:p>x</text:p>", **{"META-INF__manifest_xml": manifest})))
    refused(b"")
    refused(b"%PDF-1.7")


def document_of(kind: str, body: str) -> Document:
    presentation = 'xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0"'
    inside = f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"
    return read(f"<office:document {SPACES} {presentation}>{META}{inside}</office:document>".encode())


def cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


def test_a_spreadsheet() -> None:
    twice = cell("Anna", "table:number-columns-repeated='2'")
    rows = (
        f"<table:table-header-rows><table:table-row>{cell('name')}{cell('age')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('Ida')}{cell('9 years')}<table:table-cell table:number-columns-repeated='16000'/></table:table-row>"
        "<table:table-row table:number-rows-repeated='40'><table:table-cell/></table:table-row>"
        f"<table:table-row table:number-rows-repeated='2'>{twice}</table:table-row>"
    )
    document = document_of("spreadsheet", f"<table:table table:name='Boats'>{rows}</table:table>")
    assert document.text == "Boats\n\nname | age\nIda | 9 years\nAnna | Anna\nAnna | Anna\n\n"
    assert document.place_at(document.text.index("Anna")) == "rows 1-44, Boats"


def test_an_empty_cell_stands_where_a_merged_one_covers() -> None:
    covered = "<table:covered-table-cell/>"
    rows = (
        cell("Town", "table:number-rows-spanned='2'") + cell("Fare", "table:number-columns-spanned='2'") + covered,
        covered + cell("Day") + cell("Night"),
        cell("Ost", "table:number-columns-spanned='2'") + covered + cell("5"),
    )
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    assert texts(f"<table:table>{body}</table:table>") == ["Town | Fare\n | Day | Night\nOst |  | 5"]


def test_a_presentation() -> None:
    def frame(role: str, text: str) -> str:
        return f"<draw:frame presentation:class='{role}'><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"

    notes = f"<presentation:notes>{frame('notes', 'Speak slowly.')}</presentation:notes>"
    first = f"<draw:page>{frame('outline', 'Nine of them.')}{frame('title', 'Boats')}{frame('footer', 'ACME')}{notes}</draw:page>"
    document = document_of("presentation", f"{first}<draw:page>{frame('outline', 'The end.')}</draw:page>")
    assert document.text == "Boats\n\nNine of them.\n\nNotes: Speak slowly.\n\nSlide 2\n\nThe end.\n\n"
    assert document.place_at(document.text.index("Nine")) == "slide 1, Boats"
    assert document.place_at(document.text.index("end")) == "Slide 2, par. 1"
