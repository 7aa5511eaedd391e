"""The child process that runs a model: it reads its options, prints its address, and ends with its parent.

It is a process of its own because llama.cpp, as a library, blocks all other code while it loads a model, and crashes
the whole process if it fails or if the process exits in the middle of a reply.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from typing import BinaryIO

from readagent.embedded.process import IMPORT_FAILED, LISTENING, Launch

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def main(parent: int) -> None:
    """Serve until standard input is closed, which happens when the parent ends, for whatever reason."""
    status = 1
    try:
        for name in (
            "SIGINT",
            "SIGTERM",
            "SIGHUP",
        ):  # for the parent, which waits for open replies
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        _die_with(parent)
        out = _silence_native_code()
        launch = Launch(**json.loads(sys.stdin.readline()))
        try:
            from readagent.embedded.llama import serve
        except ImportError as error:
            _print(out, IMPORT_FAILED, str(error))
            return
        server = serve(launch)
        _print(out, LISTENING, str(server.listening_address))
        sys.stdin.read()
        status = 0
    finally:
        os._exit(status)  # without destroying the server, see llama.serve


def _print(out: BinaryIO, status: str, detail: str) -> None:
    out.write(f"{status} {' '.join(detail.split())}\n".encode())
    out.flush()


def _silence_native_code() -> BinaryIO:
    """Return standard output for our own use, and discard what native code prints."""
    out = os.fdopen(os.dup(1), "wb")
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, 1)
    os.dup2(devnull, 2)
    return out


def _die_with(parent: int) -> None:
    """On Linux, also die with the parent while a model is loading, when no Python code runs."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != parent:
            raise SystemExit  # the parent is gone already


if __name__ == "__main__":
    main(int(sys.argv[1]))
