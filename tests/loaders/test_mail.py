"""E-mail: messages and mailboxes by thread, quoted text once, attachments named and never decoded into the text."""

from __future__ import annotations

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
        (1, "The boats"),
        (2, "Anna, 2024-03-01 10:15"),
        (0, "From: Anna <anna@example.org>"),
        (0, "To: Bruno <bruno@example.org>"),
        (0, "Dear Bruno,"),
        (0, "there are nine\nof them."),
    ]
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
        (1, "Boats"),
        (2, "Anna, 2024-03-01 10:00"),
        (2, "Bruno, 2024-03-02 10:00"),
        (2, "Anna, 2024-03-03 10:00"),
        (1, "Ropes"),
        (2, "Anna, 2024-03-01 10:30"),
    ]


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


def test_deep_nesting_is_one_error() -> None:
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


def test_nothing_but_headers_is_one_error() -> None:
    with pytest.raises(LoadError, match="contains no message"):
        read(b"From: a@example.org\nMIME-Version: 1.0\n\n")
