"""Confine this process, where the kernel allows it: it can read its own program and nothing else, and reach no network.

Linux 5.13 and later has Landlock, which a process can use without rights to give up access to files, and since 6.7 to
TCP. It stays in force for everything the process starts. Elsewhere nothing happens.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from readagent.loaders.sandbox import system_calls

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, the same on all architectures
_ASK_VERSION = 1
_RULE_PATH = 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1, 1 << 2, 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many rights over files each version knows
_FILE_RIGHTS_LATEST = 16
_NETWORK_SINCE, _NETWORK_RIGHTS = 4, 0b11  # bind and connect
_SCOPE_SINCE, _SCOPES = 6, 0b11  # abstract sockets, and signals to other processes
_NO_NEW_PRIVILEGES, _DEATH_SIGNAL, _DUMPABLE = 38, 1, 4  # of prctl
_SYSTEM = ("/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime",
           "/dev/null", "/dev/urandom", "/proc/meminfo", "/proc/cpuinfo")  # fmt: skip
_PROGRAM_DATA = ("/usr/share/tesseract-ocr", "/usr/share/tessdata", "/usr/share/tesseract")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _PathRule(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("rights", ctypes.c_uint64), ("folder", ctypes.c_int32))


def confine(programs: Sequence[str] = ()) -> bool:
    """Give up new privileges, all files but those of this program, and the network. Return whether that worked.

    ``programs`` of the system can still be run, with the same restrictions.
    """
    if sys.platform != "linux":
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:  # the kernel is older, or was started without Landlock
        return False
    rules = _Ruleset(
        (1 << _FILE_RIGHTS.get(version, _FILE_RIGHTS_LATEST)) - 1,
        _NETWORK_RIGHTS if version >= _NETWORK_SINCE else 0,
        _SCOPES if version >= _SCOPE_SINCE else 0,
    )
    size = 24 if version >= _SCOPE_SINCE else 16 if version >= _NETWORK_SINCE else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    try:
        for path in _program():
            _allow_reading(libc, ruleset, path)
        for path in _paths_to_run(programs):
            _allow_reading(libc, ruleset, path, _EXECUTE)
        return bool(libc.syscall(_RESTRICT_SELF, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _program() -> set[str]:
    """Return the files and folders that the interpreter and the parsers are loaded from."""
    packages = [path for path in sys.path if path]
    own = str(Path(__file__).resolve().parents[2])
    return {*packages, *sysconfig.get_paths().values(), own, sys.prefix, sys.base_prefix, *_SYSTEM}


def _paths_to_run(programs: Sequence[str]) -> set[str]:
    """Return the files of these programs, and where their libraries and data are."""
    found = {str(Path(path).resolve()) for program in programs if (path := shutil.which(program))}
    return {*found, "/usr/lib", "/usr/lib64", "/lib", "/lib64", *_PROGRAM_DATA} if found else set()


def _allow_reading(libc: ctypes.CDLL, ruleset: int, path: str, more: int = 0) -> None:
    with suppress(OSError):  # a folder that does not exist needs no rule
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = _READ_FILE | more | (_READ_FOLDER if Path(path).is_dir() else 0)
            rule = _PathRule(rights, opened)
            libc.syscall(_ADD_RULE, ruleset, _RULE_PATH, ctypes.byref(rule), 0)
        finally:
            os.close(opened)


def end_with(starter: int) -> None:
    """Let the kernel end this process when the one that started it ends, and write no memory dump of it."""
    libc = ctypes.CDLL(None)
    libc.prctl(_DUMPABLE, 0, 0, 0, 0)  # a limit of 0 does not keep a dump from a program that the system pipes it to
    libc.prctl(_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != starter:  # it ended before
        os._exit(1)


def missing() -> str:
    """Return what files could do here if they took over their parser, because the system cannot prevent it."""
    no_landlock = sys.platform != "linux" or ctypes.CDLL(None).syscall(_CREATE_RULESET, None, 0, _ASK_VERSION) < 1
    no_filter = not system_calls.can_be_filtered()
    lacking = [
        (no_landlock, "read and write your files"),
        (no_filter, "reach the network and change modes of files"),
    ]
    return " and ".join(what for is_so, what in lacking if is_so)


MAX_MORE = 600.0  # seconds that a parser may add


def limit(seconds: float) -> None:
    """Let this process use so many more seconds of processor time; 0 removes the limit."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def add(seconds: float) -> None:
    """Let this process use more processor time, if it has a limit: a small file may have many pages."""
    if sys.platform != "win32" and (left := signal.getitimer(signal.ITIMER_PROF)[0]):
        signal.setitimer(signal.ITIMER_PROF, left + min(seconds, MAX_MORE))


def was_used_up(exit_code: int) -> bool:
    """Return whether a process that ended with this code has used up its processor time."""
    return sys.platform != "win32" and exit_code == -signal.SIGPROF
