"""E-mail: messages and mailboxes by thread, quoted text once, attachments named and never decoded into the text."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from pathlib import Path

import pytest

from fixtures.small_files import letter, mailbox
from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders import load
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


def test_the_address_of_a_person_with_a_name_is_told_once() -> None:
    letters = [letter(ANNA, "Boats", "One."), letter(BRUNO, "Re: Boats", "Two."), letter(ANNA, "Re: Boats", "Three.")]
    text = read(mailbox(*letters)).text
    assert text.count("anna@example.org") == text.count("bruno@example.org") == 1
    assert text.index("Bruno <bruno@example.org>") < text.index("One.")
    bare = read(letter('"cy@example.org" <cy@example.org>', "Boats", "Four.")).text
    assert bare.count("cy@example.org") == 1


def test_quoted_history_is_kept_once() -> None:
    quoted = "\n".join(f"> {line}" for line in QUESTION.split(", "))
    reply = letter(BRUNO, "Re: Boats", f"Let us wait.\n\nOn Friday, Anna wrote:\n{quoted}")
    document = read(mailbox(letter(ANNA, "Boats", QUESTION), reply))
    assert texts(document) == [QUESTION, "Let us wait."]


def test_a_quoted_passage_that_is_answered_is_shortened() -> None:
    reply = letter(BRUNO, "Re: Boats", f"> {QUESTION}\n\nOn Sunday.")
    shortened = "> Shall we take the nine old boats across the river on Sunday, …"
    assert texts(read(mailbox(letter(ANNA, "Boats", QUESTION), reply)))[1:] == [shortened, "On Sunday."]


def test_quoted_text_that_appears_nowhere_else_is_kept() -> None:
    assert f"> {QUESTION}" in texts(read(letter(BRUNO, "Re: Boats", f"Yes.\n\n> {QUESTION}")))


def test_the_history_below_an_original_message_line_is_kept_once() -> None:
    reply = letter(BRUNO, "Re: Boats", f"Yes.\n\n-----Original Message-----\nFrom: Anna\nSent: Friday\n\n{QUESTION}")
    document = read(mailbox(letter(ANNA, "Boats", QUESTION), reply))
    assert document.text.count("nine old boats") == 1


def test_footers_are_kept_once() -> None:
    footer = "\n\n-- \nSent by the boat club, Elbe street 9\n"
    letters = [letter(ANNA, f"News {n}", f"There are {n} boats.{footer}") for n in range(3)]
    assert read(mailbox(*letters)).text.count("Elbe street") == 1


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


def test_plain_text_comes_before_html_of_the_same_length() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = ANNA, "Plan"
    message.set_content("Nine boats, plain.")
    message.add_alternative("<p>Nine boats, <b>bold</b>.</p>", subtype="html")
    assert texts(read(message.as_bytes())) == ["Nine boats, plain."]


def test_a_forwarded_message_is_read() -> None:
    inner, outer = EmailMessage(), EmailMessage()
    inner["From"], inner["Subject"] = BRUNO, "Ropes"
    inner.set_content("We need rope.")
    outer["From"], outer["Subject"] = ANNA, "Fwd: Ropes"
    outer.set_content("See below.")
    outer.add_attachment(inner)
    assert paragraphs(read(outer.as_bytes())) == [
        (1, "Fwd: Ropes"),
        (2, "Anna"),
        (0, "From: Anna <anna@example.org>"),
        (0, "See below."),
        (3, "Bruno"),
        (0, "From: Bruno <bruno@example.org>"),
        (0, "We need rope."),
    ]


def test_encoded_headers_and_unknown_encodings() -> None:
    data = (
        b"From: =?utf-8?b?SsO8cmdlbg==?= <j@example.org>\nSubject: =?iso-8859-1?q?Gr=FC=DFe?=\n"
        b"Content-Type: text/plain; charset=nonsense\n\nGr\xc3\xbc\xc3\x9fe vom Fluss\n"
    )
    document = read(data)
    assert (document.title, document.metadata["author"]) == ("Grüße", "Jürgen")
    assert "Grüße vom Fluss" in document.text


def test_encoded_files_in_the_text_are_left_out() -> None:
    encoded = base64.encodebytes(bytes(range(256)) * 4).decode()
    signature = "-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAdFiEE\n-----END PGP SIGNATURE-----\n"
    document = read(letter(ANNA, "Boats", f"Before.\n\n{encoded}\nAfter.\n\n{signature}"))
    assert texts(document) == ["Before.", "After."]


def test_a_line_that_begins_with_from_does_not_end_a_message() -> None:
    document = read(mailbox(letter(ANNA, "Boats", "We leave.\n\nFrom here it is far.\n\n>From there too.")))
    assert texts(document) == ["We leave.", "From here it is far.", "From there too."]


def test_messages_of_apple_mail(tmp_path: Path) -> None:
    message = letter(ANNA, "Boats", "There are nine.")
    path = tmp_path / "1.emlx"
    path.write_bytes(f"{len(message)}\n".encode() + message + b'<?xml version="1.0"?><plist><dict/></plist>')
    assert load(path).text.endswith("There are nine.\n\n")


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
