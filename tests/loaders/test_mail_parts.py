"""E-mail whose parts are labelled oddly or wrongly: its text is read, or named, and never lost."""

from __future__ import annotations

import base64

import pytest

from fixtures.small_files import letter
from readagent.core.document import Document
from readagent.loaders.formats import Options
from readagent.loaders.mail.parser import parse

TEXT = "The nine old boats cross the river on Sunday, before the new one comes."
HEAD = "From: Anna <anna@example.org>\nSubject: Boats\nMIME-Version: 1.0\n"


def message(headers: str, body: str = TEXT) -> Document:
    return parse(f"{HEAD}{headers}\n\n{body}\n".encode(), "boats.eml", Options())


def parts(*others: str, kind: str = "mixed", boundary: str = "B") -> Document:
    body = "".join(f"--B\n{one}\n" for one in ("Content-Type: text/plain\n\nFirst.", *others)) + "--B--"
    return message(f"Content-Type: multipart/{kind}; boundary={boundary}", body)


def last(document: Document) -> str:
    paragraph = document.paragraphs[-1]
    return document.text[paragraph.start : paragraph.end].strip()


@pytest.mark.parametrize(
    "headers",
    ['Content-Type: text/plain; name="message.txt"\nContent-Disposition: inline', "Content-Type: text/x-unknown"],
)
def test_text_that_is_not_an_attachment_is_read(headers: str) -> None:
    assert last(parts(f"{headers}\n\n{TEXT}")) == TEXT


def test_text_that_is_an_attachment_is_named() -> None:
    document = parts(f"Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\n{TEXT}")
    assert last(document) == "Attachments: a.txt"


def test_parts_for_programs_are_named() -> None:
    kind = "text/calendar"
    assert last(parts(f"Content-Type: {kind}\n\nStatus: 5.0.0\n")) == f"Attachments: {kind}"


def test_a_binary_file_alone_is_named_and_not_read() -> None:
    pdf = base64.encodebytes(b"%PDF-1.4\n1 0 obj\n").decode()
    document = message("Content-Type: application/octet-stream; name=a.pdf\nContent-Transfer-Encoding: base64", pdf)
    assert last(document) == "Attachments: a.pdf"


def test_base64_is_decoded_also_with_a_footer_below_or_without_its_end() -> None:
    encoded = base64.encodebytes(f"{TEXT} They return late.".encode()).decode().rstrip("=\n")
    body = encoded + "\n_______________\nThe boat club (list)"
    text = message("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64", body).text
    assert TEXT in text
    assert "The boat club (list)" in text


def test_no_control_characters_in_the_text_the_places_the_title_and_the_metadata() -> None:
    document = parse(
        letter("A\x1b[31mnna <a@example.org>", "\x1b]0;x\x07 Bo\u202eats\x9b", f"\x9b31m{TEXT}\x07"), "", Options()
    )
    fields = [document.text.replace("\n", ""), document.title, *document.metadata.values()]
    assert all(one.isprintable() for one in [*fields, *(paragraph.place for paragraph in document.paragraphs)])
    assert document.place_at(document.text.index("nine")).startswith("]0;x Boats, ")
