"""A library that has rows in every table that is copied."""

from __future__ import annotations

from array import array
from dataclasses import replace

from library.shelf import STORY, answer_to, kept, memory_of
from library.test_pinned import grown
from readagent.core.memory import Gist, GistMemory
from readagent.core.model import Ask, Reply, Vectors
from readagent.core.question import Question
from readagent.core.shelf.shelf_answer import Card, ShelfAnswer
from readagent.core.trace import Usage
from readagent.library import Library
from readagent.library.corpus_rows import Entry, Spending
from readagent.library.documents import note
from readagent.library.rows import AnswerNote


def fill_everything(library: Library, *, texts: int = 3) -> list[GistMemory]:
    """Store some of everything, and return the memories."""
    memories = [_read(library, f"{STORY}Number {n}.\0\ud800 東京の灯台", n) for n in range(texts)]
    first = memories[0]
    longer = grown(first)
    library.grow(first.document.id, longer)
    memories[0] = longer
    name, key = longer.document.id, longer.key
    library.pin(longer, {1: "my own gist"})
    library.keep_levels(name, key, {(0, 5): Gist("shorter", 1)})
    noted = library.keep_answer(name, key, replace(answer_to(), choice="B"), model="m", thread="t")
    library.annotate(noted, AnswerNote(True, "For chapter 2"))
    library.keep_original(name, b"%PDF-1.7")
    library.highlight(name, 2, 8)
    library.remove_answer(library.keep_answer(name, key, answer_to("And who is gone?"), model="m"))
    library.put("key", "m", Ask("gist", "prompt \ud800"), Reply("reply", usage=Usage(3, 2, 1, 0.25)))
    library.put("free", "m", Ask("gist", "prompt"), Reply("reply", usage=Usage(3, 2, 1, None)))
    library.keep_facts("server", b"facts")
    library.keep_vectors({bytes([n]): bytes(16) for n in range(5)})
    shelf = library.shelves.new("tales")
    card = Card(name, "The lamp", "story", "Of lamps and rivers.", 4)
    library.shelves.put("tales", name)
    library.shelves.keep_card(key, card)
    library.shelves.keep_vector(name, key, "embedder", Vectors(2, array("f", [0.6, -0.8]).tobytes()))
    library.shelves.keep_answer("tales", ShelfAnswer(Question("Who?"), "Anna.", None, (card,)), model="m")
    library.keep_file("/texts/lamp.txt", b"digest", name)
    library.jobs.new("shelf", document=name, shelf=shelf.id, request={"question": "Who?"})
    corpus = library.corpora.open("tales")
    library.corpora.add(corpus, [Entry("/texts/lamp.txt", {"author": "\ud800 Ada"}, "1"), Entry("/texts/none.txt")])
    library.corpora.add_manifest(corpus, "/texts/\ud800 list.csv")
    worker = library.corpora.enlist()
    (first, second) = library.corpora.claim(corpus, worker, 2)
    library.corpora.finish(worker, first.id, name, pages=2, spent=Spending(3, 400, 0.5))
    library.corpora.fail(worker, second.id, ValueError("no \ud800"), again=True, spent=Spending())
    library.corpora.spend(corpus, worker, Spending(3, 400, 0.5, 1))
    library.corpora.dismiss(corpus, worker)
    library._db.insist(lambda: _forget(library))
    return memories


def _forget(library: Library) -> None:
    with library._db.transaction():
        note(library._db, "a conversation")


def _read(library: Library, text: str, number: int) -> GistMemory:
    memory = memory_of(text, title=f"The lamp {number}", source=f"/texts/lamp-{number}.txt")
    kept(library, memory)
    return memory
