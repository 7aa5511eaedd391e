"""E-mail: messages and mailboxes by thread, quoted text once, attachments named, and odd parts never lost."""

from __future__ import annotations

import base64
from email.message import EmailMessage

import pytest

from fixtures.small_files import letter, mailbox
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import Options
from readagent.loaders.mail.parser import parse

ANNA, BRUNO = "Anna <anna@example.org>", "Bruno <bruno@example.org>"
QUESTION = "Shall we take the nine old boats across the river on Sunday, or wait for the new one?"


def read(data: bytes) -> Document:
    return parse(data, "boats.eml", Options())


def paragraphs(document: Document) -> list[tuple[int, str]]:
    return [(one.heading, document.text[one.start : one.end].strip("\n")) for one in document.paragraphs]


def texts(document: Document) -> list[str]:
    """Return what was written, without the lines about people."""
    return [text for level, text in paragraphs(document) if not level and not text.startswith(("From: ", "To: "))]


def test_a_message_has_its_sender_date_and_subject_as_its_place() -> None:
    document = read(letter(ANNA, "The boats", "Dear Bruno,\n\nthere are nine\nof them."))
    assert paragraphs(document) == [
        (1, "The boats"), (2, "Anna, 2024-03-01 10:15"), (0, "From: Anna <anna@example.org>"),
        (0, "To: Bruno <bruno@example.org>"), (0, "Dear Bruno,"), (0, "there are nine\nof them."),
    ]  # fmt: skip
    assert document.place_at(document.text.index("nine")) == "The boats, Anna, 2024-03-01 10:15"
    assert document.title == "The boats"
    assert (document.metadata["author"], document.metadata["date"]) == ("Anna", "2024-03-01")


def test_a_mailbox_is_read_by_thread_in_the_order_of_dates() -> None:
    first = letter(ANNA, "Boats", QUESTION, "Fri, 01 Mar 2024 10:00:00 +0000", Message_ID="<1@x>")
    other = letter(ANNA, "Ropes", "We need rope.", "Fri, 01 Mar 2024 10:30:00 +0000", Message_ID="<2@x>")
    late = letter(ANNA, "AW: Boats", "Then on Monday.", "Sun, 03 Mar 2024 10:00:00 +0000", References="<1@x> <3@x>")
    reply = letter(
        BRUNO, "Re: Boats", "I cannot.", "Sat, 02 Mar 2024 10:00:00 +0000", Message_ID="<3@x>", In_Reply_To="<1@x>"
    )
    headings = [(level, text) for level, text in paragraphs(read(mailbox(first, other, late, reply))) if level]
    assert headings == [
        (1, "Boats"), (2, "Anna, 2024-03-01 10:00"), (2, "Bruno, 2024-03-02 10:00"), (2, "Anna, 2024-03-03 10:00"),
        (1, "Ropes"), (2, "Anna, 2024-03-01 10:30"),
    ]  # fmt: skip


def test_quoted_history_is_kept_once() -> None:
    quoted = "\n".join(f"> {line}" for line in QUESTION.split(", "))
    reply = letter(BRUNO, "Re: Boats", f"Let us wait.\n\nOn Friday, Anna wrote:\n{quoted}")
    document = read(mailbox(letter(ANNA, "Boats", QUESTION), reply))
    assert texts(document) == [QUESTION, "Let us wait."]


def test_attachments_are_named_and_not_decoded() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = ANNA, "Plan"
    message.set_content("The plan is attached.")
    message.add_attachment(bytes(range(256)) * 40, maintype="application", subtype="pdf", filename="Pläne.pdf")
    document = read(message.as_bytes())
    assert texts(document) == ["The plan is attached.", "Attachments: Pläne.pdf"]
    assert len(document.text) < 200


def test_html_is_read_where_the_plain_text_is_missing() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = ANNA, "Plan"
    message.set_content("Your program shows no HTML.")
    html = f"<style>p {{color: red}}</style><p>{QUESTION}</p><ul><li>rope</li></ul><blockquote><p>earlier words</p></blockquote>"
    message.add_alternative(html, subtype="html")
    assert texts(read(message.as_bytes())) == [QUESTION, "- rope", "> earlier words"]


def test_encoded_headers_and_unknown_encodings() -> None:
    data = (
        b"From: =?utf-8?b?SsO8cmdlbg==?= <j@example.org>\nSubject: =?iso-8859-1?q?Gr=FC=DFe?=\n"
        b"Content-Type: text/plain; charset=nonsense\n\nGr\xc3\xbc\xc3\x9fe vom Fluss\n"
    )
    document = read(data)
    assert (document.title, document.metadata["author"]) == ("Grüße", "Jürgen")
    assert "Grüße vom Fluss" in document.text


def test_deep_nesting_and_nothing_but_headers_are_one_error() -> None:
    message = EmailMessage()
    message["From"] = ANNA
    message.set_content("the innermost")
    for _ in range(60):
        outer = EmailMessage()
        outer["From"] = ANNA
        outer.add_attachment(message)
        message = outer
    with pytest.raises(LoadError, match="nested too deeply"):
        read(message.as_bytes())
    with pytest.raises(LoadError, match="contains no message"):
        read(b"From: a@example.org\nMIME-Version: 1.0\n\n")


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


def test_attachments_parts_for_programs_and_a_binary_file_alone_are_named() -> None:
    attached = f"Content-Type: text/plain\nContent-Disposition: attachment; filename=a.txt\n\n{TEXT}"
    assert last(parts(attached)) == "Attachments: a.txt"
    assert last(parts("Content-Type: text/calendar\n\nStatus: 5.0.0\n")) == "Attachments: text/calendar"
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
