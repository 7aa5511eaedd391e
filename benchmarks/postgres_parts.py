"""What `postgres.py` needs: documents to fill a library with, and the work of one client."""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import psutil
from common import SEED, Value

from readagent import Library, ReadAgent
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.plan import Plan
from readagent.errors import LibraryError
from readagent.testing import Skimmer

_WORDS = 20  # of a page
_RARE = 100  # one page in so many has a word that can be looked for
_PEOPLE = ("Ilse", "Marten", "Odile", "Pavel", "Rosa", "Sven")
_VOCABULARY = [f"{first}{second}" for first in ("bar", "del", "fin", "gor", "hul", "kam", "lor", "mir", "nev", "pol")
               for second in ("an", "eck", "id", "oss", "um", "ya", "ent", "il", "ora", "ust")]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: ``repeats`` of each work in each round."""

    documents: int
    pages: int
    rounds: int
    repeats: int


def person(number: int) -> str:
    """Return one of the people that the documents tell of."""
    return _PEOPLE[number % len(_PEOPLE)]


def fill() -> None:
    """Add documents that are read to a library, in a process of its own, whose arguments say which."""
    place, (first, documents, step, pages) = sys.argv[1], map(int, sys.argv[2:])
    with Library(place) as library:
        for number in range(first, documents, step):
            if number and number % 100 == 0:
                print(f"          document {number} in {library.location[:6]}", file=sys.stderr, flush=True)
            memory = _memory(number, pages)
            name = library.add(memory.document)
            reading = library.start_reading(name, memory.key, model="m", prompts="p", plan=memory.plan, window=None)
            library.finish_reading(reading, memory)


class Alone:
    """One client of a library, and its server if it has one."""

    def __init__(self, place: str, server: psutil.Process | None = None) -> None:
        self._server, self._turn, self._opened = server, 0, ExitStack()
        self._library = self._opened.enter_context(Library(place))
        self._agent = self._opened.enter_context(ReadAgent(Skimmer(), library=self._library))
        self._names = [row.id for row in self._library.documents()]
        self._work: dict[str, Callable[[], object]] = {
            "list": self._library.documents,
            "find, 1 page": lambda: self._library.search(f"d{self._turn % len(self._names)}p7"),
            "find, 1 page in 100": lambda: self._library.search("lantern"),
            "memory": self._memory,
            "ask": lambda: self._agent.ask(self._memory(), f"What does {person(self._turn)} do on day {self._turn}?"),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._opened.close()

    def timed(self, work: str) -> tuple[float, float]:
        """Do some work, and return the milliseconds that it took, and those of CPU time."""
        self._turn += 1
        used, began = self._cpu(), time.perf_counter()
        self._work[work]()
        took = time.perf_counter() - began
        return 1000 * took, 1000 * (self._cpu() - used)

    def _cpu(self) -> float:
        """Return the seconds of CPU time that this process and the server have used."""
        used = time.process_time()
        if self._server is not None:
            used += sum(self._server.cpu_times()[:4])  # with those of its processes that have ended
            for one in self._server.children():
                with suppress(psutil.NoSuchProcess):
                    used += sum(one.cpu_times()[:2])
        return used

    def _memory(self) -> GistMemory:
        memory = self._library.memory(self._names[self._turn * 37 % len(self._names)])
        assert memory is not None
        return memory


def _memory(number: int, pages: int) -> GistMemory:
    dice = random.Random(SEED + number)
    texts = []
    for page in range(pages):
        words = dice.choices(_VOCABULARY, k=_WORDS)
        words[:4] = person(dice.randrange(99)), f"d{number}p{page}", "day", str(dice.randrange(1000))
        if page % _RARE == number % _RARE:
            words[4] = "lantern"
        texts.append(" ".join(words) + ".\n\n")
    document = Document.from_text("".join(texts), title=f"Book {number}", source=f"/books/{number}.txt")
    ends = list(itertools.accumulate(map(len, texts)))
    starts = [0, *ends[:-1]]
    found = tuple(Page(n, start, end, _WORDS) for n, (start, end) in enumerate(zip(starts, ends, strict=True)))
    gists = tuple(Gist(" ".join(text.split()[:3]), 3) for text in texts)
    return GistMemory(document, found, gists, Plan(), "m", "p")


def storage(url: str) -> list[dict[str, Value]]:
    """Return what the server's compressions make of the texts of 50 documents, where it has them."""
    rows: list[dict[str, Value]] = []
    with Library(url) as library:
        db = library._db
        for name in ("none", "pglz", "lz4"):
            how = "STORAGE EXTERNAL" if name == "none" else f"COMPRESSION {name}"
            try:
                db.rows("CREATE TABLE try (text BYTEA)")
                db.rows(f"ALTER TABLE try ALTER COLUMN text SET {how}")
                began = time.perf_counter()
                db.rows("INSERT INTO try SELECT text || x'' FROM documents ORDER BY id LIMIT 50")
                written = time.perf_counter() - began
                (size,) = db.rows("SELECT pg_total_relation_size('try')")[0]
                began = time.perf_counter()
                db.rows("SELECT text FROM try")
                rows.append({"compression": name, "MB": round(size / 1e6, 2), "written ms": round(1000 * written, 1),
                             "read ms": round(1000 * (time.perf_counter() - began), 1)})  # fmt: skip
            except LibraryError:
                rows.append({"compression": name, "MB": "not in this server"})
            finally:
                db.rows("DROP TABLE IF EXISTS try")
    return rows
