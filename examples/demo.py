"""A tour in half a minute, offline and without a key: `make demo`, or `python examples/demo.py [FOLDER]`.

It downloads the weights of the offline reader once, reads the example story with it and asks two questions. The
summary at the end was recorded. If the weights cannot be downloaded, a scripted server on this machine is used
instead, and the tour says so.
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
SCRIPTED = """\
The weights of the offline reader could not be downloaded, so a scripted server on this machine is used instead of a \
language model: it shortens by taking sentences, and finds pages and answers by the words they share with the \
question. Judge the steps, not the answers."""
PULL = ("The weights of the offline reader, once (91 MB). Then everything runs on this machine.", ["model", "pull"])
TOUR = (
    ("Read a story: find its pages, and keep the gist of each.", ["read", STORY]),
    (
        "Ask. The quote is where the text says it.",
        ["ask", STORY, "To whom did the Pelican with its glass porch belong?"],
    ),
    ("Ask for what the story does not tell.", ["ask", STORY, "Which newspaper did the harbour doctor subscribe to?"]),
)  # fmt: skip
RECORDED = """\
# RECORDED, nothing runs here: a summary by a large language model, from gists like these
$ readagent summary examples/story.txt \\
    --model MODEL --words 110"""
SUMMARY = ROOT / "examples" / "story.summary.txt"


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
        code = commands(environment)
    else:
        say("", *SCRIPTED.splitlines())
        with server(home / "server.log") as base_url:
            code = commands({**environment, "READAGENT_MODEL": base_url})
    if code == 0:
        say("", *RECORDED.splitlines(), *SUMMARY.read_text("utf-8").splitlines())
        say(
            "", f"The tour took {perf_counter() - began:.0f} s. Its library is in {shown(home)}. Next: readagent --help"
        )
    return code


def commands(environment: dict[str, str]) -> int:
    """Run the commands of the tour, up to the first that fails."""
    for why, command in TOUR:
        if code := step(why, command, environment):
            say("", f"That command ended with exit code {code}, so the demo ends here.")
            return code
    return 0


def step(why: str, command: list[str], environment: dict[str, str]) -> int:
    """Print one command and run it."""
    say("", f"# {why}", typed(command))
    process = subprocess.Popen([sys.executable, "-m", "readagent", *command], cwd=ROOT, env=environment)
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it was interrupted too, and loses nothing
        raise
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
