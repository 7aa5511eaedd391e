"""Documents: facts about them, and the form in which these are stored."""

from __future__ import annotations

from readagent.core.document import Document


def test_facts_round_trip() -> None:
    document = Document("One.", (), metadata={"author": "A. Valk"}, kind="book", code="Python", source_end=2)
    assert document.facts == {"author": "A. Valk", "kind": "book", "code": "Python", "appended": "2"}
    assert Document("One.", ()).with_facts(document.facts) == document
    assert Document("One.", ()).facts == {}


def test_documents_stored_by_version_0_1_keep_their_meaning() -> None:
    stored = {"author": "A. Valk", "kind": "transcript", "appended": "1200"}
    document = Document("One.", ()).with_facts(stored)
    assert (document.kind, document.code, document.source_end) == ("transcript", "", 1200)
    assert document.metadata == {"author": "A. Valk"}


def test_the_id_depends_on_the_text_alone() -> None:
    document = Document.from_text("One.", title="T", source="/a")
    assert document.with_facts({"kind": "book", "author": "A"}).id == Document("One.", ()).id
