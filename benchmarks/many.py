"""Many documents at once: how near the time of a folder and of a shelf is to what the calls allow, and our own CPU.

The server is a process of its own on loopback, and a reply takes 0.25 seconds. With 16 slots no run can be faster than
its calls divided by 16, nor than the longest chain of calls that wait for each other, times that. The chain is counted:
each document is read with as many slots as there are calls, by a model that answers round by round. Times are between
the first request and the last reply, as the server sees them, so that the start of the program is not part of them; the
time of the whole command stands beside it.

Then: when the short documents finish that are read together with a long one, how long a question waits while a folder
is read, the CPU time of the command for each call of a folder of small files, where that time goes, and the peak memory
for more and more files. CPU times depend on what else the machine does: beside them stands that of a fixed piece of
Python, measured at the same time.
"""

from __future__ import annotations

import asyncio
import random
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from common import SEED, Ran, Rows, Value, arguments, generated, manifest, print_figures, run, workplace, write_results
from many_parts import Replayed, longest_chain, record_of, server

from readagent.agent import AsyncReadAgent
from readagent.core.memory import GistMemory
from readagent.core.plan import preset
from readagent.library import Library
from readagent.loaders import load
from readagent.models.http import HttpClient

_LATENCY = 0.25
_SLOTS = 16
_MODES = {"paper": "two steps", "fast": "one pass"}


def write_files(folder: Path, sizes: list[int]) -> list[Path]:
    """Write a text of each of these sizes in words, no two alike, and return the files."""
    folder.mkdir()
    dice = random.Random(SEED)
    paragraphs = [one for one in generated(30_000).split("\n\n") if not one.startswith("Chapter")]
    files = []
    for number, size in enumerate(sizes):
        at, words, parts = dice.randrange(len(paragraphs)), 0, [f"Letter {number}"]
        while words < size:
            parts.append(f"In letter {number}: {paragraphs[at % len(paragraphs)]}")
            words, at = words + len(parts[-1].split()), at + 1
        files.append(folder / f"{number:05}.txt")
        files[-1].write_text("\n\n".join(parts), "utf-8")
    return files


def read(home: Path, url: str, *more: str, mode: str = "paper") -> Ran:
    """Run `readagent read` with these arguments."""
    flags = ["--base-url", url, "--model", "skimmer", "--parallel", str(_SLOTS), "--preset", "articles"]
    ran = run([sys.executable, "-m", "readagent", "read", *more, *flags, "--mode", mode, "--json"], home)
    if ran.code:
        sys.exit(f"a reading failed: {ran.err}")
    return ran


def timed(files: list[Path], mode: str, *more: str) -> dict[str, Value]:
    """Read a folder, or fill a shelf with it, and compare the time with the bound."""
    with workplace() as home, server(_LATENCY) as url:
        ran = read(home, url, str(files[0].parent), *more, mode=mode)
        record = record_of(url)
    plan = replace(preset("articles"), mode="fast" if mode == "fast" else "paper")
    chain = longest_chain([load(file) for file in files], plan) + bool(more)  # a card waits for all gists
    bound = max(record["calls"] / _SLOTS, chain) * _LATENCY
    seconds = record["last"] - record["first"]
    name = f"{'shelf' if more else 'folder'}, {_MODES[mode]}"
    return {"what": name, "calls": record["calls"], "longest chain": chain, "most at once": record["most"],
            "bound": bound, "seconds": seconds, "to bound": seconds / bound, "whole command": ran.seconds}  # fmt: skip


