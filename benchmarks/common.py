"""What the benchmarks share: texts to read, server and reader processes, figures and manifests.

Every script takes ``--quick`` (some seconds) and prints its figures last, one ``name value`` per line. A full run also
writes ``results/NAME.md``: the tables, and a manifest of what they were measured with.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import version
from pathlib import Path

from readagent.core.document import Document

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"
STORY = ROOT / "examples" / "story.txt"
SEED = 20240214
_DEPENDENCIES = ("click", "httpx2", "msgspec", "platformdirs", "rich")

Value = int | float | str
Rows = Sequence[Mapping[str, Value]]


def parser(doc: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that every script has; the first line of ``doc`` describes the script."""
    made = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    named = os.environ.get("READAGENT_DATASETS")
    made.add_argument("--quick", action="store_true", help="a small run of some seconds; writes no result file")
    made.add_argument("--data", type=Path, default=Path(named) if named else None,
                      help="a folder of datasets (books/, quality/, ...); without it, $READAGENT_DATASETS")  # fmt: skip
    made.add_argument("--cache", type=Path, help="a .db file to keep vectors in between runs, where a script has any")
    return made


def arguments(doc: str | None) -> argparse.Namespace:
    """Parse ``--quick``, ``--data`` and ``--cache``. ``doc`` is the docstring of the script."""
    return parser(doc).parse_args()


# Texts


def dataset(data: Path | None, name: str) -> Path | None:
    """Return a file of the data sets; None where no folder was given or the file is not in it."""
    return data / name if data is not None and (data / name).is_file() else None


def book(name: str, words: int | None, data: Path | None, *, otherwise: int) -> tuple[str, str]:
    """Return a book, or its first ``words`` words, with its name; a generated text if the book is not in the data."""
    file = dataset(data, f"books/{name}.md")
    if file is None:
        return generated(words or otherwise), "generated text"
    text = file.read_text("utf-8")
    return (text if words is None else opening(text, words)), name


def opening(text: str, words: int) -> str:
    """Return the first paragraphs of a text, up to ``words`` words."""
    taken, left = 0, words
    for paragraph in Document.from_text(text).paragraphs:
        left -= len(text[paragraph.start : paragraph.end].split())
        if left < 0:
            break
        taken = paragraph.end
    return text[:taken]


_NAMES = "Ilse Marten Odile Pavel Rosa Sven Tamar Ugo Vera Wim".split()
_VERBS = "carried followed forgot mended painted promised questioned repaired sold weighed".split()
_THINGS = "anchor bell candle door engine ferry garden harbour island journal kettle ladder mirror net orchard".split()
_TAILS = (
    "before the lamps were lit", "while the rain went on", "although nobody had asked", "for the third time that week",
    "and said nothing of it", "because the ferry was late", "as his father had done", "in front of the whole village",
)  # fmt: skip


def generated(words: int, seed: int = SEED) -> str:
    """Return prose of about ``words`` words in chapters and paragraphs, the same for the same seed."""
    dice = random.Random(seed)
    paragraphs, count, chapter = [], 0, 0
    while count < words:
        if count >= chapter * 4000:
            chapter += 1
            paragraphs.append(f"Chapter {chapter}")
        some = [_sentence(dice) for _ in range(dice.randint(2, 9))]
        paragraphs.append(" ".join(some))
        count += sum(len(one.split()) for one in some)
    return "\n\n".join(paragraphs)


def _sentence(dice: random.Random) -> str:
    name, other = dice.sample(_NAMES, 2)
    thing, verb, tail = dice.choice(_THINGS), dice.choice(_VERBS), dice.choice(_TAILS)
    return f"{name} {verb} the {dice.randint(2, 99)} year old {thing} that belonged to {other} {tail}."


# Processes


def loopback(*options: str) -> AbstractContextManager[str]:
    """Run the scripted server as a process of its own and yield its base URL."""
    return python_server("-m", "readagent.testing.loopback", "--port", "0", *options)


@contextmanager
def python_server(*arguments: str) -> Iterator[str]:
    """Run Python with these arguments as a process that prints its base URL and serves until it is killed."""
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def workplace() -> Iterator[Path]:
    """Yield an empty temporary folder: the working folder and the home of what is run in it."""
    with tempfile.TemporaryDirectory(prefix="readagent-benchmark-") as folder:
        yield Path(folder)


def environment(home: Path) -> dict[str, str]:
    """Return the environment of a reader: its own home, and no settings of the user."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("READAGENT_")}
    return {**kept, "READAGENT_HOME": str(home)}


# Results


def manifest(**more: Value) -> dict[str, Value]:
    """Return what a run was measured with."""
    installed = ", ".join(f"{name} {version(name)}" for name in _DEPENDENCIES)
    return {
        "commit": _commit(),
        "machine": f"{os.cpu_count()} cores, {_memory_gb()} GB memory, {platform.system()} {platform.machine()}",
        "load": f"{os.getloadavg()[2]:.1f} in the last 15 minutes, this included",
        "python": f"{platform.python_version()}, SQLite {sqlite3.sqlite_version}",
        "dependencies": installed,
        "seed": SEED,
        **more,
    }


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout

    return git("rev-parse", "--short", "HEAD").strip() + (
        " and changes" if git("status", "--porcelain", "src", "packages") else ""
    )


def _memory_gb() -> int:
    return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)


def table(rows: Rows) -> str:
    """Return rows as a Markdown table."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, ["---"] * len(names), *([shown(row.get(name, "")) for name in names] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shown(value: Value) -> str:
    """Return a value with its significant digits."""
    if isinstance(value, float):
        return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def write_results(name: str, heading: str, parts: Mapping[str, Rows | str], made_with: Mapping[str, Value]) -> None:
    """Write ``results/NAME.md``: each part, a table or a paragraph, under its heading, and the manifest last."""
    sections = [f"# {heading}"]
    for title, part in parts.items():
        sections.append(f"## {title}\n\n{part if isinstance(part, str) else table(part)}")
    asked = [sys.executable, str(ROOT / "scripts" / "stale"), name]
    code = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    listed = "\n".join(f"- {key}: {shown(value)}" for key, value in {**made_with, "code": code}.items())
    sections.append(f"## Manifest\n\n{listed}")
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text("\n\n".join(sections) + "\n", "utf-8")


def print_figures(figures: Mapping[str, Value]) -> None:
    """Print the figures, one ``name value`` per line; neither may contain a blank."""
    lines = [f"{name} {shown(value)}" for name, value in figures.items()]
    if wrong := [line for line in lines if len(line.split()) != 2]:
        raise ValueError(f"a figure is one word and one value: {wrong[0]!r}")
    print("", *lines, sep="\n")
