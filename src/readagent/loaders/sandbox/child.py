"""The process in which files are read apart: one file after another comes in, its document or the reason goes out.

It ends with its parent, whose end closes the pipe; and should that come in the middle of a file that never ends, by
itself when its time is over.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

from readagent.errors import LoadError
from readagent.loaders.formats import MOST_CHARACTERS, Options, Room, room_of
from readagent.loaders.sandbox.messages import Message, packed, receive, send

MOST_BYTES = 2_000_000_000  # of one file


def serve(rooms: Callable[[str], Room] = room_of) -> None:
    """Read files until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    out = _silenced()
    _limit("RLIMIT_CORE", 0)
    gc.disable()  # large trees are made and thrown away, and looked through once, at the end of each file
    while (asked := receive(sys.stdin.buffer, MOST_BYTES)) is not None:
        _limit("RLIMIT_AS", int(asked.head["memory_bytes"]))
        alone = 1.5 * float(asked.head["seconds"]) + 1  # by then a parent that lives would have ended us
        faulthandler.dump_traceback_later(alone, exit=True)
        reply = _reply(asked, rooms)
        faulthandler.cancel_dump_traceback_later()
        send(out, reply)
        del asked, reply
        gc.collect()


def _reply(asked: Message, rooms: Callable[[str], Room]) -> Message:
    head = asked.head
    try:
        room = rooms(head["format"])
        document = room.parse(asked.body, head["name"], Options(**head["options"]))
        if len(document.text) > MOST_CHARACTERS:
            reason = f"{head['name']} holds more than {MOST_CHARACTERS // 1_000_000} million characters of text"
            raise LoadError(reason, hint="cut it into parts and read those")
        return packed(document)
    except LoadError as error:
        return Message({"refused": str(error), "hint": error.hint})
    except MemoryError:
        return Message({"memory": True})
    except Exception as error:  # noqa: BLE001 - whatever a file makes a reader do, the next file is another
        return Message({"broken": f"{type(error).__name__}: {error}"[:2000]})


def _silenced() -> BinaryIO:
    """Standard output for us alone: what native code prints goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return out


def _limit(name: str, most: int) -> None:
    """Set a limit of the system on this process, where the system has it."""
    try:
        import resource
    except ImportError:
        return
    with contextlib.suppress(AttributeError, ValueError, OSError):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    serve()
