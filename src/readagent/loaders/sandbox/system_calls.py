"""A filter on system calls (seccomp) for a process that parses one file, beside Landlock.

Landlock leaves out what this filter refuses: every socket but plain TCP, a change of a file's mode, times, owner or
attributes, limits and priorities of other processes, memory outside the memory limit, and processes that outlive the
time limit. It lists what is refused, since what PDFium and Python need differs between machines. System calls that are
newer than the list do not exist for the process, so none of them is a way around it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Iterable, Mapping

_NEWEST = 462  # numbers are the same on all architectures from 424 on; setxattrat and file_setattr follow

_X86_64, _AARCH64 = 0xC000003E, 0xC00000B7  # as the kernel names them to filters
_ARCHITECTURES: Mapping[str, tuple[int, int]] = {"x86_64": (0, _X86_64), "aarch64": (1, _AARCH64)}

# The numbers of each call on x86_64 and aarch64; 0 where there is none.
_REFUSED: Mapping[str, tuple[int, int]] = {
    # connections: without a socket there are none
    "socket": (41, 198), "socketpair": (53, 199), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "accept": (43, 202), "accept4": (288, 242), "sendto": (44, 206), "sendmsg": (46, 211), "sendmmsg": (307, 269),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # what is stored about a file
    "chmod": (90, 0), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, 0), "fchown": (93, 55), "lchown": (94, 0), "fchownat": (260, 54),
    "utime": (132, 0), "utimes": (235, 0), "futimesat": (261, 0), "utimensat": (280, 88),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "truncate": (76, 45),
    # other processes, their memory, and what they share
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "tkill": (200, 130),
    "pidfd_send_signal": (424, 424), "pidfd_getfd": (438, 438), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "process_mrelease": (448, 448), "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setaffinity": (203, 122),
    "sched_setparam": (142, 118), "sched_setscheduler": (144, 119), "sched_setattr": (314, 274),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "setrlimit": (160, 164),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semctl": (66, 191),
    "semop": (65, 193), "semtimedop": (220, 192), "msgget": (68, 186), "msgctl": (71, 187), "msgsnd": (69, 189),
    "msgrcv": (70, 188), "mq_open": (240, 180), "mq_unlink": (241, 181),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # memory that the memory limit does not count
    "memfd_create": (319, 279), "memfd_secret": (447, 447),
    # parts of the kernel that no parser needs
    "unshare": (272, 97), "setns": (308, 268), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "mount": (165, 40), "fsopen": (430, 430), "open_tree": (428, 428),
}  # fmt: skip
_STARTING: Mapping[str, tuple[int, int]] = {
    "fork": (57, 0), "vfork": (58, 0), "execve": (59, 221), "execveat": (322, 281), "kill": (62, 129),
}  # fmt: skip

_LOAD, _RETURN = 0x20, 0x06
_EQUAL, _AT_LEAST, _ANY_BIT = 0x15, 0x35, 0x45
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000  # and the error
_NUMBER, _ARCHITECTURE = 0, 4  # where the number of the call and the architecture are in what the filter gets
_THREAD = 0x00010000  # a flag of clone
_SET_DEATH_SIGNAL = 1  # of prctl
_CHANGE_ATTRIBUTES = (0x40086602, 0x401C5820)  # requests of ioctl: FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR
_SET_SECCOMP, _GET_SECCOMP, _FILTER_MODE = 22, 21, 2  # of prctl


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("value", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("instructions", ctypes.POINTER(_Instruction)))


_Line = tuple[int, int, int, int]


def can_be_filtered() -> bool:
    """Whether this kernel and this architecture have such filters."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    return bool(ctypes.CDLL(None).prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0)


def refuse_dangerous(*, may_start_programs: bool = False) -> bool:
    """Take the calls of the list from this process, for good; return whether that worked."""
    if not can_be_filtered():
        return False
    filter_lines = _filter(*_ARCHITECTURES[platform.machine()], may_start_programs=may_start_programs)
    instructions = [_Instruction(*line) for line in filter_lines]
    program = _Program(len(instructions), (_Instruction * len(instructions))(*instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.prctl(_SET_SECCOMP, _FILTER_MODE, ctypes.byref(program), 0, 0) == 0)


def _filter(column: int, architecture: int, *, may_start_programs: bool) -> Iterable[_Line]:
    """Yield the filter, a program that the kernel runs before each system call."""
    no = _FAIL | errno.EACCES
    missing = _FAIL | errno.ENOSYS  # C libraries then use an older call
    yield _LOAD, 0, 0, _ARCHITECTURE
    yield _EQUAL, 1, 0, architecture
    yield _RETURN, 0, 0, no
    yield _LOAD, 0, 0, _NUMBER
    yield _AT_LEAST, 0, 1, _NEWEST + 1
    yield _RETURN, 0, 0, missing
    refused = _REFUSED if may_start_programs else {**_REFUSED, **_STARTING}
    for numbers in refused.values():
        if number := numbers[column]:
            yield _EQUAL, 0, 1, number
            yield _RETURN, 0, 0, no
    ioctl, prctl, prlimit, tgkill = ((16, 29), (157, 167), (302, 261), (234, 131))
    for request in _CHANGE_ATTRIBUTES:
        yield from _refused_if(ioctl[column], 1, _EQUAL, request)
    yield from _refused_if(prctl[column], 0, _EQUAL, _SET_DEATH_SIGNAL)
    yield from _refused_if(tgkill[column], 0, _EQUAL, os.getpid(), unless=True)  # abort() is such a call
    yield from _refused_if(prlimit[column], 2, _EQUAL, 0, unless=True)  # limits are read with a null pointer
    yield from _refused_if(prlimit[column], 2, _EQUAL, 0, unless=True, upper=True)
    if not may_start_programs:
        clone, clone3 = (56, 220), 435
        yield from _refused_if(clone[column], 0, _ANY_BIT, _THREAD, unless=True)
        yield _EQUAL, 0, 1, clone3
        yield _RETURN, 0, 0, missing
    yield _RETURN, 0, 0, _ALLOW


def _refused_if(
    number: int, argument: int, test: int, value: int, *, unless: bool = False, upper: bool = False
) -> Iterable[_Line]:
    """Yield the lines that refuse a call if (or unless) half of an argument, the lower or the upper, passes a test."""
    yield _EQUAL, 0, 4, number
    yield _LOAD, 0, 0, 16 + 8 * argument + 4 * upper
    yield (test, 1, 0, value) if unless else (test, 0, 1, value)
    yield _RETURN, 0, 0, _FAIL | errno.EACCES
    yield _LOAD, 0, 0, _NUMBER