def beside_a_long_one(files: list[Path], long: Path) -> dict[str, Value]:
    """Return when the short documents are finished, and the long one, as shares of the whole time."""
    ended: dict[str, float] = {}

    async def reading(url: str) -> None:
        async with AsyncReadAgent("skimmer", base_url=url, parallel=_SLOTS, plan=preset("articles")) as agent:
            began = perf_counter()
            async for document, _ in agent.read_all(load(file) for file in [long, *files]):
                ended[document.source] = perf_counter() - began

    with server(_LATENCY / 5) as url:
        asyncio.run(reading(url))
    short = sorted(seconds for source, seconds in ended.items() if Path(source) != long.resolve())
    whole = max(ended.values())
    return {
        "short documents": len(short),
        "half of them after": short[len(short) // 2] / whole,
        "all of them after": short[-1] / whole,
        "the long one after": ended[str(long.resolve())] / whole,
    }


def question_meanwhile(files: list[Path]) -> dict[str, Value]:
    """Return the seconds of a question alone, and of the same one while a folder is read."""
    waits: dict[str, float] = {}

    async def asking(url: str) -> None:
        async with AsyncReadAgent("skimmer", base_url=url, parallel=_SLOTS, plan=preset("articles")) as agent:
            memory = await agent.read(load(files[0]))

            async def ask(name: str, question: str) -> None:
                began = perf_counter()
                await agent.ask(memory, question)
                waits[name] = perf_counter() - began

            async def read_all() -> None:
                async for _ in agent.read_all(load(file) for file in files[1:]):
                    pass

            await ask("alone", "Who repaired the lamp?")
            reading = asyncio.create_task(read_all())
            await asyncio.sleep(4 * _LATENCY)
            await ask("meanwhile", "Who sold the lamp?")
            await reading

    with server(_LATENCY) as url:
        asyncio.run(asking(url))
    return {"alone, s": waits["alone"], "while a folder is read, s": waits["meanwhile"],
            "times": waits["meanwhile"] / waits["alone"]}  # fmt: skip


def small_files(count: int, mode: str = "paper") -> dict[str, Value]:
    """Return CPU and memory of the command for this many small files, then for the same files when all is known."""
    with workplace() as home, server(0.0) as url:
        files = write_files(home / "files", [700] * count)
        first = read(home, url, str(files[0].parent), mode=mode)
        calls = record_of(url)["calls"]
        again = read(home, url, str(files[0].parent), mode=mode)
    return {"files": count, "mode": _MODES[mode], "calls": calls, "CPU s": first.cpu_seconds,
            "CPU ms a call": 1000 * first.cpu_seconds / calls,
            "CPU ms a file, all known": 1000 * again.cpu_seconds / count, "peak MB": first.peak_mb,
            "seconds": first.seconds, "a fixed loop, ms": fixed_loop()}  # fmt: skip


def fixed_loop() -> float:
    """Return the CPU milliseconds of a fixed piece of Python, the median of nine."""

    def once() -> float:
        began = process_time()
        for number in range(100_000):
            str(number).split()
        return 1000 * (process_time() - began)

    return median(once() for _ in range(9))


def start(times: int) -> float:
    """Return the CPU milliseconds of the command before it reads anything."""
    with workplace() as home:
        command = [sys.executable, "-m", "readagent", "read", "--help"]
        return 1000 * median(run(command, home).cpu_seconds for _ in range(times))


def bare_request(times: int) -> float:
    """Return the CPU milliseconds of a request with a prompt of 700 words through our HTTP client alone."""
    prompt = {"role": "user", "content": generated(700)}
    body: dict[str, Any] = {"model": "skimmer", "messages": [prompt], "max_tokens": 10}

    async def posting(url: str) -> float:
        client = HttpClient(url)
        await client.post("/chat/completions", body)
        began = process_time()
        for _ in range(times):
            await client.post("/chat/completions", body)
        taken = process_time() - began
        await client.aclose()
        return 1000 * taken / times

    with server(0.0) as url:
        return asyncio.run(posting(url))


def loading(count: int) -> float:
    """Return the CPU milliseconds a file of loading small files."""
    with workplace() as home:
        files = write_files(home / "files", [700] * count)
        load(files[0])
        began = process_time()
        for file in files:
            load(file)
        return 1000 * (process_time() - began) / count


def without_http(count: int) -> float:
    """Return the CPU milliseconds a call of reading small documents in this process, with replies that are known."""
    replies = Replayed()
    with workplace() as home:
        texts = [load(file) for file in write_files(home / "files", [700] * count)]

        async def reading(library: Library) -> int:
            async with AsyncReadAgent(replies, library=library, parallel=_SLOTS, plan=preset("articles")) as agent:
                results = [result async for _, result in agent.read_all(texts)]
                return sum(len(memory.trace.calls) for memory in results if isinstance(memory, GistMemory))

        asyncio.run(reading(Library(home / "first")))
        began = process_time()
        calls = asyncio.run(reading(Library(home / "second")))
        return 1000 * (process_time() - began) / calls


def main() -> None:
    options = arguments(__doc__)
    dice = random.Random(SEED)
    count = 6 if options.quick else 30
    with workplace() as home:
        files = write_files(home / "letters", [dice.randint(1_500, 5_000) for _ in range(count)])
        (long,) = write_files(home / "long", [4_000 if options.quick else 60_000])
        times: list[dict[str, Value]] = []
        for mode in _MODES:
            for more in ((), ("--shelf", "letters")):
                times.append(timed(files, mode, *more))
                print(times[-1], flush=True)
        beside = beside_a_long_one(files[1:], long)
        asked = question_meanwhile(files)
    small = [small_files(20)] if options.quick else [small_files(100), small_files(1_000)]
    many = [small_files(20, "fast")] if options.quick else [small_files(1_000, "fast"), small_files(10_000, "fast")]
    request, core = bare_request(20 if options.quick else 500), without_http(10 if options.quick else 300)
    begin, loaded = start(1 if options.quick else 9), loading(10 if options.quick else 300)
    figures: dict[str, Value] = {
        f"{str(row['what']).replace(', ', '_').replace(' ', '_')}_to_bound": row["to bound"] for row in times
    }
    middle = small[-1]
    calls = float(middle["calls"])
    shares = {"start": begin / calls, "HTTP client": request, "reading and library": core,
              "loading": loaded * float(middle["files"]) / calls}  # fmt: skip
    rest = float(middle["CPU ms a call"]) - sum(shares.values())
    figures |= {"short_half_after": beside["half of them after"], "question_times": asked["times"],
                "cpu_ms_a_call": middle["CPU ms a call"], "cpu_ms_a_bare_request": request,
                "cpu_ms_a_call_without_http": core, "cpu_ms_of_start": begin,
                "peak_growth": float(many[-1]["peak MB"]) / float(many[0]["peak MB"])}  # fmt: skip
    if not options.quick:
        parts: dict[str, Rows | str] = {
            f"{count} documents of 1,500 to 5,000 words, {_SLOTS} slots, {_LATENCY:g} s a reply": times,
            "One document of 60,000 words and 29 short ones (shares of the whole time)": [beside],
            "A question while a folder is read": [asked],
            "Small files through the command line (700 words each)": [*small, *many],
            "Where the CPU time of a call goes, for 1,000 small files, ms": [
                {"a call": middle["CPU ms a call"], **shares, "the rest: both threads, requests, output": rest}
            ],
        }  # fmt: skip
        made = manifest(texts="generated", model="Skimmer on loopback, in a process of its own")
        write_results("many", "Many documents at once", parts, made)
    print_figures(figures)


if __name__ == "__main__":
    main()
