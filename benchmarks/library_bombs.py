"""Files made to use up memory, and what a library does with them in a process with limits."""

from __future__ import annotations

import multiprocessing
import re
import resource
import zipfile
from multiprocessing.connection import Connection
from pathlib import Path

from library_readers import Library

_MAIN = re.compile(r"(?:.*/)?(?:document\.xml|content\.xml|slide1\.xml|sheet1\.xml|.*\.x?html)")
_UNPACKED = 500_000_000  # bytes of white space, which take half a megabyte in the archive
_MEMORY = 4_000_000_000  # bytes of address space
_SECONDS = 60  # of CPU time
_ENTITIES = (
    b'<!DOCTYPE l [<!ENTITY a "ha ha ha ha ha ha ha ha ha ha ">'
    + b"".join(b'<!ENTITY %c "%s">' % (name + 1, b"&%c;" % name * 10) for name in b"abcdefgh")
    + b"]>"
)
BOMBS = {"zip bomb": (b"", b" " * _UNPACKED), "entity bomb": (_ENTITIES, b"&i;")}


def write_bomb(sample: Path, kind: str, folder: Path) -> Path:
    """Write a copy of a file with a bomb in its text, and return its path."""
    path = folder / f"{kind.replace(' ', '-')}{sample.suffix}"
    declared, inside = BOMBS[kind]
    with zipfile.ZipFile(sample) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        target = next(name for name in old.namelist() if _MAIN.fullmatch(name))
        for info in old.infolist():
            data = old.read(info)
            if info.filename == target:
                text = re.sub(rb"<!DOCTYPE[^>]*>", b"", data)
                start = re.match(rb"\s*<\?xml.*?\?>", text)
                head, end = start.end() if start else 0, text.rindex(b"</")
                data = text[:head] + declared + text[head:end] + inside + text[end:]
            new.writestr(info.filename, data, zipfile.ZIP_STORED if info.filename == "mimetype" else None)
    return path


def survived(library: Library, bomb: Path) -> str:
    """Return what a library does with a bomb: refuse or read it, with so many megabytes, or be ended by the limits."""
    process = multiprocessing.get_context("forkserver")
    receiver, sender = process.Pipe(duplex=False)
    child = process.Process(target=_try, args=(library, bomb, sender))
    child.start()
    sender.close()
    try:
        how: str = receiver.recv()
    except EOFError:
        how = "killed"
    child.join()
    return how


def _try(library: Library, bomb: Path, sender: Connection) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    try:
        library.read(bomb)
    except MemoryError:
        how = "out of memory"
    except Exception:  # noqa: BLE001 - libraries refuse a file in many ways
        how = "refused"
    else:
        how = "read"
    sender.send(f"{how}, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB")
