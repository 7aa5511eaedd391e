"""The folder of a run: a manifest, and files that records are appended to, so that a kill loses no written record."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from readagent.core.trace import Trace
from readagent.errors import BadReplyError, UsageError
from readagent.library.own_files import lock_file
from readagent.models.wire import decode, decode_as, encode


def append(file: Path, line: bytes) -> None:
    """Append a line."""
    data = line + b"\n"
    with file.open("ab") as end:
        end.write(gzip.compress(data, mtime=0) if file.suffix == ".gz" else data)


def complete_lines(file: Path) -> Iterator[bytes]:
    """Yield the complete lines of a file; none if it does not exist."""
    opened: Any = gzip.open if file.suffix == ".gz" else open
    with suppress(FileNotFoundError, EOFError, zlib.error, gzip.BadGzipFile), opened(file, "rb") as lines:
        yield from (line[:-1] for line in lines if line.endswith(b"\n"))


def mend(file: Path) -> None:
    """Leave out an incomplete last line, so that the next one starts on a line of its own."""
    lines = b"".join(line + b"\n" for line in complete_lines(file))
    new = file.with_name(f"{file.name}.new")
    new.write_bytes(gzip.compress(lines, mtime=0) if file.suffix == ".gz" and lines else lines)
    new.replace(file)


Key = tuple[int, str, str, str]  # run, method, case, question or step

MANIFEST, TRACES, LOCK = "manifest.json", "traces", ".lock"
PREDICTIONS, READINGS, RATINGS = "predictions.jsonl", "readings.jsonl", "ratings.jsonl"
_MAY_CHANGE = ("started", "finished", "commit", "versions", "machine", "state", "window", "missing")


class Record(Protocol):
    """A line of the file ``FILE``. A later record replaces an earlier one with the same key."""

    FILE: ClassVar[str]

    @property
    def key(self) -> Hashable: ...


class CaseRecord(Protocol):
    """A record about one case of a run."""

    FILE: ClassVar[str]

    @property
    def key(self) -> Key: ...


RecordT = TypeVar("RecordT", bound=Record)


class RunFolder:
    """The records of one run, of whatever types its task has."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mended: set[Path] = set()

    @property
    def exists(self) -> bool:
        """Whether the folder has a run in it."""
        return (self.path / MANIFEST).exists()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Let no other process run in this folder during the block; raise UsageError if one does."""
        with _writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / LOCK).open("ab")
        with file:
            try:
                lock_file(file.fileno())
            except OSError:
                raise UsageError(
                    f"another process is running in {self.path}",
                    hint="wait for it and run the same command again, or use another --out",
                ) from None
            yield

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Start a run, or resume it if the folder has the same one; raise UsageError if it has another.

        A run without any record, perhaps because its options were wrong, may be started again with others.
        """
        if self.resumes(manifest):
            return
        with _writing(self.path):
            found = {file.name for file in self.path.iterdir()} if self.path.exists() else set()
            if found - {f"{MANIFEST}.new", LOCK} and MANIFEST not in found:
                raise UsageError(f"{self.path} is not empty and has no run in it", hint="use a new folder with --out")
            self.path.mkdir(parents=True, exist_ok=True)
            self._write(manifest)

    def resumes(self, manifest: Mapping[str, Any]) -> bool:
        """Return whether the folder has records of a run with these values; raise UsageError if it has another run."""
        if not self.exists or not any((self.path / name).exists() for name in (PREDICTIONS, READINGS)):
            return False
        known, asked = self.manifest(), json.loads(json.dumps(manifest))
        changed = [name for name in asked if name not in _MAY_CHANGE and known.get(name) != asked[name]]
        if changed:
            raise UsageError(
                f"{self.path} has a run with different {changed[0].replace('_', ' ')}",
                hint="use another --out, or the options of that run to resume it",
            )
        return True

    def manifest(self) -> dict[str, Any]:
        """Return what the run was made with."""
        try:
            value: dict[str, Any] = json.loads((self.path / MANIFEST).read_text("utf-8"))
        except FileNotFoundError:
            raise UsageError(f"{self.path} has no run in it", hint="the folder of a run has a manifest.json") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read the manifest in {self.path}: {error}") from None
        return value

    def finish(self, **more: Any) -> None:
        """Add to the manifest what is known at the end."""
        with _writing(self.path):
            self._write({**self.manifest(), **more})

    def write_text(self, name: str, text: str) -> Path:
        """Write a file, such as a report, and return its path."""
        with _writing(self.path):
            (self.path / name).write_text(text, "utf-8")
        return self.path / name

    def _write(self, value: Mapping[str, Any]) -> None:
        new = self.path / f"{MANIFEST}.new"
        new.write_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
        new.replace(self.path / MANIFEST)

    def add(self, record: Record) -> None:
        """Append a record to its file."""
        self._append(self.path / record.FILE, encode(record))

    def add_trace(self, key: Key, trace: Trace, *, reading: bool = False) -> None:
        """Append all prompts and replies of a prediction or a reading to the compressed file of its case."""
        line = {"key": key, "reading": reading, "calls": trace.calls, "fallbacks": trace.fallbacks}
        self._append(self._trace_file(key[2]), encode(line))

    def traces(self, case: str) -> Iterator[dict[str, Any]]:
        """Yield what ``add_trace`` has added for a case: the key, whether it is a reading, calls and fallbacks."""
        for line in map(decode, complete_lines(self._trace_file(case))):
            if line["key"][2] == case:
                yield line

    def _trace_file(self, case: str) -> Path:
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in case)[:80]
        return self.path / TRACES / f"{name}.jsonl.gz"

    def _append(self, file: Path, line: bytes) -> None:
        with _writing(self.path):
            if file not in self._mended:
                file.parent.mkdir(exist_ok=True)
                mend(file)
                self._mended.add(file)
            append(file, line)

    def records(self, kind: type[RecordT]) -> list[RecordT]:
        """Return the records of a type, the last of each key, in the order in which the keys first appear.

        A last line that a kill cut off is ignored.
        """
        found: dict[Hashable, RecordT] = {}
        for number, line in enumerate(complete_lines(self.path / kind.FILE)):
            try:
                record = decode_as(line, kind)
            except BadReplyError as error:
                raise UsageError(f"cannot read line {number + 1} of {self.path / kind.FILE}: {error}") from None
            found[record.key] = record
        return list(found.values())


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn an OSError into a UsageError of one line."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot write to {path}: {error.strerror or error}", hint="everything written so far is kept"
        ) from None
