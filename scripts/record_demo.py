"""Record the pictures of a terminal in docs/images: `python scripts/record_demo.py [NAME]` (Linux or macOS).

The commands run in a pseudo-terminal, with the embedded reader and an empty library; what they print and its styles
are real, and slow commands are played faster. The weights must be there: `make demo` or `make test-slow` fetches them.
"""

from __future__ import annotations

import codecs
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from time import monotonic

from animation import Span, draw
from screen import Run, Screen

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
PICTURES = {  # the commands of each picture; a file is in examples or in tests/fixtures
    "demo": (
        "readagent",
        "readagent read examples/story.txt",
        'readagent ask examples/story.txt "To whom did the Pelican with its glass porch belong?"',
    ),
    "places": (
        "readagent read garden.pdf",
        'readagent ask garden.pdf "Who planted the blackcurrants?"',
        "readagent find meadow --in garden.pdf",
    ),
}
FILES = {"garden.pdf": "tests/fixtures/garden.libreoffice.pdf", "examples": "examples"}
COLUMNS = 92
PER_WORD, BEFORE, AFTER = 0.18, 0.5, 1.5  # seconds: typing a word, before a command is typed, after its output
LONGEST, FRAME = 2.5, 0.1  # seconds that a command takes in the picture at most, and between two frames
TITLE = "readagent, offline with the embedded reader (slow commands are played faster)"
PROMPT, TYPED, PLAIN = "\x1b[32m$\x1b[0m ", "\x1b[1m", "\x1b[0m"


def main(names: Sequence[str]) -> None:
    """Record these pictures, or all."""
    for name in names or PICTURES:
        picture = draw(record(name, weights()), COLUMNS, title=TITLE, about="; ".join(PICTURES[name]))
        (IMAGES / f"{name}.svg").write_text(picture, "utf-8")


def record(name: str, models: Path) -> list[Span]:
    """Run the commands of a picture with an empty library, and return what the rows of the screen showed."""
    with tempfile.TemporaryDirectory(prefix="demo-") as place:
        home, work = Path(place, "home"), Path(place, "work")
        home.mkdir()
        work.mkdir()
        (home / "models").symlink_to(models)
        for called, file in FILES.items():
            (work / called).symlink_to(ROOT / file)
        return watched(played(PICTURES[name], home, work))


def weights() -> Path:
    """Return the folder with the weights of the embedded reader."""
    for place in (ROOT / ".weights", ROOT / ".demo"):
        if (place / "models" / "minilm").is_dir():
            return (place / "models").resolve()
    sys.exit("there are no weights to read with: run `make demo` first")


def played(commands: Sequence[str], home: Path, work: Path) -> Iterator[tuple[float, str]]:
    """Yield what appears on the terminal and the second of the picture at which it does."""
    now = 0.0
    yield now, PROMPT
    for command in commands:
        now += BEFORE
        for word in command.split(" "):
            yield now, f"{TYPED}{word} {PLAIN}"
            now += PER_WORD
        yield now, "\r\n"
        pieces, began = list(printed(shlex.split(command), home, work)), now
        faster = max(1.0, pieces[-1][0] / LONGEST)
        for frame, some in groupby(pieces, key=lambda piece: round(piece[0] / faster / FRAME)):
            now = began + frame * FRAME
            yield now, "".join(text for _, text in some)
        now += AFTER
        yield now, f"\r\n{PROMPT}"


def printed(command: list[str], home: Path, work: Path) -> Iterator[tuple[float, str]]:
    """Run a command in a pseudo-terminal; yield what it prints and after how many seconds."""
    import fcntl
    import struct
    import termios

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("READAGENT_")}
    environment |= {"READAGENT_HOME": str(home), "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    began = monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", *command], cwd=work, env=environment, stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while data := os.read(ours, 65536):
            yield monotonic() - began, decoder.decode(data)
    except OSError:  # how Linux says that the other end was closed
        pass
    os.close(ours)
    if code := process.wait():
        sys.exit(f"{shlex.join(command)} ended with exit code {code}")


def watched(events: Iterator[tuple[float, str]]) -> list[Span]:
    """Return what each row of a screen showed, and from when to when."""
    screen, spans = Screen(COLUMNS), list[Span]()
    shown: dict[int, tuple[float, tuple[Run, ...]]] = {}
    for now, text in events:
        screen.feed(text)
        for row, runs in enumerate(screen.runs()):
            since, before = shown.get(row, (now, ()))
            if runs == before:
                continue
            if since < now:
                spans.append(Span(row, before, since, now))
            shown[row] = (now, runs)
    return [*spans, *(Span(row, runs, since) for row, (since, runs) in shown.items())]


if __name__ == "__main__":
    main(sys.argv[1:])
