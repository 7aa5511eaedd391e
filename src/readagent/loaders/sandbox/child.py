"""The child process that parses untrusted files: it receives one file after another and sends back documents.

It gives up other files and the network, where the system allows that. It ends with its parent, because then the pipe is
closed. If the parent dies while a file hangs, the child ends on its own once a time limit has passed.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO

from readagent.errors import LoadError
from readagent.loaders.formats import MAX_CHARACTERS, Options, Parser, parser_for, too_long
from readagent.loaders.sandbox import confinement
from readagent.loaders.sandbox.confinement import confine
from readagent.loaders.sandbox.messages import Message, pack, receive, send

_MAX_FILE = 2_000_000_000  # bytes


def serve(find_parser: Callable[[str], Parser] = parser_for, programs: Sequence[str] = ()) -> None:
    """Parse files until the parent closes the pipe; parsers may run these programs and no others."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Ctrl-C and the like are for the parent
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    out = _private_stdout()
    _set_limit("RLIMIT_CORE", 0)
    confine(programs)
    gc.disable()  # parsing builds large trees; one collection after each file is enough
    while (request := receive(sys.stdin.buffer, _MAX_FILE)) is not None:
        _set_limit("RLIMIT_AS", int(request.head["memory_bytes"]))
        deadline = 1.5 * float(request.head["by_clock"]) + 1  # a living parent would have killed us before
        faulthandler.dump_traceback_later(deadline, exit=True)
        confinement.limit(float(request.head["seconds"]))
        reply = _reply(request, find_parser)
        confinement.limit(0)
        faulthandler.cancel_dump_traceback_later()
        send(out, reply)
        del request, reply
        gc.collect()


def _reply(request: Message, find_parser: Callable[[str], Parser]) -> Message:
    head = request.head
    try:
        parser = find_parser(head["format"])
        document = parser.parse(request.body, head["name"], Options(**head["options"]))
        if len(document.text) > MAX_CHARACTERS:
            raise too_long(head["name"], MAX_CHARACTERS)
        return pack(document)
    except LoadError as error:
        return Message({"error": str(error), "hint": error.hint})
    except MemoryError:
        return Message({"out_of_memory": True})
    except Exception as error:  # noqa: BLE001 - whatever a parser raises, the next file can still be read
        return Message({"crashed": f"{type(error).__name__}: {error}"[:2000]})


def _private_stdout() -> BinaryIO:
    """Return the real standard output, and redirect file descriptors 1 and 2, to which native code may print."""
    out = os.fdopen(os.dup(1), "wb")
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    return out


def _set_limit(name: str, limit: int) -> None:
    """Set a resource limit on this process, where the operating system supports it."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(AttributeError, ValueError, OSError):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    serve(programs=("tesseract",) if "--ocr" in sys.argv else ())
