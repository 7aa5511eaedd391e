"""Child processes that use a library, as the tests start them: ``python processes.py FUNCTION HOME [ARGUMENT]``.

They communicate through pipes: a child prints a line for each thing done, and waits for a line before it begins.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from library.shelf import kept, memory_of
from readagent.core.memory import GistMemory
from readagent.core.model import Ask, Reply
from readagent.library import Library

BOOK = "".join(f"Sentence number {n} of the book. " for n in range(600))


def start(name: str, home: Path | str, *arguments: object) -> subprocess.Popen[str]:
    """Start a child that runs the function of this name."""
    command = [sys.executable, __file__, name, str(home), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def say(*words: object, sep: str = " ") -> None:
    os.write(1, (sep.join(map(str, words)) + "\n").encode())


def put_for_ever(home: str) -> None:
    """Store calls and print each key once it is stored, until killed."""
    library = Library(home)
    for n in itertools.count():
        library.put(str(n), "model", Ask("gist", f"prompt {n}"), Reply(f"reply {n} " * 50))
        say(n)


def claim_sources(home: str) -> None:
    """Claim the sources of a shelf, three at a time, until there are none left, and print them."""
    corpora = Library(home).corpora
    corpus, worker = corpora.find("tales"), corpora.enlist()
    say("ready")
    sys.stdin.readline()
    claimed = []
    while rows := corpora.claim(corpus, worker, 3):
        claimed += [row.id for row in rows]
    say(*claimed)
    sys.stdin.read()  # a lease ends with its process


def claim_some(home: str, most: str) -> None:
    """Claim sources of a shelf, and wait to be killed."""
    corpora = Library(home).corpora
    corpus, worker = corpora.find("tales"), corpora.enlist()
    claimed = corpora.claim(corpus, worker, int(most)) or corpora.claim_suspect(corpus, worker)
    say("claimed" if claimed else "nothing")
    sys.stdin.read()


def book(size: int) -> GistMemory:
    return memory_of(BOOK, title="The book", size=size)


def finish_for_ever(home: str) -> None:
    """Finish the same reading with changing pages, until killed."""
    library = Library(home)
    for size in itertools.cycle((80, 150)):
        memory = book(size)
        kept(library, memory, "key")
        say(size)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
