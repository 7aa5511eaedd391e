"""Parts of the benchmark of shelves: worker processes that are measured, and a shelf with many cards."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import psutil

from readagent import Library
from readagent.core.document import Document
from readagent.core.memory import Gist, GistMemory, Page
from readagent.core.model import Vectors
from readagent.core.plan import Plan
from readagent.core.shelf.shelf_answer import Card
from readagent.filling import Filling

_LOOK = 0.1  # seconds


@dataclass(frozen=True, slots=True)
class Run:
    """What filling a shelf took: seconds between the first and last documents, and the most memory of a worker."""

    documents: int
    seconds: float
    cpu: float
    memory: int
    unfinished: int


def read_by(workers: int, url: str, server: str, parallel: int, environ: Mapping[str, str]) -> Run:
    """Fill a shelf with so many processes. The time in which they start is left out."""
    command = [sys.executable, "-m", "readagent", "shelf", "add", "books", "--library", url, "--base-url", server,
               "--json", "--model", "skimmer", "--parallel", str(parallel)]  # fmt: skip
    children = [
        psutil.Popen(command, env=dict(environ), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for _ in range(workers)
    ]
    watch = _Watch(children, url)
    watch.start()
    results = [json.loads(child.communicate()[0] or "{}") for child in children]
    watch.join()
    states = results[-1].get("states", {})
    done = states.get("done", 0)
    unfinished = sum(states.values()) - done if states else 1
    return Run(watch.counted, max(watch.seconds, 0.001), watch.cpu, watch.memory, unfinished)


class _Watch(threading.Thread):
    """Looks at the processes until they end: their processor time, their memory, and how many documents are done."""

    def __init__(self, children: list[psutil.Popen], url: str) -> None:
        super().__init__()
        self._children, self._url = children, url
        self.cpu, self.memory, self.counted, self.seconds = 0.0, 0, 1, 0.0
        self._used: dict[int, float] = {}  # seconds of CPU by process, also of those that have ended

    def run(self) -> None:
        with Library(self._url) as library:
            filling = Filling(library, "books")
            began, first, used = 0.0, 0, 0.0
            while any(child.poll() is None for child in self._children):
                done, cpu = filling.progress().done, self._looked()
                if not began and done >= len(self._children):
                    began, first, used = time.monotonic(), done, cpu
                elif began and done > first + self.counted - 1:
                    self.counted, self.seconds = done - first, time.monotonic() - began
                    self.cpu = cpu - used
                time.sleep(_LOOK)

    def _looked(self) -> float:
        for child in self._children:
            try:
                times = child.cpu_times()
                self._used[child.pid] = max(self._used.get(child.pid, 0.0), times.user + times.system)
                self.memory = max(self.memory, child.memory_info().rss)
            except psutil.Error:  # it has just ended
                continue
        return sum(self._used.values())


class SeededVectors:
    """Gives each text a direction of its own, as wide as the vectors of the offline reader."""

    name = "seeded"

    async def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.stack([np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384) for text in texts])
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return Vectors(384, rows.astype("<f4").tobytes())


async def fill_shelf(library: Library, count: int, embedder: SeededVectors) -> str:
    """Put so many short documents with cards and vectors on a shelf, and return its name."""
    shelf = library.shelves.new("contracts")
    plan = Plan()
    for number in range(count):
        text = (
            f"Contract number {number}. The tenant of house {number * 13 % 997} pays a rent of {number % 5000} crowns "
            f"to the owner of farm {number * 7 % 4999}, and repairs the roof in year {number % 60 + 1900}.\n"
        )
        document = Document.from_text(text, title=f"Contract {number}", source=f"/contracts/{number}.txt")
        memory = GistMemory(document, (Page(0, 0, len(text), 30),), (Gist(text.strip(), 30, "verbatim"),), plan, "m")
        name = library.add(document)
        reading = library.start_reading(name, memory.key, model="m", prompts="", plan=plan, window=None)
        library.finish_reading(reading, memory)
        library.shelves.keep_card(memory.key, Card(name, document.title, "contract", text.strip(), 30))
        library.shelves.keep_vector(name, memory.key, embedder.name, await embedder.embed([text]))
        library.shelves.put_on(shelf.id, name)
    library.compact()
    return shelf.name
