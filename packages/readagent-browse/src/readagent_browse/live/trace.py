"""TraceFolder: the record of a visit on disk, written as it happens: steps, screenshots, snippets and prompts.

All text is redacted before it is written, so that no file contains a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from readagent.core.question import Answer
from readagent.errors import UsageError
from readagent.models.wire import encode
from readagent.private import make_folder, opener
from readagent_browse.live.origin import origin_text
from readagent_browse.live.secrets import Secrets
from readagent_browse.live.visit import VisitStep
from readagent_browse.step import Step


class TraceFolder:
    """``trace.jsonl``, and for each step ``step-01.png``, ``step-01.snippets.jsonl`` and ``step-01.calls.jsonl``."""

    def __init__(self, path: Path, secrets: Secrets) -> None:
        self.path = path
        self._secrets = secrets
        try:
            make_folder(path)
        except OSError as error:
            raise UsageError(f"could not create the folder {path}: {(error.strerror or str(error)).lower()}") from error
        if (path / "trace.jsonl").exists():
            raise UsageError(
                f"{path} already contains the trace of another visit", hint="choose another folder with `folder`"
            )

    def start(self, **settings: Any) -> None:
        """Write the line that opens the trace."""
        self._append("trace.jsonl", [{"event": "began", "at": f"{datetime.now().astimezone():%FT%T%z}", **settings}])

    @property
    def downloads(self) -> Path:
        """The folder for files that the user agreed to save; it is created with the first one."""
        return self.path / "downloads"

    def add_screenshot(self, number: int, picture: bytes) -> None:
        """Write the screenshot of a step."""
        with open(self.path / f"step-{number:02d}.png", "wb", opener=opener) as file:
            file.write(picture)

    def add_step(self, taken: VisitStep, step: Step) -> None:
        """Write a step: the action, the snippets of the page with their gists, and the prompts and replies."""
        gists = step.memory.gists() if step.memory else {}
        self._append(f"step-{taken.number:02d}.snippets.jsonl", [
            {"index": one.index, "opened": one.index in step.opened, "gist": gists.get(one.index, ""), "html": one.html}
            for one in step.snippets
        ])  # fmt: skip
        self._append(f"step-{taken.number:02d}.calls.jsonl", [
            {"step": call.step, "prompt": call.prompt, "reply": call.reply, "paid": call.paid}
            for call in step.trace.calls
        ])  # fmt: skip
        self._append("trace.jsonl", [{"event": "step", **step_record(taken)}])

    def end(self, ended: str, reason: str, answer: Answer | None = None, **more: Any) -> None:
        """Write the line that closes the trace."""
        record = {"event": "ended", "ended": ended, "reason": reason, "answer": answer and answer_record(answer)}
        self._append("trace.jsonl", [{**record, **more}])

    def _append(self, name: str, records: Iterable[dict[str, Any]]) -> None:
        lines = (encode(self._redacted(record)).decode("utf-8", "replace") for record in records)
        with open(self.path / name, "a", encoding="utf-8", opener=opener) as file:
            file.writelines(f"{line}\n" for line in lines)

    def _redacted(self, value: Any) -> Any:
        """Return a value with the secrets in its texts replaced, before it is encoded: the line has to stay JSON."""
        if isinstance(value, str):
            return self._secrets.redact(value)
        if isinstance(value, dict):
            return {name: self._redacted(one) for name, one in value.items()}
        return [self._redacted(one) for one in value] if isinstance(value, (list, tuple)) else value


def new_folder(home: Path, url: str) -> Path:
    """Return where the trace of a visit goes by default: a new folder below home, named after the time and the host."""
    host = re.sub(r"[^\w.-]", "_", origin_text(url).partition("://")[2])[:80]
    name = f"{datetime.now():%Y%m%d-%H%M%S}-{host or 'page'}"
    visits = home / "visits"
    return next(one for n in range(1, 1000) if not (one := visits / (name if n == 1 else f"{name}-{n}")).exists())


def step_record(taken: VisitStep) -> dict[str, Any]:
    """Return a step as `browse --json` prints it and as the trace stores it."""
    action = taken.action and {
        "element": taken.action.element, "operation": taken.action.operation, "value": taken.action.value,
    }  # fmt: skip
    return {
        "number": taken.number, "url": taken.url, "title": taken.title, "action": action,
        "description": taken.description, "context": taken.context, "opened": list(taken.opened),
        "page_words": taken.page_words, "compression": round(taken.compression, 4),
        "largest_prompt": taken.largest_prompt, "events": list(taken.events), "error": taken.error,
    }  # fmt: skip


def answer_record(answer: Answer) -> dict[str, Any]:
    """Return the answer of a visit as `browse --json` prints it and as the trace stores it."""
    return {
        "text": answer.text,
        "quotes": [{"text": quote.text, "url": quote.place, "exact": quote.exact, "by_us": quote.by_us}
                   for quote in answer.quotes],
        "false_quotes": answer.false_quotes,
        "statements": [{"text": one.text, "state": one.state, "quotes": list(one.quotes)}
                       for one in answer.statements],
        "checked_by": answer.support.checked_by,
        "verified": answer.verified,
        "found_on_pages": answer.found_in_text,
    }  # fmt: skip
