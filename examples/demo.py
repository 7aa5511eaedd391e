"""A tour in less than a minute, offline and without a key: `make demo`, or `python examples/demo.py [FOLDER]`.

It downloads the weights of the offline reader once, reads the example story with it and asks three questions. If the
weights cannot be downloaded, a scripted server on this machine is used instead, and the tour says so.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from time import perf_counter

ROOT = Path(__file__).resolve().parent.parent
STORY = "examples/story.txt"
LOCAL = f"""\
Everything below runs on this machine alone: no key, no server. The offline reader is small. It finds the words of the \
text that answer a question, says how sure it is, and never writes a word of its own.

For a model that reasons, download one that runs on this machine (1.1 GB), or name one on a server:
  readagent model pull qwen
  readagent read {STORY} --model ollama/qwen3:8b"""
SCRIPTED = """\
The weights of the offline reader could not be downloaded, so a scripted server on this machine is used instead of a \
language model: it shortens by taking sentences, and finds pages and answers by the words they share with the \
question. Judge the steps, not the answers."""
PULL = ("Download the weights of the offline reader, once (91 MB).", ["model", "pull"])
TOUR = (
    ("What would reading this story cost? Nothing is sent.", ["estimate", STORY]),
    ("Read it: find the pages, and keep the gist of each.", ["read", STORY]),
    ("Ask a question. The answer is an extract, with quotes from the pages that were opened.",
     ["ask", STORY, "To whom did the Pelican with its glass porch belong?"]),
    ("Another one, about the loss that the story is about.",
     ["ask", STORY, "How many tonnes of salt could not be weighed out in 1959?"]),
    ("One that the story does not answer.",
     ["ask", STORY, "What was the name of Mira's dog?"]),
    ("Show a page next to its gist.", ["show", STORY, "--page", "4"]),
    ("List the library.", ["list"]),
)  # fmt: skip


def main(arguments: list[str]) -> int:
    """Run the tour, and return its exit code: 130 if it was interrupted."""
    home = Path(arguments[0]).resolve() if arguments else ROOT / ".demo"
    try:
        return tour(home)
    except KeyboardInterrupt:
        say("", "The demo was stopped. `make demo` starts it again.")
        return 130


def tour(home: Path) -> int:
    """Run every command of the tour with an empty library; weights that are installed are used again."""
    home.mkdir(parents=True, exist_ok=True)
    for old in home.glob("library.db*"):
        old.unlink()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READAGENT_")}
    environment["READAGENT_HOME"] = str(home)
    began = perf_counter()
    if step(*PULL, environment) == 0:
        say("", *LOCAL.splitlines())
        code = commands(environment)
    else:
        say("", *SCRIPTED.splitlines())
        with server(home / "server.log") as base_url:
            code = commands({**environment, "READAGENT_MODEL": base_url})
    if code == 0:
        say("", f"The whole tour took {perf_counter() - began:.1f} s. Its library is in {shown(home)}.")
        say("Next: readagent --help, or docs/index.md.")
    return code


def commands(environment: dict[str, str]) -> int:
    """Run the commands of the tour, up to the first that fails."""
    for why, command in TOUR:
        if code := step(why, command, environment):
            say("", f"That command ended with exit code {code}, so the demo ends here.")
            return code
    return 0


def step(why: str, command: list[str], environment: dict[str, str]) -> int:
    """Print one command, run it, and print how long it took."""
    say("", f"# {why}", typed(command))
    began = perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "readagent", *command], cwd=ROOT, env=environment)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it was interrupted too, and loses nothing
        raise
    say(f"({perf_counter() - began:.1f} s)")
    return code


@contextmanager
def server(log: Path) -> Iterator[str]:
    """Run the scripted server as a child process, and yield its base URL."""
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "readagent.testing.loopback", "--port", "0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            base_url = process.stdout.readline().strip()
            if not base_url:
                sys.exit(f"The scripted server did not start; see {shown(log)}.")
            yield base_url
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def width() -> int:
    """Return the width of the output in columns."""
    return max(20, min(100, shutil.get_terminal_size((80, 24)).columns))


def say(*lines: str) -> None:
    """Print lines, wrapped to the width; commands stay as they are."""
    for line in lines:
        print(line if line.startswith(("  ", "$ ")) or not line else fill(line, width()), flush=True)


def typed(command: list[str]) -> str:
    """Return a command as one would type it, on several lines if it is long; an option stays with its value."""
    whole = f"$ readagent {' '.join(map(quoted, command))}"
    if len(whole) <= width():
        return whole
    lines = [f"$ readagent {command[0]} {quoted(command[1])}"]
    for word in command[2:]:
        if lines[-1].startswith("-") and " " not in lines[-1]:
            lines[-1] += f" {quoted(word)}"
        else:
            lines.append(quoted(word))
    return " \\\n    ".join(lines)


def quoted(word: str) -> str:
    """Return a word in quotes if a shell needs them."""
    plain = shlex.quote(word)
    return plain if plain == word or set(word) & set('"$`!\\') else f'"{word}"'


def shown(path: Path) -> str:
    """Return a path relative to the repository if it is inside it."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
