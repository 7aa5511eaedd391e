"""Filling a shelf with several processes on this machine.

A worker gets its job through a pipe. When the other end is closed, because it is to stop or because the process that
started it is gone, it finishes the calls in flight and ends.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from dataclasses import replace

from readagent.errors import ReadAgentError
from readagent.filling.team import Job, Team, WorkerDiedError
from readagent.library import Library

_LOOK = 0.2  # seconds between two looks at the workers
_LOOKS = 5  # after which the progress is shown
_ENDING = 30.0  # seconds that workers have to finish their calls
_Member = subprocess.Popen[bytes]


def read_with_processes(job: Job, library: Library, workers: int, on_look: Callable[[], None] | None = None) -> None:
    """Read what fills a shelf with so many processes, until nothing is left.

    ``on_look`` is called every second. An error that every source would meet is raised, and what is not finished is
    read the next time.
    """
    count = min(workers, job.all_parallel or workers)
    Team(_Processes(_share(job, count).placed(library)), job, library, count).read(on_look)


def _share(job: Job, count: int) -> Job:
    """Return the job of one of the workers: each has its share of the limits of all."""
    settings, most = job.settings, job.all_parallel

    def part(of: int | None) -> int | None:
        return None if of is None else max(1, of // count)

    parallel = settings.parallel if most is None else min(settings.parallel, max(1, most // count))
    requests, tokens = part(settings.requests_per_minute), part(settings.tokens_per_minute)
    shared = replace(settings, parallel=parallel, requests_per_minute=requests, tokens_per_minute=tokens)
    return replace(job, settings=shared)


class _Processes:
    """Workers that are child processes, in a session of their own: Ctrl-C is for the process that started them."""

    def __init__(self, job: Job) -> None:
        self._job = pickle.dumps(job)

    def start(self) -> _Member:
        command = [sys.executable, "-P", "-m", "readagent.filling.processes"]
        member = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert member.stdin is not None
        with suppress(BrokenPipeError):  # it has died already
            member.stdin.write(self._job)
            member.stdin.flush()
        return member

    def wait(self, members: list[_Member]) -> list[_Member]:
        for _ in range(_LOOKS):
            if ended := [one for one in members if one.poll() is not None]:
                return ended
            time.sleep(_LOOK)
        return []

    def result(self, member: _Member) -> ReadAgentError | None:
        said, _ = member.communicate()
        try:
            error: ReadAgentError | None = pickle.loads(said)
        except (EOFError, pickle.UnpicklingError):
            raise WorkerDiedError(f"exit code {member.returncode}") from None
        return error

    def stop(self, members: list[_Member]) -> None:
        for one in members:
            assert one.stdin is not None
            with suppress(BrokenPipeError):
                one.stdin.close()
        deadline = time.monotonic() + _ENDING
        try:
            for one in members:
                with suppress(subprocess.TimeoutExpired):
                    one.wait(max(0.0, deadline - time.monotonic()))
        finally:
            for one in members:
                one.kill()
                one.wait()


def main() -> None:
    """Do the job that comes through standard input, and write the error that ended it to standard output."""
    output = sys.stdout.buffer
    with redirect_stdout(sys.stderr):
        job = pickle.load(sys.stdin.buffer)
        error = asyncio.run(_work(job))
    with suppress(BrokenPipeError):  # the process that started this one was killed
        pickle.dump(error, output)
        output.flush()


async def _work(job: Job) -> ReadAgentError | None:
    reading, loop = asyncio.create_task(job.work()), asyncio.get_running_loop()

    def stop_at_end() -> None:
        while os.read(0, 1):  # the buffer of sys.stdin would be locked while Python ends
            pass
        with suppress(RuntimeError):  # the loop is closed: the work is done
            loop.call_soon_threadsafe(reading.cancel)

    threading.Thread(target=stop_at_end, daemon=True).start()
    try:
        await reading
    except ReadAgentError as error:
        return error
    except asyncio.CancelledError:
        pass
    return None


if __name__ == "__main__":
    main()
