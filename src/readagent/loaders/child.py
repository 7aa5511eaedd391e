"""The child process that parses untrusted files: it receives one file after another and sends back documents.

It gives up other files and the network, where the system allows that. On Linux it parses nothing itself: it starts a
process of its own for each file (a fork, so the parsers are loaded once), which gives up more and ends with that file.
It ends with its parent, because then the pipe is closed, and the processes that it started end with it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from readagent.core.document import Document
from readagent.errors import LoadError
from readagent.loaders.formats import FORMATS, MAX_CHARACTERS, READ_AS, Options, Parser, parser_for, too_long
from readagent.loaders.sandbox import confinement, system_calls
from readagent.loaders.sandbox.confinement import confine
from readagent.loaders.sandbox.messages import Message, pack, pack_picture, receive, relay, send
from readagent.loaders.sniff import as_utf8, detect_format, likely_format
from readagent.loaders.unsupported import UnsupportedFormatError

FindParser = Callable[[str], Parser]
_MAX_FILE = 2_000_000_000  # bytes


def serve(find_parser: FindParser = parser_for, programs: Sequence[str] = ()) -> None:
    """Parse files until the parent closes the pipe; parsers may run these programs and no others."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # Ctrl-C and the like are for the parent
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    out = _private_stdout()
    _set_limit("RLIMIT_CORE", 0)
    confine(programs)
    gc.disable()  # parsing builds large trees; one collection after each file is enough
    while (request := receive(sys.stdin.buffer, _MAX_FILE)) is not None:
        if sys.platform == "linux":
            _parse_in_a_process(request, find_parser, out, may_start_programs=bool(programs))
        else:
            _set_limit("RLIMIT_AS", int(request.head["memory_bytes"]))
            faulthandler.dump_traceback_later(_deadline(request), exit=True)
            _parse_here(request, find_parser, out)
            faulthandler.cancel_dump_traceback_later()
            gc.collect()
        del request


def _parse_in_a_process(request: Message, find_parser: FindParser, out: BinaryIO, *, may_start_programs: bool) -> None:
    """Start a process for this file, which no other file has touched, and pass on what it sends."""
    _load_modules(request.head, find_parser)
    reading, writing = os.pipe()
    starter = os.getpid()
    process = os.fork()
    if process == 0:
        try:
            os.dup2(2, 0)
            os.close(out.fileno())
            os.close(reading)
            _give_up_more(request, starter, may_start_programs=may_start_programs)
            _parse_here(request, find_parser, os.fdopen(writing, "wb"))
        finally:
            os._exit(0)
    os.close(writing)
    signal.alarm(math.ceil(_deadline(request)))
    with os.fdopen(reading, "rb") as pipe:
        sent = relay(pipe, out)
    os.kill(process, signal.SIGKILL)
    _, status = os.waitpid(process, 0)
    signal.alarm(0)
    if not sent:
        send(out, Message({"ended": os.waitstatus_to_exitcode(status)}))


def _load_modules(head: Mapping[str, Any], find_parser: FindParser) -> None:
    """Load what the file will probably need, so that it is loaded once; if that fails, the file's process says why."""
    with contextlib.suppress(Exception):
        detect_format(b"A word.", head["name"], head["content_type"])
        find_parser(head["options"]["format"] or likely_format(head["name"], head["content_type"]))


def _give_up_more(request: Message, starter: int, *, may_start_programs: bool) -> None:
    """Give up what a process for one file never needs: what Landlock leaves, larger limits, outliving its starter."""
    confinement.end_with(starter)
    _set_limit("RLIMIT_AS", int(request.head["memory_bytes"]), for_good=True)
    _set_limit("RLIMIT_CPU", math.ceil(float(request.head["seconds"]) + confinement.MAX_MORE) + 1, for_good=True)
    system_calls.refuse_dangerous(may_start_programs=may_start_programs)


def _parse_here(request: Message, find_parser: FindParser, out: BinaryIO) -> None:
    """Parse the file and send its document."""
    confinement.limit(float(request.head["seconds"]))
    reply = _reply(request, find_parser)
    confinement.limit(0)
    send(out, reply)


def _deadline(request: Message) -> float:
    return 1.5 * float(request.head["by_clock"]) + 1  # a living parent would have killed us before


def _reply(request: Message, find_parser: FindParser) -> Message:
    head = request.head
    try:
        if "picture" in head:
            from readagent.loaders.pdf.picture import picture

            return pack_picture(picture(request.body, head["name"], *head["picture"]))
        document = _document(head, request.body, find_parser)
        if len(document.text) > MAX_CHARACTERS:
            raise too_long(head["name"], MAX_CHARACTERS)
        return pack(document)
    except LoadError as error:
        unsupported = isinstance(error, UnsupportedFormatError)
        return Message({"error": str(error), "hint": error.hint, "unsupported": unsupported})
    except RecursionError:
        hint = "save it again with another program, or as plain text"
        return Message({"error": f"{head['name']} is nested too deeply", "hint": hint, "unsupported": False})
    except MemoryError:
        return Message({"out_of_memory": True})
    except Exception as error:  # noqa: BLE001 - whatever a parser raises, the next file can still be read
        return Message({"crashed": f"{type(error).__name__}: {error}"[:2000]})


def _document(head: Mapping[str, Any], body: bytes, find_parser: FindParser) -> Document:
    """Return the document; if it took too much before, as plain text where it can be read as that."""
    name, options = head["name"], Options(**head["options"])
    data = as_utf8(body, head["content_type"], head["charset"])
    format_name = options.format or detect_format(data, name, head["content_type"])
    found = FORMATS[format_name]
    if "too_much" in head:
        reason, hint = head["too_much"]
        if not found.plain:
            raise LoadError(reason, hint=hint)
        document = find_parser("text").parse(data, name, options)
        why = f"plain text, since as {found.label} {reason.replace(name, 'it', 1)}"
        return replace(document, metadata={**document.metadata, READ_AS: why})
    if found.plain:
        confinement.limit(head["seconds_if_plain"])
    document = find_parser(format_name).parse(data, name, options)
    return replace(document, kind="" if document.code else found.kind)


def _private_stdout() -> BinaryIO:
    """Return the real standard output, and redirect file descriptors 1 and 2, to which native code may print."""
    out = os.fdopen(os.dup(1), "wb")
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    return out


def _set_limit(name: str, limit: int, *, for_good: bool = False) -> None:
    """Set a resource limit on this process, where the operating system supports it."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(AttributeError, ValueError, OSError):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (soft, soft if for_good else hard))


if __name__ == "__main__":
    serve(programs=("tesseract",) if "--ocr" in sys.argv else ())
