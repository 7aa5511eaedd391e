"""A run's folder: a manifest, and records that are appended one by one, so that a kill loses none that was written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from readagent.bench.lines import append, complete_lines, mend
from readagent.bench.rate import Rating
from readagent.bench.records import Key, Prediction, Reading
from readagent.core.trace import Trace
from readagent.errors import BadReplyError, UsageError
from readagent.models.wire import decode, decode_as, encode

Record = TypeVar("Record", Prediction, Rating, Reading)

MANIFEST, TRACES = "manifest.json", "traces"
PREDICTIONS, READINGS, RATINGS = "predictions.jsonl", "readings.jsonl", "ratings.jsonl"
_MAY_CHANGE = ("started", "finished", "commit", "versions", "machine", "state", "window")
_FILES: Mapping[type, str] = {Prediction: PREDICTIONS, Reading: READINGS, Rating: RATINGS}


class RunFolder:
    """The records of one run. ``open`` begins it, or goes on with it if it is the same run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mended: set[Path] = set()

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / MANIFEST).exists()

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Write the manifest of a new run; a folder that holds another run is left as it is.

        A run that has come to nothing yet, perhaps because its options were wrong, may be begun anew.
        """
        if self.exists and any((self.path / name).exists() for name in (PREDICTIONS, READINGS)):
            known, asked = self.manifest(), json.loads(json.dumps(manifest))
            changed = [name for name in asked if name not in _MAY_CHANGE and known.get(name) != asked[name]]
            if changed:
                raise UsageError(
                    f"{self.path} holds a run with another {changed[0].replace('_', ' ')}",
                    hint="give another --out, or the same options as before to go on with that run",
                )
            return
        with _writing(self.path):
            found = {file.name for file in self.path.iterdir()} if self.path.exists() else set()
            if found - {f"{MANIFEST}.new"} and MANIFEST not in found:
                raise UsageError(f"{self.path} is not empty and holds no run", hint="give a new folder with --out")
            self.path.mkdir(parents=True, exist_ok=True)
            self._write(manifest)

    def manifest(self) -> dict[str, Any]:
        """What the run was made with."""
        try:
            value: dict[str, Any] = json.loads((self.path / MANIFEST).read_text("utf-8"))
        except FileNotFoundError:
            raise UsageError(f"{self.path} holds no run", hint="a run's folder has a manifest.json in it") from None
        except (OSError, ValueError) as error:
            raise UsageError(f"the manifest in {self.path} cannot be read: {error}") from None
        return value

    def finish(self, **more: Any) -> None:
        """Add to the manifest what is known at the end."""
        with _writing(self.path):
            self._write({**self.manifest(), **more})

    def _write(self, value: Mapping[str, Any]) -> None:
        new = self.path / f"{MANIFEST}.new"
        new.write_text(json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True) + "\n", "utf-8")
        new.replace(self.path / MANIFEST)

    def add(self, record: Prediction | Reading | Rating) -> None:
        """Append a record."""
        self._append(self.path / _FILES[type(record)], encode(record))

    def add_trace(self, key: Key, trace: Trace, *, reading: bool = False) -> None:
        """Append all prompts and replies behind a prediction or a reading, to a compressed file for its document."""
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in key[2])[:80]
        line = {"key": key, "reading": reading, "calls": trace.calls, "fallbacks": trace.fallbacks}
        self._append(self.path / TRACES / f"{name}.jsonl.gz", encode(line))

    def _append(self, file: Path, line: bytes) -> None:
        with _writing(self.path):
            if file not in self._mended:
                file.parent.mkdir(exist_ok=True)
                mend(file)
                self._mended.add(file)
            append(file, line)

    def predictions(self) -> list[Prediction]:
        """The predictions, the last of each key, in the order of their keys' first appearance."""
        return list({record.key: record for record in self._records(PREDICTIONS, Prediction)}.values())

    def readings(self) -> list[Reading]:
        """The readings, the last of each key."""
        return list({record.key: record for record in self._records(READINGS, Reading)}.values())

    def ratings(self) -> list[Rating]:
        """The ratings, the last of each key."""
        return list({record.key: record for record in self._records(RATINGS, Rating)}.values())

    def prompts(self) -> Iterator[tuple[int, str, str, list[str]]]:
        """By run, method and document: the prompts of all its questions."""
        for file in sorted((self.path / TRACES).glob("*.jsonl.gz")):
            found: dict[tuple[int, str, str], dict[str, list[str]]] = {}
            for line in map(decode, complete_lines(file)):
                if not line["reading"]:
                    run, method, case, example = line["key"]
                    found.setdefault((run, method, case), {})[example] = [call["prompt"] for call in line["calls"]]
            for (run, method, case), by_example in found.items():
                yield run, method, case, [prompt for prompts in by_example.values() for prompt in prompts]

    def _records(self, name: str, kind: type[Record]) -> Iterator[Record]:
        """The records of a file; a last line that a kill cut off is left out."""
        for number, line in enumerate(complete_lines(self.path / name)):
            try:
                yield decode_as(line, kind)
            except BadReplyError as error:
                raise UsageError(f"line {number + 1} of {self.path / name} cannot be read: {error}") from None


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """One clear line where a folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror or error}", hint="all that was written is kept"
        ) from None
