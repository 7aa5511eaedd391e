"""`readagent serve` under load: 50 people ask, 10 documents are read. Is anything lost, and does the page wait?

The server is a process of its own, and so is the scripted model on loopback, whose replies take 0.2 seconds. While the
work is done, another client does what the page does: it lists documents and jobs, loads pages and text, searches. Its
times are compared with those of an idle server. Every asker follows the events of each of their questions. Then the
same work is begun again on new documents, the server is stopped in the middle of it and started again, and what was
not finished must go on.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import httpx2
from common import (
    SEED,
    Value,
    arguments,
    environment,
    generated,
    loopback,
    manifest,
    print_figures,
    workplace,
    write_results,
)
from common import table as as_table

_TOKEN = "a-token-for-the-benchmark"
_LATENCY = "0.2"
_ENDED = ("done", "failed", "stopped")


@contextmanager
def server(home: Path, model: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start `readagent serve`, and yield the process and its address."""
    command = [sys.executable, "-m", "readagent", "serve", "--port", "0", "--token", _TOKEN]
    command += ["--base-url", model, "--model", "skimmer", "--parallel", "16", "--preset", "articles"]
    with subprocess.Popen(
        command, cwd=home, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        found = re.search(r"(http://\S+)/\?token=", process.stdout.readline())
        if found is None:
            sys.exit("the server did not start")
        try:
            yield process, found[1]
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


class Page:
    """A client like the page."""

    def __init__(self, address: str) -> None:
        limits = httpx2.Limits(max_connections=200, max_keepalive_connections=200)
        headers = {"authorization": f"Bearer {_TOKEN}"}
        self._http = httpx2.AsyncClient(base_url=address, headers=headers, timeout=120, limits=limits)

    async def __aenter__(self) -> Page:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def __call__(self, method: str, path: str, body: Any = None) -> Any:
        response = await self._http.request(method, path, json=body)
        if response.status_code >= 400:
            raise RuntimeError(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response.json() if response.content else None

    async def add(self, number: int, words: int) -> str:
        """Add a document."""
        body = {"text": generated(words, SEED + number), "title": f"Text {number}"}
        return str((await self("POST", "/api/documents", body))["id"])

    async def follow(self, job: int) -> AsyncIterator[tuple[str, Any]]:
        """Yield the events of a job until its stream ends."""
        async with self._http.stream("GET", f"/api/jobs/{job}/events") as response:
            kind = ""
            async for line in response.aiter_lines():
                if line.startswith("event: "):
                    kind = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield kind, json.loads(line.removeprefix("data: "))

    async def ended(self, job: int) -> dict[str, Any]:
        """Follow a job to its end; its text must have arrived piece by piece as it is in the end."""
        text = ""
        async for kind, data in self.follow(job):
            text = "" if kind in ("begin", "restart") else text + data["delta"] if kind == "text" else text
            if kind == "done":
                result = data["result"] or {}
                return {**data, "streamed": data["kind"] != "ask" or text in ("", result.get("answer"))}
        return {"state": "lost"}


async def probe(page: Page, document: str, seconds: Mapping[str, list[float]]) -> None:
    """Do once what the page does, and note how long each request took."""
    requests = {
        "list of documents": "/api/documents",
        "list of jobs": "/api/jobs",
        "a document": f"/api/documents/{document}",
        "its pages and gists": f"/api/documents/{document}/pages",
        "a part of its text": f"/api/documents/{document}/text?start=20000&end=40000",
        "its answers": f"/api/documents/{document}/answers",
        "a search": "/api/search?q=harbour+ferry",
    }
    for name, path in requests.items():
        began = perf_counter()
        await page("GET", path)
        seconds[name].append(1000 * (perf_counter() - began))


async def under_load(page: Page, document: str, texts: list[str], askers: int, questions: int) -> dict[str, Any]:
    """Let people ask and documents be read while the page is used; return the jobs and the times of the page."""
    seconds: defaultdict[str, list[float]] = defaultdict(list)

    async def read(text: str) -> list[dict[str, Any]]:
        job = await page("POST", f"/api/documents/{text}/readings", {})
        return [await page.ended(job["id"])]

    async def ask(asker: int) -> list[dict[str, Any]]:
        found = []
        for number in range(questions):
            began = perf_counter()
            body = {"question": f"What did asker {asker} forget about door {number}?"}
            job = await page("POST", f"/api/documents/{document}/questions", body)
            seconds["a question, until it is taken"].append(1000 * (perf_counter() - began))
            found.append(await page.ended(job["id"]))
        return found

    began = perf_counter()
    work = asyncio.gather(*(read(text) for text in texts), *(ask(number) for number in range(askers)))
    while not work.done():
        await probe(page, document, seconds)
    jobs = [job for some in await work for job in some]
    return {"jobs": jobs, "times": seconds, "seconds": perf_counter() - began}


async def load(address: str, size: Mapping[str, int]) -> tuple[dict[str, Any], dict[str, list[float]]]:
    """Return what happened under load, and the times of the page when nothing else was done."""
    alone: defaultdict[str, list[float]] = defaultdict(list)
    async with Page(address) as page:
        document = await page.add(0, size["words"])
        reading = await page("POST", f"/api/documents/{document}/readings", {})
        await page.ended(reading["id"])
        texts = [await page.add(number, size["words_read"]) for number in range(1, size["readings"] + 1)]
        for _ in range(size["probes"]):
            await probe(page, document, alone)
        for number in range(size["probes"]):
            began = perf_counter()
            job = await page("POST", f"/api/documents/{document}/questions", {"question": f"Who sold lamp {number}?"})
            alone["a question, until it is taken"].append(1000 * (perf_counter() - began))
            await page.ended(job["id"])
        found = await under_load(page, document, texts, size["askers"], size["questions"])
        kept = await page("GET", f"/api/documents/{document}/answers")
        listed = {row["id"]: row["read"] for row in await page("GET", "/api/documents")}
    ids = {job["result"]["id"] for job in found["jobs"] if job["state"] == "done" and job["kind"] == "ask"}
    found["answers_lost"] = size["askers"] * size["questions"] - len(ids & {one["id"] for one in kept})
    found["readings_lost"] = sum(listed.get(text) != "yes" for text in texts)
    return found, alone


async def interrupted(home: Path, model: str, size: Mapping[str, int]) -> dict[str, Value]:
    """Stop the server in the middle of its work and start it again; return what became of the jobs."""
    with server(home, model) as (process, address):
        async with Page(address) as page:
            document = next(row["id"] for row in await page("GET", "/api/documents") if row["read"] == "yes")
            texts = [await page.add(1000 + number, size["words_read"]) for number in range(size["readings"])]
            begun = [await page("POST", f"/api/documents/{text}/readings", {}) for text in texts]
            for number in range(size["askers"]):
                body = {"question": f"What was painted before day {number}?"}
                begun.append(await page("POST", f"/api/documents/{document}/questions", body))
            before = [job["state"] for job in await page("GET", "/api/jobs") if job["id"] >= begun[0]["id"]]
        began = perf_counter()
        process.send_signal(signal.SIGTERM)
        await asyncio.to_thread(process.wait)
        stopped = perf_counter() - began
    with server(home, model) as (_, address):
        async with Page(address) as page:
            ended = await asyncio.gather(*(page.ended(job["id"]) for job in begun))
    states = [job["state"] for job in ended]
    return {
        "jobs": len(begun), "not finished when it stopped": sum(state not in _ENDED for state in before),
        "seconds to stop": stopped, "done after the restart": states.count("done"),
        "lost": len(states) - states.count("done"),
    }  # fmt: skip


def percentile(values: list[float], share: float) -> float:
    """Return the value that this share of the values does not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def main() -> None:
    options = arguments(__doc__)
    size = {"askers": 50, "questions": 4, "readings": 10, "words": 60_000, "words_read": 12_000, "probes": 30}
    if options.quick:
        size |= {"questions": 1, "words": 6_000, "words_read": 1_500, "probes": 3}
    os.environ.pop("READAGENT_HOME", None)
    with workplace() as home, loopback("--latency", _LATENCY) as model:
        with server(home, model) as (_, address):
            found, alone = asyncio.run(load(address, size))
        restart = asyncio.run(interrupted(home, model, size))
    times = found["times"]
    rows: list[dict[str, Value]] = [
        {"request": name, "requests": len(times[name]), "alone p50, ms": percentile(alone[name], 0.5),
         "alone p95, ms": percentile(alone[name], 0.95), "under load p50, ms": percentile(times[name], 0.5),
         "under load p95, ms": percentile(times[name], 0.95)}
        for name in alone
    ]  # fmt: skip
    every = [value for values in times.values() for value in values]
    states = [job["state"] for job in found["jobs"]]
    work: dict[str, Value] = {
        "askers": size["askers"], "questions": size["askers"] * size["questions"], "readings": size["readings"],
        "seconds": found["seconds"], "jobs done": states.count("done"), "answers lost": found["answers_lost"],
        "readings lost": found["readings_lost"],
        "texts that arrived otherwise": sum(not job.get("streamed") for job in found["jobs"]),
    }  # fmt: skip
    print(as_table([work]), as_table(rows), as_table([restart]), sep="\n\n")
    if not options.quick:
        parts = {
            f"The work, with replies that take {_LATENCY} s, 16 at a time": [work],
            "What the page does meanwhile": rows,
            "The same work, stopped in the middle and started again": [restart],
        }
        made = manifest(texts="generated", model="Skimmer on loopback, in a process of its own")
        write_results("serve", "The server under load", parts, made)
    print_figures({
        "jobs_not_done": len(states) - states.count("done"), "answers_lost": found["answers_lost"],
        "readings_lost": found["readings_lost"], "lost_after_restart": restart["lost"],
        "texts_that_arrived_otherwise": work["texts that arrived otherwise"],
        "page_p50_ms": percentile(every, 0.5), "page_p95_ms": percentile(every, 0.95),
        "seconds_to_stop": restart["seconds to stop"],
    })  # fmt: skip


if __name__ == "__main__":
    main()
