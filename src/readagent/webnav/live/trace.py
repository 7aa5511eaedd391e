"""TraceFolder: what is kept of a visit, written as it happens: a line a step, a picture, the snippets, the prompts.

Every letter goes through the secrets first, so that none of them is in any file.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from readagent.errors import UsageError
from readagent.models.wire import encode
from readagent.webnav.live.secrets import Secrets
from readagent.webnav.live.visit import VisitStep
from readagent.webnav.step import Step


class TraceFolder:
    """``trace.jsonl``, and for each step ``step-01.png``, ``step-01.snippets.jsonl`` and ``step-01.calls.jsonl``."""

    def __init__(self, path: Path, secrets: Secrets) -> None:
        self.path = path
        self._secrets = secrets
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"the folder {path} cannot be made: {(error.strerror or str(error)).lower()}") from error
        if (path / "trace.jsonl").exists():
            raise UsageError(f"{path} holds the trace of another visit", hint="give another folder to --trace")

    @classmethod
    def new_in(cls, home: Path, url: str, secrets: Secrets) -> TraceFolder:
        """A new folder in the home folder, named after the moment and the host."""
        name = f"{datetime.now():%Y%m%d-%H%M%S}-{urlsplit(url).hostname or 'page'}"
        visits = home / "visits"
        path = next(one for n in range(1, 1000) if not (one := visits / (name if n == 1 else f"{name}-{n}")).exists())
        return cls(path, secrets)

    def start(self, **what: Any) -> None:
        self._append("trace.jsonl", [{"event": "began", "at": f"{datetime.now().astimezone():%FT%T%z}", **what}])

    def screenshot_path(self, number: int) -> Path:
        """Where the picture of a step goes."""
        return self.path / f"step-{number:02d}.png"

    def add_step(self, taken: VisitStep, step: Step) -> None:
        """A step: what was done, the snippets of its page with their gists, and the prompts and replies it took."""
        gists = {record.index: record.content for record in step.memory.records} if step.memory else {}
        self._append(f"step-{taken.number:02d}.snippets.jsonl", [
            {"index": one.index, "opened": one.index in step.opened, "gist": gists.get(one.index, ""), "html": one.html}
            for one in step.snippets
        ])  # fmt: skip
        self._append(f"step-{taken.number:02d}.calls.jsonl", [
            {"step": call.step, "prompt": call.prompt, "reply": call.reply, "paid": call.paid}
            for call in step.trace.calls
        ])  # fmt: skip
        self._append("trace.jsonl", [{"event": "step", **step_record(taken)}])

    def end(self, how: str, reason: str) -> None:
        self._append("trace.jsonl", [{"event": "ended", "ended": how, "reason": reason}])

    def _append(self, name: str, records: Iterable[dict[str, Any]]) -> None:
        lines = (encode(record).decode("utf-8", "replace") for record in records)
        with (self.path / name).open("a", encoding="utf-8") as file:
            file.writelines(f"{self._secrets.redact(line)}\n" for line in lines)


def step_record(taken: VisitStep) -> dict[str, Any]:
    """A step as `browse --json` prints it and as the trace keeps it."""
    action = taken.action and {
        "element": taken.action.element, "operation": taken.action.operation, "value": taken.action.value,
    }  # fmt: skip
    return {
        "number": taken.number, "url": taken.url, "title": taken.title, "action": action,
        "description": taken.description, "context": taken.context, "opened": list(taken.opened),
        "page_words": taken.page_words,
        "compression": round(taken.compression, 4), "largest_prompt": taken.largest_prompt,
        "events": list(taken.events), "error": taken.error,
    }  # fmt: skip
