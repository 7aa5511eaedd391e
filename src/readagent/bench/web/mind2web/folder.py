"""The folder of a run on Mind2Web: a manifest, predictions that are appended one by one, traces, a report."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from readagent.bench.folder import PREDICTIONS, RunFolder
from readagent.bench.lines import append, complete_lines, mend
from readagent.bench.web.mind2web.records import Prediction
from readagent.core.trace import Trace
from readagent.errors import BadReplyError, UsageError
from readagent.models.wire import decode_as, encode

REPORT = "report.md"


class WebFolder:
    """The records of one run; a run that was stopped goes on in the same folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._folder = RunFolder(path)

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return self._folder.exists

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Begin a run, or go on with it if it is the same."""
        self._folder.open(manifest)
        mend(self.path / PREDICTIONS)

    def manifest(self) -> dict[str, Any]:
        """What the run was made with."""
        return self._folder.manifest()

    def finish(self, **more: Any) -> None:
        """Add to the manifest what is known at the end."""
        self._folder.finish(**more)

    def add(self, prediction: Prediction, trace: Trace) -> None:
        """Append a prediction, after all that was said for it."""
        self._folder.add_trace(prediction.key, trace)
        try:
            append(self.path / PREDICTIONS, encode(prediction))
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}") from None

    def predictions(self) -> list[Prediction]:
        """The predictions, the last of each key."""
        found: dict[object, Prediction] = {}
        for number, line in enumerate(complete_lines(self.path / PREDICTIONS)):
            try:
                one = decode_as(line, Prediction)
            except BadReplyError as error:
                raise UsageError(f"line {number + 1} of {self.path / PREDICTIONS} cannot be read: {error}") from None
            found[one.key] = one
        return list(found.values())

    def write(self, report: str) -> Path:
        """Write the report, and say where."""
        try:
            (self.path / REPORT).write_text(report, "utf-8")
        except OSError as error:
            raise UsageError(f"{self.path} cannot be written: {error.strerror or error}") from None
        return self.path / REPORT
