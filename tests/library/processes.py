"""What child processes of the tests do with a library: ``python processes.py NAME HOME``.

They speak through pipes: a line out for each thing done, a line in as the sign to go on.
"""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from library.shelf import answer_to, memory_of
from readagent.core.asking.position import cut
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.core.plan import Plan
from readagent.library import Library

BOOK = "".join(f"Sentence number {n} of the book. " for n in range(600))


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def put_for_ever(home: str) -> None:
    """Puts calls and tells each key after it was kept, until it is killed."""
    library = Library(home)
    for n in itertools.count():
        library.put(str(n), "model", Ask("gist", f"prompt {n}"), Reply(f"reply {n} " * 50))
        say(n)


def put_some(home: str) -> None:
    """One writer of five hundred calls and a reading."""
    sys.stdin.readline()
    with Library(home) as library:
        for n in range(500):
            library.put(str(n), "model", Ask("gist", "prompt"), Reply(f"reply {n}"))
    say("done")


def watch(home: str) -> None:
    """A reader: what it has seen once it sees again, and never half of anything."""
    sys.stdin.readline()
    seen = 0
    with Library(home) as library:
        while seen < 500:
            reply = library.get(str(seen))
            if reply is not None:
                assert reply.text == f"reply {seen}"
                seen += 1
            library.documents()
    say("done")


def book(size: int) -> GistMemory:
    return memory_of(BOOK, title="The book", size=size)


def read_book(home: str) -> None:
    """Adds, starts and finishes the same reading again and again, with pages of its own size."""
    sys.stdin.readline()
    size = 100 + 7 * (os.getpid() % 10)
    memory = book(size)
    with Library(home) as library:
        for _ in range(8):
            document = library.add(memory.document)
            reading = library.start_reading(document, "key", model="m", prompts="p", plan=Plan(), window=None)
            library.finish_reading(reading, memory)
            found = library.memory(document)
            assert found is not None
            pages = found.pages
            assert "".join(found.page_text(page.number) for page in pages) == BOOK
    say(size)


def finish_for_ever(home: str) -> None:
    """Finishes the same reading with changing pages, until it is killed."""
    library = Library(home)
    for size in itertools.cycle((80, 150)):
        memory = book(size)
        document = library.add(memory.document)
        reading = library.start_reading(document, "key", model="m", prompts="p", plan=Plan(), window=None)
        library.finish_reading(reading, memory)
        say(size)


def grow_for_ever(home: str) -> None:
    """Lets a document grow page by page and tells how many it has, until it is killed."""
    library, whole = Library(home), book(100)

    def part(pages: int) -> GistMemory:
        document = cut(whole.document, whole.pages[pages - 1].end)
        return replace(whole, document=document, pages=whole.pages[:pages], gists=whole.gists[:pages])

    for pages in range(1, len(whole.pages) + 1):
        memory = part(pages)
        if pages == 1:
            document = library.add(memory.document)
            library.keep_answer(document, "", answer_to(), model="m")
        library.grow(document, memory)
        document = memory.document.id
        say(pages)


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
