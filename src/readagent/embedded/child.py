"""The process in which a model is run: it is told what to run, says where it listens, and ends with its parent.

A process of its own, because llama.cpp as a library lets nothing else run in its process while a model is loaded, and
brings the process down with it where it fails, or where the process ends in the middle of a reply.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from typing import BinaryIO

from readagent.embedded.host import BROKEN, LISTENS, Launch

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def main(parent: int) -> None:
    """Serve until standard input ends, which it does with the parent, however that ends."""
    failed = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which waits for replies under way
        _die_with(parent)
        out = _silenced()
        launch = Launch(**json.loads(sys.stdin.readline()))
        try:
            from readagent.embedded.llama import serve
        except ImportError as error:
            _say(out, BROKEN, str(error))
            return
        server = serve(launch)
        _say(out, LISTENS, str(server.listening_address))
        sys.stdin.read()
        failed = 0
    finally:
        os._exit(failed)  # whatever happened, the server is not unmade


def _say(out: BinaryIO, what: str, more: str) -> None:
    out.write(f"{what} {' '.join(more.split())}\n".encode())
    out.flush()


def _silenced() -> BinaryIO:
    """Standard output for us alone: what native code prints goes nowhere."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return out


def _die_with(parent: int) -> None:
    """On Linux also while a model is being loaded, when nothing else can be noticed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            raise SystemExit  # it was gone already


if __name__ == "__main__":
    main(int(sys.argv[1]))
