"""Many documents at once: how near the time of a folder and of a shelf is to what the calls allow, and our own CPU.

The server is a process of its own on loopback, and a reply takes 0.25 seconds. With 16 slots no run can be faster than
its calls divided by 16, nor than the longest chain of calls that wait for each other, times that. The chain is counted:
each document is read with as many slots as there are calls, by a model that answers round by round. Times are between
the first request and the last reply, as the server sees them, so that the start of the program is not part of them; the
time of the whole command stands beside it.

Then: when the short documents finish that are read together with a long one, how long a question waits while a folder
is read, the CPU time of the command for each call of a folder of small files, compared with that of bare requests, and
the peak memory for more and more files.
"""

from __future__ import annotations

import asyncio
import random
import sys
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from common import SEED, Ran, Rows, Value, arguments, generated, manifest, print_figures, run, workplace, write_results
from many_parts import longest_chain, record_of, server

from readagent.agent import AsyncReadAgent
from readagent.core.document import Document
from readagent.core.plan import preset
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


def small_files(count: int) -> dict[str, Value]:
    """Return CPU and memory of the command for this many small files, then for the same files when all is known."""
    with workplace() as home, server(0.0) as url:
        files = write_files(home / "files", [700] * count)
        first = read(home, url, str(files[0].parent))
        calls = record_of(url)["calls"]
        again = read(home, url, str(files[0].parent))
    return {"files": count, "calls": calls, "CPU ms a call": 1000 * first.cpu_seconds / calls,
            "CPU ms a file, all known": 1000 * again.cpu_seconds / count, "peak MB": first.peak_mb}  # fmt: skip


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


def core_alone(count: int) -> float:
    """Return the CPU milliseconds a call of reading small documents in this process, without HTTP and files."""
    from readagent.testing.scripted import Skimmer

    texts = [Document.from_text(generated(700) + f"\n\nThis was letter {number}.") for number in range(count)]
    calls = 0

    async def reading() -> None:
        nonlocal calls
        async with AsyncReadAgent(Skimmer(), parallel=_SLOTS, plan=preset("articles")) as agent:
            async for _, memory in agent.read_all(texts):
                calls += len(memory.trace.calls)

    began = process_time()
    asyncio.run(reading())
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
    sizes = (20,) if options.quick else (100, 1_000, 4_000)
    small = [small_files(number) for number in sizes]
    request, core = bare_request(20 if options.quick else 500), core_alone(10 if options.quick else 200)
    figures: dict[str, Value] = {
        f"{str(row['what']).replace(', ', '_').replace(' ', '_')}_to_bound": row["to bound"] for row in times
    }
    middle = small[min(1, len(small) - 1)]
    figures |= {"short_half_after": beside["half of them after"], "question_times": asked["times"],
                "cpu_ms_a_call": middle["CPU ms a call"], "cpu_ms_a_bare_request": request,
                "cpu_ms_a_call_without_http": core,
                "peak_growth": float(small[-1]["peak MB"]) / float(small[0]["peak MB"])}  # fmt: skip
    if not options.quick:
        parts: dict[str, Rows | str] = {
            f"{count} documents of 1,500 to 5,000 words, {_SLOTS} slots, {_LATENCY:g} s a reply": times,
            "One document of 60,000 words and 29 short ones (shares of the whole time)": [beside],
            "A question while a folder is read": [asked],
            "Small files through the command line (700 words each)": small,
            "Where the CPU time of a call goes, ms": [
                {"a call, through the command line": middle["CPU ms a call"], "HTTP client alone": request,
                 "scripted model, reading and library in memory, no HTTP": core}
            ],
        }  # fmt: skip
        made = manifest(texts="generated", model="Skimmer on loopback, in a process of its own")
        write_results("many", "Many documents at once", parts, made)
    print_figures(figures)


if __name__ == "__main__":
    main()
